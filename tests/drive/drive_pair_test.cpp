// Any drive that a configuration can describe decides the same with and without time: drives and
// requests drawn at random, every key among them, are played at both fidelities, and all counts and
// decisions are compared.
//
// CAVERN_PAIR=SEED plays that pair alone and takes away what the difference does not need:
//
//     CAVERN_PAIR=1234 build/release/tests/drive_test --gtest_filter='DrivePairTest.TheOneAskedFor'

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <set>
#include <string>

#include "config/config_keys.h"
#include "core/ftl/ftl_table.h"
#include "tests/drive/drive_cases.h"
#include "tests/drive/drive_pair.h"
#include "tests/drive/pair_keys.h"
#include "tests/support/nightly.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

constexpr std::uint32_t kPairs = 10; // of one test by day
constexpr std::uint32_t kPairsAtNight = 50;
constexpr std::uint32_t kRequests = 250;
constexpr std::uint32_t kRequestsAtNight = 600;

/// By number: seeds from number * pairs on.
class DrivePairsTest : public SystemcTest, public ::testing::WithParamInterface<std::uint32_t> {};

TEST_P(DrivePairsTest, CountAlikeWithAndWithoutTime) {
    const std::uint32_t pairs = nightly() ? kPairsAtNight : kPairs;
    const std::uint32_t requests = nightly() ? kRequestsAtNight : kRequests;
    std::uint32_t compared = 0;
    for (std::uint32_t i = 0; i < pairs; ++i) {
        const DrivePair pair = draw_pair(std::uint64_t{GetParam()} * pairs + i + 1, requests);
        SCOPED_TRACE(describe(pair));
        const PairResult result = play_pair(pair);
        EXPECT_EQ(result.difference, "");
        compared += !result.looks_at_time && result.decisions > requests ? 1 : 0;
    }
    EXPECT_GE(compared, pairs / 4);
}

std::string number_of(const ::testing::TestParamInfo<std::uint32_t>& test) {
    return std::to_string(test.param);
}

INSTANTIATE_TEST_SUITE_P(DrawnSlow, DrivePairsTest, ::testing::Range(0u, 6u), number_of);
INSTANTIATE_TEST_SUITE_P(Nightly, DrivePairsTest, ::testing::Range(0u, 40u), number_of);

class DrivePairTest : public SystemcTest {};

TEST_F(DrivePairTest, TheOneAskedFor) {
    const char* asked = std::getenv("CAVERN_PAIR");
    if (asked == nullptr) {
        GTEST_SKIP() << "CAVERN_PAIR=SEED plays one pair";
    }
    const DrivePair pair = draw_pair(std::stoull(asked), kRequestsAtNight);
    std::cout << describe(pair) << "\n";
    const PairResult result = play_pair(pair);
    EXPECT_EQ(result.difference, "");
    if (!result.difference.empty()) {
        const DrivePair smaller = shrink(pair);
        std::cout << "smaller, " << describe(smaller) << "\n" << play_pair(smaller).difference;
    }
}

// ---- the drawing --------------------------------------------------------------------------------

/// A new key gets a row in python/cavern/soak/keys.toml.
TEST(DrawnPairsTest, EveryKeyIsDrawnOrHasAReasonNotTo) {
    std::set<std::string> drawn;
    for (const auto* keys : {&basic_pair_keys(), &pair_keys()}) {
        for (const PairKey& key : *keys) {
            EXPECT_TRUE(find_config_key(key.key).has_value()) << key.key;
            EXPECT_TRUE(drawn.emplace(key.key).second) << key.key << " has two rows";
        }
    }
    std::set<std::string> idle(undrawn_keys().begin(), undrawn_keys().end());
    for (const ConfigKey& key : config_keys()) {
        bool excused = false;
        for (const std::string& undrawn : undrawn_keys()) {
            if (undrawn.back() == '.' ? key.name.rfind(undrawn, 0) == 0 : key.name == undrawn) {
                excused = true;
                idle.erase(undrawn);
            }
        }
        EXPECT_TRUE(drawn.count(key.name) != 0 || excused) << key.name;
    }
    for (const std::string& undrawn : idle) {
        EXPECT_EQ(undrawn, "name") << "names no key";
    }
}

