#include "core/buffer/ncq_aware.h"

#include <deque>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/buffer/fab.h"
#include "core/buffer/lru_block.h"
#include "core/buffer/lru_page.h"
#include "core/buffer/single_trigger.h"
#include "core/buffer/write_buffer.h"
#include "tests/core/buffer/naive_block_policies.h"
#include "tests/core/buffer/naive_ncq.h"
#include "tests/core/buffer/naive_page_policies.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::NaiveFab;
using testing::NaiveLruBlock;
using testing::NaiveLruPage;
using testing::NaiveNcq;
using testing::NaivePolicy;
using testing::Pages;
using testing::RecordingLog;

using Lines = std::vector<std::string>;
using Fault = NaiveNcq::Fault;

/// A buffer that is told of a queue.
struct Aware {
    Aware(std::unique_ptr<EvictionPolicyIf> order, NcqAware::Params params,
          DecisionLogIf* sink = nullptr) {
        auto decorated = std::make_unique<NcqAware>(std::move(order), params, sink);
        ncq = decorated.get();
        buffer = std::make_unique<WriteBuffer>(
            params.capacity, geometry_of(1, 1, 1, 64, params.pages_per_block), std::move(decorated),
            std::make_unique<SingleTrigger>(), false, sink);
        ncq->attach(buffer->pins());
    }
    std::uint32_t arrive(std::uint64_t first, std::uint64_t last) const {
        return ncq->on_arrival(Lpn{first}, Lpn{last});
    }
    void write(const Pages& lpns) const {
        for (const std::uint64_t lpn : lpns) {
            buffer->write(Lpn{lpn});
        }
    }
    NcqAware* ncq;
    std::unique_ptr<WriteBuffer> buffer;
};

class NcqAwareTest : public ::testing::Test {
  protected:
    /// K = 4, Np = 4, all of it may be pinned.
    Aware of_blocks(bool literal = false, std::uint32_t most_pages = 4) {
        return Aware(std::make_unique<LruBlock>(4, 4), {4, 4, most_pages, literal}, &log_);
    }
    Aware of_pages(std::uint32_t most_pages = 4) {
        return Aware(std::make_unique<LruPage>(4), {4, 4, most_pages, false}, &log_);
    }
    RecordingLog log_;
};

// docs/algorithms.md, NCQ-1: blocks 0..3 hold pages 3, 4, 8, 12; W16 and W20 are served before
// W3..4.
TEST_F(NcqAwareTest, WorkedExampleKeepsWhatAQueuedCommandWillHit) {
    const Aware aware = of_blocks();
    aware.write({3, 4, 8, 12});
    const std::uint32_t queued = aware.arrive(3, 4);
    aware.write({16, 20, 3, 4});
    aware.ncq->on_served(queued);
    EXPECT_EQ(log_.starting_with("pin"), (Lines{"pin block 0", "pin block 1"}));
    EXPECT_EQ(log_.starting_with("evict"), (Lines{"evict block 2 [8]", "evict block 3 [12]"}));
    EXPECT_EQ(aware.buffer->counters().write_hits, 2u);
    EXPECT_EQ(aware.ncq->check_invariants(true), 4u);
}

TEST_F(NcqAwareTest, WorkedExampleWithoutPinsMissesBothPages) {
    const Aware aware = of_blocks();
    aware.write({3, 4, 8, 12, 16, 20, 3, 4});
    EXPECT_EQ(log_.starting_with("evict"), (Lines{"evict block 0 [3]", "evict block 1 [4]",
                                                  "evict block 2 [8]", "evict block 3 [12]"}));
    EXPECT_EQ(aware.buffer->counters().write_hits, 0u);
}

TEST_F(NcqAwareTest, WorkedExampleTakenByTheLetterPinsNothing) {
    const Aware aware = of_blocks(true);
    aware.write({3, 4, 8, 12});
    const std::uint32_t queued = aware.arrive(3, 4);
    EXPECT_EQ(queued, NcqAware::kNoPins);
    aware.write({16, 20, 3, 4});
    aware.ncq->on_served(queued);
    EXPECT_EQ(log_.starting_with("evict"), (Lines{"evict block 0 [3]", "evict block 1 [4]",
                                                  "evict block 2 [8]", "evict block 3 [12]"}));
    EXPECT_EQ(aware.buffer->counters().write_hits, 0u);
}

