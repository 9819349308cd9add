#include "firmware/lookup/btree.h"

// C, with C's casts.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include "firmware/lookup/btree_node.h"
#pragma GCC diagnostic pop

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

class Tree {
  public:
    Tree(std::uint32_t order, std::uint32_t keys)
        : memory_(btree_most_nodes(order, keys) * btree_node_bytes(order) / 8 + 1) {
        arena arena{reinterpret_cast<std::uint8_t*>(memory_.data()), 8 * memory_.size(), 0};
        EXPECT_TRUE(btree_start(&tree, &arena, order, keys));
    }

    std::string broken() const {
        const char* const what = btree_check(&tree);
        return what == nullptr ? "" : what;
    }

    btree tree{};

  private:
    std::vector<std::uint64_t> memory_;
};

// docs/algorithms.md, BT-1: order 5, keys 1 to 20 in ascending order.
class BTreeExampleTest : public testing::Test {
  protected:
    BTreeExampleTest() {
        for (std::uint16_t key = 1; key <= 20; ++key) {
            btree_insert(&example.tree, key, key);
        }
    }

    std::pair<std::uint32_t, std::uint32_t> cost_of(std::uint32_t key, bool there) {
        btree_cost cost{};
        EXPECT_EQ(btree_find(&example.tree, key, &cost), there ? key : std::uint32_t{kNoIndex});
        return {cost.nodes, cost.compares};
    }

    Tree example{5, 20};
};

TEST_F(BTreeExampleTest, HasARootOfOneKeyAndThreeLevels) {
    const btree& tree = example.tree;
    EXPECT_EQ(example.broken(), "");
    ASSERT_EQ(head_of(&tree, tree.root)->keys, 1);
    EXPECT_EQ(keys_of(&tree, tree.root)[0], 9);
    const std::uint16_t child = children_of(&tree, tree.root)[0];
    EXPECT_FALSE(head_of(&tree, child)->leaf);
    EXPECT_TRUE(head_of(&tree, children_of(&tree, child)[0])->leaf);
}

TEST_F(BTreeExampleTest, VisitsAndComparesAsWorkedOutByHand) {
    using Cost = std::pair<std::uint32_t, std::uint32_t>;
    EXPECT_EQ(cost_of(1, true), Cost(3, 3));
    EXPECT_EQ(cost_of(9, true), Cost(1, 1));
    EXPECT_EQ(cost_of(14, true), Cost(3, 5));
    EXPECT_EQ(cost_of(20, true), Cost(3, 6));
    EXPECT_EQ(cost_of(21, false), Cost(3, 6));
}

TEST_F(BTreeExampleTest, EachDamageIsFound) {
    btree& tree = example.tree;
    const std::uint16_t child = children_of(&tree, tree.root)[0];
    const std::uint16_t leaf = children_of(&tree, child)[0];
    const auto damaged = [&](auto&& part, auto value) {
        const auto kept = part;
        part = static_cast<std::remove_reference_t<decltype(part)>>(value);
        const std::string found = example.broken();
        part = kept;
        EXPECT_EQ(example.broken(), "");
        return found;
    };
    EXPECT_EQ(damaged(keys_of(&tree, leaf)[0], 2), "keys of a B-tree ascend");
    EXPECT_EQ(damaged(keys_of(&tree, tree.root)[0], 7), "keys of a B-tree ascend");
    EXPECT_EQ(damaged(head_of(&tree, leaf)->keys, 1),
              "a B-tree node has half its keys or more, and no more than the order less one");
    EXPECT_EQ(damaged(head_of(&tree, child)->leaf, 1), "leaves of a B-tree are of one depth");
    EXPECT_EQ(damaged(children_of(&tree, child)[1], 999), "a child of a B-tree node is a node");
    EXPECT_EQ(damaged(tree.keys, 19), "a B-tree has the keys and nodes that were put in");
}

class BTreeOrderTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(BTreeOrderTest, IsTheMapOfTheLibraryThroughInsertsAndRemovals) {
    constexpr std::uint32_t kMostKeys = 400;
    Tree ours(GetParam(), kMostKeys);
    std::map<std::uint32_t, std::uint16_t> theirs;
    std::mt19937 random(GetParam());
    std::uint32_t most_nodes = 0;
    for (int step = 0; step < 20000; ++step) {
        // Grows, shrinks to nothing, and grows again.
        const bool grow = step / 2500 % 2 == 0;
        const auto key = static_cast<std::uint32_t>(random() % 1000);
        const auto found = theirs.find(key);
        if (found == theirs.end() && (grow || random() % 4 == 0) && theirs.size() < kMostKeys) {
            const auto frame = static_cast<std::uint16_t>(random() % 60000);
            btree_insert(&ours.tree, key, frame);
            theirs[key] = frame;
        } else if (!theirs.empty() && !grow) {
            const auto next = theirs.lower_bound(key);
            const auto gone = next == theirs.end() ? theirs.begin() : next;
            btree_remove(&ours.tree, gone->first);
            theirs.erase(gone);
        }
        most_nodes = std::max(most_nodes, ours.tree.used);
        btree_cost cost{};
        const auto probe = static_cast<std::uint32_t>(random() % 1000);
        const auto there = theirs.find(probe);
        ASSERT_EQ(btree_find(&ours.tree, probe, &cost),
                  there == theirs.end() ? std::uint32_t{kNoIndex} : there->second);
        if (step % 50 == 0) {
            ASSERT_EQ(ours.broken(), "") << "step " << step;
            ASSERT_EQ(ours.tree.keys, theirs.size());
        }
    }
    EXPECT_GT(most_nodes, 50);
    EXPECT_LE(most_nodes, btree_most_nodes(GetParam(), kMostKeys));
}

TEST_P(BTreeOrderTest, CanBeEmptiedInEitherDirection) {
    for (const bool upward : {true, false}) {
        Tree ours(GetParam(), 200);
        for (std::uint32_t key = 0; key < 200; ++key) {
            btree_insert(&ours.tree, key * 7919 % 200, static_cast<std::uint16_t>(key));
        }
        for (std::uint32_t key = 0; key < 200; ++key) {
            btree_remove(&ours.tree, upward ? key : 199 - key);
            ASSERT_EQ(ours.broken(), "");
        }
        EXPECT_EQ(ours.tree.root, kNoIndex);
        EXPECT_EQ(ours.tree.used, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(, BTreeOrderTest, testing::Values(5, 6, 7, 8, 9, 10));

TEST(BTreeMemoryTest, ANodeOfOrderFiveTakesFortyBytes) {
    EXPECT_EQ(btree_node_bytes(5), 40);  // 4 + 4 * 4 + 4 * 2 + 5 * 2 = 38
    EXPECT_EQ(btree_node_bytes(10), 80); // 4 + 9 * 4 + 9 * 2 + 10 * 2 = 78
}

} // namespace
