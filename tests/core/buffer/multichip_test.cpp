#include "core/buffer/multichip.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/buffer/naive_page_policies.h"
#include "tests/core/buffer/policy_drill.h"
#include "tests/core/buffer/policy_script.h"

namespace cavern {
namespace {

using testing::DrillOptions;
using testing::first_difference_in_a_million_steps;
using testing::NaiveMultichip;
using testing::PolicyScript;

using Pages = std::vector<std::uint64_t>;

/// Destinations as a function says.
class FixedDestination final : public DestinationIf {
  public:
    using Rule = std::function<std::optional<std::uint32_t>(std::uint64_t)>;
    explicit FixedDestination(Rule rule) : rule_(std::move(rule)) {}
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn) const override {
        const auto die = rule_(raw(lpn));
        return die ? std::optional<DieId>(DieId{*die}) : std::nullopt;
    }

  private:
    Rule rule_;
};

/// docs/algorithms.md, SEOL-1: pages 10 .. 14, LRU first, of dies 0, 1, 2, 3, 0; dies 0 and 1 are
/// busy. (Page 11, of which half is on die 2 in the example, is whole here; die 1 keeps it anyway.)
class MultichipExampleTest : public ::testing::Test {
  protected:
    MultichipExampleTest() {
        load.submitted(DieId{0});
        load.submitted(DieId{1});
    }
    void fill(Multichip& policy) {
        for (std::uint32_t i = 0; i < 5; ++i) {
            policy.on_miss(Lpn{10 + i});
            policy.on_insert(FrameId{i}, Lpn{10 + i}, Access::kWrite);
        }
    }
    /// Pages of one batch.
    static Pages batch(Multichip& policy, std::uint32_t units, const Pins& pins = Pins()) {
        policy.on_batch(units);
        std::vector<FrameId> frames;
        for (std::uint32_t i = 0; i < units && policy.pop_victim(frames, pins); ++i) {
        }
        Pages pages;
        for (const FrameId frame : frames) {
            pages.push_back(10 + raw(frame));
        }
        return pages;
    }
    DieLoad load{4};
    FixedDestination destination{[](std::uint64_t lpn) { return (lpn - 10) % 4; }};
};

TEST_F(MultichipExampleTest, OnePageLeavesToTheFirstIdleDie) {
    Multichip policy(5, 4, 4, &load, &destination);
    fill(policy);
    EXPECT_EQ(batch(policy, 1), Pages{12});
}

TEST_F(MultichipExampleTest, ABatchTakesOnePageForEachIdleDieOfTheWindow) {
    Multichip policy(5, 4, 4, &load, &destination);
    fill(policy);
    EXPECT_EQ(batch(policy, 4), (Pages{12, 13}));
}

TEST_F(MultichipExampleTest, WithoutAnIdleDieInTheWindowTheLruPageLeaves) {
    Multichip policy(5, 2, 4, &load, &destination);
    fill(policy);
    EXPECT_EQ(batch(policy, 1), Pages{10});
    Multichip batched(5, 2, 4, &load, &destination);
    fill(batched);
    EXPECT_EQ(batch(batched, 4), Pages{10});
}

TEST_F(MultichipExampleTest, ABatchSeesTheWindowAsItWasAtItsBegin) {
    load.completed(DieId{0});
    load.completed(DieId{1});
    Multichip policy(5, 2, 4, &load, &destination);
    fill(policy);
    EXPECT_EQ(batch(policy, 4), (Pages{10, 11})); // not 12, which only follows into the window
}

TEST_F(MultichipExampleTest, APinnedPageIsPassedOver) {
    Multichip policy(5, 4, 4, &load, &destination);
    fill(policy);
    Pins pins(4);
    pins.pin(12);
    EXPECT_EQ(batch(policy, 1, pins), Pages{13});
}

TEST_F(MultichipExampleTest, WithoutDestinationsItIsLru) {
    Multichip policy(5, 4, 4, &load, nullptr);
    fill(policy);
    EXPECT_EQ(batch(policy, 2), (Pages{10, 11}));
    const char* script = "W1 W2 W3 W1 W4 W5";
    EXPECT_EQ(PolicyScript("multichip", 3, 4).run(script),
              PolicyScript("lru-page", 3, 4).run(script));
}

std::optional<std::uint32_t> fixed_die(std::uint64_t lpn) {
    return static_cast<std::uint32_t>(lpn % 4);
}

/// Every fifth page may go anywhere.
std::optional<std::uint32_t> die_of(std::uint64_t lpn) {
    return lpn % 5 == 0 ? std::nullopt : fixed_die(lpn);
}

/// Dies that become busy and idle by chance, mostly busy.
std::string difference(const FixedDestination::Rule& destination_rule, std::uint32_t more_window) {
    DieLoad load(4);
    const FixedDestination destination(destination_rule);
    return first_difference_in_a_million_steps(
        false,
        [&](DrillOptions& o) {
            o.world = [&load](Random& random) {
                const DieId die{static_cast<std::uint32_t>(random.below(4))};
                if (load.is_idle(die)) {
                    load.submitted(die);
                } else if (random.below(4) == 0) {
                    load.completed(die);
                }
            };
            const std::uint32_t window =
                std::min(o.capacity, std::max(1u, o.capacity / 4) + more_window);
            return std::make_unique<Multichip>(o.capacity, window, 4, &load, &destination);
        },
        [&](const DrillOptions& o) {
            return std::make_unique<NaiveMultichip>(
                std::max(1u, o.capacity / 4), die_of,
                [&load](std::uint32_t die) { return !load.is_idle(DieId{die}); });
        });
}

TEST(MultichipSlowTest, AgreesWithItsNaiveTwinOverAMillionSteps) {
    EXPECT_EQ(difference(die_of, 0), "");
}

TEST(MultichipTest, TheNaiveTwinNoticesAnotherWindowOrOtherDies) {
    EXPECT_NE(difference(die_of, 1), "");
    EXPECT_NE(difference(fixed_die, 0), "");
}

} // namespace
} // namespace cavern