TEST_F(NcqAwareTest, ByTheLetterACommandOfOneBlockStillPinsIt) {
    const Aware aware = of_blocks(true);
    aware.write({3, 4});
    EXPECT_NE(aware.arrive(4, 7), NcqAware::kNoPins);
    EXPECT_EQ(log_.starting_with("pin"), Lines{"pin block 1"});
}

TEST_F(NcqAwareTest, ABlockIsPinnedThoughTheCommandsOwnPageIsNotThere) {
    const Aware aware = of_blocks();
    aware.write({0, 4});
    EXPECT_NE(aware.arrive(3, 3), NcqAware::kNoPins);
    aware.write({8, 12, 16});
    EXPECT_EQ(log_.starting_with("evict"), Lines{"evict block 1 [4]"});
}

TEST_F(NcqAwareTest, WhatIsNotResidentAtArrivalIsNotPinnedLater) {
    const Aware aware = of_pages();
    EXPECT_EQ(aware.arrive(1, 1), NcqAware::kNoPins);
    aware.write({1, 2, 3, 4, 5});
    EXPECT_EQ(log_.starting_with("evict"), Lines{"evict [1]"});
}

TEST_F(NcqAwareTest, NewPagesEnterBelowTheVirtualSection) {
    const Aware aware = of_pages();
    aware.write({1, 2, 3, 4});
    static_cast<void>(aware.arrive(1, 3));
    aware.write({5, 6}); // 4 goes, then 5 although it is the newest
    EXPECT_EQ(log_.starting_with("evict"), (Lines{"evict [4]", "evict [5]"}));
}

TEST_F(NcqAwareTest, AUnitIsPinnedUntilTheLastCommandThatUsesItIsServed) {
    const Aware aware = of_pages();
    aware.write({1, 2, 3, 4});
    const std::uint32_t first = aware.arrive(1, 1);
    const std::uint32_t second = aware.arrive(1, 2);
    aware.ncq->on_served(first);
    aware.write({5});
    EXPECT_EQ(log_.starting_with("evict"), Lines{"evict [3]"});
    aware.ncq->on_served(second);
    aware.write({6}); // nobody touched 1: it is still the least recent
    EXPECT_EQ(log_.starting_with("evict"), (Lines{"evict [3]", "evict [1]"}));
}

TEST_F(NcqAwareTest, WhereAllIsPinnedTheOrdersChoiceLeavesWithItsPins) {
    const Aware aware = of_pages();
    aware.write({1, 2, 3, 4});
    const std::uint32_t queued = aware.arrive(1, 4);
    aware.write({5}); // 1
    aware.write({1}); // 5: it came below the pinned ones
    EXPECT_EQ(log_.starting_with("evict"), (Lines{"evict [1]", "evict [5]"}));
    EXPECT_EQ(aware.ncq->counters().pinned_victims, 1u);
    aware.write({6}); // 1 is back, but not pinned any more
    EXPECT_EQ(log_.starting_with("evict").back(), "evict [1]");
    aware.ncq->on_served(queued);
    EXPECT_EQ(aware.ncq->check_invariants(true), 4u);
}

TEST_F(NcqAwareTest, ACommandDoesNotReleaseWhatAnotherPinnedAfterTheUnitHadLeft) {
    const Aware aware = of_pages();
    aware.write({1, 2, 3, 4});
    const std::uint32_t first = aware.arrive(1, 4);
    aware.write({5, 1}); // 1 leaves with its pin, 5 makes room for it again
    const std::uint32_t second = aware.arrive(1, 1);
    aware.ncq->on_served(first);
    aware.write({2, 3, 4, 6}); // hits, then a miss: 1 would be least recent
    EXPECT_EQ(log_.starting_with("evict").back(), "evict [2]");
    aware.ncq->on_served(second);
    EXPECT_EQ(aware.ncq->check_invariants(true), 4u);
}

