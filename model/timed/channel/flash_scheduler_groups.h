#pragma once

#include "timed/channel/flash_scheduler.h"

namespace cavern {

/// Operations of the queue that can run with `first`: of its kind, each in another plane, reads and
/// programs of its page index. What programs and erases pass must not be of their block, where
/// order matters: pages are programmed in order, and behind the erase. `take` is given an operation
/// and the one before it in the queue, and returns whether it is one of the group.
template <typename Take>
void FlashScheduler::look_for_partners(const Queue& queue, std::uint32_t first, Take take) {
    const FlashOpKind kind = ops_[first].flash.kind;
    const std::uint32_t max_members = max_group(kind);
    // Of a program that is the first unit of its NAND page, of a read any.
    const std::uint32_t page = geometry_.nand_page_in_block(ops_[first].flash.page);
    const auto plane_bit = [this](BlockId block) {
        return 1u << geometry_.plane_in_die(geometry_.plane_of(block));
    };
    const BlockId first_block = geometry_.block_of(ops_[first].flash.page);
    std::uint32_t planes = plane_bit(first_block);
    std::uint32_t members = 1;
    PassedBlocks passed;
    std::uint32_t before = kNil;
    for (std::uint32_t index = queue.head;
         index != kNil && members < max_members && !passed.full();) {
        const std::uint32_t next = ops_[index].next;
        const FlashOp& flash = ops_[index].flash;
        const BlockId block = geometry_.block_of(flash.page);
        const bool fits = flash.kind == kind &&
                          (kind == FlashOpKind::kErase ||
                           (geometry_.nand_page_in_block(flash.page) == page &&
                            geometry_.is_slc(block) == geometry_.is_slc(first_block))) &&
                          (planes & plane_bit(block)) == 0 &&
                          (kind == FlashOpKind::kRead || !passed.has(block));
        if (fits && take(index, before)) {
            planes |= plane_bit(block);
            ++members;
        } else {
            if (index != first) {
                passed.add(block);
            }
            before = index;
        }
        index = next;
    }
}

} // namespace cavern
