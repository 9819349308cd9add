// Which keys the state of a preconditioned drive follows.

#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/config_keys.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "state/saved_drive.h"
#include "tests/drive/drive_bench.h"
#include "tests/drive/pair_keys.h"
#include "tests/state/state_bytes.h"

namespace cavern::testing {
namespace {

struct Base {
    std::string name;
    std::vector<std::string> settings;
};

std::optional<std::string> preconditioned(const std::vector<std::string>& settings) {
    try {
        const ResolvedConfig resolved = small_drive_resolved(settings);
        require_savable(resolved, StateKind::kPreconditioned);
        UntimedDrive drive(resolved.config, build_core(resolved.config, nullptr));
        return bytes_of(drive.core(), drive.array(), false);
    } catch (const UserError&) {
        return std::nullopt;
    }
}

/// Every other value of a key that is said to change nothing does change nothing of a drive before
/// the run; of those that are said to, many do.
class StateKeysTest : public ::testing::TestWithParam<Base> {};

TEST_P(StateKeysTest, WhatIsNoneOfThemChangesNothing) {
    std::vector<std::string> settings = GetParam().settings;
    settings.insert(settings.end(), {"precondition.fill=1", "precondition.overwrite=0.7"});
    ASSERT_NO_THROW((void)small_drive(settings));
    const std::optional<std::string> usual = preconditioned(settings);
    ASSERT_TRUE(usual.has_value());
    std::set<std::string> named;
    for (const auto& pair :
         state_keys(small_drive_resolved(settings), StateKind::kPreconditioned)) {
        named.insert(pair.first);
    }
    Random random(1);
    std::uint32_t tried = 0;
    std::set<std::string> changing;
    for (const ConfigKey& key : config_keys()) {
        std::optional<PairKey> drawn = drawn_without_row(key);
        for (const PairKey& row : pair_keys()) {
            drawn = row.key == key.name ? row : drawn;
        }
        const bool is_before = key.name.rfind("precondition.", 0) == 0 || key.name == "seed";
        if (!drawn || is_before) {
            continue;
        }
        for (int i = named.count(key.name) != 0 ? 1 : 0; i < 2; ++i) {
            std::vector<std::string> other = settings;
            other.insert(other.end(), drawn->with.begin(),
                         drawn->with.begin() + (drawn->with.empty() ? 0 : 1));
            const std::optional<std::string> before =
                drawn->with.empty() ? usual : preconditioned(other);
            other.push_back(draw_setting(*drawn, random));
            const std::optional<std::string> after = preconditioned(other);
            if (!before || !after) {
                continue;
            }
            tried += named.count(key.name) == 0 ? 1 : 0;
            if (*before != *after) {
                changing.insert(key.name);
                EXPECT_TRUE(named.count(key.name) != 0) << other.back();
            }
        }
    }
    RecordProperty("tried", static_cast<int>(tried));
    EXPECT_GT(tried, 100u);
    EXPECT_GT(changing.size(), 5u);
}

INSTANTIATE_TEST_SUITE_P(
    Drives, StateKeysTest,
    ::testing::Values(
        Base{"Page", {}}, Base{"LeastLoaded", {"alloc.scheme=least-loaded"}},
        Base{"Adaptive", {"alloc.scheme=adaptive", "alloc.adaptive.epoch=50"}},
        Base{"Dftl", {"ftl.scheme=dftl", "ftl.dftl.cmt=64"}},
        Base{"Fast", {"ftl.scheme=fast", "alloc.scheme=stripe-block", "ftl.log_blocks=4"}},
        Base{"SlcCache",
             {"ftl.scheme=slc-cache", "nand.slc_blocks=2", R"(nand.t_program=["150us", "250us"])",
              "nand.slc_t_read=20us", "nand.slc_t_program=90us"}}),
    [](const auto& base) { return base.param.name; });

} // namespace
} // namespace cavern::testing
