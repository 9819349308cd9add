// The ECC engine of a channel against a codeword-by-codeword account of it.

#include "timed/channel/ecc.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "core/base/random.h"

namespace cavern::testing {
namespace {

constexpr std::uint32_t kPageBytes = 16384;
constexpr std::uint32_t kCodeword = 2048;
constexpr std::uint32_t kCodewords = kPageBytes / kCodeword;
// A spare area of an eighth, and 1 ns a byte on the bus.
constexpr TimePs kBus = (kCodeword + kCodeword / 8) * kNs;
constexpr ChannelId kChannel{0};

Geometry shape() {
    Geometry geometry;
    geometry.channels = 2;
    geometry.page_bytes = kPageBytes;
    geometry.spare_bytes = kPageBytes / 8;
    return geometry;
}

NandTiming bus() {
    NandTiming timing;
    timing.bus_byte_fs = 1'000'000;
    return timing;
}

EccParams engine(TimePs latency, TimePs interval) {
    EccParams params;
    params.engine = true;
    params.codeword = kCodeword;
    params.decode_latency = params.encode_latency = latency;
    params.bytes_per_second = interval == 0 ? 0 : kCodeword * kSecond / interval;
    return params;
}

TimePs decode(Ecc& ecc, ChannelId channel, std::uint32_t bytes, TimePs now) {
    const Ecc::Outcome outcome = ecc.read({channel, Ppn{0}, 0, bytes, 0, false}, now);
    EXPECT_FALSE(outcome.again || outcome.lost);
    return outcome.at;
}

class EccTest : public ::testing::Test {
  protected:
    const NandArray array_{shape(), false};
    const NandTiming timing_ = bus();
};

TEST_F(EccTest, ADecoderThatKeepsUpWithTheBusTakesTheLatencyOfOneCodeword) {
    Ecc ecc(shape(), timing_, engine(5 * kUs, kBus), array_, 1);
    EXPECT_EQ(decode(ecc, kChannel, kPageBytes, 100 * kUs), 105 * kUs);
    // The page of another die right behind it on the bus.
    EXPECT_EQ(decode(ecc, kChannel, kPageBytes, 100 * kUs + kCodewords * kBus),
              105 * kUs + kCodewords * kBus);
    EXPECT_EQ(ecc.statistics().decoded_codewords, 2 * kCodewords);
    EXPECT_EQ(ecc.statistics().decode_time, 10 * kUs);
}

TEST_F(EccTest, ASlowDecoderHoldsUpThePageAndTheNextOneOnTheBus) {
    const TimePs interval = 4096 * kNs;
    Ecc ecc(shape(), timing_, engine(5 * kUs, interval), array_, 1);
    const TimePs out = 100 * kUs;
    const TimePs first = out - 7 * kBus; // its first codeword is there
    EXPECT_EQ(decode(ecc, kChannel, kPageBytes, out), first + 7 * interval + 5 * kUs);
    EXPECT_EQ(decode(ecc, kChannel, kPageBytes, out + kCodewords * kBus),
              first + 15 * interval + 5 * kUs);
    // Another channel has its own.
    EXPECT_EQ(decode(ecc, ChannelId{1}, kPageBytes, out), first + 7 * interval + 5 * kUs);
}

TEST_F(EccTest, PartOfAPageIsTheCodewordsThatItTouches) {
    const TimePs interval = 4096 * kNs;
    Ecc ecc(shape(), timing_, engine(5 * kUs, interval), array_, 1);
    EXPECT_EQ(decode(ecc, kChannel, kCodeword, 100 * kUs), 105 * kUs);
    EXPECT_EQ(decode(ecc, kChannel, 3 * kCodeword, 200 * kUs),
              200 * kUs - 2 * kBus + 2 * interval + 5 * kUs);
    EXPECT_EQ(ecc.statistics().decoded_codewords, 4u);
}

TEST_F(EccTest, AnEncoderThatKeepsUpWithTheBusTakesTheLatencyOfOneCodeword) {
    Ecc ecc(shape(), timing_, engine(5 * kUs, kBus), array_, 1);
    EXPECT_EQ(ecc.encode(kChannel, kPageBytes, 100 * kUs), 105 * kUs);
    // Data of another die that are there at the same time: behind those.
    EXPECT_EQ(ecc.encode(kChannel, kPageBytes, 100 * kUs), 105 * kUs + kCodewords * kBus);
    EXPECT_EQ(ecc.statistics().encoded_codewords, 2 * kCodewords);
}

TEST_F(EccTest, ASlowEncoderLetsThePageWaitSoThatTheBusDoesNot) {
    const TimePs interval = 4096 * kNs;
    Ecc ecc(shape(), timing_, engine(5 * kUs, interval), array_, 1);
    EXPECT_EQ(ecc.encode(kChannel, kPageBytes, 100 * kUs), 105 * kUs + 7 * (interval - kBus));
    EXPECT_EQ(ecc.encode(kChannel, kPageBytes, 100 * kUs),
              105 * kUs + 8 * interval + 7 * (interval - kBus));
}

// ---- codeword by codeword -----------------------------------------------------------------------

struct Account {
    TimePs latency;
    TimePs interval;
    TimePs decoder_free = 0;
    TimePs encoder_free = 0;

    TimePs decode(std::uint32_t codewords, TimePs out) {
        TimePs done = 0;
        for (std::uint32_t i = 0; i < codewords; ++i) {
            const TimePs here = out - (codewords - 1 - i) * kBus;
            const TimePs enters = std::max(here, decoder_free);
            decoder_free = enters + interval;
            done = enters + latency;
        }
        return done;
    }
    /// The bus takes a codeword each kBus from the time returned.
    TimePs encode(std::uint32_t codewords, TimePs here) {
        TimePs start = 0;
        for (std::uint32_t i = 0; i < codewords; ++i) {
            const TimePs enters = std::max(here, encoder_free);
            encoder_free = enters + interval;
            const TimePs leaves = enters + latency;
            start = std::max(start, leaves - std::min(leaves, i * kBus));
        }
        return start;
    }
};

/// Pages of random length at random times, on a bus that moves one at a time. Returns how many of
/// their times differ.
int differences(const NandTiming& timing, TimePs interval, TimePs interval_of_account) {
    const NandArray array(shape(), false);
    Ecc ecc(shape(), timing, engine(3 * kUs, interval), array, 1);
    Account account{3 * kUs, interval_of_account};
    Random random(interval);
    TimePs out = 0;
    int different = 0;
    for (int i = 0; i < 2000; ++i) {
        const auto codewords = static_cast<std::uint32_t>(1 + random.below(kCodewords));
        out += codewords * kBus + (random.below(3) == 0 ? random.below(60 * kUs) : 0);
        different +=
            decode(ecc, kChannel, codewords * kCodeword, out) != account.decode(codewords, out);
        different += ecc.encode(kChannel, kPageBytes, out) != account.encode(kCodewords, out);
    }
    return different;
}

TEST_F(EccTest, EachCodewordHasItsTurn) {
    for (const TimePs interval : {TimePs{0}, 512 * kNs, 2048 * kNs, kBus, 4096 * kNs, 8192 * kNs}) {
        EXPECT_EQ(differences(timing_, interval, interval), 0) << interval;
    }
}

TEST_F(EccTest, AnAccountOfAnotherEngineIsNotThis) {
    EXPECT_GT(differences(timing_, 4096 * kNs, 4096 * kNs + 1), 1000);
    EXPECT_GT(differences(timing_, 4096 * kNs, 0), 1000);
}

} // namespace
} // namespace cavern::testing
