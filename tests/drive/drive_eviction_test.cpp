// Eviction ahead of a full buffer, and a buffer that keeps what is read, in time.

#include <cstdio>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>
#include <vector>

#include "core/buffer/linear_threshold_trigger.h"
#include "tests/drive/drive_bench.h"
#include "tests/drive/drive_times.h"
#include "tests/support/systemc_test.h"
#include "timed/tlm/time.h"

namespace cavern::testing {
namespace {

HostRequest page(RequestOp op, std::uint64_t lpn, TimePs arrival = 0) {
    return {arrival, lpn * kPageBytes, kPageBytes, op};
}

std::vector<HostRequest> pages(RequestOp op, std::uint64_t first, std::uint64_t count,
                               TimePs gap = 0) {
    std::vector<HostRequest> requests;
    for (std::uint64_t i = 0; i < count; ++i) {
        requests.push_back(page(op, first + i, i * gap));
    }
    return requests;
}

class DriveEvictionTest : public SystemcTest {
  protected:
    std::unique_ptr<DriveBench> make(const std::string& name,
                                     const std::vector<std::string>& overrides,
                                     const std::vector<HostRequest>& requests,
                                     bool closed_loop = true) {
        std::vector<std::string> all{"dram.model=ideal", "alloc.scheme=cwdp"};
        all.insert(all.end(), overrides.begin(), overrides.end());
        DriveBench::Options options;
        options.closed_loop = closed_loop;
        return std::make_unique<DriveBench>(name.c_str(), small_drive(all), requests, options);
    }
    static std::vector<TimePs> latencies(const DriveBench& bench) {
        std::vector<TimePs> all(bench.answered().size());
        for (const Answered& each : bench.answered()) {
            all[each.id] = each.completed - each.dispatch;
        }
        return all;
    }
};

// ---- linear threshold ---------------------------------------------------------------------------

const std::vector<std::string> kLin1{
    "buffer.size=40KiB", "buffer.eviction=linear-threshold", "buffer.linear-threshold.low=0.6",
    "buffer.linear-threshold.high=0.9", "buffer.linear-threshold.max=8"};

// docs/algorithms.md, LIN-1: with time to spare between the writes, what leaves is what leaves
// without time.
TEST_F(DriveEvictionTest, ASlowHostSeesTheWorkedExampleOfLinearThreshold) {
    const auto bench = make("bench", kLin1, pages(RequestOp::kWrite, 0, 24, 10 * kMs), false);
    run();
    bench->expect_sound();
    std::string evictions;
    std::istringstream decisions(bench->shadow().decisions());
    for (std::string word; decisions >> word;) {
        if (word[0] == 'w' || word[0] == 'e') {
            evictions += word + " ";
        }
    }
    std::string expected;
    for (std::uint64_t lpn = 0; lpn < 24; ++lpn) {
        expected += "w" + std::to_string(lpn) + " ";
        if (lpn >= 12 && lpn % 2 == 0) {
            expected += "e" + std::to_string(lpn - 12) + " e" + std::to_string(lpn - 11) + " ";
        }
    }
    EXPECT_EQ(evictions, expected);
    EXPECT_EQ(bench->ssd().buffer_manager().statistics().stall, 0u);
}

/// Looks at a drive every so often, until the host has been served.
class Sampler final : public sc_core::sc_module {
  public:
    struct Sample {
        std::uint32_t used; ///< frames, those being programmed among them
        std::uint32_t victims;
    };

    Sampler(const sc_core::sc_module_name& name, const DriveBench& bench, std::size_t requests)
        : sc_module(name), bench_(bench), requests_(requests) {
        SC_HAS_PROCESS(Sampler);
        SC_THREAD(watch);
    }
    [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }

  private:
    void watch() {
        while (bench_.answered().size() < requests_) {
            wait(to_sc_time(997 * kNs));
            const BufferManager& manager = bench_.ssd().buffer_manager();
            samples_.push_back({bench_.ssd().core().buffer()->used() +
                                    static_cast<std::uint32_t>(manager.pages_under_way()),
                                manager.victims_under_way()});
        }
    }

