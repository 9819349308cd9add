#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/ftl/ftl_table.h"
#include "tests/core/ftl/ftl_model.h"

namespace cavern::testing {

/// A translation layer of the table in a drive.
struct FtlCase {
    const FtlRow* row = nullptr;
    std::string drive;
    Geometry geometry;
    FtlParams params;

    [[nodiscard]] std::string name() const; ///< for a test: CamelCase
    [[nodiscard]] std::unique_ptr<FtlIf> make(DecisionLogIf* log) const {
        return row->make(geometry, params, log);
    }
};
void PrintTo(const FtlCase& each, std::ostream* out);

/// Every row of the table in drives from one die of one plane to channels, ways, dies and planes of
/// several, with the parameters of every layer varied.
[[nodiscard]] std::vector<FtlCase> ftl_cases();
/// One of these for each row.
[[nodiscard]] std::vector<FtlCase> one_ftl_case_each();
/// Every row that collects by policy, with each policy there is.
[[nodiscard]] std::vector<FtlCase> ftl_policy_cases();
/// Every row that levels wear and retires blocks: hot and cold pages, collection by idle dies, wear
/// levelling, bad blocks and failures, alone and together.
[[nodiscard]] std::vector<FtlCase> ftl_option_cases();

/// Whether the layer chooses victims by ftl.gc_policy: then it refuses to be without one.
[[nodiscard]] bool collects_by_policy(const FtlRow& row);

/// The model around a layer, by default that of the case.
[[nodiscard]] std::unique_ptr<FtlModel>
make_model(const FtlCase& each, std::uint64_t seed,
           const std::function<std::unique_ptr<FtlIf>(std::unique_ptr<FtlIf>)>& wrap = {});

/// Random host behaviour against one layer; targets as an allocator may choose them: reads, single
/// writes, units of a logical block with and without padding, runs, pages written over and over,
/// trims of pages and blocks; a mapping cache changes its size, idle planes are collected.
class FtlWorkload {
  public:
    FtlWorkload(const FtlCase& each, FtlModel& model);

    void step();
    /// Writes of a logical block to another die than the last.
    [[nodiscard]] std::uint64_t moves() const { return moves_; }
    /// Victims collected without need.
    [[nodiscard]] std::uint64_t ahead() const { return ahead_; }

  private:
    Lpn page();
    void trim(std::uint64_t first, std::uint64_t count);
    void hammer();
    void scatter(bool padded);
    void run();
    void write(std::uint64_t first, std::uint64_t count);
    void write_unit(std::vector<UnitPage>& unit);
    PlaneId choose_target(Lpn lpn);

    PlacementFreedom freedom_;
    Geometry geometry_;
    FtlModel& model_;
    std::uint64_t pages_;
    std::vector<PlaneId> targets_; ///< by logical block: the last
    Random random_;
    std::uint64_t moves_ = 0;
    std::uint64_t ahead_ = 0;
};

} // namespace cavern::testing
