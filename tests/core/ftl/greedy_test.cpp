#include "core/ftl/greedy.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/divisor.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;

// docs/algorithms.md, GC-1 (blocks 0 .. 5; Np = 8), the greedy answer, and its ties.
TEST(GreedyTest, FewestValidPagesThenLowerEraseCountThenLowerId) {
    const Geometry geometry = geometry_of(1, 1, 2, 6, 8);
    BlockStates blocks(geometry.blocks());
    Greedy greedy(geometry, blocks);
    EXPECT_EQ(greedy.choose(PlaneId{0}), std::nullopt);
    const std::uint16_t valid[] = {2, 2, 5, 8, 1, 4};
    const std::uint32_t erases[] = {5, 4, 1, 0, 9, 2};
    for (std::uint32_t i = 0; i < 6; ++i) {
        blocks[i] = {erases[i], valid[i], BlockUse::kClosed, false};
        if (valid[i] < 8) {
            greedy.on_garbage(PlaneId{0}, BlockId{i});
        }
    }
    const auto take = [&] {
        const BlockId block = greedy.choose(PlaneId{0}).value();
        greedy.on_collect(PlaneId{0}, block);
        return raw(block);
    };
    EXPECT_EQ(take(), 4u);
    EXPECT_EQ(take(), 1u); // ties with 0, which was erased more often
    blocks[5] = {5, 2, BlockUse::kClosed, false};
    greedy.on_garbage(PlaneId{0}, BlockId{5});
    EXPECT_EQ(take(), 0u); // ties with 5, which has the higher id
    EXPECT_EQ(take(), 5u);
    EXPECT_EQ(take(), 2u);
    EXPECT_EQ(greedy.choose(PlaneId{0}), std::nullopt);
    EXPECT_EQ(greedy.choose(PlaneId{1}), std::nullopt);
    EXPECT_THROW(greedy.on_collect(PlaneId{0}, BlockId{2}), ModelError);
}

TEST(GreedyTest, AgreesWithALinearScanForAnyNumberOfBlocks) {
    for (const std::uint32_t n : {1u, 2u, 3u, 7u, 8u, 100u}) {
        const Geometry geometry = geometry_of(1, 1, 2, n, 16);
        BlockStates blocks(geometry.blocks());
        Greedy greedy(geometry, blocks);
        Random random(n);
        for (int step = 0; step < 400'000; ++step) {
            const auto i = static_cast<std::uint32_t>(random.below(n * 2));
            BlockState& block = blocks[i];
            if (block.use == BlockUse::kClosed && block.valid > 0) {
                --block.valid;
                greedy.on_garbage(PlaneId{i / n}, BlockId{i});
            } else if (block.use == BlockUse::kFree) {
                block.use = BlockUse::kClosed;
                block.valid = static_cast<std::uint16_t>(random.below(17));
                if (block.valid < 16) {
                    greedy.on_garbage(PlaneId{i / n}, BlockId{i});
                }
            }
            if (random.below(8) != 0) {
                continue; // several changes between two looks
            }
            const auto plane = static_cast<std::uint32_t>(random.below(2));
            std::optional<BlockId> best;
            for (std::uint32_t b = plane * n; b < (plane + 1) * n; ++b) {
                if (blocks[b].use == BlockUse::kClosed && blocks[b].valid < 16 &&
                    (!best || blocks[b].valid < blocks[raw(*best)].valid ||
                     (blocks[b].valid == blocks[raw(*best)].valid &&
                      blocks[b].erases < blocks[raw(*best)].erases))) {
                    best = BlockId{b};
                }
            }
            ASSERT_EQ(greedy.choose(PlaneId{plane}), best);
            if (best && random.below(4) == 0) {
                greedy.on_collect(PlaneId{plane}, *best);
                blocks[raw(*best)] = {blocks[raw(*best)].erases +
                                          static_cast<std::uint32_t>(random.below(2)),
                                      0, BlockUse::kFree, false};
            }
        }
    }
}

TEST(DivisorTest, AgreesWithDivisionForEdgesAndMillionsOfNumbers) {
    Random random(5);
    const std::uint32_t top = 0xFFFF'FFFFu;
    std::vector<std::uint32_t> divisors{1, 2, 3, 64, 2304, 8192, top - 1, top};
    for (int i = 0; i < 100; ++i) {
        divisors.push_back(static_cast<std::uint32_t>(1 + random.below(top >> random.below(31))));
    }
    for (const std::uint32_t d : divisors) {
        const Divisor divisor(d);
        for (const std::uint32_t n : {0u, 1u, d - 1, d, d + (d < top ? 1 : 0), top - 1, top,
                                      top / d * d, top / d * d - 1}) {
            ASSERT_EQ(divisor.divide(n), n / d) << n << " / " << d;
        }
        for (int i = 0; i < 20'000; ++i) {
            const auto n = static_cast<std::uint32_t>(random.next() >> 32);
            ASSERT_EQ(divisor.divide(n), n / d) << n << " / " << d;
        }
    }
}

} // namespace
} // namespace cavern
