// The victim policies beside linear scans over the same rules, and the worked examples.

#include "core/ftl/victim_policy_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/d_choices.h"
#include "core/ftl/page_ftl.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;

constexpr PlaneId kPlane{0};

/// Blocks of one plane of a drive and a policy that is told about them.
class Blocks {
  public:
    Blocks(const std::string& policy, std::uint32_t blocks, std::uint32_t pages,
           std::uint32_t d = 0, std::uint64_t seed = 1)
        : geometry_(geometry_of(1, 1, 1, blocks, pages)), states_(blocks), opened_(blocks),
          changed_(blocks),
          policy_(find_victim_policy(policy)->make(
              {geometry_, states_, clock_, seed},
              policy == "d-choices" ? SchemeParams{DChoicesParams{d}} : SchemeParams{})) {}

    void open(std::uint32_t block) {
        opened_[block] = ++turn_;
        policy_->on_open(kPlane, BlockId{block});
    }
    void close(std::uint32_t block, std::uint16_t valid, std::uint32_t erases) {
        states_[block] = {erases, valid, BlockUse::kClosed, false};
        changed_[block] = time();
        if (valid < geometry_.pages_per_block) {
            policy_->on_garbage(kPlane, BlockId{block});
        }
    }
    void invalidate(std::uint32_t block) {
        --states_[block].valid;
        changed_[block] = time();
        policy_->on_garbage(kPlane, BlockId{block});
    }
    void collect(std::uint32_t block) {
        policy_->on_collect(kPlane, BlockId{block});
        states_[block] = {states_[block].erases + 1, 0, BlockUse::kFree, false};
    }
    std::optional<std::uint32_t> choose() {
        const std::optional<BlockId> block = policy_->choose(kPlane);
        return block ? std::optional<std::uint32_t>(raw(*block)) : std::nullopt;
    }
    [[nodiscard]] bool is_candidate(std::uint32_t block) const {
        return states_[block].use == BlockUse::kClosed &&
               states_[block].valid < geometry_.pages_per_block;
    }
    [[nodiscard]] std::vector<std::uint32_t> candidates() const {
        std::vector<std::uint32_t> all;
        for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
            if (is_candidate(block)) {
                all.push_back(block);
            }
        }
        return all;
    }
    [[nodiscard]] const BlockState& state(std::uint32_t block) const { return states_[block]; }
    [[nodiscard]] std::uint64_t opened(std::uint32_t block) const { return opened_[block]; }
    /// Host pages since the block changed last.
    [[nodiscard]] std::uint64_t age(std::uint32_t block) const { return time() - changed_[block]; }
    [[nodiscard]] std::uint32_t pages() const { return geometry_.pages_per_block; }
    void pass(std::uint64_t host_pages) { counters_.host_pages += host_pages; }
    void reset_counters() {
        clock_.on_reset();
        past_ += counters_.host_pages;
        counters_ = {};
    }
    VictimPolicyIf& policy() { return *policy_; }

  private:
    [[nodiscard]] std::uint64_t time() const { return past_ + counters_.host_pages; }

    Geometry geometry_;
    BlockStates states_;
    FtlCounters counters_;
    WriteClock clock_{counters_};
    std::uint64_t past_ = 0;
    std::uint64_t turn_ = 0;
    std::vector<std::uint64_t> opened_;
    std::vector<std::uint64_t> changed_;
    std::unique_ptr<VictimPolicyIf> policy_;
};

// docs/algorithms.md, GC-1, Np = 8, now = 100: blocks (id, valid, last modification, erases,
// allocation order), in the order of modification.
void make_gc1(Blocks& blocks) {
    for (const std::uint32_t block : {2u, 1u, 3u, 0u, 5u, 4u}) {
        blocks.open(block);
    }
    auto close_at = [&, now = std::uint64_t{0}](std::uint64_t time, std::uint32_t block,
                                                std::uint16_t valid, std::uint32_t erases) mutable {
        blocks.pass(time - now);
        now = time;
        blocks.close(block, valid, erases);
    };
    close_at(0, 2, 5, 1);
    close_at(5, 3, 8, 0);
    close_at(10, 1, 2, 4);
    close_at(40, 5, 4, 2);
    close_at(90, 0, 2, 5);
    close_at(99, 4, 1, 9);
    blocks.pass(1);
}

TEST(VictimPoliciesTest, EachTakesItsBlockOfTheWorkedExample) {
    const std::map<std::string, std::uint32_t> expected{
        {"greedy", 4}, {"cost-benefit", 1}, {"fifo", 2}};
    for (const auto& [name, victim] : expected) {
        Blocks blocks(name, 6, 8);
        make_gc1(blocks);
        EXPECT_EQ(blocks.choose(), victim) << name;
    }
    // Two choices of the candidates 1 and 5 are both of them.
    Blocks two("d-choices", 6, 8, 2);
    two.close(1, 2, 4);
    two.close(5, 4, 2);
    EXPECT_EQ(two.choose(), 1u);
}

