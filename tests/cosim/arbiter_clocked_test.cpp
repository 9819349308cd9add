#include "timed/channel/clocked_arbiter.h"

#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/error.h"
#include "cosim/lockstep_arbiter.h"
#include "cosim/rtl_arbiter.h"
#include "tests/cosim/arbiter_print.h"
#include "tests/cosim/arbiter_traffic.h"

namespace cavern {
namespace {

constexpr ArbiterPolicy kRoundRobin = ArbiterPolicy::kRoundRobin;
constexpr ArbiterPolicy kPriorityAge = ArbiterPolicy::kPriorityAge;
constexpr std::uint32_t kAgeLimit = 24;
constexpr TimePs kPeriod = 5 * kNs;

/// Takes its own count of steps for the time, which gating must not be allowed to do.
class StepCountingArbiter final : public ClockedArbiterIf {
  public:
    StepCountingArbiter(std::uint32_t slots, ArbiterPolicy policy)
        : arbiter_(slots, policy, kAgeLimit) {}
    ArbiterOutputs step(const ArbiterInputs& inputs) override {
        ArbiterInputs counted = inputs;
        counted.time = steps_++;
        return arbiter_.step(counted);
    }

  private:
    ReferenceArbiter arbiter_;
    std::uint32_t steps_ = 0;
};

enum class Form { kTwin, kRtl, kLockstep, kStepCounting };
void PrintTo(Form form, std::ostream* out) {
    *out << "form " << static_cast<int>(form);
}

std::unique_ptr<ClockedArbiterIf> make_model(Form form, std::uint32_t slots, ArbiterPolicy policy) {
    auto twin = std::make_unique<ReferenceArbiter>(slots, policy, kAgeLimit);
    switch (form) {
    case Form::kTwin:
        return twin;
    case Form::kStepCounting:
        return std::make_unique<StepCountingArbiter>(slots, policy);
    case Form::kRtl:
        return make_rtl_arbiter(slots, policy, kAgeLimit, 1, kPeriod, "channel 0");
    case Form::kLockstep:
        break;
    }
    return std::make_unique<LockstepArbiter>(
        make_rtl_arbiter(slots, policy, kAgeLimit, 1, kPeriod, "channel 0"), std::move(twin),
        "channel 0");
}

/// Three drives' worth of traffic from the same seed: one arbiter gated, one gated and woken by an
/// alarm clock, and one not gated.
struct GatedAndUngated {
    GatedAndUngated(Form form, std::uint32_t slots, ArbiterPolicy policy)
        : gated_traffic("gated_traffic", slots, kPeriod, 3),
          alarmed_traffic("alarmed_traffic", slots, kPeriod, 3),
          ungated_traffic("ungated_traffic", slots, kPeriod, 3),
          gated("gated", make_model(form, slots, policy), slots, kPeriod, true, gated_traffic),
          alarmed("alarmed", make_model(form, slots, policy), slots, kPeriod, true,
                  alarmed_traffic),
          ungated("ungated", make_model(form, slots, policy), slots, kPeriod, false,
                  ungated_traffic) {
        alarmed.use(clock);
        gated_traffic.connect(gated);
        alarmed_traffic.connect(alarmed);
        ungated_traffic.connect(ungated);
        sc_core::sc_start(to_sc_time(kEdges * kPeriod + 1)); // to the end of edge kEdges
    }
    [[nodiscard]] std::ptrdiff_t alarmed_difference() const {
        return first_difference(alarmed_traffic.grants(), ungated_traffic.grants());
    }
    [[nodiscard]] std::ptrdiff_t difference() const {
        return first_difference(gated_traffic.grants(), ungated_traffic.grants());
    }

