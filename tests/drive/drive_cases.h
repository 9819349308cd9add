#pragma once

#include <gtest/gtest.h>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/ftl/ftl_table.h"
#include "tests/drive/drive_bench.h"

namespace cavern::testing {

/// A configuration of the small drive, under a random workload.
struct DriveCase {
    std::string name;
    std::vector<std::string> overrides;
    Mix mix;
    bool closed_loop = true;
};
void PrintTo(const DriveCase& each, std::ostream* out);
[[nodiscard]] std::string name_of(const ::testing::TestParamInfo<DriveCase>& test);

/// The drive of a case with its requests, ready to run.
[[nodiscard]] std::unique_ptr<DriveBench> make_bench(const DriveCase& each, bool run_ahead = false);

/// Two cases of three are a closed loop; in the others requests come every `mean_gap`.
void loop_or_gap(DriveCase& each, TimePs mean_gap);

/// The words that a key takes: the rows of its table.
[[nodiscard]] std::vector<std::string> words_of_key(std::string_view key);
/// What a drive needs besides for this translation layer.
[[nodiscard]] std::vector<std::string> settings_for(const FtlRow& layer);
/// A word as part of a test's name: "lru-page" is LruPage.
[[nodiscard]] std::string camel(std::string_view word);

} // namespace cavern::testing
