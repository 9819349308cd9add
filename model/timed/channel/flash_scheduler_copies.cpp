// The pages of the SDRAM through which copies pass.

#include "core/base/check.h"
#include "timed/channel/flash_scheduler.h"

namespace cavern {

/// For the reads of the list being submitted, in the order of their programs. The reads of one NAND
/// page follow each other: what is granted first can then be programmed first.
void FlashScheduler::ask_for_copy_pages() {
    for (const std::uint32_t open : open_pages_) {
        CAVERN_CHECK(!ops_[open].flash.copies, "the copies of a NAND page are decided together");
    }
    for (const std::uint32_t index : batch_) {
        const bool starts_page = units_per_page_ == 1 || ops_[index].last_unit != kNil;
        if (ops_[index].flash.kind != FlashOpKind::kProgram || !starts_page) {
            continue;
        }
        CopyPages& pages = copy_pages_[raw(ops_[index].die)];
        for (std::uint32_t unit = index; unit != kNil; unit = ops_[unit].next_unit) {
            if (ops_[unit].source != kNil) {
                pages.wait(unit);
            }
        }
        while (pages.can_grant()) {
            grant_copy_page(pages);
        }
    }
}

/// Only when one is free and somebody waits. Returns the read that has it.
std::uint32_t FlashScheduler::grant_copy_page(CopyPages& pages) {
    const CopyPages::Grant granted = pages.grant();
    Op& program = ops_[granted.who];
    const std::uint32_t index = program.source;
    Op& read = ops_[index];
    program.copy_page = granted.page;
    read.copy_page = granted.page;
    read.awaits_page = false;
    if (!read.waits) {
        route(index);
    }
    return index;
}

/// The programs that run have taken their data.
void FlashScheduler::give_back_copy_pages(const DieState& die, CopyPages& pages) {
    for (const std::uint32_t index : die.running) {
        if (ops_[index].copy_page != kNoCopyPage) {
            pages.give_back(ops_[index].copy_page);
        }
    }
    while (pages.can_grant()) {
        try_start(ops_[grant_copy_page(pages)].die);
    }
}

} // namespace cavern
