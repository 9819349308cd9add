#include "core/ftl/free_pool.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"

namespace cavern {

FreePool::FreePool(const Geometry& geometry) : FreePool(geometry, nullptr, nullptr) {}

FreePool::FreePool(const Geometry& geometry, const BlockStates* by_wear,
                   const BlockFaultsIf* faults)
    : geometry_(geometry), by_wear_(by_wear), faults_(faults),
      planes_(geometry.planes(),
              Plane{geometry.blocks_per_plane - geometry.slc_blocks, geometry.slc_blocks}),
      next_(geometry.blocks()) {
    if (faults_ == nullptr) {
        return;
    }
    CAVERN_CHECK(geometry.slc_blocks == 0, "blocks in SLC mode do not fail");
    for (std::uint32_t block = 0; block < geometry.blocks(); ++block) {
        if (is_bad(BlockId{block})) {
            --planes_[block / geometry.blocks_per_plane].count;
        }
    }
}

bool FreePool::skip_bad(PlaneId plane) {
    Plane& p = planes_[raw(plane)];
    while (p.fresh < geometry_.blocks_per_plane && is_bad(geometry_.block(plane, p.fresh))) {
        ++p.fresh;
    }
    return p.fresh < geometry_.blocks_per_plane;
}

BlockId FreePool::take(PlaneId plane) {
    Plane& p = planes_[raw(plane)];
    CAVERN_CHECK(p.count > 0, "plane " + std::to_string(raw(plane)) + " has no free block");
    --p.count;
    // Never taken is never erased.
    if (skip_bad(plane)) {
        return geometry_.block(plane, p.fresh++);
    }
    if (by_wear_ != nullptr) {
        std::uint32_t* heap = &next_[raw(geometry_.block(plane, 0))];
        std::pop_heap(heap, heap + p.heap,
                      [this](std::uint32_t a, std::uint32_t b) { return more_worn(a, b); });
        return BlockId{heap[--p.heap]};
    }
    const std::uint32_t block = p.first;
    if (block == p.last) {
        p.first = p.last = kNone;
    } else {
        p.first = next_[block];
    }
    return BlockId{block};
}

BlockId FreePool::take_most_worn(PlaneId plane) {
    Plane& p = planes_[raw(plane)];
    CAVERN_CHECK(by_wear_ != nullptr, "the free blocks are not kept by wear");
    if (p.heap == 0) {
        return take(plane);
    }
    --p.count;
    const auto worn = [this](std::uint32_t a, std::uint32_t b) { return more_worn(a, b); };
    std::uint32_t* heap = &next_[raw(geometry_.block(plane, 0))];
    const auto erases = [this](std::uint32_t block) { return (*by_wear_)[block].erases; };
    std::uint32_t* most =
        std::max_element(heap, heap + p.heap, [&](std::uint32_t a, std::uint32_t b) {
            return erases(a) != erases(b) ? erases(a) < erases(b) : a > b;
        });
    const BlockId block{*most};
    *most = heap[--p.heap];
    std::make_heap(heap, heap + p.heap, worn);
    return block;
}

void FreePool::give_back(BlockId block) {
    const PlaneId plane = geometry_.plane_of(block);
    Plane& p = planes_[raw(plane)];
    ++p.count;
    if (by_wear_ != nullptr) {
        std::uint32_t* heap = &next_[raw(geometry_.block(plane, 0))];
        heap[p.heap++] = raw(block);
        std::push_heap(heap, heap + p.heap,
                       [this](std::uint32_t a, std::uint32_t b) { return more_worn(a, b); });
        return;
    }
    if (p.last == kNone) {
        p.first = raw(block);
    } else {
        next_[p.last] = raw(block);
    }
    p.last = raw(block);
}

void FreePool::take_all() {
    for (Plane& plane : planes_) {
        plane = Plane{0, geometry_.blocks_per_plane};
    }
}

bool FreePool::more_worn(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t x = (*by_wear_)[a].erases;
    const std::uint32_t y = (*by_wear_)[b].erases;
    return x != y ? x > y : a > b;
}

std::vector<BlockId> FreePool::list(PlaneId plane) const {
    const Plane& p = planes_[raw(plane)];
    const std::string where = "the free list of plane " + std::to_string(raw(plane));
    std::vector<BlockId> blocks;
    blocks.reserve(p.count);
    for (std::uint32_t i = p.fresh; i < geometry_.blocks_per_plane; ++i) {
        if (!is_bad(geometry_.block(plane, i))) {
            blocks.push_back(geometry_.block(plane, i));
        }
    }
    if (by_wear_ != nullptr) {
        const std::uint32_t* heap = &next_[raw(geometry_.block(plane, 0))];
        std::vector<std::uint32_t> sorted(heap, heap + p.heap);
        std::sort(sorted.begin(), sorted.end(),
                  [this](std::uint32_t a, std::uint32_t b) { return more_worn(b, a); });
        for (const std::uint32_t block : sorted) {
            blocks.push_back(BlockId{block});
        }
    }
    std::uint32_t block = p.first;
    while (block != kNone) {
        CAVERN_CHECK(blocks.size() < p.count, where + " is longer than its count");
        blocks.push_back(BlockId{block});
        block = block == p.last ? kNone : next_[block];
    }
    CAVERN_CHECK(blocks.size() == p.count, where + " is not as long as its count");
    return blocks;
}

} // namespace cavern
