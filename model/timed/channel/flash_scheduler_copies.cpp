// The pages of the SDRAM through which copies pass.

#include <algorithm>

#include "core/base/check.h"
#include "timed/channel/flash_scheduler.h"

namespace cavern {

/// For the reads of the list being submitted, in the order of their programs. The reads of what is
/// programmed as one follow each other: what is granted first can then be programmed first.
void FlashScheduler::ask_for_copy_pages() {
    for (const std::uint32_t open : open_pages_) {
        CAVERN_CHECK(!ops_[open].flash.copies,
                     "the copies of a NAND page or word line are decided together");
    }
    for (const std::uint32_t index : batch_) {
        const bool starts_page = most_together_ == 1 || ops_[index].last_unit != kNil;
        if (ops_[index].flash.kind != FlashOpKind::kProgram || !starts_page) {
            continue;
        }
        CopyPages& pages = copy_pages_[raw(ops_[index].die)];
        for (std::uint32_t unit = index; unit != kNil; unit = ops_[unit].next_unit) {
            if (ops_[unit].source != kNil && !ops_[unit].in_die) {
                pages.wait(unit);
            }
        }
        while (pages.can_grant()) {
            grant_copy_page(pages);
        }
    }
}

/// The source is in flash, in the same plane, and was not copied so too often. Nothing else waits
/// for its read, which becomes a part of the program.
bool FlashScheduler::may_stay_in_die(const Op& copy) const {
    const Op& read = ops_[copy.source];
    const auto plane = [this](Ppn page) { return geometry_.plane_of(geometry_.block_of(page)); };
    return !copy.flash.rewrites && !read.waits && !is_pending(read.held_writer) &&
           read.next_dependent == kNil && copy.next_dependent == kNil &&
           plane(read.flash.page) == plane(copy.flash.page) &&
           geometry_.is_slc(read.flash.page) == geometry_.is_slc(copy.flash.page) &&
           copies_in_die_[raw(read.flash.page)] < copy_backs_;
}

/// A program that makes a copy in the die is ready when its turn comes. The page that it reads may
/// be decided to be written anew later in the same list: its count is that of now.
void FlashScheduler::decide_where_copied(std::uint32_t index) {
    Op& copy = ops_[index];
    std::uint8_t copies = 0;
    if (copy.source != kNil && may_stay_in_die(copy)) {
        Op& read = ops_[copy.source];
        CAVERN_CHECK(read.first_dependent == index, "the program of a copy waits for its read");
        read.first_dependent = kNil;
        read.awaits_page = false;
        copy.waits = false;
        copy.data = DataState::kReady;
        copy.in_die = true;
        copies = static_cast<std::uint8_t>(copies_in_die_[raw(read.flash.page)] + 1);
    }
    copies_in_die_[raw(copy.flash.page)] = copies;
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

bool FlashScheduler::have_copy_pages(const std::vector<std::uint32_t>& programs) const {
    return std::any_of(programs.begin(), programs.end(), [this](std::uint32_t index) {
        return ops_[index].copy_page != kNoCopyPage;
    });
}

/// The programs that run have taken their data.
void FlashScheduler::give_back_copy_pages(const std::vector<std::uint32_t>& programs,
                                          CopyPages& pages) {
    for (const std::uint32_t index : programs) {
        if (ops_[index].copy_page != kNoCopyPage) {
            pages.give_back(ops_[index].copy_page);
        }
    }
    while (pages.can_grant()) {
        try_start(ops_[grant_copy_page(pages)].die);
    }
}

} // namespace cavern