TEST_F(NcqAwareTest, ATrimmedUnitTakesItsPinsAlong) {
    const Aware aware = of_pages();
    aware.write({1, 2, 3, 4});
    const std::uint32_t queued = aware.arrive(1, 2);
    EXPECT_NE(aware.buffer->trim(Lpn{1}), kNoFrame);
    aware.write({1, 3, 4, 5}); // 2 is pinned; 1 is not, and the oldest of the others
    EXPECT_EQ(log_.starting_with("evict"), Lines{"evict [1]"});
    aware.ncq->on_served(queued);
    EXPECT_EQ(aware.ncq->check_invariants(true), 4u);
}

TEST_F(NcqAwareTest, NoMoreIsPinnedThanTheBoundAllows) {
    const Aware aware = of_pages(2);
    aware.write({1, 2, 3, 4});
    const std::uint32_t queued = aware.arrive(1, 4);
    EXPECT_EQ(log_.starting_with("pin"), (Lines{"pin 1", "pin 2"}));
    EXPECT_EQ(aware.ncq->counters().refused, 2u);
    static_cast<void>(aware.arrive(2, 2)); // protects no further page
    EXPECT_EQ(aware.ncq->counters().pins, 3u);
    EXPECT_EQ(aware.ncq->pinned_pages(), 2u);
    aware.ncq->on_served(queued);
    EXPECT_EQ(aware.ncq->pinned_pages(), 1u);
}

TEST_F(NcqAwareTest, TheBoundCountsThePagesOfABlock) {
    const Aware aware = of_blocks(false, 2);
    aware.write({0, 1, 4, 8});
    static_cast<void>(aware.arrive(4, 4));
    static_cast<void>(aware.arrive(0, 0));
    static_cast<void>(aware.arrive(8, 8));
    EXPECT_EQ(log_.starting_with("pin"), (Lines{"pin block 1", "pin block 2"}));
}

TEST_F(NcqAwareTest, APinLeftBehindIsReported) {
    const Aware aware = of_pages();
    aware.write({1});
    static_cast<void>(aware.arrive(1, 1));
    EXPECT_EQ(aware.ncq->check_invariants(false), 4u);
    EXPECT_THROW(static_cast<void>(aware.ncq->check_invariants(true)), ModelError);
}

// ---- beside the naive twin ----------------------------------------------------------------------

struct Order {
    std::string name;
    std::function<std::unique_ptr<EvictionPolicyIf>(std::uint32_t capacity, std::uint32_t block)>
        make;
    std::function<std::unique_ptr<NaivePolicy>(std::uint32_t block)> make_naive;
};

void PrintTo(const Order* order, std::ostream* out) {
    *out << order->name;
}

const Order kLruPage{
    "LruPage",
    [](std::uint32_t capacity, std::uint32_t) { return std::make_unique<LruPage>(capacity); },
    [](std::uint32_t) { return std::make_unique<NaiveLruPage>(); }};
const Order kLruBlock{"LruBlock",
                      [](std::uint32_t capacity, std::uint32_t block) {
                          return std::make_unique<LruBlock>(capacity, block);
                      },
                      [](std::uint32_t block) { return std::make_unique<NaiveLruBlock>(block); }};
const Order kFab{"Fab",
                 [](std::uint32_t capacity, std::uint32_t block) {
                     return std::make_unique<Fab>(capacity, block);
                 },
                 [](std::uint32_t block) { return std::make_unique<NaiveFab>(block); }};

struct Drill {
    std::uint32_t capacity;
    std::uint32_t most_pages;
    std::size_t depth;
    int steps;
};

struct Difference {
    std::string text;
    std::uint64_t pins = 0;
    std::uint64_t pinned_victims = 0;
    std::uint64_t refused = 0;
};