    static constexpr std::uint64_t kEdges = 200'000;
    EventQueue clock{"clock"};
    RandomTraffic gated_traffic;
    RandomTraffic alarmed_traffic;
    RandomTraffic ungated_traffic;
    ClockedArbiter gated;
    ClockedArbiter alarmed;
    ClockedArbiter ungated;
};

class ArbiterGatingTest
    : public testing::TestWithParam<std::tuple<Form, std::uint32_t, ArbiterPolicy>> {};

TEST_P(ArbiterGatingTest, GatedAndUngatedGrantTheSameSlotsAtTheSameTimes) {
    const auto [form, slots, policy] = GetParam();
    const GatedAndUngated both(form, slots, policy);
    EXPECT_EQ(both.difference(), -1);
    EXPECT_EQ(both.alarmed_difference(), -1);
    EXPECT_EQ(both.alarmed.edges(), both.gated.edges());
    EXPECT_GT(both.gated_traffic.grants().size(), 2000u);
    EXPECT_EQ(both.ungated.edges(), GatedAndUngated::kEdges + 1);
    EXPECT_LT(both.gated.edges(), both.ungated.edges());
    if (form == Form::kLockstep) {
        EXPECT_EQ(both.gated.model().compared(), both.gated_traffic.grants().size());
        EXPECT_EQ(both.ungated.model().compared(), both.ungated_traffic.grants().size());
        EXPECT_EQ(both.ungated.model().mismatches(), 0u);
    }
}

std::string name_of(const testing::TestParamInfo<ArbiterGatingTest::ParamType>& shape) {
    const auto [form, slots, policy] = shape.param;
    const char* name = form == Form::kTwin ? "Twin" : form == Form::kRtl ? "Rtl" : "Lockstep";
    return name + std::to_string(slots) +
           (policy == kRoundRobin ? "SlotsRoundRobin" : "SlotsPriorityAge");
}

INSTANTIATE_TEST_SUITE_P(EveryForm, ArbiterGatingTest,
                         testing::Combine(testing::Values(Form::kTwin, Form::kRtl, Form::kLockstep),
                                          testing::Values(1u, 4u, 8u),
                                          testing::Values(kRoundRobin, kPriorityAge)),
                         name_of);

TEST(ArbiterGatingControlTest, ModelThatCountsItsStepsIsFoundOut) {
    const GatedAndUngated both(Form::kStepCounting, 4, kPriorityAge);
    EXPECT_NE(both.difference(), -1);
}

/// A clocked twin on a script.
struct ScriptedArbiter {
    explicit ScriptedArbiter(bool gated, std::uint32_t slots = 4)
        : arbiter("arbiter", make_model(Form::kTwin, slots, kRoundRobin), slots, kPeriod, gated,
                  bus) {}
    void request(TimePs time, std::uint32_t slot) {
        script.at(time, [this, slot] { arbiter.request(slot, BusClass::kCommand); });
    }
    void release(TimePs time, std::uint32_t slot) {
        script.at(time, [this, slot] { arbiter.release(slot); });
    }
    ScriptedBus bus;
    ClockedArbiter arbiter;
    Script script{"script"};
};

class ClockedArbiterTest : public testing::TestWithParam<bool> {};

TEST_P(ClockedArbiterTest, CallIsSampledAtTheEdgeStrictlyAfterIt) {
    ScriptedArbiter run(GetParam());
    run.request(0, 0);
    run.release(2 * kPeriod - 1, 0);
    run.request(4 * kPeriod, 1);
    run.release(9 * kPeriod + 1, 1);
    run.request(10 * kPeriod, 0);
    sc_core::sc_start(to_sc_time(20 * kPeriod));
    EXPECT_EQ(run.bus.grants,
              (std::vector<Grant>{{kPeriod, 0}, {5 * kPeriod, 1}, {11 * kPeriod, 0}}));
}

TEST_P(ClockedArbiterTest, BusPassesOnAtTheEdgeAfterTheRelease) {
    ScriptedArbiter run(GetParam());
    run.request(100, 2);
    run.request(100, 3);
    run.release(7 * kPeriod, 2);
    run.request(7 * kPeriod, 2);
    run.release(9 * kPeriod + 100, 3);
    sc_core::sc_start(to_sc_time(20 * kPeriod));
    EXPECT_EQ(run.bus.grants,
              (std::vector<Grant>{{kPeriod, 2}, {8 * kPeriod, 3}, {10 * kPeriod, 2}}));
}

TEST_P(ClockedArbiterTest, CallBeforeTheSimulationStartsIsSampledAtTheFirstEdgeAfterTimeZero) {
    ScriptedArbiter run(GetParam());
    run.arbiter.request(1, BusClass::kCommand);
    sc_core::sc_start(to_sc_time(20 * kPeriod));
    EXPECT_EQ(run.bus.grants, (std::vector<Grant>{{kPeriod, 1}}));
}

TEST_P(ClockedArbiterTest, GatingLetsTheSimulationRunDryAndStillGrants) {
    ScriptedArbiter run(GetParam());
    run.request(0, 0);
    run.script.at(100 * kPeriod, [&run] { run.arbiter.gate(); });
    run.request(150 * kPeriod, 1);
    run.release(200 * kPeriod, 0);
    sc_core::sc_start(); // comes back only when no event is left
    EXPECT_EQ(run.bus.grants, (std::vector<Grant>{{kPeriod, 0}, {201 * kPeriod, 1}}));
    EXPECT_EQ(now_ps(), 201 * kPeriod);
}

INSTANTIATE_TEST_SUITE_P(BothClocks, ClockedArbiterTest, testing::Bool(),
                         [](const auto& gated) { return gated.param ? "Gated" : "Ungated"; });

TEST(ClockedArbiterGatedTest, OnlyTheEdgesAfterCallsAreEvaluated) {
    ScriptedArbiter run(true);
    run.request(0, 0);
    run.request(10, 1);
    run.release(1'000'000 * kPeriod, 0);
    sc_core::sc_start();
    EXPECT_EQ(run.bus.grants.size(), 2u);
    EXPECT_EQ(run.arbiter.edges(), 2u);
}

TEST(ClockedArbiterAlarmTest, TheNextEdgeIsAnAlarmOfTheClockItUses) {
    EventQueue clock("clock");
    ScriptedArbiter bench(true);
    bench.arbiter.request(0, BusClass::kCommand);
    EXPECT_TRUE(clock.idle()); // it has not been told of the clock: an event of its own

    EventQueue other("other");
    ScriptedBus bus;
    ClockedArbiter alarmed("alarmed", make_model(Form::kTwin, 4, kRoundRobin), 4, kPeriod, true,
                           bus);
    alarmed.use(other);
    alarmed.request(0, BusClass::kCommand);
    EXPECT_FALSE(other.idle());
}

TEST(ClockedArbiterProtocolTest, OnlyTheHolderMayRelease) {
    ScriptedArbiter run(true);
    EXPECT_THROW(run.arbiter.release(0), ModelError);
}

TEST(ClockedArbiterProtocolTest, SlotMayNotAskTwice) {
    ScriptedArbiter run(true);
    run.arbiter.request(0, BusClass::kCommand);
    EXPECT_THROW(run.arbiter.request(0, BusClass::kCommand), ModelError);
    EXPECT_THROW(run.arbiter.request(4, BusClass::kCommand), ModelError);
}

/// An arbiter that moves the bus to the next requester although nobody released it.
class RestlessArbiter final : public ClockedArbiterIf {
  public:
    ArbiterOutputs step(const ArbiterInputs& inputs) override {
        ArbiterInputs pushed = inputs;
        pushed.release = inputs.request != 0;
        return arbiter_.step(pushed);
    }

  private:
    ReferenceArbiter arbiter_{4, kRoundRobin, 0};
};

TEST(ClockedArbiterProtocolTest, ArbiterThatMovesAHeldGrantStopsTheRunWithNameAndCycle) {
    ScriptedBus bus;
    ClockedArbiter arbiter("channel_7", std::make_unique<RestlessArbiter>(), 4, kPeriod, true, bus);
    Script script("script");
    script.at(0, [&] { arbiter.request(0, BusClass::kCommand); });
    script.at(10 * kPeriod, [&] { arbiter.request(1, BusClass::kCommand); });
    // The kernel turns an exception of a process into a report and throws that.
    try {
        sc_core::sc_start();
        FAIL() << "the run must not end well";
    } catch (const sc_core::sc_report& report) {
        const std::string text = report.get_msg();
        EXPECT_NE(text.find("channel_7: the arbiter moved a held grant at cycle 11"),
                  std::string::npos)
            << text;
    }
}

} // namespace
} // namespace cavern
