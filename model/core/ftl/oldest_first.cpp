#include "core/ftl/oldest_first.h"

#include "core/base/check.h"

namespace cavern {

OldestFirst::OldestFirst(const VictimContext& context)
    : blocks_per_plane_(context.geometry.blocks_per_plane), opened_(context.geometry.blocks()),
      nodes_(std::size_t{context.geometry.blocks()} * 2) {}

void OldestFirst::on_garbage(PlaneId plane, BlockId block) {
    const std::uint32_t leaf = raw(block) - (raw(plane) - 1) * blocks_per_plane_;
    if (tree_of(plane)[leaf] == 0) {
        set_leaf(plane, block, raw(block) + 1);
    }
}

void OldestFirst::on_collect(PlaneId plane, BlockId block) {
    const std::uint32_t leaf = raw(block) - (raw(plane) - 1) * blocks_per_plane_;
    CAVERN_CHECK(tree_of(plane)[leaf] != 0, "a block that is no candidate is collected");
    set_leaf(plane, block, 0);
}

void OldestFirst::set_leaf(PlaneId plane, BlockId block, std::uint32_t entry) {
    std::uint32_t* tree = tree_of(plane);
    std::uint32_t node = raw(block) - (raw(plane) - 1) * blocks_per_plane_;
    tree[node] = entry;
    for (; node > 1; node /= 2) {
        tree[node / 2] = older(tree[node], tree[node ^ 1]);
    }
}

std::optional<BlockId> OldestFirst::choose(PlaneId plane) {
    const std::uint32_t root = tree_of(plane)[1];
    return root == 0 ? std::nullopt : std::optional<BlockId>(BlockId{root - 1});
}

} // namespace cavern
