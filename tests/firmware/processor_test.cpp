#include "firmware/lookup/host/processor.h"

#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "firmware/lookup/host/play.h"

namespace cavern::lookup {
namespace {

const std::string kImages = CAVERN_FIRMWARE_IMAGES;

// Files of 400 pages, 512 frames, 400 records after 400 that only warm the cache.
RunSettings small_run(std::uint32_t look_up) {
    RunSettings settings;
    settings.played_on = "iss";
    settings.session = session_defaults();
    settings.session.look_up = look_up;
    settings.session.frames = 512;
    settings.session.groups = 4;
    settings.session.file_pages = 400;
    settings.session.blocks = 40;
    settings.session.prewrite_all = 1;
    settings.session.warm_up_turns = 20;
    settings.session.turns = 20;
    return settings;
}

bool same_counts(const session_result& a, const session_result& b) {
    return std::memcmp(&a.counts, &b.counts, sizeof a.counts) == 0 &&
           a.cost.look_ups == b.cost.look_ups && a.records == b.records;
}

class ProcessorTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ProcessorTest, CountsWhatTheHostCounts) {
    RunSettings settings = small_run(GetParam());
    const session_result host = play_on_host(settings.session);
    EXPECT_GT(host.counts.flushes, 100);
    settings.image = kImages + "/lookup_counting.elf";
    const session_result processor = play_on_processor(settings);
    EXPECT_TRUE(same_counts(host, processor));
    EXPECT_EQ(processor.cost.compares, host.cost.compares);
    EXPECT_EQ(processor.cost.nodes, host.cost.nodes);
    EXPECT_EQ(processor.tree_nodes, host.tree_nodes);
    settings.session.seed = 2; // the control
    EXPECT_FALSE(same_counts(host, play_on_processor(settings)));
}

TEST_P(ProcessorTest, DoesTheSameWithoutCountingInFewerCycles) {
    RunSettings settings = small_run(GetParam());
    const session_result host = play_on_host(settings.session);
    const session_result built_in = play_on_processor(settings);
    EXPECT_TRUE(same_counts(host, built_in));
    EXPECT_EQ(built_in.cost.compares, 0);
    EXPECT_GT(built_in.cost.cycles, host.cost.compares); // a comparison takes some cycles
    EXPECT_GT(built_in.cycles, built_in.cost.cycles);
    settings.image = kImages + "/lookup_counting.elf";
    EXPECT_GE(play_on_processor(settings).cost.cycles, built_in.cost.cycles);
}

INSTANTIATE_TEST_SUITE_P(, ProcessorTest, testing::Range(0U, 6U),
                         [](const auto& each) { return std::string(kLookUps[each.param]->name); });

TEST(ProcessorCyclesTest, ASlowerMemoryMakesASearchSlowerAndALineCacheThatHoldsAllHelps) {
    RunSettings settings = small_run(0); // LM
    settings.cache_bytes = 1024;
    const std::uint64_t usual = play_on_processor(settings).cost.cycles;
    settings.line_fill_cycles *= 2;
    const std::uint64_t slower = play_on_processor(settings).cost.cycles;
    settings.cache_bytes = 1 << 20;
    const std::uint64_t cached = play_on_processor(settings).cost.cycles;
    EXPECT_GT(slower, usual * 11 / 10);
    EXPECT_LT(cached, usual);
}

std::string refused(const RunSettings& settings) {
    try {
        (void)play_on_processor(settings);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

TEST(ProcessorErrorTest, AnImageOfAnotherProgramIsRefused) {
    RunSettings settings = small_run(0);
    settings.image = kImages + "/hello.elf";
    EXPECT_NE(refused(settings).find("no symbol lookup_settings"), std::string::npos);
}

TEST(ProcessorErrorTest, ADriveThatDoesNotFitIntoTheMemoryIsRefused) {
    RunSettings settings = small_run(0);
    settings.session.blocks = 131071;
    EXPECT_NE(refused(settings).find("bytes of SDRAM"), std::string::npos);
}

} // namespace
} // namespace cavern::lookup
