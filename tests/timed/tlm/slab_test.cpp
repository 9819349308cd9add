#include "timed/tlm/slab.h"

#include <deque>
#include <gtest/gtest.h>
#include <vector>

#include "core/base/random.h"

namespace cavern {
namespace {

enum class ItemId : std::uint32_t {};

struct Item {
    ItemId next = kNil<ItemId>;
    std::uint32_t value = 17;
};

TEST(SlabTest, AFreedItemIsReusedFirstAndComesFresh) {
    Slab<Item, ItemId> slab;
    const ItemId a = slab.allocate();
    const ItemId b = slab.allocate();
    EXPECT_NE(a, b);
    slab[a].value = 1;
    slab[b].value = 2;
    slab.release(a);
    slab.release(b);
    EXPECT_EQ(slab.used(), 0u);
    EXPECT_EQ(slab.allocate(), b); // last freed, first reused
    EXPECT_EQ(slab[b].value, 17u);
    EXPECT_EQ(slab.allocate(), a);
    EXPECT_EQ(slab.used(), 2u);
}

TEST(SlabTest, DoesNotGrowPastThePeakInUse) {
    Slab<Item, ItemId> slab;
    std::vector<ItemId> live;
    for (int i = 0; i < 50; ++i) {
        live.push_back(slab.allocate());
    }
    Random random(1);
    std::uint32_t highest = 0;
    for (int i = 0; i < 10'000; ++i) {
        const std::size_t which = random.below(live.size());
        slab.release(live[which]);
        live[which] = slab.allocate();
        highest = std::max(highest, raw(live[which]));
    }
    EXPECT_LT(highest, 50u);
    EXPECT_EQ(slab.used(), 50u);
}

TEST(SlabTest, NoItemIsHandedOutTwice) {
    Slab<Item, ItemId> slab;
    std::vector<bool> live(200, false);
    std::vector<ItemId> held;
    Random random(2);
    for (std::uint32_t step = 0; step < 100'000; ++step) {
        if (held.size() < 200 && (held.empty() || random.below(2) == 0)) {
            const ItemId index = slab.allocate();
            ASSERT_FALSE(live.at(raw(index)));
            live[raw(index)] = true;
            slab[index].value = step;
            held.push_back(index);
        } else {
            const std::size_t which = random.below(held.size());
            const ItemId index = held[which];
            slab.release(index);
            live[raw(index)] = false;
            held[which] = held.back();
            held.pop_back();
        }
        ASSERT_EQ(slab.used(), held.size());
    }
}

TEST(SlabQueueTest, IsFirstInFirstOutAlsoWhenItRunsEmptyInBetween) {
    Slab<Item, ItemId> slab;
    SlabQueue<Item, ItemId> queue;
    std::deque<ItemId> reference;
    Random random(3);
    for (int step = 0; step < 20'000; ++step) {
        ASSERT_EQ(queue.empty(), reference.empty());
        if (reference.empty() || random.below(2) == 0) {
            const ItemId index = slab.allocate();
            queue.push(slab, index);
            reference.push_back(index);
        } else {
            ASSERT_EQ(queue.front(), reference.front());
            const ItemId index = queue.pop(slab);
            ASSERT_EQ(index, reference.front());
            reference.pop_front();
            slab.release(index);
        }
    }
}

TEST(SlabQueueTest, AnItemIsInsertedAheadOfThoseThatComeAfterIt) {
    Slab<Item, ItemId> slab;
    SlabQueue<Item, ItemId> queue;
    std::vector<ItemId> ids;
    for (std::uint32_t i = 0; i < 5; ++i) {
        ids.push_back(slab.allocate());
        slab[ids.back()].value = i;
    }
    const auto insert = [&](std::uint32_t i) {
        queue.insert(slab, ids[i], [i](const Item& other) { return other.value > i; });
    };
    for (const std::uint32_t i : {2u, 4u, 0u, 3u, 1u}) { // into an empty one, last, first, between
        insert(i);
    }
    queue.push(slab, slab.allocate());
    for (std::uint32_t i = 0; i < 5; ++i) {
        EXPECT_EQ(slab[queue.pop(slab)].value, i);
    }
    EXPECT_FALSE(queue.empty());
    (void)queue.pop(slab);
    EXPECT_TRUE(queue.empty());
}

TEST(SlabQueueTest, ItemsOfTwoQueuesDoNotMix) {
    Slab<Item, ItemId> slab;
    SlabQueue<Item, ItemId> odd;
    SlabQueue<Item, ItemId> even;
    for (std::uint32_t i = 0; i < 10; ++i) {
        const ItemId index = slab.allocate();
        (i % 2 == 1 ? odd : even).push(slab, index);
        slab[index].value = i;
    }
    for (std::uint32_t i = 0; i < 10; i += 2) {
        EXPECT_EQ(slab[even.pop(slab)].value, i);
        EXPECT_EQ(slab[odd.pop(slab)].value, i + 1);
    }
    EXPECT_TRUE(odd.empty());
    EXPECT_TRUE(even.empty());
}

} // namespace
} // namespace cavern