TEST(VictimPoliciesTest, CostBenefitOrdersTheWholeExample) {
    Blocks blocks("cost-benefit", 6, 8);
    make_gc1(blocks);
    // Scores 15, 135, 30, -, 3.5, 30; block 2 was erased less often than 5.
    for (const std::uint32_t victim : {1u, 2u, 5u, 0u, 4u}) {
        EXPECT_EQ(blocks.choose(), victim);
        blocks.collect(victim);
    }
    EXPECT_EQ(blocks.choose(), std::nullopt);
}

TEST(VictimPoliciesTest, AnEmptyBlockHasInfiniteBenefit) {
    Blocks blocks("cost-benefit", 4, 8);
    blocks.close(0, 1, 0);
    blocks.pass(1'000'000);
    blocks.close(3, 0, 2);
    blocks.close(2, 0, 1);
    blocks.close(1, 0, 1);
    for (const std::uint32_t victim : {1u, 2u, 3u, 0u}) {
        EXPECT_EQ(blocks.choose(), victim);
        blocks.collect(victim);
    }
}

TEST(VictimPoliciesTest, ResettingCountersDoesNotMakeBlocksYounger) {
    Blocks blocks("cost-benefit", 2, 8);
    blocks.close(0, 4, 0);
    blocks.pass(100);
    blocks.reset_counters();
    blocks.pass(10);
    blocks.close(1, 3, 0); // emptier, but new
    blocks.pass(10);
    EXPECT_EQ(blocks.choose(), 0u);
}

/// The rule of a policy, looked up from end to end; nothing for those that draw.
using Rule = std::function<bool(const Blocks&, std::uint32_t, std::uint32_t)>;

bool fewest(const Blocks& b, std::uint32_t x, std::uint32_t y) {
    const BlockState& i = b.state(x);
    const BlockState& j = b.state(y);
    return i.valid != j.valid     ? i.valid < j.valid
           : i.erases != j.erases ? i.erases < j.erases
                                  : x < y;
}

double benefit(const Blocks& b, std::uint32_t block) {
    const double u = static_cast<double>(b.state(block).valid) / b.pages();
    return u == 0 ? INFINITY : static_cast<double>(b.age(block)) * (1 - u) / (2 * u);
}

const std::map<std::string, Rule>& rules() {
    static const std::map<std::string, Rule> all{
        {"greedy", fewest},
        {"fifo", [](const Blocks& b, std::uint32_t x,
                    std::uint32_t y) { return b.opened(x) < b.opened(y); }},
        // Rounding decides between equal scores: only clear cases are compared.
        {"cost-benefit", [](const Blocks& b, std::uint32_t x, std::uint32_t y) {
             return benefit(b, x) > benefit(b, y) * (1 + 1e-9);
         }}};
    return all;
}

/// Random life of blocks: opened, closed, invalidated page by page, collected.
class Life {
  public:
    Life(Blocks& blocks, std::uint32_t count, std::uint64_t seed)
        : blocks_(blocks), count_(count), random_(seed) {}

    void step() {
        blocks_.pass(random_.below(3));
        const auto block = static_cast<std::uint32_t>(random_.below(count_));
        const BlockState& state = blocks_.state(block);
        if (state.use == BlockUse::kFree) {
            blocks_.open(block);
            blocks_.close(block, static_cast<std::uint16_t>(blocks_.pages() - random_.below(3)),
                          state.erases);
        } else if (state.valid > 0) {
            blocks_.invalidate(block);
        }
    }

  private:
    Blocks& blocks_;
    std::uint32_t count_;
    Random random_;
};

TEST(VictimPoliciesTest, EveryVictimIsTheBestByTheRuleInAMillionSteps) {
    for (const auto& [name, rule] : rules()) {
        for (const std::uint32_t count : {1u, 2u, 7u, 64u}) {
            Blocks blocks(name, count, 16);
            Life life(blocks, count, count);
            Random random(count + 1);
            std::uint64_t victims = 0;
            for (int i = 0; i < 250'000; ++i) {
                life.step();
                if (random.below(20) != 0) {
                    continue;
                }
                const std::optional<std::uint32_t> victim = blocks.choose();
                ASSERT_EQ(victim.has_value(), !blocks.candidates().empty());
                if (!victim) {
                    continue;
                }
                ASSERT_TRUE(blocks.is_candidate(*victim));
                for (const std::uint32_t other : blocks.candidates()) {
                    ASSERT_FALSE(rule(blocks, other, *victim))
                        << name << " took " << *victim << " and not " << other;
                }
                ASSERT_EQ(blocks.choose(), victim);
                // Somebody else may empty a block as well.
                const std::vector<std::uint32_t> all = blocks.candidates();
                blocks.collect(random.below(8) == 0 ? all[random.below(all.size())] : *victim);
                ++victims;
            }
            EXPECT_GT(victims, 1000u) << name << " of " << count;
        }
    }
}

