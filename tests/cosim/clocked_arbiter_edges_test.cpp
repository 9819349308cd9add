// The edges of the handshake between a clocked arbiter and those who call it.
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/error.h"
#include "tests/cosim/arbiter_traffic.h"
#include "timed/channel/clocked_arbiter.h"

namespace cavern {
namespace {

constexpr TimePs kPeriod = 5 * kNs;
constexpr std::uint32_t kSlots = 4;

/// Grants like the twin, and writes down its inputs.
class WatchedArbiter final : public ClockedArbiterIf {
  public:
    explicit WatchedArbiter(std::vector<ArbiterInputs>& seen) : seen_(seen) {}
    ArbiterOutputs step(const ArbiterInputs& inputs) override {
        seen_.push_back(inputs);
        return arbiter_.step(inputs);
    }

  private:
    std::vector<ArbiterInputs>& seen_;
    ReferenceArbiter arbiter_{kSlots, ArbiterPolicy::kRoundRobin, 0};
};

struct HandshakeBench {
    explicit HandshakeBench(const char* name = "arbiter")
        : arbiter(name, std::make_unique<WatchedArbiter>(seen), kSlots, kPeriod, true, bus) {}
    std::vector<ArbiterInputs> seen;
    ScriptedBus bus;
    ClockedArbiter arbiter;
};

class Asker final : public EventHandlerIf {
  public:
    explicit Asker(ClockedArbiter& arbiter) : arbiter_(arbiter) {}

  private:
    void on_event(std::uint64_t slot) override {
        arbiter_.request(static_cast<std::uint32_t>(slot), BusClass::kCommand);
    }
    ClockedArbiter& arbiter_;
};

constexpr TimePs kDone = 10 * kPeriod + 100;

TEST(ClockedArbiterHandshakeTest, ReleaseDueAtTheInstantOfANewRequestIsTakenFirst) {
    HandshakeBench run;
    EventQueue clock("clock");
    Asker asker(run.arbiter);
    run.arbiter.use(clock);
    Script script("script");
    script.at(0, [&] { run.arbiter.request(0, BusClass::kCommand); });
    script.at(5 * kPeriod, [&] {
        clock.schedule(kDone, asker, 0); // rings first: it was set first
        run.arbiter.release_at(0, kDone);
        run.arbiter.request(1, BusClass::kCommand);
    });
    sc_core::sc_start();
    EXPECT_EQ(run.bus.grants, (std::vector<Grant>{{kPeriod, 0}, {11 * kPeriod, 1}}));
    EXPECT_EQ(run.seen.back().request, 0b11u)
        << "the bus is wanted again at the edge of the hand-over";
}

TEST(ClockedArbiterHandshakeTest, HolderAsksAgainAfterItsReleaseAndBeforeTheEdge) {
    HandshakeBench run;
    Script script("script");
    script.at(0, [&] { run.arbiter.request(0, BusClass::kCommand); });
    script.at(5 * kPeriod, [&] { run.arbiter.release_at(0, kDone); });
    script.at(kDone + 200, [&] { run.arbiter.request(0, BusClass::kCommand); });
    sc_core::sc_start();
    EXPECT_EQ(run.bus.grants, (std::vector<Grant>{{kPeriod, 0}, {11 * kPeriod, 0}}));
}

TEST(ClockedArbiterHandshakeTest, AnnouncedReleaseHoldsForOneGrantOnly) {
    HandshakeBench run;
    Script script("script");
    script.at(0, [&] { run.arbiter.request(0, BusClass::kCommand); });
    script.at(5 * kPeriod, [&] { run.arbiter.release_at(0, kDone); });
    script.at(20 * kPeriod, [&] { run.arbiter.request(0, BusClass::kCommand); });
    // It has the bus again, and has not said until when.
    script.at(30 * kPeriod,
              [&] { EXPECT_THROW(run.arbiter.request(0, BusClass::kCommand), ModelError); });
    sc_core::sc_start();
    EXPECT_EQ(run.bus.grants, (std::vector<Grant>{{kPeriod, 0}, {21 * kPeriod, 0}}));
}

TEST(ClockedArbiterHandshakeTest, TimeIsTheNumberOfTheEdgeModuloTwoToThe32) {
    HandshakeBench run;
    Script script("script");
    const std::vector<std::uint64_t> edges{1,
                                           std::uint64_t{1} << 16,
                                           (std::uint64_t{1} << 20) + 3,
                                           (std::uint64_t{1} << 31) + 1,
                                           (std::uint64_t{1} << 32) - 1,
                                           (std::uint64_t{1} << 32) + 7};
    for (const std::uint64_t edge : edges) {
        script.at(edge * kPeriod - 1, [&] {
            if (!run.bus.grants.empty()) {
                run.arbiter.release(0);
            }
            run.arbiter.request(0, BusClass::kCommand);
        });
    }
    sc_core::sc_start();
    ASSERT_EQ(run.seen.size(), edges.size());
    for (std::size_t n = 0; n < edges.size(); ++n) {
        EXPECT_EQ(run.seen[n].time, static_cast<std::uint32_t>(edges[n]));
        EXPECT_EQ(run.bus.grants.at(n).time, edges[n] * kPeriod);
    }
}

TEST(ReferenceArbiterTest, IndexStandsAfterTheReleaseAsTheRegisterDoes) {
    ReferenceArbiter arbiter(kSlots, ArbiterPolicy::kRoundRobin, 0);
    EXPECT_EQ(arbiter.step({0b0100, 0, false, 1}).index, 2u);
    const ArbiterOutputs outputs = arbiter.step({0, 0, true, 2});
    EXPECT_FALSE(outputs.valid);
    EXPECT_EQ(outputs.grant, 0u);
    EXPECT_EQ(outputs.index, 2u);
}

} // namespace
} // namespace cavern