    const DriveBench& bench_;
    std::size_t requests_;
    std::vector<Sample> samples_;
};

// At any time as many victims are under way as the fill level asks for. There may be up to two
// more: an eviction leaves exactly as many as T asks for, each completion takes one off them and
// off the level, and T of LIN-1 falls by up to two more than the level does.
TEST_F(DriveEvictionTest, VictimsUnderWayFollowTheFillLevel) {
    const std::vector<HostRequest> requests = pages(RequestOp::kWrite, 0, 220, 80 * kUs);
    const auto bench = make("bench", kLin1, requests, false);
    const auto single = make("single", {"buffer.size=40KiB"}, requests, false);
    Sampler sampler("sampler", *bench, requests.size());
    Sampler control("control", *single, requests.size());
    run();
    bench->expect_sound();
    const LinearThresholdTrigger rate(0.6, 0.9, 8);
    const auto below = [&rate](const std::vector<Sampler::Sample>& samples) {
        std::size_t count = 0;
        for (const Sampler::Sample& each : samples) {
            count += each.victims < rate.victims(each.used, 20) ? 1 : 0;
        }
        return count;
    };
    std::size_t busy = 0;
    for (const Sampler::Sample& each : sampler.samples()) {
        EXPECT_LE(each.victims, rate.victims(each.used, 20) + 2u) << "at " << each.used;
        busy += each.victims != 0 ? 1 : 0;
    }
    EXPECT_GT(sampler.samples().size(), 10'000u);
    EXPECT_GT(busy, sampler.samples().size() / 2);
    EXPECT_EQ(below(sampler.samples()), 0u);
    EXPECT_GT(below(control.samples()), control.samples().size() / 2);
    // What CAVE's section 6 hopes of it: no write waits for a frame.
    EXPECT_EQ(bench->ssd().buffer_manager().statistics().stall, 0u);
    EXPECT_GT(single->ssd().buffer_manager().statistics().stall, 0u);
}

// ---- idle ---------------------------------------------------------------------------------------

const std::vector<std::string> kIdle{"buffer.eviction=idle", "host.queue_depth=1"};
constexpr TimePs kOne = kCommand + kPage + kTprog;
constexpr TimePs kTwo = kOne + kCommand + kPage; // the second of a channel waits for the bus

// 14 of 16 frames; half of the buffer may stay. Four dies on two channels.
TEST_F(DriveEvictionTest, IdleEvictionBeginsAfterTheSilenceAndEndsAtItsShare) {
    const auto bench = make("bench", kIdle, pages(RequestOp::kWrite, 0, 14));
    run();
    bench->expect_sound();
    const TimePs begin = 14 * kLink + kMs;
    EXPECT_EQ(bench->shadow().programmed_at(),
              (std::vector<TimePs>{begin + kOne, begin + kOne, begin + kTwo, begin + kTwo,
                                   begin + 2 * kOne, begin + 2 * kOne}));
    EXPECT_EQ(bench->ssd().core().buffer()->used(), 8u);
}

TEST_F(DriveEvictionTest, ADieThatEndsIsIdleAtOnce) {
    std::vector<std::string> one_die = kIdle;
    one_die.insert(one_die.end(), {"nand.channels=1", "nand.ways=1"});
    const auto bench = make("bench", one_die, pages(RequestOp::kWrite, 0, 14));
    run();
    bench->expect_sound();
    std::vector<TimePs> expected;
    for (TimePs i = 1; i <= 6; ++i) {
        expected.push_back(14 * kLink + kMs + i * kOne);
    }
    EXPECT_EQ(bench->shadow().programmed_at(), expected);
}

TEST_F(DriveEvictionTest, ACommandEndsIdleEvictionUntilTheNextSilence) {
    std::vector<HostRequest> requests = pages(RequestOp::kWrite, 0, 14);
    const TimePs begin = 14 * kLink + kMs;
    requests.push_back(page(RequestOp::kRead, 30, begin + 100 * kUs)); // never written: the link
    const auto bench = make("bench", kIdle, requests, false);
    run();
    bench->expect_sound();
    const TimePs again = begin + 100 * kUs + kLink + kMs;
    EXPECT_EQ(bench->shadow().programmed_at(),
              (std::vector<TimePs>{begin + kOne, begin + kOne, begin + kTwo, begin + kTwo,
                                   again + kOne, again + kOne}));
}

TEST_F(DriveEvictionTest, ASilenceJustTooShortEvictsNothing) {
    std::vector<HostRequest> requests = pages(RequestOp::kWrite, 0, 14);
    const TimePs end = 14 * kLink;
    for (std::uint64_t i = 1; i <= 20; ++i) { // each is answered kLink later
        requests.push_back(page(RequestOp::kRead, 30, end - kLink + i * (kMs + kLink) - i));
    }
    const auto bench = make("bench", kIdle, requests, false);
    run();
    bench->expect_sound();
    EXPECT_GE(bench->shadow().programmed_at().front(),
              bench->answered().back().completed + kMs + kOne);
    EXPECT_EQ(bench->shadow().programmed_at().size(), 6u);
}

TEST_F(DriveEvictionTest, ATrimAsWellEndsTheSilence) {
    std::vector<HostRequest> requests = pages(RequestOp::kWrite, 0, 14);
    const TimePs begin = 14 * kLink + kMs;
    requests.push_back(page(RequestOp::kTrim, 30, begin + 100 * kUs));
    const auto bench = make("bench", kIdle, requests, false);
    run();
    bench->expect_sound();
    ASSERT_EQ(bench->shadow().programmed_at().size(), 6u);
    EXPECT_EQ(bench->shadow().programmed_at()[4], begin + 100 * kUs + kMs + kOne);
}

TEST_F(DriveEvictionTest, AClockThatIsNeverGatedDoesNotKeepIdleEvictionAlive) {
    const auto bench = make("bench",
                            {"buffer.eviction=[\"cave\",\"linear-threshold\",\"idle\"]",
                             "channel.arbiter=rtl", "channel.gate_clock=false"},
                            pages(RequestOp::kWrite, 0, 60, 60 * kUs), false);
    run();
    bench->expect_sound();
    EXPECT_LE(bench->ssd().core().buffer()->used(), 8u);
}

// ---- mapping units ------------------------------------------------------------------------------

// Units that left while a command was written through got into the NAND page that it had begun; a
// copy among them had no page of the SDRAM to pass through, so nothing of that page was programmed.
TEST_F(DriveEvictionTest, WhatLeavesAheadSharesNoNandPageWithWhatIsWrittenThrough) {
    Mix mix;
    mix.requests = 600;
    mix.reads = 10;
    mix.writes = 85;
    mix.trims = 0;
    mix.fua = 15;
    // A frame that is granted brings the next command, before anybody asks whether more is to
    // leave.
    const std::vector<std::string> overrides{
        "buffer.policy=bplru",     "buffer.eviction=[\"cave\", \"linear-threshold\"]",
        "buffer.dispatch=in-turn", "nand.channels=1",
        "nand.planes=2",           "nand.page_size=4KiB",
        "ftl.unit=512B",           "precondition.fill=1.0"};
    const SsdConfig config = small_drive(overrides);
    const std::vector<HostRequest> requests =
        random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes);
    const auto bench = make("bench", overrides, requests);
    run();
    bench->expect_sound();
    EXPECT_GT(bench->ssd().core().buffer_counters().padding_pages, 1000u);
}

// ---- reads that stay ----------------------------------------------------------------------------

const std::vector<std::string> kKeepsReads{"buffer.cache_reads=true", "host.queue_depth=1",
                                           "precondition.fill=1.0"};

TEST_F(DriveEvictionTest, ThePageReadIsReadFromTheBufferTheNextTime) {
    std::vector<HostRequest> requests = pages(RequestOp::kRead, 0, 8);
    const std::vector<HostRequest> again = requests;
    requests.insert(requests.end(), again.begin(), again.end());
    const auto bench = make("bench", kKeepsReads, requests);
    run();
    bench->expect_sound();
    std::vector<TimePs> expected(8, kCommand + kTr + kPage + kLink);
    expected.resize(16, kLink);
    EXPECT_EQ(latencies(*bench), expected);
    EXPECT_EQ(bench->shadow().checked().flash, 8u);
    EXPECT_EQ(bench->ssd().core().buffer_counters().read_hits, 8u);
    EXPECT_EQ(bench->programs(), 0u);
}

TEST_F(DriveEvictionTest, WithoutCachingTheSecondReadGoesToFlashAgain) {
    std::vector<HostRequest> requests = pages(RequestOp::kRead, 0, 1);
    requests.push_back(requests.front());
    const auto bench = make("bench", {"host.queue_depth=1", "precondition.fill=1.0"}, requests);
    run();
    EXPECT_EQ(latencies(*bench), std::vector<TimePs>(2, kCommand + kTr + kPage + kLink));
}

TEST_F(DriveEvictionTest, CleanPagesLeaveWithoutAProgramAndAtOnce) {
    const auto bench = make("bench", kKeepsReads, pages(RequestOp::kRead, 0, 50));
    run();
    bench->expect_sound();
    EXPECT_EQ(latencies(*bench),
              std::vector<TimePs>(50, kCommand + kTr + kPage + kLink)); // none waits for a frame
    EXPECT_EQ(bench->programs(), 0u);
    EXPECT_EQ(bench->ssd().core().buffer_counters().dropped_pages, 50u - 16u);
    EXPECT_EQ(bench->ssd().core().buffer()->used(), 16u);
}

TEST_F(DriveEvictionTest, APageReadAndThenWrittenIsProgrammed) {
    std::vector<HostRequest> requests = pages(RequestOp::kRead, 0, 4);
    requests.push_back(page(RequestOp::kWrite, 1));
    requests.push_back({0, 0, 0, RequestOp::kFlush});
    const auto bench = make("bench", kKeepsReads, requests);
    run();
    bench->expect_sound();
    EXPECT_EQ(bench->programs(), 1u);
    // The FLUSH leaves the clean pages where they are.
    EXPECT_EQ(bench->ssd().core().buffer_counters().dropped_pages, 0u);
    EXPECT_EQ(bench->ssd().core().buffer()->used(), 3u);
    EXPECT_EQ(latencies(*bench)[4], kLink); // a hit
}

TEST_F(DriveEvictionTest, APageBeingProgrammedComesBackFromItsFrame) {
    std::vector<HostRequest> requests = pages(RequestOp::kWrite, 0, 20, 30 * kUs); // evicts 0..3
    requests.push_back(page(RequestOp::kRead, 3, 600 * kUs));
    const auto bench = make("bench", {"buffer.cache_reads=true"}, requests, false);
    run();
    bench->expect_sound();
    EXPECT_EQ(bench->ssd().buffer_manager().statistics().in_flight_read_hits, 1u);
    EXPECT_EQ(bench->shadow().checked().flash, 0u);
}

TEST_F(DriveEvictionTest, APageOfZerosStaysAsWell) {
    std::vector<HostRequest> requests = pages(RequestOp::kRead, 5, 1);
    requests.push_back(requests.front());
    requests.push_back(page(RequestOp::kTrim, 5));
    requests.push_back(requests.front());
    const auto bench = make("bench", {"buffer.cache_reads=true", "host.queue_depth=1"}, requests);
    run();
    bench->expect_sound();
    EXPECT_EQ(bench->ssd().buffer_manager().statistics().zero_reads, 2u);
    EXPECT_EQ(bench->ssd().core().buffer_counters().read_hits, 1u);
}

// ---- padding ------------------------------------------------------------------------------------

/// Pages 0 and 1 of a block of eight, then a flush; the data that programs take from the SDRAM.
class PaddingTest : public DriveEvictionTest {
  protected:
    std::uint64_t play(const std::vector<std::string>& more) {
        std::vector<HostRequest> requests = pages(RequestOp::kWrite, 0, 2);
        requests.push_back({0, 0, 0, RequestOp::kFlush});
        std::vector<std::string> overrides{"buffer.policy=bplru"};
        overrides.insert(overrides.end(), more.begin(), more.end());
        bench_ = make("bench", overrides, requests);
        run();
        bench_->expect_sound();
        EXPECT_EQ(bench_->ssd().core().buffer_counters().padding_pages, 6u);
        EXPECT_EQ(bench_->programs(), 8u);
        return bench_->sdram_transfers();
    }
    std::unique_ptr<DriveBench> bench_;
};

TEST_F(PaddingTest, PagesOfZerosNeedNoData) {
    EXPECT_EQ(play({}), 2u + 2u); // filled and fetched: the two pages of the host
}

TEST_F(PaddingTest, PagesThatExistAreReadStoredAndFetched) {
    EXPECT_EQ(play({"precondition.fill=1.0"}), 2u + 2u + 2 * 6u);
}

// ---- all of it together -------------------------------------------------------------------------

/// Decisions and times of programs of a drive alone in a process of its own. Two drives in one
/// kernel may differ: it fires events of one time in an order that depends on all that are pending.
class AloneTest : public DriveEvictionTest {
  protected:
    std::string play(const std::vector<std::string>& overrides,
                     const std::vector<HostRequest>& requests) {
        int ends[2] = {-1, -1};
        EXPECT_EQ(::pipe(ends), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            FILE* out = ::fdopen(ends[1], "w");
            const auto bench = make("bench", overrides, requests, false);
            run();
            bench->expect_sound();
            std::fputs(bench->shadow().decisions().c_str(), out);
            for (const TimePs at : bench->shadow().programmed_at()) {
                std::fprintf(out, "%llu ", static_cast<unsigned long long>(at));
            }
            std::fclose(out);
            ::_exit(HasFailure() ? 1 : 0);
        }
        ::close(ends[1]);
        std::string text;
        char buffer[4096];
        for (ssize_t count; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
            text.append(buffer, static_cast<std::size_t>(count));
        }
        ::close(ends[0]);
        int status = -1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        return text;
    }
};

TEST_F(AloneTest, WhatLooksAtTheLoadOfDiesIsTheSameEachTime) {
    const std::vector<std::string> overrides{
        "buffer.eviction=[\"cave\",\"linear-threshold\",\"idle\"]", "alloc.scheme=least-loaded",
        "buffer.cache_reads=true", "buffer.idle.after=300us"};
    Mix mix;
    mix.requests = 800;
    mix.mean_gap = 120 * kUs;
    const auto requests = random_requests(mix, capacity_of(small_drive(overrides)), kPageBytes);
    const std::string once = play(overrides, requests);
    EXPECT_GT(once.size(), 10'000u);
    EXPECT_TRUE(play(overrides, requests) == once);
    // These decisions do depend on time.
    std::vector<std::string> slower = overrides;
    slower.push_back("nand.t_program=\"900us\"");
    EXPECT_FALSE(play(slower, requests) == once);
}

/// Channels that hold pages of a logical block, at most over all blocks.
std::size_t widest(const DriveBench& bench) {
    const Geometry geometry = bench.ssd().config().geometry;
    const FtlIf& ftl = bench.ssd().core().ftl();
    std::size_t most = 0;
    for (std::uint64_t first = 0; first + geometry.pages_per_block <= ftl.logical_pages();
         first += geometry.pages_per_block) {
        std::set<ChannelId> channels;
        for (std::uint64_t i = 0; i < geometry.pages_per_block; ++i) {
            const Ppn place = ftl.location(Lpn{first + i});
            if (place != kNoPpn) {
                channels.insert(geometry.channel_of(geometry.die_of(place)));
            }
        }
        most = std::max(most, channels.size());
    }
    return most;
}

// One block at a time is on its way to flash, and seven of eight dies are idle meanwhile.
TEST_F(DriveEvictionTest, AnAdaptiveStripeWidensWhereHostPagesWait) {
    const std::vector<std::string> overrides{"nand.channels=4", "buffer.policy=lru-block",
                                             "alloc.scheme=adaptive"};
    const auto requests = pages(RequestOp::kWrite, 0, 400);
    std::vector<std::string> impatient = overrides;
    impatient.push_back("alloc.adaptive.epoch=60");
    const auto wide = make("wide", impatient, requests);
    const auto narrow = make("narrow", overrides, requests); // 400 pages are no epoch
    run();
    wide->expect_sound();
    narrow->expect_sound();
    EXPECT_EQ(widest(*wide), 4u);
    EXPECT_EQ(widest(*narrow), 1u);
    EXPECT_LT(wide->answered().back().completed, narrow->answered().back().completed);
}

// ---- kept reads, commands in turn
// ----------------------------------------------------------------

/// Buffer, trigger, buffer.ncq_aware. An ideal SDRAM fills a frame inside the call that grants it,
/// so that the next command is decided in the middle of the grants.
using InTurn = std::tuple<std::string, std::string, bool>;
class KeptReadsInTurnTest : public DriveEvictionTest,
                            public ::testing::WithParamInterface<InTurn> {};

TEST_P(KeptReadsInTurnTest, EveryCommandIsAnsweredWithItsOwnFrame) {
    const auto [size, eviction, ncq_aware] = GetParam();
    const std::vector<std::string> overrides{"dram.model=ideal",
                                             "buffer.cache_reads=true",
                                             "buffer.dispatch=in-turn",
                                             "precondition.fill=1.0",
                                             std::string("buffer.size=") + size,
                                             std::string("buffer.eviction=") + eviction,
                                             std::string("buffer.ncq_aware=") +
                                                 (ncq_aware ? "true" : "false")};
    Mix mix;
    mix.requests = 600;
    const SsdConfig config = small_drive(overrides);
    const auto bench =
        make("bench", overrides,
             random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes));
    run();
    bench->expect_sound();
}

INSTANTIATE_TEST_SUITE_P(Of, KeptReadsInTurnTest,
                         ::testing::Combine(::testing::Values<std::string>("2KiB", "8KiB", "32KiB"),
                                            ::testing::Values("single", "cave"), ::testing::Bool()),
                         [](const auto& test) {
                             return std::get<0>(test.param) + std::get<1>(test.param) +
                                    (std::get<2>(test.param) ? "NcqAware" : "");
                         });

} // namespace
} // namespace cavern::testing