/// Commands arrive and are served in order, at random moments; some pages are trimmed, some units
/// evicted. A step is an arrival, a page, a trim or an eviction.
Difference first_difference(const Order& order, const Drill& drill, Fault fault) {
    constexpr std::uint32_t kBlock = 4;
    const Aware aware(order.make(drill.capacity, kBlock),
                      {drill.capacity, kBlock, drill.most_pages, false});
    NaiveNcq naive(order.make_naive(kBlock), drill.capacity,
                   aware.buffer->evicts_blocks() ? kBlock : 1, drill.most_pages, fault);
    struct Command {
        std::uint64_t first;
        std::uint64_t last;
        std::uint32_t pins;
    };
    std::deque<Command> queue;
    Random random(drill.capacity * 100 + drill.depth);
    const std::uint64_t footprint = drill.capacity * 3ull;
    Difference difference;
    const auto compare = [&](bool evicted, const Pages& expected) {
        Pages left;
        if (evicted) {
            for (const Victim& victim : aware.buffer->victims()) {
                left.push_back(raw(victim.lpn));
            }
        }
        return left == expected && aware.ncq->pinned_pages() == naive.pinned_pages();
    };
    for (int step = 0; step < drill.steps; ++step) {
        const std::uint64_t what = random.below(100);
        bool same = true;
        if (what < 55 && queue.size() < drill.depth) {
            const std::uint64_t first =
                random.below(random.below(2) != 0 ? footprint / 3 : footprint);
            const std::uint64_t last = std::min(first + random.below(7), footprint - 1);
            naive.arrive(first, last);
            queue.push_back({first, last, aware.arrive(first, last)});
            same = aware.ncq->pinned_pages() == naive.pinned_pages();
        } else if (what < 95 && !queue.empty()) {
            for (std::uint64_t lpn = queue.front().first; lpn <= queue.front().last && same;
                 ++lpn) {
                const BufferAccess access = aware.buffer->write(Lpn{lpn});
                same = compare(access.evicted, naive.write(lpn));
                ++step;
            }
            aware.ncq->on_served(queue.front().pins);
            naive.served();
            queue.pop_front();
        } else if (what < 98) {
            const std::uint64_t lpn = random.below(footprint);
            aware.buffer->trim(Lpn{lpn});
            naive.trim(lpn);
        } else if (aware.buffer->used() != 0) {
            const bool evicted = aware.buffer->evict_batch();
            same = compare(evicted, naive.evict());
        }
        if (!same) {
            difference.text = "step " + std::to_string(step);
            return difference;
        }
    }
    while (!queue.empty()) {
        aware.ncq->on_served(queue.front().pins);
        queue.pop_front();
    }
    static_cast<void>(aware.ncq->check_invariants(true));
    difference.pins = aware.ncq->counters().pins;
    difference.pinned_victims = aware.ncq->counters().pinned_victims;
    difference.refused = aware.ncq->counters().refused;
    return difference;
}

// With the three orders a million steps: all of the buffer pinned, half of it, deep queues, a queue
// of one.
const std::vector<Drill> kDrills{{5, 5, 8, 100'000},
                                 {12, 6, 4, 100'000},
                                 {24, 24, 32, 60'000},
                                 {40, 20, 16, 50'000},
                                 {24, 24, 1, 30'000}};

class NcqDrillSlowTest : public ::testing::TestWithParam<const Order*> {};

TEST_P(NcqDrillSlowTest, AgreesWithItsNaiveTwin) {
    Difference all;
    for (const Drill& drill : kDrills) {
        const Difference difference = first_difference(*GetParam(), drill, Fault::kNone);
        EXPECT_EQ(difference.text, "") << "capacity " << drill.capacity;
        all.pins += difference.pins;
        all.pinned_victims += difference.pinned_victims;
        all.refused += difference.refused;
    }
    EXPECT_GT(all.pins, 20'000u);
    EXPECT_GT(all.pinned_victims, 500u);
    EXPECT_GT(all.refused, 500u);
}

TEST_P(NcqDrillSlowTest, TheNaiveTwinNoticesEachFault) {
    for (const Fault fault : {Fault::kPinsOutliveTheirUnit, Fault::kLateArrivalsAreProtected}) {
        EXPECT_NE(first_difference(*GetParam(), kDrills[0], fault).text, "");
    }
    EXPECT_NE(first_difference(*GetParam(), kDrills[1], Fault::kNoBound).text, "");
}

std::string name_of(const ::testing::TestParamInfo<const Order*>& each) {
    return each.param->name;
}

INSTANTIATE_TEST_SUITE_P(Orders, NcqDrillSlowTest, ::testing::Values(&kLruPage, &kLruBlock, &kFab),
                         name_of);

} // namespace
} // namespace cavern
