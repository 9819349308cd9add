#include "firmware/lookup/host/processor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "firmware/lookup/host/play.h"

namespace cavern::lookup {
namespace {

// Files of 50 pages, 256 frames, 400 records after 100; the flash fills up and is collected.
RunSettings short_run(std::uint32_t look_up, const char* played_on) {
    RunSettings settings;
    settings.session = session_defaults();
    settings.session.look_up = look_up;
    settings.session.frames = 256;
    settings.session.groups = 1;
    settings.session.file_pages = 50;
    settings.session.pages_per_block = 32;
    settings.session.blocks = 36;
    settings.session.low_watermark = 32;
    settings.session.high_watermark = 64;
    settings.session.prewrite_all = 1;
    settings.session.warm_up_turns = 5;
    settings.session.turns = 20;
    settings.cache_bytes = 1024; // a third of the frames
    settings.played_on = played_on;
    return settings;
}

class ProcessorIbexTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ProcessorIbexTest, InterpreterAndIbexDoTheSameInTheSameCycles) {
    const session_result host = play_on_host(short_run(GetParam(), "host").session);
    EXPECT_GT(host.counts.collections, 0);
    // Every instruction is compared; the cycles are Ibex's.
    const session_result ibex = play_on_processor(short_run(GetParam(), "lockstep"));
    const session_result iss = play_on_processor(short_run(GetParam(), "iss"));
    EXPECT_EQ(std::memcmp(&ibex.counts, &host.counts, sizeof host.counts), 0);
    EXPECT_EQ(std::memcmp(&iss.counts, &host.counts, sizeof host.counts), 0);
    const auto error = [](std::uint64_t ours, std::uint64_t theirs) {
        const auto of = static_cast<double>(theirs);
        return std::abs(static_cast<double>(ours) - of) / of;
    };
    EXPECT_LE(error(iss.cost.cycles, ibex.cost.cycles), 0.03);
    EXPECT_LE(error(iss.cycles, ibex.cycles), 0.03);
    EXPECT_EQ(iss.clock_cycles, ibex.clock_cycles);
    // The control: another memory is another number of cycles.
    RunSettings slower = short_run(GetParam(), "iss");
    slower.line_fill_cycles *= 2;
    EXPECT_GT(error(play_on_processor(slower).cycles, ibex.cycles), 0.03);
}

INSTANTIATE_TEST_SUITE_P(Slow, ProcessorIbexTest, testing::Range(0U, 6U),
                         [](const auto& each) { return std::string(kLookUps[each.param]->name); });

} // namespace
} // namespace cavern::lookup
