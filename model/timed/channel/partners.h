#pragma once

#include "timed/channel/die_queue.h"
#include "timed/channel/passed_blocks.h"

namespace cavern {

/// Operations of the queue that can run with `first`: of its kind, each in another plane, reads and
/// programs of its page index. What programs and erases pass must not be of their block, where
/// order matters: pages are programmed in order, and behind the erase. `take` is given the place of
/// an operation, and returns whether it is one of the group. Nothing where a kind starts one by
/// one.
template <typename Take>
void DieQueue::look_for_partners(const OpQueue& queue, OpId first, Take take) const {
    const Geometry& geometry = rules_.geometry;
    const FlashOpKind kind = graph_[first].flash.kind;
    const std::uint32_t max_members = rules_.max_together(kind);
    if (max_members == 1) {
        return;
    }
    // Of a program that is the first unit of its NAND page, of a read any.
    const std::uint32_t page = geometry.nand_page_in_block(graph_[first].flash.page);
    const auto plane_bit = [&](BlockId block) {
        return 1u << geometry.plane_in_die(geometry.plane_of(block));
    };
    const BlockId first_block = geometry.block_of(graph_[first].flash.page);
    std::uint32_t planes = plane_bit(first_block);
    std::uint32_t members = 1;
    PassedBlocks passed;
    OpId before = kNoOp;
    for (OpId id = queue.head(); id != kNoOp && members < max_members && !passed.full();) {
        const OpId next = graph_[id].next;
        const FlashOp& flash = graph_[id].flash;
        const BlockId block = geometry.block_of(flash.page);
        const bool fits = flash.kind == kind &&
                          (kind == FlashOpKind::kErase ||
                           (geometry.nand_page_in_block(flash.page) == page &&
                            geometry.is_slc(block) == geometry.is_slc(first_block))) &&
                          (planes & plane_bit(block)) == 0 &&
                          (kind == FlashOpKind::kRead || !passed.has(block));
        if (fits && take(Place{id, before})) {
            planes |= plane_bit(block);
            ++members;
        } else {
            if (id != first) {
                passed.add(block);
            }
            before = id;
        }
        id = next;
    }
}

} // namespace cavern
