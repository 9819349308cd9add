// The whole drive over translation layers that map blocks: merges and moves of blocks between dies
// are ordinary operations, so the monitors, the shadow and the model's own checks see them all.

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/buffer/eviction_policy_table.h"
#include "core/ftl/ftl_table.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/drive/broken_ftl.h"
#include "tests/drive/drive_cases.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

/// Layer and a placement it can live with.
struct Scheme {
    std::string name;
    std::vector<std::string> overrides;
};

std::vector<Scheme> schemes() {
    return {
        {"BastMove",
         {"ftl.scheme=bast", "alloc.scheme=block-round-robin",
          "alloc.block-round-robin.mode=move"}},
        {"BastSticky",
         {"ftl.scheme=bast", "alloc.scheme=block-round-robin",
          "alloc.block-round-robin.mode=sticky"}},
        {"BastGather",
         {"ftl.scheme=bast", "alloc.scheme=block-round-robin",
          "alloc.block-round-robin.mode=gather"}},
        {"BastStripe", {"ftl.scheme=bast", "alloc.scheme=stripe-block"}},
        {"McSplit", {"ftl.scheme=mcsplit", "alloc.scheme=stripe-page"}},
        {"McSplitOneChannel",
         {"ftl.scheme=mcsplit", "alloc.scheme=stripe-page", "ftl.mcsplit.stripe=1"}},
        {"FastStripe", {"ftl.scheme=fast", "alloc.scheme=stripe-block"}},
        {"FastSticky",
         {"ftl.scheme=fast", "alloc.scheme=block-round-robin",
          "alloc.block-round-robin.mode=sticky"}},
        {"Last", {"ftl.scheme=last", "alloc.scheme=stripe-block", "ftl.last.random_logs=3"}},
        {"Superblock",
         {"ftl.scheme=superblock", "alloc.scheme=stripe-block", "ftl.superblock.blocks=4"}},
        {"SubGroup", {"ftl.scheme=subgroup", "alloc.scheme=stripe-page", "ftl.subgroup.blocks=4"}}};
}

Mix seeded(std::uint64_t seed) {
    Mix mix;
    mix.seed = seed;
    mix.requests = 800;
    mix.reads = 25;
    mix.writes = 65;
    mix.max_pages = seed % 2 == 0 ? 4 : 12;
    return mix;
}

DriveCase make_case(const Scheme& scheme, const std::string& name, std::vector<std::string> more,
                    std::uint64_t seed) {
    DriveCase each;
    each.name = scheme.name + name;
    each.overrides = scheme.overrides;
    each.overrides.insert(each.overrides.end(), {"ftl.log_blocks=4", "precondition.fill=0.7"});
    each.overrides.insert(each.overrides.end(), more.begin(), more.end());
    each.mix = seeded(seed);
    loop_or_gap(each, 300 * kUs);
    return each;
}

std::vector<DriveCase> buffers() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 600;
    for (const Scheme& scheme : schemes()) {
        for (const char* policy : {"none", "lru-page", "lru-block", "bplru"}) {
            for (const char* rate : {"single", "cave"}) {
                std::string name = std::string(policy) + rate;
                name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                cases.push_back(make_case(scheme, name,
                                          {std::string("buffer.policy=") + policy,
                                           std::string("buffer.eviction=") + rate},
                                          ++seed));
            }
        }
    }
    return cases;
}

/// What makes operations of different dies wait for each other: hardly any frames, one log, order
/// among reads and programs, planes that program together, holes to be filled.
std::vector<DriveCase> corners() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 700;
    for (const Scheme& scheme : schemes()) {
        for (const char* size : {"2KiB", "4KiB"}) {
            cases.push_back(make_case(scheme, std::string("Tight") + size,
                                      {std::string("buffer.size=") + size, "buffer.eviction=cave",
                                       "scheduler.discipline=fifo"},
                                      ++seed));
        }
        cases.push_back(make_case(
            scheme, "ThroughDeep",
            {"buffer.policy=none", "host.queue_depth=32", "buffer.size=1MiB", "dram.size=2MiB"},
            ++seed));
        cases.push_back(make_case(scheme, "TwoPlanes",
                                  {"nand.planes=2", "ftl.log_blocks=8", "ftl.overprovision=0.7",
                                   "buffer.policy=lru-block", "buffer.eviction=cave"},
                                  ++seed));
        cases.push_back(make_case(scheme, "Strict",
                                  {"nand.strict_order=true", "nand.planes=2", "ftl.log_blocks=8",
                                   "ftl.overprovision=0.7", "buffer.policy=lru-block"},
                                  ++seed));
        cases.push_back(make_case(
            scheme, "LateSwitch",
            {"ftl.eager_switch=false", "buffer.policy=lru-block", "ftl.log_blocks=6"}, ++seed));
        cases.push_back(make_case(
            scheme, "Lockstep",
            {"channel.arbiter=lockstep", "buffer.policy=lru-block", "buffer.eviction=cave"},
            ++seed));
    }
    return cases;
}