TEST(DrawnPairsTest, AKeyWithoutARowIsDrawnByWhatTheConfigurationSaysOfIt) {
    const auto without = [](const char* name) {
        return drawn_without_row(config_keys()[find_config_key(name).value()]);
    };
    const PairKey window = without("buffer.ref.window").value();
    EXPECT_EQ(window.values, (std::vector<std::string>{"0", "1000000000"}));
    EXPECT_EQ(window.with, std::vector<std::string>{"buffer.policy=ref"});
    EXPECT_EQ(without("nand.t_reset")->values, (std::vector<std::string>{"0ps", "1s"}));
    EXPECT_EQ(without("ecc.retry_gain")->values, (std::vector<std::string>{"0.0", "1.0"}));
    EXPECT_TRUE(without("nand.reset")->values.empty());  // true and false
    EXPECT_TRUE(without("ftl.gc_pace")->values.empty()); // its words
    EXPECT_TRUE(without("ftl.gc_pace")->with.empty());
    EXPECT_FALSE(without("nand.part").has_value());
}

/// What is given stays in some drives: no row is idle because it never fits.
TEST(SlowDrawnPairsTest, EveryRowAndEveryLayerIsInSomeDrive) {
    std::set<std::string> missing; // keys, and settings
    for (const PairKey& key : pair_keys()) {
        missing.emplace(key.key);
    }
    for (const FtlRow& row : ftl_table()) {
        missing.insert("ftl.scheme=" + std::string(row.name));
    }
    for (const char* key : {"buffer.policy", "host.interface", "channel.arbiter", "ftl.gc_pace",
                            "ftl.gc_placement", "ftl.wear_leveling"}) {
        for (const std::string& word : words_of_key(key)) {
            missing.insert(key + ("=" + word));
        }
    }
    const std::size_t wanted = missing.size();
    for (std::uint64_t seed = 1; seed <= 500 && !missing.empty(); ++seed) {
        for (const std::string& setting : draw_pair(seed, 1).overrides) {
            missing.erase(setting.substr(0, setting.find('=')));
            missing.erase(setting);
        }
    }
    EXPECT_EQ(missing, std::set<std::string>());
    EXPECT_GT(wanted, 100u);
}

TEST(DrawnPairsTest, ASeedIsAPair) {
    EXPECT_EQ(describe(draw_pair(7, 100)), describe(draw_pair(7, 100)));
    EXPECT_NE(describe(draw_pair(7, 100)), describe(draw_pair(8, 100)));
}

// ---- the comparison can fail --------------------------------------------------------------------

/// A single decision that differs is found, and the count that shows it is named.
TEST_F(DrivePairTest, ADriveThatDecidesOtherwiseIsFound) {
    DrivePair pair;
    pair.overrides = {"ftl.scheme=fast", "alloc.scheme=stripe-block", "precondition.fill=0.7",
                      "ftl.log_blocks=4"};
    pair.mix.requests = 300;
    EXPECT_EQ(play_pair(pair).difference, "");
    const std::string found = play_pair(pair, {"ftl.log_blocks=5"}).difference;
    EXPECT_NE(found.find(" timed, "), std::string::npos) << found;
    EXPECT_NE(found.find("decided "), std::string::npos) << found;
    pair.overrides = {"ftl.overprovision=0.3", "precondition.fill=1.0"};
    EXPECT_EQ(play_pair(pair).difference, "");
    const std::string paced = play_pair(pair, {"ftl.gc_pace=paced"}).difference;
    EXPECT_NE(paced.find("ftl.gc_pages: "), std::string::npos) << paced;
}

