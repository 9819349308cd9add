#include "core/ftl/free_pool.h"

#include <string>

#include "core/base/check.h"

namespace cavern {

FreePool::FreePool(const Geometry& geometry)
    : geometry_(geometry), planes_(geometry.planes(), Plane{geometry.blocks_per_plane}),
      next_(geometry.blocks()) {}

BlockId FreePool::take(PlaneId plane) {
    Plane& p = planes_[raw(plane)];
    CAVERN_CHECK(p.count > 0, "plane " + std::to_string(raw(plane)) + " has no free block");
    --p.count;
    if (p.fresh < geometry_.blocks_per_plane) {
        return geometry_.block(plane, p.fresh++);
    }
    const std::uint32_t block = p.first;
    if (block == p.last) {
        p.first = p.last = kNone;
    } else {
        p.first = next_[block];
    }
    return BlockId{block};
}

void FreePool::give_back(BlockId block) {
    Plane& p = planes_[raw(geometry_.plane_of(block))];
    if (p.last == kNone) {
        p.first = raw(block);
    } else {
        next_[p.last] = raw(block);
    }
    p.last = raw(block);
    ++p.count;
}

std::vector<BlockId> FreePool::list(PlaneId plane) const {
    const Plane& p = planes_[raw(plane)];
    std::vector<BlockId> blocks;
    blocks.reserve(p.count);
    for (std::uint32_t i = p.fresh; i < geometry_.blocks_per_plane; ++i) {
        blocks.push_back(geometry_.block(plane, i));
    }
    std::uint32_t block = p.first;
    while (block != kNone) {
        CAVERN_CHECK(blocks.size() < p.count, "the free list of plane " +
                                                  std::to_string(raw(plane)) +
                                                  " is longer than its count");
        blocks.push_back(BlockId{block});
        block = block == p.last ? kNone : next_[block];
    }
    CAVERN_CHECK(blocks.size() == p.count, "the free list of plane " + std::to_string(raw(plane)) +
                                               " is shorter than its count");
    return blocks;
}

} // namespace cavern
