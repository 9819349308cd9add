// An event queue at the edges: lanes that wrap and grow, kernel events at the very time of one
// of its own, settling that is asked for by processes.
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/script.h"
#include "tests/support/systemc_test.h"
#include "timed/tlm/event_queue.h"

namespace cavern::testing {
namespace {

class EventQueueEdgeTest : public SystemcTest, public EventHandlerIf {
  protected:
    void on_event(std::uint64_t what) override {
        rung_.emplace_back(now_ps(), what);
        on_ring_(what);
    }
    using Rung = std::vector<std::pair<TimePs, std::uint64_t>>;

    EventQueue clock_{"clock"};
    Script script_{"script"};
    Rung rung_;
    std::function<void(std::uint64_t)> on_ring_ = [](std::uint64_t) {};
};

/// Events in rising order share one lane, which holds 64 before it grows.
TEST_F(EventQueueEdgeTest, ALaneThatHasWrappedGrowsInOrder) {
    constexpr std::uint64_t kBefore = 40; // the ring begins here when it is full
    constexpr std::uint64_t kEvents = 1000;
    Rung expected;
    for (std::uint64_t n = 1; n <= kBefore; ++n) {
        expected.emplace_back(n, n);
    }
    for (std::uint64_t n = 0; n < kEvents; ++n) {
        expected.emplace_back(200 + n, 5000 + n);
    }
    script_.at(0, [&] {
        for (std::uint64_t n = 1; n <= kBefore; ++n) {
            clock_.schedule(n, *this, n);
        }
    });
    script_.at(100, [&] {
        for (std::uint64_t n = 0; n < kEvents; ++n) {
            clock_.schedule(200 + n, *this, 5000 + n);
        }
    });
    run();
    EXPECT_EQ(rung_, expected);
}

TEST_F(EventQueueEdgeTest, DoesNotRingAheadAtTheVeryTimeOfAKernelEvent) {
    clock_.run_ahead();
    sc_dt::uint64 process_delta = 0;
    sc_dt::uint64 event_delta = 1;
    on_ring_ = [&](std::uint64_t what) {
        if (what == 2) {
            EXPECT_EQ(kernel_ps(), 20u) << "the kernel has come along";
            EXPECT_EQ(LocalTime::offset(), 0u);
            event_delta = sc_core::sc_delta_count();
        }
    };
    script_.at(0, [this] {
        clock_.schedule(10, *this, 1);
        clock_.schedule(20, *this, 2);
        clock_.schedule(21, *this, 3);
    });
    script_.at(20, [&] { process_delta = sc_core::sc_delta_count(); });
    run();
    EXPECT_EQ(rung_, (Rung{{10, 1}, {20, 2}, {21, 3}}));
    EXPECT_EQ(event_delta, process_delta) << "both belong to one evaluation phase";
}

/// Processes of one instant that all ask the queue to settle, some before it rings an event of that
/// instant and some after.
class SettlingFromOutsideTest : public EventQueueEdgeTest,
                                public ::testing::WithParamInterface<bool> {
  protected:
    static constexpr std::size_t kProcesses = 12;
};

TEST_P(SettlingFromOutsideTest, WaitsForAllProcessesOfTheDeltaCycle) {
    if (GetParam()) {
        clock_.run_ahead();
    }
    std::size_t acted = 0;
    std::size_t settled = 0;
    std::vector<std::unique_ptr<Script>> processes;
    for (std::size_t n = 0; n < kProcesses; ++n) {
        processes.push_back(std::make_unique<Script>(("process_" + std::to_string(n)).c_str()));
        // Every other one names the time 10 before the queue does.
        processes[n]->at(n % 2 == 0 ? 0 : 5, [] {});
        processes[n]->at(10, [&, n] {
            ++acted;
            clock_.settle(*this, n);
        });
    }
    on_ring_ = [&](std::uint64_t what) {
        if (what < kProcesses) {
            ++settled;
            EXPECT_EQ(acted, kProcesses) << "when process " << what << " was answered";
        }
    };
    script_.at(3, [this] { clock_.schedule(10, *this, 100); });
    run();
    EXPECT_EQ(settled, kProcesses);
    EXPECT_EQ(rung_.front(), (Rung::value_type{10, 100}));
    EXPECT_TRUE(clock_.idle());
}

INSTANTIATE_TEST_SUITE_P(BothKinds, SettlingFromOutsideTest, ::testing::Bool(),
                         [](const auto& ahead) { return ahead.param ? "Ahead" : "WithTheKernel"; });

} // namespace
} // namespace cavern::testing
