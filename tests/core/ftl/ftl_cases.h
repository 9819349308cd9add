#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

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

} // namespace cavern::testing
