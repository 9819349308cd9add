// Events are dispatched at their time, those of one time in the order scheduled, whatever the order
// in which times were named.

#include "timed/tlm/event_queue.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/script.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

class EventQueueTest : public SystemcTest, public EventHandlerIf {
  protected:
    void on_event(std::uint64_t what) override {
        rung_.emplace_back(now_ps(), what);
        deltas_.push_back(sc_core::sc_delta_count());
        on_event_(what);
    }
    using Rung = std::vector<std::pair<TimePs, std::uint64_t>>;

    EventQueue clock_{"clock"};
    Script script_{"script"};
    sc_core::sc_event later_{"later"};
    Rung rung_;
    std::vector<sc_dt::uint64> deltas_;
    std::function<void(std::uint64_t)> on_event_ = [](std::uint64_t) {};
};

TEST_F(EventQueueTest, RingsInTheOrderOfTimes) {
    script_.at(0, [this] {
        for (const TimePs at : {30u, 10u, 40u, 20u}) {
            clock_.schedule(at, *this, at);
        }
        EXPECT_FALSE(clock_.idle());
    });
    run();
    EXPECT_EQ(rung_, (Rung{{10, 10}, {20, 20}, {30, 30}, {40, 40}}));
    EXPECT_TRUE(clock_.idle());
}

TEST_F(EventQueueTest, RingsAlarmsOfOneTimeInTheOrderSet) {
    script_.at(0, [this] {
        for (std::uint64_t what = 0; what < 100; ++what) {
            clock_.schedule(50, *this, what);
            clock_.schedule(60 + what, *this, 1000); // others in between
        }
    });
    run();
    ASSERT_GE(rung_.size(), 100u);
    for (std::uint64_t what = 0; what < 100; ++what) {
        EXPECT_EQ(rung_[what], (Rung::value_type{50, what}));
    }
}

TEST_F(EventQueueTest, AnAlarmSetWhileTheClockRingsIsNotForgotten) {
    on_event_ = [this](std::uint64_t what) {
        if (what == 1) {
            clock_.schedule(10, *this, 3); // for this very time
            clock_.schedule(15, *this, 4);
        }
    };
    script_.at(0, [this] {
        clock_.schedule(10, *this, 1);
        clock_.schedule(10, *this, 2);
        clock_.schedule(20, *this, 5);
    });
    run();
    EXPECT_EQ(rung_, (Rung{{10, 1}, {10, 2}, {10, 3}, {15, 4}, {20, 5}}));
    EXPECT_EQ(deltas_[0], deltas_[1]);
    EXPECT_GT(deltas_[2], deltas_[1]); // a delta cycle later
}

TEST_F(EventQueueTest, AnEarlierAlarmMaySetTheClockBack) {
    script_.at(0, [this] { clock_.schedule(100, *this, 1); });
    script_.at(10, [this] { clock_.schedule(20, *this, 2); });
    script_.at(30, [this] { clock_.schedule(30, *this, 3); }); // now
    run();
    EXPECT_EQ(rung_, (Rung{{20, 2}, {30, 3}, {100, 1}}));
}

TEST_F(EventQueueTest, ManyAlarmsInRandomOrderRingSorted) {
    Random random(1);
    std::vector<std::pair<TimePs, std::uint64_t>> expected;
    std::uint64_t next = 0;
    const auto set_some = [&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const TimePs at = now_ps() + random.below(1000);
            expected.emplace_back(at, next);
            clock_.schedule(at, *this, next++);
        }
    };
    on_event_ = [&](std::uint64_t what) {
        if (next < 50'000 && what % 2 == 0) {
            set_some(2);
        }
    };
    script_.at(0, [&] { set_some(500); });
    run();
    EXPECT_GT(next, 40'000u);
    // Stable by time: the numbers given count up, so that they break ties in the order set. An
    // event scheduled for the time at which it is scheduled comes after those before it for that
    // time, as sorted.
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(rung_, expected);
}

