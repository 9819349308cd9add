// Several channels of SDRAM: what an access wants of each, when it ends, and the rules in each.

#include <gtest/gtest.h>

#include <map>

#include "bench/dram_reference_streams.h"
#include "core/base/random.h"
#include "tests/timed/dram/sdram_command_checker.h"
#include "timed/dram/sdram_channels.h"

namespace cavern {
namespace {

/// Ends of accesses by their number, everything answered.
std::map<std::uint64_t, DramClock> finish(SdramChannels& sdram) {
    std::map<std::uint64_t, DramClock> ends;
    for (DramClock now = sdram.next_wake(); now != kNoClock; now = sdram.next_wake()) {
        sdram.advance(now);
        while (sdram.has_completion(now)) {
            const SdramCompletion done = sdram.pop_completion();
            EXPECT_LE(done.end, now);
            EXPECT_TRUE(ends.emplace(done.id, done.end).second) << done.id;
        }
    }
    return ends;
}

TEST(SdramChannelsTest, APageTakesHalfItsBurstsInEachOfTwoChannels) {
    const SdramTiming t;
    SdramChannels sdram(t, {2, 512});
    sdram.push(7, 0, 4096, false, 100);
    // tRCD + 63 tCCD + CL + BL/2: 64 of the 128 bursts of 32 bytes.
    EXPECT_EQ(finish(sdram)[7], 100u + 11 + 63 * 4 + 11 + 4);
    SdramChannels one(t, {1, 512});
    one.push(7, 0, 4096, false, 100);
    EXPECT_EQ(finish(one)[7], 100u + 11 + 127 * 4 + 11 + 4);
    EXPECT_EQ(sdram.statistics().read_bursts, 128u);
    EXPECT_EQ(sdram.statistics().bytes, 4096u);
    EXPECT_EQ(sdram.statistics().reads, 1u); // of the host of both channels
    EXPECT_EQ(sdram.statistics().activates, 2u);
    EXPECT_EQ(one.statistics().activates, 1u);
}

TEST(SdramChannelsTest, AnAccessEndsWithItsLastPart) {
    const SdramTiming t;
    SdramChannels sdram(t, {2, 512});
    sdram.push(1, 0, 512, false, 0); // channel 0 works for it
    sdram.push(2, 0, 1024, false, 0);
    const auto ends = finish(sdram);
    EXPECT_EQ(ends.at(1), 11u + 15 * 4 + 11 + 4);
    EXPECT_EQ(ends.at(2), ends.at(1) + 16 * 4); // its part in channel 1 was done long before
}

TEST(SdramChannelsTest, WhatIsWithinAStripeGoesToOneChannel) {
    const SdramTiming t;
    SdramChannels sdram(t, {4, 1024});
    std::vector<SdramRecorder> recorders(4, SdramRecorder(t));
    for (std::uint32_t channel = 0; channel < 4; ++channel) {
        sdram.set_observer(channel, &recorders[channel]);
    }
    sdram.push(1, 2 * 1024 + 64, 512, true, 0);
    finish(sdram);
    for (std::uint32_t channel = 0; channel < 4; ++channel) {
        EXPECT_EQ(recorders[channel].commands.empty(), channel != 2) << channel;
    }
}

TEST(SdramChannelsTest, ASettledAccessEndsAsAQueuedOne) {
    for (const SdramTiming& t : {SdramTiming{}, ddr4_3200(), lpddr4_3200()}) {
        SdramChannels ahead(t, {2, 512});
        SdramChannels queued(t, {2, 512});
        queued.push(1, 256, 2048, false, 50);
        EXPECT_EQ(ahead.push_alone(256, 2048, false, 50), finish(queued)[1]);
        EXPECT_EQ(ahead.statistics().reads, 1u);
        EXPECT_EQ(ahead.push_alone(0, 2 * t.lanes() * t.row_bytes + 512, false, 5000), kNoClock)
            << "it spans rows";
        ahead.push(2, 0, 4096, false, 5000);
        EXPECT_EQ(ahead.push_alone(0, 512, false, 5001), kNoClock) << "something is queued";
    }
}

TEST(SdramChannelsTest, OneChannelIsTheSchedulerAlone) {
    SdramChannels sdram{SdramTiming{}};
    FrFcfsScheduler alone{SdramTiming{}};
    Random random(5);
    DramClock now = 0;
    for (std::uint64_t id = 0; id < 500; ++id) {
        const std::uint64_t address = random.below(1 << 20);
        const bool is_write = random.below(2) != 0;
        sdram.push(id, address, 2048, is_write, now);
        alone.push(id, address, 2048, is_write, now);
        now += random.below(2000);
        EXPECT_EQ(sdram.next_wake(), alone.next_wake());
        sdram.advance(now);
        alone.advance(now);
        while (alone.has_completion(now)) {
            ASSERT_TRUE(sdram.has_completion(now));
            EXPECT_EQ(sdram.pop_completion().end, alone.pop_completion().end);
        }
    }
}

struct Streamed {
    DramClock clocks;
    std::uint64_t bytes;
};

Streamed stream(const SdramTiming& timing, SdramInterleave interleave) {
    SdramChannels sdram(timing, interleave);
    std::uint64_t sent = 0;
    std::uint64_t done = 0;
    DramClock now = 0;
    DramClock end = 0;
    while (done < 4000) {
        for (; sent < 4000 && sent < done + 16; ++sent) {
            sdram.push(sent, sent * 16384, 16384, false, now);
        }
        now = sdram.next_wake();
        sdram.advance(now);
        while (sdram.has_completion(now)) {
            end = sdram.pop_completion().end;
            ++done;
        }
    }
    return {end, done * 16384};
}

/// Each channel gives its peak less refresh: tRTP + tRP + tRFC + tRCD - tCCD of each tREFI.
TEST(SdramChannelsTest, BandwidthIsThatOfAllChannelsTogether) {
    for (const SdramTiming& t : {SdramTiming{}, ddr4_3200(), lpddr4_3200()}) {
        for (const std::uint32_t channels : {1u, 2u, 4u}) {
            const Streamed run = stream(t, {channels, 512});
            const double lost = t.t_rtp + t.rp_ab() + t.t_rfc + t.t_rcd - t.burst_spacing();
            const double peak = static_cast<double>(t.burst_bytes()) / t.burst_clocks() * channels;
            const double reached = static_cast<double>(run.bytes) / static_cast<double>(run.clocks);
            EXPECT_NEAR(reached / (peak * (1.0 - lost / t.t_refi)), 1.0, 0.02)
                << channels << " channels, CL " << t.cl;
        }
    }
}

/// Negative control of the above: a stripe as long as the accesses together keeps one channel busy.
TEST(SdramChannelsTest, AStripeLongerThanTheQueueLeavesChannelsIdle) {
    const Streamed wide = stream(SdramTiming{}, {2, 512});
    const Streamed narrow = stream(SdramTiming{}, {2, 1 << 20});
    EXPECT_GT(static_cast<double>(narrow.clocks), 1.5 * static_cast<double>(wide.clocks));
}

TEST(SdramChannelsTest, EveryByteIsMovedOnceAndEveryChannelKeepsTheRules) {
    SdramTiming timing = ddr4_3200();
    timing.ranks = 2;
    for (const SdramInterleave interleave : {SdramInterleave{2, 32}, SdramInterleave{4, 4096}}) {
        SdramChannels sdram(timing, interleave);
        std::vector<SdramRecorder> recorders(interleave.channels, SdramRecorder(timing));
        for (std::uint32_t channel = 0; channel < interleave.channels; ++channel) {
            sdram.set_observer(channel, &recorders[channel]);
        }
        Random random(interleave.channels);
        DramClock now = 0;
        std::uint64_t bursts = 0;
        std::uint64_t bytes_moved = 0;
        for (std::uint64_t id = 0; id < 1000; ++id) {
            const std::uint64_t bytes = 1 + random.below(20'000);
            const std::uint64_t address = random.below(1 << 20);
            bursts += (address + bytes - 1) / 32 - address / 32 + 1;
            bytes_moved += bytes;
            sdram.push(id, address, bytes, random.below(2) != 0, now);
            now += random.below(400);
        }
        EXPECT_EQ(finish(sdram).size(), 1000u);
        const SdramStatistics all = sdram.statistics();
        EXPECT_EQ(all.read_bursts + all.write_bursts, bursts);
        EXPECT_EQ(all.bytes, bytes_moved);
        EXPECT_EQ(all.reads + all.writes, 1000u);
        for (const SdramRecorder& recorder : recorders) {
            EXPECT_EQ(check_sdram_trace(recorder.sorted(), timing), std::vector<std::string>{});
            EXPECT_FALSE(recorder.commands.empty());
        }
    }
}

} // namespace
} // namespace cavern
