#include "core/buffer/write_buffer.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/buffer/cave_trigger.h"
#include "core/buffer/lru_block.h"
#include "core/buffer/lru_page.h"
#include "core/buffer/single_trigger.h"
#include "tests/core/buffer/naive_block_policies.h"
#include "tests/core/buffer/naive_page_policies.h"
#include "tests/core/buffer/policy_drill.h"
#include "tests/support/core_fixtures.h"

namespace cavern {

/// Damages a buffer, for the tests that expect the damage to be found.
struct WriteBufferProbe {
    static void move_page(WriteBuffer& b, FrameId frame, Lpn lpn) { b.lpn_of_[raw(frame)] = lpn; }
    static void forget(WriteBuffer& b, Lpn lpn) { b.resident_.erase(raw(lpn)); }
    static void miscount(WriteBuffer& b) { ++b.used_; }
    static void free_twice(WriteBuffer& b) {
        b.free_[(b.next_free_ + 1) % b.capacity_] = b.free_[b.next_free_];
    }
};

namespace {

using testing::DrillOptions;
using testing::geometry_of;
using testing::NaiveLruBlock;
using testing::NaiveLruPage;
using testing::NaivePolicy;
using testing::PolicyDrill;
using testing::RecordingLog;
using testing::unless_sanitized;

using Lines = std::vector<std::string>;

struct Case {
    std::string name;
    std::uint32_t capacity;
    std::uint32_t pages_per_block;
    bool blocks;
    std::uint32_t victims;
    bool read_touch;
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.name;
}

std::unique_ptr<EvictionPolicyIf> make_policy(const Case& c) {
    if (c.blocks) {
        return std::make_unique<LruBlock>(c.capacity, c.pages_per_block);
    }
    return std::make_unique<LruPage>(c.capacity);
}

std::unique_ptr<NaivePolicy> make_naive(const Case& c) {
    if (c.blocks) {
        return std::make_unique<NaiveLruBlock>(c.pages_per_block);
    }
    return std::make_unique<NaiveLruPage>();
}

DrillOptions options_of(const Case& c, int steps) {
    DrillOptions options;
    options.capacity = c.capacity;
    options.pages_per_block = c.pages_per_block;
    options.steps = steps;
    options.read_touch = c.read_touch;
    options.batch = c.victims;
    options.logged = false;
    options.seed = c.capacity * 7 + c.victims;
    return options;
}

class WriteBufferReferenceTest : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Cases, WriteBufferReferenceTest,
                         ::testing::Values(Case{"OneFrame", 1, 4, false, 1, false},
                                           Case{"PageLru", 20, 4, false, 1, false},
                                           Case{"PageLruReadTouchCave", 24, 4, false, 8, true},
                                           Case{"BlockLru", 24, 4, true, 1, false},
                                           Case{"BlockLruReadTouch", 24, 8, true, 1, true},
                                           Case{"BlockLruCave", 40, 4, true, 4, false}),
                         [](const auto& param_info) { return param_info.param.name; });

TEST_P(WriteBufferReferenceTest, AgreesWithNaiveListsAndLosesNoDirtyPage) {
    const Case& c = GetParam();
    const auto naive = make_naive(c);
    PolicyDrill drill(make_policy(c), naive.get(), options_of(c, unless_sanitized(1'000'000, 8)),
                      std::make_unique<CaveTrigger>(c.victims));
    EXPECT_EQ(drill.first_difference(), "");
}

/// Block LRU that does not count a read as a use.
class IgnoresReads final : public NaiveLruBlock {
  public:
    using NaiveLruBlock::NaiveLruBlock;
    void hit(std::uint64_t lpn, bool write) override {
        if (write) {
            NaiveLruBlock::hit(lpn, write);
        }
    }
};

TEST(WriteBufferTest, TheReferenceNoticesAnotherRateOrOrderOrTouch) {
    const Case c{"", 24, 4, true, 2, false};
    const DrillOptions options = options_of(c, 2000);
    const auto difference = [&](const Case& policy, std::unique_ptr<EvictionTriggerIf> trigger) {
        const auto naive = make_naive(c);
        PolicyDrill drill(make_policy(policy), naive.get(), options, std::move(trigger));
        return drill.first_difference();
    };
    EXPECT_EQ(difference(c, std::make_unique<CaveTrigger>(2)), "");
    EXPECT_NE(difference(c, std::make_unique<SingleTrigger>()), "");
    Case pages = c;
    pages.blocks = false;
    EXPECT_NE(difference(pages, std::make_unique<CaveTrigger>(2)), "");
    DrillOptions touching = options;
    touching.read_touch = true;
    IgnoresReads naive(c.pages_per_block);
    PolicyDrill touch(make_policy(c), &naive, touching, std::make_unique<CaveTrigger>(2));
    EXPECT_NE(touch.first_difference(), "");
}

/// Pages and frames of the latest batch: "5@2 7@-".
std::string batch_of(const WriteBuffer& buffer) {
    std::string text;
    for (const Victim& victim : buffer.victims()) {
        text += (text.empty() ? "" : " ") + std::to_string(raw(victim.lpn)) + "@" +
                (victim.frame == kNoFrame ? "-" : std::to_string(raw(victim.frame)));
    }
    return text;
}

// docs/algorithms.md, FLUSH-1: block LRU, K = 8, Np = 4, N = 2.
TEST(WriteBufferTest, FlushDrainsInBatchesUntilNothingIsLeft) {
    RecordingLog log;
    WriteBuffer buffer(8, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruBlock>(8, 4),
                       std::make_unique<CaveTrigger>(2), false, &log);
    for (const std::uint64_t lpn : {0, 5, 1, 9}) {
        EXPECT_FALSE(buffer.write(Lpn{lpn}).evicted);
    }
    log.lines.clear();
    ASSERT_TRUE(buffer.flush_batch());
    EXPECT_EQ(log.lines, (Lines{"evict block 1 [5]", "evict block 0 [0,1]"}));
    EXPECT_EQ(buffer.victims().size(), 3u);
    ASSERT_TRUE(buffer.flush_batch());
    EXPECT_EQ(log.lines.back(), "evict block 2 [9]");
    EXPECT_EQ(buffer.used(), 0u);
    EXPECT_FALSE(buffer.flush_batch());
    EXPECT_TRUE(buffer.victims().empty());
    EXPECT_EQ(buffer.counters().eviction_events, 2u);
}

// K = 4, pages read are kept: 1 and 3 are dirty, 2 and 4 were read.
TEST(WriteBufferTest, AFlushLeavesCleanPagesWhereTheyAre) {
    for (const bool keep : {false, true}) {
        RecordingLog log;
        WriteBuffer buffer(4, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruPage>(4),
                           std::make_unique<CaveTrigger>(4), false, &log, true, 32, keep);
        buffer.write(Lpn{1});
        buffer.read(Lpn{2});
        buffer.write(Lpn{3});
        buffer.read(Lpn{4});
        log.lines.clear();
        ASSERT_TRUE(buffer.flush_batch());
        EXPECT_EQ(batch_of(buffer), "1@0 3@2");
        EXPECT_TRUE(buffer.dropped().empty());
        EXPECT_FALSE(buffer.flush_batch());
        EXPECT_EQ(log.lines,
                  keep ? (Lines{"clean [1]", "clean [3]"}) : (Lines{"evict [1]", "evict [3]"}));
        EXPECT_EQ(buffer.used(), keep ? 4u : 2u);
        EXPECT_EQ(buffer.counters().cleaned_pages, keep ? 2u : 0u);
        EXPECT_EQ(buffer.counters().evicted_pages, keep ? 0u : 2u);
        EXPECT_TRUE(buffer.read(Lpn{2}).hit);
        EXPECT_EQ(buffer.read(Lpn{1}).hit, keep);
        // What was flushed leaves without a program, unless it is written again.
        if (keep) {
            buffer.write(Lpn{3});
            ASSERT_TRUE(buffer.evict_batch());
            EXPECT_EQ(buffer.dropped().size(), 3u);
            EXPECT_EQ(batch_of(buffer), "3@2");
        }
        EXPECT_GT(buffer.check_invariants(), 0u);
    }
}

TEST(WriteBufferTest, ThePageWrittenDoesNotProtectItsOwnBlock) {
    RecordingLog log;
    WriteBuffer buffer(2, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruBlock>(2, 4),
                       std::make_unique<SingleTrigger>(), false, &log);
    buffer.write(Lpn{0});
    buffer.write(Lpn{1});
    EXPECT_TRUE(buffer.write(Lpn{2}).evicted);
    EXPECT_EQ(log.lines.back(), "evict block 0 [0,1]");
    EXPECT_EQ(buffer.used(), 1u);
    EXPECT_TRUE(buffer.is_resident(Lpn{2}));
}

TEST(WriteBufferTest, FramesOfABatchAreReusedInTheOrderTheyWereEvicted) {
    WriteBuffer buffer(4, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruPage>(4),
                       std::make_unique<CaveTrigger>(3), false, nullptr);
    for (const std::uint64_t lpn : {0, 1, 2, 3}) {
        buffer.write(Lpn{lpn});
    }
    const FrameId first = buffer.write(Lpn{4}).frame;
    const std::vector<Victim> batch = buffer.victims();
    ASSERT_EQ(batch.size(), 3u);
    EXPECT_EQ(first, batch[0].frame);
    EXPECT_EQ(buffer.write(Lpn{5}).frame, batch[1].frame);
    EXPECT_EQ(buffer.write(Lpn{6}).frame, batch[2].frame);
}

TEST(WriteBufferTest, ASmallerCapacityEvictsWhatIsTooMuchAndALargerOneMakesRoom) {
    WriteBuffer buffer(6, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruPage>(6),
                       std::make_unique<SingleTrigger>(), false, nullptr);
    for (const std::uint64_t lpn : {1, 2, 3, 4, 5}) {
        buffer.write(Lpn{lpn});
    }
    buffer.set_capacity(5);
    EXPECT_TRUE(buffer.victims().empty());
    buffer.set_capacity(2);
    ASSERT_EQ(buffer.victims().size(), 3u);
    EXPECT_EQ(buffer.victims()[0].lpn, Lpn{1});
    EXPECT_EQ(buffer.victims()[2].lpn, Lpn{3});
    EXPECT_EQ(buffer.units(), 3u);
    EXPECT_EQ(buffer.counters().eviction_events, 1u);
    EXPECT_EQ(buffer.capacity(), 2u);
    EXPECT_EQ(buffer.frames(), 6u);
    EXPECT_TRUE(buffer.write(Lpn{6}).evicted);
    EXPECT_GT(buffer.check_invariants(), 0u);
    buffer.set_capacity(6);
    EXPECT_TRUE(buffer.victims().empty());
    EXPECT_FALSE(buffer.write(Lpn{7}).evicted);
    EXPECT_EQ(buffer.used(), 3u);
    EXPECT_THROW(buffer.set_capacity(0), ModelError);
    EXPECT_THROW(buffer.set_capacity(7), ModelError);
    EXPECT_GT(buffer.check_invariants(), 0u);
}

// Blocks leave whole, so that fewer pages may remain than the capacity.
TEST(WriteBufferTest, ASmallerCapacityEvictsWholeBlocks) {
    WriteBuffer buffer(6, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruBlock>(6, 4),
                       std::make_unique<SingleTrigger>(), false, nullptr);
    for (const std::uint64_t lpn : {0, 1, 2, 4, 5, 8}) {
        buffer.write(Lpn{lpn});
    }
    buffer.set_capacity(2);
    EXPECT_EQ(buffer.victims().size(), 5u);
    EXPECT_EQ(buffer.units(), 2u);
    EXPECT_EQ(buffer.used(), 1u);
    EXPECT_GT(buffer.check_invariants(), 0u);
}

TEST(WriteBufferTest, AWriteThroughLeavesAtOnceFromTheFrameOfAHitOrFromNone) {
    RecordingLog log;
    WriteBuffer buffer(3, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruPage>(3),
                       std::make_unique<SingleTrigger>(), false, &log);
    buffer.write(Lpn{1});
    buffer.write(Lpn{2});
    const BufferAccess hit = buffer.write_through(Lpn{1});
    EXPECT_TRUE(hit.hit && hit.evicted);
    EXPECT_EQ(batch_of(buffer), "1@0");
    EXPECT_EQ(buffer.used(), 1u);
    const BufferAccess miss = buffer.write_through(Lpn{9});
    EXPECT_FALSE(miss.hit);
    EXPECT_EQ(batch_of(buffer), "9@-");
    EXPECT_EQ(buffer.used(), 1u);
    EXPECT_EQ(buffer.counters().evicted_pages, 2u);
    EXPECT_EQ(log.starting_with("evict"), (Lines{"evict [1]", "evict [9]"}));
    EXPECT_GT(buffer.check_invariants(), 0u);
}

TEST(WriteBufferTest, AWriteThroughIntoAFullBufferEvictsNobody) {
    WriteBuffer buffer(2, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruPage>(2),
                       std::make_unique<SingleTrigger>(), false, nullptr);
    buffer.write(Lpn{1});
    buffer.write(Lpn{2});
    EXPECT_FALSE(buffer.write_through(Lpn{3}).hit);
    EXPECT_EQ(batch_of(buffer), "3@-");
    EXPECT_EQ(buffer.units(), 1u);
    EXPECT_EQ(buffer.used(), 2u);
    // An older copy does not stay behind as if it were the newest.
    EXPECT_TRUE(buffer.write_through(Lpn{1}).hit);
    EXPECT_EQ(batch_of(buffer), "1@0");
    EXPECT_FALSE(buffer.is_resident(Lpn{1}));
    EXPECT_TRUE(buffer.is_resident(Lpn{2}));
    EXPECT_GT(buffer.check_invariants(), 0u);
}

TEST(WriteBufferTest, CountersStartAgainAfterReset) {
    WriteBuffer buffer(1, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruPage>(1),
                       std::make_unique<SingleTrigger>(), false, nullptr);
    buffer.write(Lpn{0});
    buffer.write(Lpn{1});
    buffer.reset_counters();
    EXPECT_EQ(buffer.counters().write_misses, 0u);
    EXPECT_EQ(buffer.counters().evicted_pages, 0u);
    EXPECT_TRUE(buffer.is_resident(Lpn{1}));
}

TEST(WriteBufferTest, DamagedStateIsFound) {
    const auto make = [] {
        auto buffer = std::make_unique<WriteBuffer>(
            4, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruPage>(4),
            std::make_unique<SingleTrigger>(), false, nullptr);
        buffer->write(Lpn{5});
        buffer->write(Lpn{6});
        EXPECT_GE(buffer->check_invariants(), 4u);
        return buffer;
    };
    auto moved = make();
    WriteBufferProbe::move_page(*moved, FrameId{0}, Lpn{7});
    EXPECT_THROW((void)moved->check_invariants(), ModelError);
    auto occupied = make();
    WriteBufferProbe::move_page(*occupied, FrameId{3}, Lpn{5});
    EXPECT_THROW((void)occupied->check_invariants(), ModelError);
    auto forgotten = make();
    WriteBufferProbe::forget(*forgotten, Lpn{6});
    EXPECT_THROW((void)forgotten->check_invariants(), ModelError);
    auto miscounted = make();
    WriteBufferProbe::miscount(*miscounted);
    EXPECT_THROW((void)miscounted->check_invariants(), ModelError);
    auto twice = make();
    WriteBufferProbe::free_twice(*twice);
    EXPECT_THROW((void)twice->check_invariants(), ModelError);
}

/// An order policy that answers what it is told to.
class ScriptedPolicy final : public EvictionPolicyIf {
  public:
    explicit ScriptedPolicy(std::vector<FrameId> answer) : answer_(std::move(answer)) {}
    [[nodiscard]] bool evicts_blocks() const override { return false; }
    void on_insert(FrameId, Lpn, Access) override {}
    void on_hit(FrameId, Lpn, Access) override {}
    void remove(FrameId, Lpn) override {}
    void drain_order(std::vector<FrameId>&) const override {}
    bool pop_victim(std::vector<FrameId>& frames, const Pins&) override {
        frames = answer_;
        return !answer_.empty();
    }

  private:
    std::vector<FrameId> answer_;
};

TEST(WriteBufferTest, AVictimMustBeResidentAndMustExist) {
    for (const std::vector<FrameId>& answer :
         {std::vector<FrameId>{}, std::vector<FrameId>{FrameId{0}, FrameId{0}}}) {
        WriteBuffer buffer(2, geometry_of(1, 1, 1, 8, 4), std::make_unique<ScriptedPolicy>(answer),
                           std::make_unique<SingleTrigger>(), false, nullptr);
        buffer.write(Lpn{0});
        buffer.write(Lpn{1});
        EXPECT_THROW(buffer.write(Lpn{2}), ModelError);
    }
}

} // namespace
} // namespace cavern