TEST_F(EventQueueTest, ManyAlarmsThatComeInFallingOrderRingSorted) {
    constexpr std::uint64_t kAlarms = 1000; // all in one slot of the wheel
    script_.at(0, [this] {
        for (std::uint64_t i = kAlarms; i > 0; --i) {
            clock_.schedule(i * 7 % 100 + 1, *this, kAlarms - i);
        }
    });
    run();
    ASSERT_EQ(rung_.size(), kAlarms);
    EXPECT_TRUE(std::is_sorted(rung_.begin(), rung_.end()));
}

/// As many events at a time as a busy drive has; every one rings where a sorted list has it.
TEST_F(EventQueueTest, DurationsOfEveryLengthRingSorted) {
    std::set<std::pair<TimePs, std::uint64_t>> waiting;
    Random random(3);
    std::uint64_t scheduled = 0;
    const auto schedule = [&] {
        // From picoseconds to a tenth of a second, some of them often.
        const TimePs often[] = {0, 1, 131'072, 2'500'000, 67'108'864, 200'000'000, 5'000'000'000};
        const TimePs after = random.below(3) == 0 ? often[random.below(std::size(often))]
                                                  : random.below(TimePs{1} << random.below(37));
        waiting.emplace(now_ps() + after, scheduled);
        clock_.schedule(now_ps() + after, *this, scheduled++);
    };
    on_event_ = [&](std::uint64_t what) {
        ASSERT_FALSE(waiting.empty());
        EXPECT_EQ(*waiting.begin(), std::make_pair(now_ps(), what));
        waiting.erase({now_ps(), what});
        // Now many, now few: the queue runs empty, too.
        for (std::uint64_t more = random.below(scheduled % 3000 < 1000 ? 4 : 2); more != 0;
             --more) {
            if (scheduled < 60'000) {
                schedule();
            }
        }
        if (waiting.empty() && scheduled < 60'000) {
            schedule();
        }
    };
    script_.at(0, schedule);
    run();
    EXPECT_EQ(rung_.size(), 60'000u);
    EXPECT_TRUE(waiting.empty());
}

TEST_F(EventQueueTest, SettlingWaitsForTheOtherAlarmsOfTheInstant) {
    on_event_ = [this](std::uint64_t what) {
        if (what < 3) {
            clock_.settle(*this, 10 + what);
        }
    };
    script_.at(0, [this] {
        clock_.schedule(10, *this, 1);
        clock_.schedule(10, *this, 2);
        clock_.schedule(11, *this, 4);
    });
    run();
    EXPECT_EQ(rung_, (Rung{{10, 1}, {10, 2}, {10, 12}, {10, 11}, {11, 4}}));
    EXPECT_EQ(deltas_[2], deltas_[1]) << "nothing else was to happen, so no delta cycle was spent";
    EXPECT_TRUE(clock_.idle());
}

TEST_F(EventQueueTest, SettlingWaitsForWhatOtherProcessesStillHaveToDo) {
    bool done = false;
    on_event_ = [&](std::uint64_t what) {
        if (what == 1) {
            clock_.settle(*this, 2);
            later_.notify(sc_core::SC_ZERO_TIME);
        } else {
            EXPECT_GT(sc_core::sc_delta_count(), deltas_[0]);
            done = true;
        }
    };
    script_.at(0, [this] { clock_.schedule(10, *this, 1); });
    run();
    EXPECT_TRUE(done);
    EXPECT_EQ(rung_, (Rung{{10, 1}, {10, 2}}));
}

TEST_F(EventQueueTest, SettlingAskedForOutsideAnAlarmIsADeltaCycleLater) {
    sc_dt::uint64 asked = 0;
    script_.at(10, [&] {
        clock_.settle(*this, 1);
        asked = sc_core::sc_delta_count();
        EXPECT_TRUE(rung_.empty());
        EXPECT_FALSE(clock_.idle());
    });
    script_.at(10, [this] { clock_.schedule(10, *this, 2); });
    run();
    ASSERT_EQ(rung_.size(), 2u);
    EXPECT_GT(deltas_[0], asked);
    EXPECT_EQ(rung_.front().first, 10u);
}

/// A process that the queue knows nothing of.
struct Sleeper final : sc_core::sc_module {
    Sleeper(const sc_core::sc_module_name& name, sc_core::sc_event& event,
            std::function<void()> act)
        : sc_module(name), act_(std::move(act)) {
        SC_HAS_PROCESS(Sleeper);
        SC_METHOD(wake);
        sensitive << event;
        dont_initialize();
    }
    void wake() { act_(); }
    std::function<void()> act_;
};

class RunningAheadTest : public EventQueueTest {
  protected:
    RunningAheadTest() { clock_.run_ahead(); }
};

TEST_F(RunningAheadTest, RingsTheSameAlarmsAtTheSameTimesInOneDeltaCycle) {
    on_event_ = [this](std::uint64_t what) {
        if (what == 1) {
            clock_.schedule(10, *this, 3); // for this very time
            clock_.schedule(15, *this, 4);
            clock_.settle(*this, 5);
        }
    };
    script_.at(0, [this] {
        clock_.schedule(10, *this, 1);
        clock_.schedule(10, *this, 2);
        clock_.schedule(20, *this, 6);
    });
    run();
    EXPECT_EQ(rung_, (Rung{{10, 1}, {10, 2}, {10, 5}, {10, 3}, {15, 4}, {20, 6}}));
    EXPECT_EQ(deltas_.front(), deltas_.back());
    EXPECT_EQ(kernel_ps(), 20u) << "the kernel's time follows";
    EXPECT_EQ(LocalTime::offset(), 0u);
}

TEST_F(RunningAheadTest, WaitsForWhatIsPendingInTheKernel) {
    TimePs seen = 0;
    script_.at(0, [this] {
        clock_.schedule(10, *this, 1);
        clock_.schedule(30, *this, 2);
    });
    script_.at(20, [&] {
        seen = rung_.size();
        EXPECT_EQ(now_ps(), 20u);
        clock_.schedule(25, *this, 3);
    });
    run();
    EXPECT_EQ(seen, 1u);
    EXPECT_EQ(rung_, (Rung{{10, 1}, {25, 3}, {30, 2}}));
}

TEST_F(RunningAheadTest, WaitsForWhatAnAlarmNotifies) {
    TimePs woken = 0;
    on_event_ = [&](std::uint64_t what) {
        if (what == 2) {
            EXPECT_EQ(LocalTime::offset(), 10u);
            notify_at(now_ps() + 5, later_);
        }
    };
    Sleeper sleeper("sleeper", later_, [&] {
        woken = now_ps();
        clock_.schedule(woken + 1, *this, 4);
    });
    script_.at(0, [this] {
        clock_.schedule(10, *this, 1);
        clock_.schedule(20, *this, 2);
        clock_.schedule(30, *this, 3);
    });
    run();
    EXPECT_EQ(woken, 25u);
    EXPECT_EQ(rung_, (Rung{{10, 1}, {20, 2}, {26, 4}, {30, 3}}));
}

TEST_F(RunningAheadTest, NoticesAnEventThatWasNotifiedBehindItsBack) {
    on_event_ = [this](std::uint64_t what) {
        if (what == 2) {
            later_.notify(sc_core::SC_ZERO_TIME); // of the kernel, which is at 10
        }
    };
    script_.at(0, [this] {
        clock_.schedule(10, *this, 1);
        clock_.schedule(20, *this, 2);
    });
    EXPECT_NE(run_to_error().find("nothing was pending where the event queue ran ahead"),
              std::string::npos);
}

TEST_F(RunningAheadTest, ComesHomeFromAnAlarmThatThrows) {
    on_event_ = [](std::uint64_t what) {
        if (what == 2) {
            throw ModelError("broken");
        }
    };
    script_.at(0, [this] {
        clock_.schedule(10, *this, 1);
        clock_.schedule(20, *this, 2);
    });
    EXPECT_NE(run_to_error().find("broken"), std::string::npos);
    EXPECT_EQ(now_ps(), 10u);
}

} // namespace
} // namespace cavern::testing