TEST(DrivePairDifferenceTest, EveryCountByOneIsFoundByItsName) {
    PairOutcome timed;
    timed.contents = {{"pages read", 3}};
    timed.counts = {{"ftl.gc_pages", 5}, {"ftl.erases", 7}};
    timed.decisions = "write 1 0\nprogram 0 1 9\n";
    EXPECT_EQ(difference(timed, timed), "");
    PairOutcome other = timed;
    ++other.counts[1].second;
    EXPECT_EQ(difference(timed, other), "ftl.erases: 7 timed, 8 untimed");
    other = timed;
    ++other.contents[0].second;
    EXPECT_EQ(difference(timed, other), "pages read: 3 timed, 4 untimed");
    other = timed;
    other.decisions = "write 1 0\nprogram 0 1 8\n";
    EXPECT_EQ(difference(timed, other), "decided program 0 1 9 | program 0 1 8");
    other = timed;
    other.counts.pop_back();
    EXPECT_NE(difference(timed, other), "");
    other = timed;
    other.ends = "plane 3 is worn out";
    EXPECT_EQ(difference(timed, other), "ends:  | plane 3 is worn out");
    // What the host asked for is compared whatever looks at time; what follows from it is not.
    other = timed;
    other.looks_at_time = true;
    ++other.counts[0].second;
    EXPECT_EQ(difference(timed, other), "");
    ++other.contents[0].second;
    EXPECT_EQ(difference(timed, other), "pages read: 3 timed, 4 untimed");
}

/// Of a pair that differs only what makes it differ is left.
TEST_F(DrivePairTest, ShrinkingTakesAwayWhatTheDifferenceDoesNotNeed) {
    DrivePair pair;
    pair.overrides = {"buffer.read_touch=true", "ftl.overprovision=0.3", "host.queue_depth=4",
                      "precondition.fill=1.0"};
    pair.mix.requests = 300;
    EXPECT_EQ(describe(shrink(pair)), describe(pair)); // which does not differ
    const DrivePair smaller = shrink(pair, {"ftl.gc_pace=paced"});
    for (const char* setting : {"buffer.read_touch=true", "host.queue_depth=4"}) {
        EXPECT_EQ(std::count(smaller.overrides.begin(), smaller.overrides.end(), setting), 0);
    }
    EXPECT_LT(smaller.mix.requests, 300u);
    EXPECT_NE(play_pair(smaller, {"ftl.gc_pace=paced"}).difference, "");
}

TEST(DrivePairDifferenceTest, FailuresAreAlikeUpToTheFirstNumber) {
    EXPECT_EQ(kind_of("ftl.erases: 7 timed, 8 untimed"), "ftl.erases: ");
    EXPECT_EQ(kind_of("the run stopped: invariant: no command is lost: 4 are"),
              "the run stopped: invariant: no command is lost: ");
    EXPECT_EQ(kind_of("the process died"), "the process died");
    EXPECT_EQ(kind_of(""), "");
}

/// Without the setting that makes the drive large the jobs would write beyond its end.
TEST_F(DrivePairTest, ShrinkingKeepsToTheFirstFailure) {
    const std::vector<std::string> paced{"ftl.gc_pace=paced"};
    DrivePair pair;
    pair.overrides = {"buffer.read_touch=true", "ftl.overprovision=0.3", "precondition.fill=1.0"};
    JobSpec job;
    job.pattern = Pattern::kRandWrite;
    job.size = capacity_of(small_drive(pair.overrides));
    job.block_bytes = 2048;
    job.number_ios = 400;
    job.seed = 1;
    pair.jobs = GeneratorSpec{"jobs", {job, job}};
    const std::string wanted = kind_of(play_pair(pair, paced).difference);
    EXPECT_EQ(wanted, "ftl.gc_pages: ");
    DrivePair beyond = pair;
    beyond.overrides = {"precondition.fill=1.0"};
    const std::string other = play_pair(beyond, paced).difference;
    EXPECT_EQ(other.rfind("the run stopped: invariant: the device carries out every", 0), 0u)
        << other;
    const DrivePair smaller = shrink(pair, paced);
    EXPECT_EQ(kind_of(play_pair(smaller, paced).difference), wanted);
    EXPECT_EQ(smaller.overrides.front(), "ftl.overprovision=0.3");
    ASSERT_EQ(smaller.jobs.value().jobs.size(), 1u);
    EXPECT_LT(smaller.jobs.value().jobs.front().number_ios, 400u);
    EXPECT_NE(describe(smaller), describe(pair));
}

} // namespace
} // namespace cavern::testing
