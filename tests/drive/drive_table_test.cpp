// The whole drive with every row of the tables of translation layers, allocators and victim
// policies, in each pair that the configuration's checks allow. A new row is covered without a
// change here.

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "core/alloc/allocator_table.h"
#include "core/alloc/block_round_robin.h"
#include "core/base/error.h"
#include "core/ftl/ftl_table.h"
#include "core/ftl/victim_policy_table.h"
#include "tests/core/ftl/ftl_workload.h"
#include "tests/drive/drive_cases.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

/// A translation layer, and who chooses where its pages go.
struct Placement {
    const FtlRow* layer;
    const AllocatorRow* allocator;
    std::string_view mode; ///< of block-round-robin; empty for the others

    [[nodiscard]] std::vector<std::string> overrides() const {
        std::vector<std::string> all{"ftl.scheme=" + std::string(layer->name),
                                     "alloc.scheme=" + std::string(allocator->name),
                                     "ftl.log_blocks=4",
                                     "ftl.dftl.cmt=24",
                                     "ftl.last.random_logs=3",
                                     "ftl.superblock.blocks=4",
                                     "ftl.subgroup.blocks=4",
                                     "precondition.fill=0.7"};
        const std::vector<std::string> needs = settings_for(*layer);
        all.insert(all.end(), needs.begin(), needs.end());
        if (!mode.empty()) {
            all.push_back("alloc.block-round-robin.mode=" + std::string(mode));
        }
        return all;
    }
};

std::vector<Placement> placements() {
    std::vector<Placement> all;
    for (const FtlRow& layer : ftl_table()) {
        for (const AllocatorRow& allocator : allocator_table()) {
            if (allocator.name != "block-round-robin") {
                all.push_back({&layer, &allocator, ""});
                continue;
            }
            const Knob& mode = BlockRoundRobinParams::knobs.front();
            for (std::size_t word = 0; word < mode.word_count; ++word) {
                all.push_back({&layer, &allocator, mode.words[word].name});
            }
        }
    }
    return all;
}

/// Whether the layer leaves the allocator what it chooses.
bool is_free_to(const Placement& each) {
    switch (each.layer->freedom) {
    case PlacementFreedom::kPages:
        return true;
    case PlacementFreedom::kBlocks: // which may move
        return each.allocator->keeps_blocks && each.mode != "free";
    case PlacementFreedom::kHomes: // which may not
        return each.allocator->keeps_blocks && (each.mode.empty() || each.mode == "sticky");
    case PlacementFreedom::kNone:
        return each.allocator->name == "stripe-page";
    }
    return false;
}

TEST(PlacementTableTest, WhatALayerDoesNotLeaveToItsAllocatorIsRefusedAndNothingElse) {
    std::size_t refused = 0;
    for (const Placement& each : placements()) {
        bool accepted = true;
        try {
            static_cast<void>(small_drive(each.overrides()));
        } catch (const UserError&) {
            accepted = false;
            ++refused;
        }
        EXPECT_EQ(accepted, is_free_to(each))
            << each.layer->name << " " << each.allocator->name << " " << each.mode;
    }
    EXPECT_GT(refused, 100u);
}

DriveCase case_of(const std::string& name, std::vector<std::string> overrides, std::uint64_t seed) {
    DriveCase each{name, std::move(overrides), {}, true};
    each.mix.seed = seed;
    each.mix.requests = 600;
    each.mix.reads = 30;
    each.mix.writes = 62;
    loop_or_gap(each, 200 * kUs);
    return each;
}

std::vector<DriveCase> layers_and_allocators() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 1000;
    for (const Placement& each : placements()) {
        if (is_free_to(each) && !each.layer->has_zones) { // drive_zoned_test.cpp
            cases.push_back(
                case_of(camel(each.layer->name) + camel(each.allocator->name) + camel(each.mode),
                        each.overrides(), ++seed));
        }
    }
    return cases;
}

std::vector<DriveCase> layers_and_victims() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 1200;
    for (const FtlRow& layer : ftl_table()) {
        for (const VictimPolicyRow& victim : victim_policy_table()) {
            if (collects_by_policy(layer)) {
                std::vector<std::string> overrides = settings_for(layer);
                for (const std::string& setting :
                     {"ftl.scheme=" + std::string(layer.name),
                      "ftl.gc_policy=" + std::string(victim.name), std::string("ftl.dftl.cmt=24"),
                      std::string("alloc.scheme=stripe-page"),
                      std::string("precondition.fill=0.9")}) {
                    overrides.push_back(setting);
                }
                cases.push_back(
                    case_of(camel(layer.name) + camel(victim.name), std::move(overrides), ++seed));
            }
        }
    }
    return cases;
}

TEST(TableCasesTest, EveryRowIsThere) {
    const auto named = [](const std::vector<DriveCase>& cases, const std::string& key) {
        std::set<std::string> words;
        for (const DriveCase& each : cases) {
            for (const std::string& override : each.overrides) {
                if (override.rfind(key + "=", 0) == 0) {
                    words.insert(override.substr(key.size() + 1));
                }
            }
        }
        return words;
    };
    const auto all = [](const char* key) {
        const std::vector<std::string> words = words_of_key(key);
        return std::set<std::string>(words.begin(), words.end());
    };
    std::set<std::string> layers = all("ftl.scheme");
    layers.erase("zoned");
    EXPECT_EQ(named(layers_and_allocators(), "ftl.scheme"), layers);
    EXPECT_EQ(named(layers_and_allocators(), "alloc.scheme"), all("alloc.scheme"));
    EXPECT_EQ(named(layers_and_allocators(), "alloc.block-round-robin.mode"),
              all("alloc.block-round-robin.mode"));
    EXPECT_EQ(named(layers_and_victims(), "ftl.gc_policy"), all("ftl.gc_policy"));
}

class DriveTableTest : public SystemcTest, public ::testing::WithParamInterface<DriveCase> {};

TEST_P(DriveTableTest, ComesToRestSound) {
    const auto bench = make_bench(GetParam());
    run();
    bench->expect_sound();
    EXPECT_GT(bench->shadow().checked().programs, 100u);
    EXPECT_GT(bench->erases(), 0u);
}

INSTANTIATE_TEST_SUITE_P(SlowAllocators, DriveTableTest,
                         ::testing::ValuesIn(layers_and_allocators()), name_of);
INSTANTIATE_TEST_SUITE_P(Victims, DriveTableTest, ::testing::ValuesIn(layers_and_victims()),
                         name_of);

} // namespace
} // namespace cavern::testing
