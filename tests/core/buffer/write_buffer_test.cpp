#include "core/buffer/write_buffer.h"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/buffer/cave_trigger.h"
#include "core/buffer/lru_block.h"
#include "core/buffer/lru_page.h"
#include "core/buffer/single_trigger.h"
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

using testing::geometry_of;
using testing::RecordingLog;

using Lines = std::vector<std::string>;

/// The same rules as lists and linear scans.
class NaiveBuffer {
  public:
    struct Unit {
        std::uint64_t id;
        std::vector<std::uint64_t> pages;
    };

    NaiveBuffer(std::size_t capacity, std::uint64_t pages_per_unit, std::size_t victims,
                bool read_touch)
        : capacity_(capacity), pages_per_unit_(pages_per_unit), victims_(victims),
          read_touch_(read_touch) {}

    bool write(std::uint64_t lpn, std::vector<std::uint64_t>& evicted) {
        const auto unit = find(lpn);
        if (unit != units_.end() && holds(*unit, lpn)) {
            units_.splice(units_.end(), units_, unit);
            return true;
        }
        if (used() == capacity_) {
            evict(evicted);
        }
        auto home = find(lpn); // may have left
        if (home == units_.end()) {
            home = units_.insert(units_.end(), Unit{lpn / pages_per_unit_, {}});
        }
        home->pages.push_back(lpn);
        units_.splice(units_.end(), units_, home);
        return false;
    }
    bool read(std::uint64_t lpn) {
        const auto unit = find(lpn);
        const bool hit = unit != units_.end() && holds(*unit, lpn);
        if (hit && read_touch_) {
            units_.splice(units_.end(), units_, unit);
        }
        return hit;
    }
    bool trim(std::uint64_t lpn) {
        const auto unit = find(lpn);
        if (unit == units_.end() || !holds(*unit, lpn)) {
            return false;
        }
        unit->pages.erase(std::find(unit->pages.begin(), unit->pages.end(), lpn));
        if (unit->pages.empty()) {
            units_.erase(unit);
        }
        return true;
    }
    void evict(std::vector<std::uint64_t>& evicted) {
        for (std::size_t i = 0; i < victims_ && !units_.empty(); ++i) {
            auto pages = units_.front().pages;
            std::sort(pages.begin(), pages.end());
            evicted.insert(evicted.end(), pages.begin(), pages.end());
            units_.pop_front();
        }
    }
    [[nodiscard]] std::size_t used() const {
        std::size_t n = 0;
        for (const Unit& unit : units_) {
            n += unit.pages.size();
        }
        return n;
    }

  private:
    std::list<Unit>::iterator find(std::uint64_t lpn) {
        return std::find_if(units_.begin(), units_.end(),
                            [&](const Unit& unit) { return unit.id == lpn / pages_per_unit_; });
    }
    static bool holds(const Unit& unit, std::uint64_t lpn) {
        return std::find(unit.pages.begin(), unit.pages.end(), lpn) != unit.pages.end();
    }

    std::size_t capacity_;
    std::uint64_t pages_per_unit_;
    std::size_t victims_;
    bool read_touch_;
    std::list<Unit> units_; // LRU first
};

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

/// Empty if buffer and reference agree over `steps` random calls and nothing is lost, else where
/// not.
std::string first_difference(WriteBuffer& buffer, NaiveBuffer naive, const Case& c, int steps) {
    Random random(c.capacity * 7 + c.victims);
    std::map<std::uint64_t, FrameId> dirty; // page written and not yet out or trimmed -> its frame
    BufferCounters expected;
    std::vector<std::uint64_t> evicted;
    std::uint64_t facts = 0;
    for (int step = 0; step < steps; ++step) {
        const std::string where = " at step " + std::to_string(step);
        const std::uint64_t lpn = random.below(std::uint64_t{c.capacity} * 3);
        const std::uint64_t what = random.below(1000);
        evicted.clear();
        bool fresh_batch = false;
        if (what < 650) {
            const bool hit = naive.write(lpn, evicted);
            const BufferAccess access = buffer.write(Lpn{lpn});
            ++(hit ? expected.write_hits : expected.write_misses);
            if (access.hit != hit || access.evicted != !evicted.empty()) {
                return "outcome of a write" + where;
            }
            fresh_batch = access.evicted;
            if (hit && dirty.at(lpn) != access.frame) {
                return "a page changed its frame" + where;
            }
            for (const std::uint64_t page : evicted) {
                dirty.erase(page);
            }
            for (const auto& [page, frame] : dirty) {
                if (frame == access.frame && page != lpn) {
                    return "two pages in one frame" + where;
                }
            }
            dirty[lpn] = access.frame;
        } else if (what < 900) {
            const bool hit = naive.read(lpn);
            const BufferAccess access = buffer.read(Lpn{lpn});
            ++(hit ? expected.read_hits : expected.read_misses);
            if (access.hit != hit || access.evicted ||
                access.frame != (hit ? dirty.at(lpn) : kNoFrame)) {
                return "outcome of a read" + where;
            }
        } else if (what < 990) {
            const bool there = naive.trim(lpn);
            const FrameId frame = buffer.trim(Lpn{lpn});
            if (frame != (there ? dirty.at(lpn) : kNoFrame)) {
                return "outcome of a trim" + where;
            }
            dirty.erase(lpn);
        } else {
            naive.evict(evicted);
            fresh_batch = true;
            if (buffer.evict_batch() != !evicted.empty()) {
                return "outcome of a flush" + where;
            }
        }
        if (fresh_batch) {
            if (buffer.victims().size() != evicted.size()) {
                return "size of a batch" + where;
            }
            for (std::size_t i = 0; i < evicted.size(); ++i) {
                if (raw(buffer.victims()[i].lpn) != evicted[i]) {
                    return "order of a batch" + where;
                }
                dirty.erase(evicted[i]);
            }
            expected.eviction_events += evicted.empty() ? 0 : 1;
            expected.evicted_pages += evicted.size();
        }
        if (buffer.used() != naive.used() || buffer.used() != dirty.size() ||
            buffer.used() > buffer.capacity()) {
            return "fill level" + where;
        }
        if (buffer.is_resident(Lpn{lpn}) != (dirty.count(lpn) == 1)) {
            return "residency" + where;
        }
        if (step % 1000 == 0) {
            facts += buffer.check_invariants();
        }
    }
    const BufferCounters& got = buffer.counters();
    if (got.write_hits != expected.write_hits || got.write_misses != expected.write_misses ||
        got.read_hits != expected.read_hits || got.read_misses != expected.read_misses ||
        got.eviction_events != expected.eviction_events ||
        got.evicted_pages != expected.evicted_pages || got.padding_pages != 0) {
        return "counters";
    }
    return facts > 0 ? "" : "no invariant was checked";
}