std::string text_of(const FtlCounters& c) {
    std::string text;
    for (const std::uint64_t count :
         {c.host_pages, c.gc_pages, c.merge_pages, c.padding_pages, c.moved_pages, c.erases,
          c.gc_runs, c.merges_switch, c.merges_partial, c.merges_full}) {
        text += std::to_string(count) + " ";
    }
    return text;
}

class DriveHybridTest : public SystemcTest, public ::testing::WithParamInterface<DriveCase> {};

TEST_P(DriveHybridTest, ComesToRestSound) {
    const DriveCase& each = GetParam();
    const SsdConfig config = small_drive(each.overrides);
    DriveBench::Options options;
    options.closed_loop = each.closed_loop;
    const std::vector<HostRequest> requests =
        random_requests(each.mix, capacity_of(config), DrivePlan(config).geometry.page_bytes);
    DriveBench bench("bench", config, requests, options);
    run();
    bench.expect_sound();
    EXPECT_GT(bench.shadow().checked().programs, 100u);

    // Operations of the dies are those the translation layer counted.
    const std::string_view policy =
        config.buffer.policy != nullptr ? config.buffer.policy->name : "none";
    const FtlCounters& counters = bench.ssd().core().ftl().counters();
    EXPECT_EQ(text_of(counters), text_of(untimed_counters(config, requests)));
    EXPECT_EQ(bench.programs(),
              counters.host_pages + counters.merge_pages + counters.padding_pages);
    EXPECT_EQ(bench.erases(), counters.erases);
    EXPECT_GT(counters.merges_switch + counters.merges_partial + counters.merges_full, 30u);
    // A block that is padded moves whole, so that nothing of it is copied by a merge.
    EXPECT_EQ(counters.moved_pages > 0, each.name.rfind("BastMove", 0) == 0 && policy != "bplru");
    if (config.ftl.scheme->name == "last") { // knows sequential writes where pages come together
        EXPECT_EQ(counters.merges_switch + counters.merges_partial > 0, policy != "lru-page");
    }
    // Pages of a superblock are appended wherever they go, which leaves no holes to fill.
    EXPECT_EQ(counters.padding_pages > 0,
              policy == "bplru" ||
                  (config.nand.strict_order && config.ftl.scheme->name != "superblock"));
}

// Idle dies merge before the host needs a log block, and stay sound with what comes between.
class MergeAheadTest : public SystemcTest, public ::testing::WithParamInterface<Scheme> {};

TEST_P(MergeAheadTest, IdleDiesMergeWhatTheHostWouldWaitFor) {
    const auto make = [&](const char* name, const char* background) {
        DriveCase each = make_case(GetParam(), "", {"buffer.policy=none"}, 5);
        each.overrides.insert(each.overrides.end(), {"ftl.log_blocks=8", "ftl.overprovision=0.7",
                                                     std::string("ftl.gc_background=") + background,
                                                     "ftl.gc_background_after=100us"});
        each.mix.requests = 400;
        each.mix.mean_gap = 40'000 * kUs; // dies fall idle
        const SsdConfig config = small_drive(each.overrides);
        DriveBench::Options options;
        options.closed_loop = false;
        return std::make_unique<DriveBench>(
            name, config,
            random_requests(each.mix, capacity_of(config), config.nand.geometry.page_bytes),
            options);
    };
    const auto ahead = make("ahead", "1");
    const auto on_demand = make("on_demand", "0");
    run(1000 * kSecond);
    ahead->expect_sound();
    on_demand->expect_sound();
    EXPECT_FALSE(ahead->shadow().decisions() == on_demand->shadow().decisions());
    const auto mean = [](const DriveBench& bench) {
        TimePs sum = 0;
        for (const Answered& each : bench.answered()) {
            sum += each.completed - each.dispatch;
        }
        return sum / bench.answered().size();
    };
    EXPECT_LT(mean(*ahead), mean(*on_demand));
}

