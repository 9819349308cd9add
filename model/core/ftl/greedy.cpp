#include "core/ftl/greedy.h"

#include "core/base/check.h"

namespace cavern {

Greedy::Greedy(const Geometry& geometry, const BlockStates& blocks)
    : blocks_per_plane_(geometry.blocks_per_plane), blocks_(blocks),
      nodes_(std::size_t{geometry.blocks()} * 2), waiting_(geometry.planes()) {}

void Greedy::on_garbage(PlaneId plane, BlockId block) {
    Waiting& waiting = waiting_[raw(plane)];
    if (waiting.count == waiting.blocks.size()) {
        climb(plane);
    }
    waiting.blocks[waiting.count++] = raw(block);
}

// Keys of candidates only fall. A block therefore changes the nodes up to the first one where it
// loses, and nothing above: whoever beats it there either stands above already or, if its own key
// fell as well, still waits for its climb.
void Greedy::climb(PlaneId plane) {
    Waiting& waiting = waiting_[raw(plane)];
    std::uint32_t* tree = tree_of(plane);
    for (std::uint32_t i = 0; i < waiting.count; ++i) {
        const std::uint32_t self = waiting.blocks[i] + 1;
        std::uint32_t node = leaf_of(plane, waiting.blocks[i]);
        tree[node] = self;
        while (node > 1 && better(self, tree[node ^ 1]) == self) {
            node /= 2;
            tree[node] = self;
        }
    }
    waiting.count = 0;
}

void Greedy::on_collect(PlaneId plane, BlockId block) {
    climb(plane);
    std::uint32_t* tree = tree_of(plane);
    const std::uint32_t self = raw(block) + 1;
    std::uint32_t node = leaf_of(plane, raw(block));
    CAVERN_CHECK(tree[node] == self, "a block that is no candidate is collected");
    tree[node] = 0;
    while (node > 1 && tree[node / 2] == self) {
        node /= 2;
        tree[node] = better(tree[2 * node], tree[2 * node + 1]);
    }
}

std::optional<BlockId> Greedy::choose(PlaneId plane) {
    climb(plane);
    const std::uint32_t root = tree_of(plane)[1];
    return root == 0 ? std::nullopt : std::optional<BlockId>(BlockId{root - 1});
}

std::uint32_t Greedy::better(std::uint32_t a, std::uint32_t b) const {
    if (a == 0 || b == 0) {
        return a + b;
    }
    const BlockState& x = blocks_[a - 1];
    const BlockState& y = blocks_[b - 1];
    if (x.valid != y.valid) {
        return x.valid < y.valid ? a : b;
    }
    if (x.erases != y.erases) {
        return x.erases < y.erases ? a : b;
    }
    return a < b ? a : b;
}

} // namespace cavern
