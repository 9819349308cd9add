// For how long a rank has a row open, against its commands.

#include <gtest/gtest.h>
#include <set>

#include "core/base/random.h"
#include "tests/timed/dram/sdram_command_checker.h"

namespace cavern {
namespace {

/// Clocks up to `now` with a row open, from the commands alone.
std::uint64_t open_clocks(const SdramRecorder& recorder, DramClock now) {
    std::set<std::uint32_t> open;
    DramClock since = 0;
    std::uint64_t clocks = 0;
    const auto opened_until = [&](DramClock at) {
        if (!open.empty()) {
            clocks += std::min(at, now) - std::min(since, now);
        }
        since = at;
    };
    for (const SdramCommandRecord& record : recorder.sorted()) {
        opened_until(record.at);
        if (record.command == SdramCommand::kActivate) {
            open.insert(record.bank);
        } else if (record.command == SdramCommand::kPrecharge) {
            open.erase(record.bank);
        } else if (record.command == SdramCommand::kPrechargeAll) {
            open.clear();
        }
    }
    opened_until(now);
    return clocks;
}

class SdramOpenTimeTest : public ::testing::Test {
  protected:
    /// Random traffic with silences, some of it settled at once. Returns the clock after all.
    DramClock play(std::uint64_t seed, bool alone) {
        Random random(seed);
        DramClock now = 0;
        for (int i = 0; i < 400; ++i) {
            now += random.below(8) == 0 ? random.below(20'000) : random.below(200);
            const std::uint64_t address = random.below(1 << 14) * timing_.burst_bytes() * 16;
            const bool is_write = random.below(2) == 0;
            finish(now);
            const std::uint64_t bytes = timing_.burst_bytes() * (1 + random.below(8));
            if (alone && scheduler_.outstanding() == 0) {
                const DramClock end = scheduler_.push_alone(address, bytes, is_write, now);
                if (end != kNoClock) {
                    now = end;
                    continue;
                }
            }
            scheduler_.push(0, address, bytes, is_write, now);
        }
        while (scheduler_.outstanding() != 0) {
            now = scheduler_.next_wake();
            finish(now);
        }
        return now;
    }
    void finish(DramClock now) {
        scheduler_.advance(now);
        while (scheduler_.has_completion(now)) {
            (void)scheduler_.pop_completion();
        }
    }

    SdramTiming timing_;
    SdramRecorder recorder_{timing_};
    FrFcfsScheduler scheduler_{timing_};
};

TEST_F(SdramOpenTimeTest, RandomTrafficHasRowsOpenAsLongAsItsCommandsSay) {
    scheduler_.set_observer(&recorder_);
    const DramClock now = play(1, false);
    EXPECT_EQ(scheduler_.open_clocks(now), open_clocks(recorder_, now));
    EXPECT_GT(scheduler_.open_clocks(now), now / 10);
    EXPECT_LT(scheduler_.open_clocks(now), now * 9 / 10);
}

TEST_F(SdramOpenTimeTest, WhatIsSettledAtOnceCountsAlike) {
    scheduler_.set_observer(&recorder_);
    const DramClock now = play(2, true);
    EXPECT_EQ(scheduler_.open_clocks(now), open_clocks(recorder_, now));
}

/// What was settled far ahead has had its rows open only as long as it is now.
TEST_F(SdramOpenTimeTest, WhatIsSettledAheadCountsFromThen) {
    scheduler_.set_observer(&recorder_);
    Random random(3);
    DramClock end = 0;
    while (end < 5 * timing_.t_refi) {
        end = scheduler_.push_alone(random.below(1 << 10) * timing_.row_bytes, 512, false, 0);
    }
    for (DramClock now = 0; now <= end; now += 1000) {
        EXPECT_EQ(scheduler_.open_clocks(now), open_clocks(recorder_, now)) << now;
    }
    const DramClock reset = 2 * timing_.t_refi + 100;
    const std::uint64_t before = scheduler_.open_clocks(reset);
    const std::uint64_t all = scheduler_.open_clocks(end);
    scheduler_.reset_statistics(reset);
    EXPECT_EQ(scheduler_.open_clocks(end), all - before);
    EXPECT_LT(before, reset);
}

TEST_F(SdramOpenTimeTest, ARefreshClosesWhatASilenceLeftOpen) {
    scheduler_.push(0, 0, timing_.burst_bytes(), false, 10);
    finish(200);
    EXPECT_EQ(scheduler_.open_clocks(200), 190u);
    EXPECT_EQ(scheduler_.open_clocks(1'000'000), timing_.t_refi - 10u);
    scheduler_.reset_statistics(210);
    EXPECT_EQ(scheduler_.open_clocks(300), 90u);
}

} // namespace
} // namespace cavern
