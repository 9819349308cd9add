#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "tests/core/ftl/ftl_cases.h"

namespace cavern::testing {

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