TEST(VictimPoliciesTest, ABrokenRuleIsNoticed) {
    // The test above compares with rules; a policy of another name breaks each of them.
    for (const auto& [name, rule] : rules()) {
        Blocks blocks("random", 64, 16);
        Life life(blocks, 64, 3);
        std::uint64_t wrong = 0;
        for (int i = 0; i < 2000; ++i) {
            life.step();
            const std::optional<std::uint32_t> victim = blocks.choose();
            for (const std::uint32_t other : blocks.candidates()) {
                wrong += rule(blocks, other, *victim) ? 1 : 0;
            }
        }
        EXPECT_GT(wrong, 100u) << name;
    }
}

// Twelve candidates with a different number of valid pages each: among d distinct ones the k-th
// best of n is the best with probability C(n - 1 - k, d - 1) / C(n, d).
TEST(VictimPoliciesTest, DrawnVictimsAreAsLikelyAsTheyShouldBe) {
    constexpr std::uint32_t kBlocks = 12;
    constexpr int kDraws = 60'000;
    const auto choose_of = [](double n, double k) {
        double product = 1;
        for (double i = 0; i < k; ++i) {
            product *= (n - i) / (i + 1);
        }
        return n < k ? 0 : product;
    };
    for (const std::uint32_t d : {1u, 2u, 3u, 11u}) {
        // d = 1 is "random".
        Blocks blocks(d == 1 ? "random" : "d-choices", kBlocks, 16, d);
        for (std::uint32_t block = 0; block < kBlocks; ++block) {
            blocks.close(block, static_cast<std::uint16_t>(block), 0);
        }
        std::array<int, kBlocks> times{};
        for (int i = 0; i < kDraws; ++i) {
            const std::uint32_t victim = blocks.choose().value();
            ++times[victim];
            const std::uint16_t valid = blocks.state(victim).valid;
            blocks.collect(victim);
            blocks.close(victim, valid, 0);
        }
        for (std::uint32_t k = 0; k < kBlocks; ++k) {
            const double expected =
                kDraws * choose_of(kBlocks - 1 - k, d - 1) / choose_of(kBlocks, d);
            EXPECT_NEAR(times[k], expected, 5 * std::sqrt(expected) + 1) << "d = " << d;
        }
    }
}

TEST(VictimPoliciesTest, SeedAndPlaneDecideWhatIsDrawnAndAskingDoesNot) {
    const auto victims = [](std::uint64_t seed, bool ask_often) {
        Blocks blocks("random", 50, 4, 0, seed);
        for (std::uint32_t block = 0; block < 50; ++block) {
            blocks.close(block, 1, 0);
        }
        std::vector<std::uint32_t> order;
        for (int i = 0; i < 50; ++i) {
            for (int ask = 0; ask < (ask_often ? 5 : 0); ++ask) {
                (void)blocks.choose();
            }
            order.push_back(blocks.choose().value());
            blocks.collect(order.back());
        }
        return order;
    };
    EXPECT_EQ(victims(1, false), victims(1, true));
    EXPECT_NE(victims(1, false), victims(2, false));
}

TEST(VictimPoliciesTest, DefaultDIsTheLogarithmOfTheBlocks) {
    BlockStates blocks(1);
    FtlCounters counters;
    const WriteClock clock(counters);
    for (const auto& [count, d] : std::map<std::uint32_t, std::uint32_t>{
             {1, 1}, {2, 1}, {7, 2}, {8, 3}, {4096, 12}, {4097, 12}}) {
        const Geometry geometry = geometry_of(1, 1, 1, count, 4);
        EXPECT_EQ(DChoices({geometry, blocks, clock}, {}).d(), d);
        EXPECT_EQ(DChoices({geometry, blocks, clock}, {5}).d(), 5u);
    }
}

TEST(VictimPoliciesTest, OnlyCandidatesCanBeCollected) {
    for (const VictimPolicyRow& row : victim_policy_table()) {
        Blocks blocks(std::string(row.name), 4, 8);
        blocks.close(0, 8, 0);
        blocks.close(1, 7, 0);
        EXPECT_EQ(blocks.choose(), 1u) << row.name;
        EXPECT_THROW(blocks.policy().on_collect(kPlane, BlockId{0}), ModelError) << row.name;
        blocks.collect(1);
        EXPECT_EQ(blocks.choose(), std::nullopt) << row.name;
        EXPECT_THROW(blocks.policy().on_collect(kPlane, BlockId{1}), ModelError) << row.name;
    }
}

} // namespace
} // namespace cavern
