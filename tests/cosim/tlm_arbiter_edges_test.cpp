// The arbiter at transaction level where time runs ahead of the kernel, where limits are long, and
// where a bus phase ends at the instant of other calls.
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/cosim/arbiter_traffic.h"
#include "timed/channel/tlm_arbiter.h"
#include "timed/tlm/event_queue.h"

namespace cavern {
namespace {

constexpr ArbiterPolicy kRoundRobin = ArbiterPolicy::kRoundRobin;
constexpr ArbiterPolicy kPriorityAge = ArbiterPolicy::kPriorityAge;
constexpr ArbiterPolicy kWeighted = ArbiterPolicy::kWeightedRoundRobin;
constexpr TimePs kPeriod = 5 * kNs;

/// Functions at given times, called by an event queue.
class Agenda final : public EventHandlerIf {
  public:
    explicit Agenda(EventQueue& clock) : clock_(clock) {}
    void at(TimePs time, std::function<void()> action) {
        actions_.push_back(std::move(action));
        clock_.schedule(time, *this, actions_.size() - 1);
    }

  private:
    void on_event(std::uint64_t what) override { actions_[what](); }
    EventQueue& clock_;
    std::vector<std::function<void()>> actions_;
};

struct ArbiterOnClock {
    ArbiterOnClock(ArbiterPolicy policy, std::uint32_t age_limit)
        : arbiter("arbiter", 4, policy, age_limit, kPeriod, bus) {
        arbiter.use(clock);
    }
    EventQueue clock{"clock"};
    Agenda agenda{clock};
    ScriptedBus bus;
    TlmArbiter arbiter;
};

/// Slot 1, program data, asks while slot 0 has the bus, and waits so long until it is released; at
/// that instant slot 2 asks for a read-out.
std::uint32_t winner_ahead(std::uint32_t age_limit, TimePs waited) {
    ArbiterOnClock run(kPriorityAge, age_limit);
    run.clock.run_ahead(); // the kernel stands still at the first event through all of it
    constexpr TimePs kAsked = 70'000;
    run.agenda.at(10, [&run] { run.arbiter.request(0, BusClass::kCommand); });
    run.agenda.at(kAsked, [&run] {
        run.arbiter.request(1, BusClass::kProgramData);
        EXPECT_GT(LocalTime::offset(), 0u) << "the test is of a time ahead of the kernel";
    });
    run.agenda.at(kAsked + waited, [&run] {
        EXPECT_GT(LocalTime::offset(), 0u);
        run.arbiter.release(0);
        run.arbiter.request(2, BusClass::kReadOut);
    });
    sc_core::sc_start();
    EXPECT_EQ(run.bus.grants.at(1).time, kAsked + waited);
    return run.bus.grants.at(1).slot;
}

TEST(TlmArbiterAheadTest, RequestIsPromotedAtTheAgeLimitInLocalTime) {
    EXPECT_EQ(winner_ahead(515, 515 * kPeriod), 1u);
}

TEST(TlmArbiterAheadTest, RequestIsNotPromotedAPicosecondBeforeTheAgeLimitInLocalTime) {
    EXPECT_EQ(winner_ahead(515, 515 * kPeriod - 1), 2u);
}

/// 2^32 ps are 4.3 ms; this limit is 5 ms.
constexpr std::uint32_t kLongLimit = 1'000'000;
static_assert(kLongLimit * kPeriod > TimePs{1} << 32);

TEST(TlmArbiterAheadTest, AgeLimitMayBeLongerThan32BitsOfPicoseconds) {
    EXPECT_EQ(winner_ahead(kLongLimit, kLongLimit * kPeriod), 1u);
}

TEST(TlmArbiterAheadTest, AgeLimitLongerThan32BitsOfPicosecondsIsNotCut) {
    EXPECT_EQ(winner_ahead(kLongLimit, kLongLimit * kPeriod - 1), 2u);
}

/// Slots 0, 1 and 2 want program data, a command and read-out without end.
class GreedyBus final : public GrantListenerIf {
  public:
    GreedyBus(Agenda& agenda) : agenda_(agenda) {}
    void connect(ChannelArbiterIf& arbiter) { arbiter_ = &arbiter; }
    void ask(std::uint32_t slot) { arbiter_->request(slot, static_cast<BusClass>(2 - slot)); }
    void granted(std::uint32_t slot) override {
        order.push_back(slot);
        if (order.size() < 18) {
            agenda_.at(now_ps() + 100, [this, slot] {
                arbiter_->release(slot);
                ask(slot);
            });
        }
    }
    std::vector<std::uint32_t> order;