std::vector<Scheme> schemes_that_merge_ahead() {
    std::vector<Scheme> those;
    for (const Scheme& each : schemes()) {
        const std::string layer = each.overrides.front().substr(std::string("ftl.scheme=").size());
        if (find_ftl(layer)->only_on_demand.empty()) {
            those.push_back(each);
        }
    }
    return those;
}

INSTANTIATE_TEST_SUITE_P(Of, MergeAheadTest, ::testing::ValuesIn(schemes_that_merge_ahead()),
                         [](const auto& test) { return test.param.name; });

// The comparison of counts can fail: one log block more, other counts.
TEST(UntimedCountsTest, TellALogBlockMore) {
    const auto counts = [](const std::string& log_blocks) {
        const SsdConfig config = small_drive(
            {"ftl.scheme=fast", "alloc.scheme=stripe-block", "precondition.fill=0.7", log_blocks});
        return text_of(
            untimed_counters(config, random_requests(seeded(3), capacity_of(config),
                                                     DrivePlan(config).geometry.page_bytes)));
    };
    EXPECT_EQ(counts("ftl.log_blocks=4"), counts("ftl.log_blocks=4"));
    EXPECT_NE(counts("ftl.log_blocks=4"), counts("ftl.log_blocks=5"));
}

// The same watch says no to merges that go wrong.
class BrokenMergeTest : public SystemcTest {
  protected:
    std::unique_ptr<DriveBench> make(Fault fault, std::uint32_t after) {
        const SsdConfig config =
            small_drive({"ftl.scheme=bast", "alloc.scheme=stripe-block", "ftl.log_blocks=4",
                         "precondition.fill=1.0", "buffer.policy=none"});
        Mix mix = seeded(1);
        mix.reads = 0;
        mix.writes = 100;
        mix.trims = 0;
        mix.max_pages = 1;
        DriveBench::Options options;
        options.make_core = [=](const SsdConfig& built, DecisionLogIf* log) {
            CoreParts parts;
            parts.geometry = DrivePlan(built).geometry;
            parts.policy = "none";
            parts.allocator = "stripe-block";
            parts.log = log;
            return make_core(
                parts, std::make_unique<BrokenFtl>(
                           find_ftl("bast")->make(parts.geometry, DrivePlan(built).ftl_params, log),
                           parts.geometry, fault, after));
        };
        return std::make_unique<DriveBench>(
            "bench", config,
            random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes),
            options);
    }
};

TEST_F(BrokenMergeTest, TheUnbrokenRunIsSound) {
    const auto bench = make(Fault::kNone, 1);
    run();
    bench->expect_sound();
    EXPECT_GT(bench->ssd().core().ftl().counters().merges_full, 50u);
}

TEST_F(BrokenMergeTest, ALostEraseStopsTheRun) {
    const auto bench = make(Fault::kLoseErase, 20);
    const std::string error = run_to_error();
    EXPECT_NE(error.find("is programmed again without an erase of its block"), std::string::npos)
        << error;
}

TEST_F(BrokenMergeTest, PagesOfALogThatChangedPlacesStopTheRunWhereOneIsCopied) {
    const auto bench = make(Fault::kSwapPages, 500);
    const std::string error = run_to_error();
    EXPECT_NE(error.find("the spare area of a page read names"), std::string::npos) << error;
}

TEST_F(BrokenMergeTest, AStrangePageStopsTheRun) {
    const auto bench = make(Fault::kWrongSpareArea, 500);
    EXPECT_NE(run_to_error(), "");
}

INSTANTIATE_TEST_SUITE_P(SlowBuffers, DriveHybridTest, ::testing::ValuesIn(buffers()), name_of);
INSTANTIATE_TEST_SUITE_P(SlowCorners, DriveHybridTest, ::testing::ValuesIn(corners()), name_of);

} // namespace
} // namespace cavern::testing