std::unique_ptr<EvictionPolicyIf> make_policy(const Case& c) {
    if (c.blocks) {
        return std::make_unique<LruBlock>(c.capacity, c.pages_per_block);
    }
    return std::make_unique<LruPage>(c.capacity);
}

NaiveBuffer make_naive(const Case& c) {
    return {c.capacity, c.blocks ? c.pages_per_block : 1, c.victims, c.read_touch};
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
    WriteBuffer buffer(c.capacity, geometry_of(1, 1, 1, 64, c.pages_per_block), make_policy(c),
                       std::make_unique<CaveTrigger>(c.victims), c.read_touch, nullptr);
    EXPECT_EQ(first_difference(buffer, make_naive(c), c, 1'000'000), "");
}

TEST(WriteBufferTest, TheReferenceNoticesAnotherRateOrOrderOrTouch) {
    const Case c{"", 24, 4, true, 2, false};
    const Geometry geometry = geometry_of(1, 1, 1, 64, 4);
    WriteBuffer rate(24, geometry, make_policy(c), std::make_unique<SingleTrigger>(), false,
                     nullptr);
    EXPECT_NE(first_difference(rate, make_naive(c), c, 2000), "");
    WriteBuffer touch(24, geometry, make_policy(c), std::make_unique<CaveTrigger>(2), true,
                      nullptr);
    EXPECT_NE(first_difference(touch, make_naive(c), c, 2000), "");
    WriteBuffer order(24, geometry, std::make_unique<LruPage>(24), std::make_unique<CaveTrigger>(2),
                      false, nullptr);
    EXPECT_NE(first_difference(order, make_naive(c), c, 2000), "");
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
    ASSERT_TRUE(buffer.evict_batch());
    EXPECT_EQ(log.lines, (Lines{"evict block 1 [5]", "evict block 0 [0,1]"}));
    EXPECT_EQ(buffer.victims().size(), 3u);
    ASSERT_TRUE(buffer.evict_batch());
    EXPECT_EQ(log.lines.back(), "evict block 2 [9]");
    EXPECT_EQ(buffer.used(), 0u);
    EXPECT_FALSE(buffer.evict_batch());
    EXPECT_TRUE(buffer.victims().empty());
    EXPECT_EQ(buffer.counters().eviction_events, 2u);
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

/// Pages and frames of the latest batch: "5@2 7@-".
std::string batch_of(const WriteBuffer& buffer) {
    std::string text;
    for (const Victim& victim : buffer.victims()) {
        text += (text.empty() ? "" : " ") + std::to_string(raw(victim.lpn)) + "@" +
                (victim.frame == kNoFrame ? "-" : std::to_string(raw(victim.frame)));
    }
    return text;
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

TEST(WriteBufferTest, AWriteThroughIntoAFullBufferMakesRoomFirst) {
    WriteBuffer buffer(2, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruPage>(2),
                       std::make_unique<SingleTrigger>(), false, nullptr);
    buffer.write(Lpn{1});
    buffer.write(Lpn{2});
    buffer.write_through(Lpn{3});
    EXPECT_EQ(batch_of(buffer), "1@0 3@-");
    EXPECT_EQ(buffer.units(), 2u);
    EXPECT_EQ(buffer.used(), 1u);
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