  private:
    Agenda& agenda_;
    ChannelArbiterIf* arbiter_ = nullptr;
};

TEST(TlmArbiterWeightedTest, ClassesThatAllAskGetTheirWeights) {
    EventQueue clock("clock");
    Agenda agenda(clock);
    GreedyBus bus(agenda);
    TlmArbiter arbiter("arbiter", 3, kWeighted, 0, kPeriod, bus);
    arbiter.use(clock);
    bus.connect(arbiter);
    agenda.at(10, [&bus] {
        for (std::uint32_t slot = 0; slot < 3; ++slot) {
            bus.ask(slot);
        }
    });
    sc_core::sc_start();
    EXPECT_EQ(bus.order, (std::vector<std::uint32_t>{2, 2, 2, 2, 1, 1, 1, 1, 0, //
                                                     2, 2, 2, 2, 1, 1, 1, 1, 0}));
}

class TlmArbiterPhaseTest : public testing::TestWithParam<bool> {};

/// Slot 0 holds the bus until 1000, which it has announced; slot 3 waits; slot 1, which comes
/// before slot 3 in the circle, asks at 1000.
TEST_P(TlmArbiterPhaseTest, EndOfABusPhaseWaitsForEventsOfThatInstant) {
    constexpr TimePs kEnd = 1000;
    ArbiterOnClock run(kRoundRobin, 0);
    if (GetParam()) {
        run.clock.run_ahead();
    }
    run.agenda.at(100, [&] { run.arbiter.request(0, BusClass::kCommand); });
    run.agenda.at(200, [&] {
        run.arbiter.release_at(0, kEnd);
        run.arbiter.request(3, BusClass::kCommand); // schedules the end of the phase
        run.agenda.at(kEnd, [&] { run.arbiter.request(1, BusClass::kCommand); }); // after it
    });
    sc_core::sc_start();
    EXPECT_EQ(run.bus.grants, (std::vector<Grant>{{100, 0}, {kEnd, 1}}));
}

INSTANTIATE_TEST_SUITE_P(BothKinds, TlmArbiterPhaseTest, testing::Bool(),
                         [](const auto& ahead) { return ahead.param ? "Ahead" : "WithTheKernel"; });

/// Runs a function when its event is notified.
struct Listener final : sc_core::sc_module {
    Listener(const sc_core::sc_module_name& name, std::function<void()> act)
        : sc_module(name), act_(std::move(act)) {
        SC_HAS_PROCESS(Listener);
        SC_METHOD(wake);
        sensitive << event;
        dont_initialize();
    }
    void wake() { act_(); }
    sc_core::sc_event event{"event"};

  private:
    std::function<void()> act_;
};

/// The same without an event queue. Slot 1 asks in a process that is notified at once, which the
/// kernel runs after all those that time has woken, among them the arbiter's. Of the slots in
/// `asking`, the even ones have named the end of the phase before the arbiter did, the odd ones
/// after it.
std::vector<Grant> grants_at_the_end(TimePs end, const std::vector<std::uint32_t>& asking) {
    ScriptedBus bus;
    TlmArbiter arbiter("arbiter", 16, kRoundRobin, 0, kPeriod, bus);
    Listener last("last", [&] { arbiter.request(1, BusClass::kCommand); });
    Script script("script");
    script.at(100, [&] { arbiter.request(0, BusClass::kCommand); });
    script.at(200, [&] { arbiter.release_at(0, end); });
    script.at(300, [&] { arbiter.request(15, BusClass::kCommand); });
    script.at(end, [&] { last.event.notify(); });
    std::vector<std::unique_ptr<Script>> scripts;
    for (const std::uint32_t slot : asking) {
        scripts.push_back(std::make_unique<Script>(("script_" + std::to_string(slot)).c_str()));
        scripts.back()->at(slot % 2 == 0 ? 50 : 400, [] {});
        scripts.back()->at(end, [&, slot] { arbiter.request(slot, BusClass::kCommand); });
    }
    sc_core::sc_start();
    return bus.grants;
}

TEST(TlmArbiterEventTest, EndOfABusPhaseWaitsForProcessesOfThatInstant) {
    EXPECT_EQ(grants_at_the_end(1000, {}), (std::vector<Grant>{{100, 0}, {1000, 1}}));
}

TEST(TlmArbiterEventTest, CallsAtTheEndOfABusPhaseWaitForEachOther) {
    EXPECT_EQ(grants_at_the_end(1000, {2, 3, 4, 5, 6, 7, 8, 9}),
              (std::vector<Grant>{{100, 0}, {1000, 1}}));
}

} // namespace
} // namespace cavern
