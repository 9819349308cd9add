#include <gtest/gtest.h>
#include <memory>

#include "core/arbiter/reference_arbiter.h"
#include "cosim/lockstep_arbiter.h"
#include "cosim/rtl_arbiter.h"
#include "tests/cosim/arbiter_traffic.h"
#include "timed/channel/clocked_arbiter.h"

namespace cavern {
namespace {

constexpr std::uint32_t kSlots = 4;
constexpr TimePs kPeriod = 5 * kNs;
constexpr ArbiterPolicy kWeighted = ArbiterPolicy::kWeightedRoundRobin;

TEST(WeightedClockedTest, GatedAndUngatedClocksGrantAlike) {
    const auto make_model = [] {
        return std::make_unique<LockstepArbiter>(
            make_rtl_arbiter(kSlots, kWeighted, 24, 1, kPeriod, "channel 0"),
            std::make_unique<ReferenceArbiter>(kSlots, kWeighted, 24), "channel 0");
    };
    RandomTraffic gated_traffic("gated_traffic", kSlots, kPeriod, 3);
    RandomTraffic ungated_traffic("ungated_traffic", kSlots, kPeriod, 3);
    ClockedArbiter gated("gated", make_model(), kSlots, kPeriod, true, gated_traffic);
    ClockedArbiter ungated("ungated", make_model(), kSlots, kPeriod, false, ungated_traffic);
    gated_traffic.connect(gated);
    ungated_traffic.connect(ungated);
    sc_core::sc_start(to_sc_time(4 * kMs));
    EXPECT_GT(gated_traffic.grants().size(), 20'000u);
    EXPECT_EQ(first_difference(gated_traffic.grants(), ungated_traffic.grants()), -1);
    EXPECT_LT(gated.edges(), ungated.edges());
    EXPECT_EQ(gated.model().mismatches() + ungated.model().mismatches(), 0u);
    EXPECT_GE(gated.model().compared(), gated_traffic.grants().size());
}

} // namespace
} // namespace cavern
