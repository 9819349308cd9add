#include "timed/channel/tlm_arbiter.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/error.h"
#include "tests/cosim/arbiter_traffic.h"
#include "timed/channel/clocked_arbiter.h"

namespace cavern {
namespace {

constexpr ArbiterPolicy kRoundRobin = ArbiterPolicy::kRoundRobin;
constexpr ArbiterPolicy kPriorityAge = ArbiterPolicy::kPriorityAge;
constexpr TimePs kPeriod = 5 * kNs;
constexpr std::uint32_t kAgeLimit = 515;

struct ScriptedTlm {
    explicit ScriptedTlm(ArbiterPolicy policy)
        : arbiter("arbiter", 4, policy, kAgeLimit, kPeriod, bus) {}
    void request(TimePs time, std::uint32_t slot, BusClass bus_class = BusClass::kCommand) {
        script.at(time, [this, slot, bus_class] { arbiter.request(slot, bus_class); });
    }
    void release(TimePs time, std::uint32_t slot) {
        script.at(time, [this, slot] { arbiter.release(slot); });
    }
    ScriptedBus bus;
    TlmArbiter arbiter;
    Script script{"script"};
};

TEST(TlmArbiterTest, FreeBusIsGrantedAtTheTimeOfTheRequestButNotInsideTheCall) {
    ScriptedTlm run(kRoundRobin);
    run.script.at(123, [&run] {
        run.arbiter.request(1, BusClass::kCommand);
        EXPECT_TRUE(run.bus.grants.empty());
    });
    sc_core::sc_start();
    EXPECT_EQ(run.bus.grants, (std::vector<Grant>{{123, 1}}));
}

TEST(TlmArbiterTest, OrderOfCallsAtOneInstantDoesNotMatter) {
    ScriptedTlm run(kRoundRobin);
    run.request(100, 3);
    run.request(100, 1); // later, but first in the circle
    run.request(200, 0);
    run.release(300, 1);
    run.request(300, 2); // after the release, at its instant: 2 comes before 3
    run.release(400, 2);
    run.release(500, 3);
    sc_core::sc_start();
    EXPECT_EQ(run.bus.grants, (std::vector<Grant>{{100, 1}, {300, 2}, {400, 3}, {500, 0}}));
}

TEST(TlmArbiterTest, HolderMayAskAgainAtTheInstantOfItsRelease) {
    ScriptedTlm run(kRoundRobin);
    run.request(100, 0);
    run.release(200, 0);
    run.request(200, 0);
    sc_core::sc_start();
    EXPECT_EQ(run.bus.grants, (std::vector<Grant>{{100, 0}, {200, 0}}));
}

/// Slot 1, program data, asks at 1000 while slot 0 holds the bus; slot 2, read-out, asks at the
/// instant of the release. Returns who is granted then.
std::uint32_t winner_after_waiting(TimePs waited) {
    ScriptedTlm run(kPriorityAge);
    run.request(0, 0);
    run.request(1000, 1, BusClass::kProgramData);
    run.release(1000 + waited, 0);
    run.request(1000 + waited, 2, BusClass::kReadOut);
    sc_core::sc_start();
    return run.bus.grants.at(1).slot;
}

TEST(TlmArbiterTest, RequestIsPromotedAtTheAgeLimit) {
    EXPECT_EQ(winner_after_waiting(kAgeLimit * kPeriod), 1u);
}

TEST(TlmArbiterTest, RequestIsNotPromotedAPicosecondBeforeTheAgeLimit) {
    EXPECT_EQ(winner_after_waiting(kAgeLimit * kPeriod - 1), 2u);
}

TEST(TlmArbiterTest, OnlyTheHolderMayRelease) {
    ScriptedTlm run(kRoundRobin);
    EXPECT_THROW(run.arbiter.release(0), ModelError);
    run.arbiter.request(0, BusClass::kCommand);
    EXPECT_THROW(run.arbiter.request(0, BusClass::kCommand), ModelError);
    EXPECT_THROW(run.arbiter.request(4, BusClass::kCommand), ModelError);
}

TEST(TlmArbiterTest, CallsADeltaCycleLateNeverMakeTwoHolders) {
    RandomTraffic traffic("traffic", 8, kPeriod, 3);
    TlmArbiter arbiter("arbiter", 8, kPriorityAge, 24, kPeriod, traffic);
    traffic.connect(arbiter);
    sc_core::sc_start(to_sc_time(200'000 * kPeriod)); // the traffic watches
    EXPECT_GT(traffic.grants().size(), 2000u);
}

/// Bursts of requests that are all served before the next burst. Every request of a burst comes at
/// its own multiple of twenty clocks, the bus is held for two hundred. What waiting for edges adds
/// to the times of a burst stays below ten clocks, so no call can overtake another, and no age, a
/// multiple of twenty up to that, can cross kAgeLimit.
class SpacedTraffic final : public sc_core::sc_module, public GrantListenerIf {
  public:
    static constexpr std::uint32_t kSlots = 8;
    static constexpr std::uint64_t kBursts = 300;

    SpacedTraffic(const sc_core::sc_module_name& name) : sc_module(name), script_("script") {
        SC_HAS_PROCESS(SpacedTraffic);
        SC_METHOD(finish);
        sensitive << done_;
        dont_initialize();
        Random random(42);
        for (std::uint64_t burst = 0; burst < kBursts; ++burst) {
            plan_burst(burst * 2000 * kPeriod, random);
        }
    }
    void connect(ChannelArbiterIf& arbiter) { arbiter_ = &arbiter; }
    void granted(std::uint32_t slot) override {
        order_.push_back(slot);
        holder_ = slot;
        done_.notify(to_sc_time(200 * kPeriod));
    }
    [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

  private:
    /// Each slot once in random order, during the first hold or the second.
    void plan_burst(TimePs start, Random& random) {
        std::vector<std::uint32_t> slots;
        for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
            slots.insert(slots.begin() + static_cast<std::ptrdiff_t>(random.below(slot + 1)), slot);
        }
        const std::uint64_t early = 3 + random.below(kSlots - 2); // these come in the first hold
        for (std::size_t n = 0; n < slots.size(); ++n) {
            const std::uint64_t clock = n < early ? 20 * n : 200 + 20 * n;
            const auto bus_class = static_cast<BusClass>(random.below(3));
            const std::uint32_t slot = slots[n];
            script_.at(start + clock * kPeriod + random.below(kPeriod),
                       [this, slot, bus_class] { arbiter_->request(slot, bus_class); });
        }
    }
    void finish() { arbiter_->release(holder_); }

    Script script_;
    ChannelArbiterIf* arbiter_ = nullptr;
    std::uint32_t holder_ = 0;
    std::vector<std::uint32_t> order_;
    sc_core::sc_event done_{"done"};
};

/// Grant order of the same traffic through a TLM and a clocked arbiter.
struct BothLevels {
    BothLevels(ArbiterPolicy tlm_policy, ArbiterPolicy clocked_policy,
               std::uint32_t clocked_age_limit = kAgeLimit)
        : tlm("tlm", SpacedTraffic::kSlots, tlm_policy, kAgeLimit, kPeriod, tlm_traffic),
          clocked("clocked",
                  std::make_unique<ReferenceArbiter>(SpacedTraffic::kSlots, clocked_policy,
                                                     clocked_age_limit),
                  SpacedTraffic::kSlots, kPeriod, true, clocked_traffic) {
        tlm_traffic.connect(tlm);
        clocked_traffic.connect(clocked);
        sc_core::sc_start();
        EXPECT_EQ(tlm_traffic.order().size(), SpacedTraffic::kBursts * SpacedTraffic::kSlots);
    }
    SpacedTraffic tlm_traffic{"tlm_traffic"};
    SpacedTraffic clocked_traffic{"clocked_traffic"};
    TlmArbiter tlm;
    ClockedArbiter clocked;
};

TEST(ArbiterLevelsTest, TlmAndClockedRoundRobinGrantInTheSameOrder) {
    const BothLevels both(kRoundRobin, kRoundRobin);
    EXPECT_EQ(both.tlm_traffic.order(), both.clocked_traffic.order());
}

TEST(ArbiterLevelsTest, TlmAndClockedPriorityAgeGrantInTheSameOrder) {
    const BothLevels both(kPriorityAge, kPriorityAge);
    EXPECT_EQ(both.tlm_traffic.order(), both.clocked_traffic.order());
}

TEST(ArbiterLevelsTest, DifferentPoliciesGrantThisTrafficInDifferentOrders) {
    const BothLevels both(kRoundRobin, kPriorityAge);
    EXPECT_NE(both.tlm_traffic.order(), both.clocked_traffic.order());
}

TEST(ArbiterLevelsTest, AgeLimitDecidesGrantsOfThisTraffic) {
    const BothLevels both(kPriorityAge, kPriorityAge, 100 * kAgeLimit);
    EXPECT_NE(both.tlm_traffic.order(), both.clocked_traffic.order());
}

} // namespace
} // namespace cavern
