// Collection in steps: a block is emptied while the host writes.

#include <algorithm>

#include "core/ftl/page_ftl.h"

namespace cavern {

namespace {

/// A block that is emptied to level wear brings no page: the host has not waited for it, and does
/// not wait long. One that is to be refreshed has time.
constexpr std::uint32_t kWearCopiesPerPage = 4;
constexpr std::uint32_t kRefreshCopiesPerPage = 1;

} // namespace

std::uint64_t PageFtl::pages_to_fill(PlaneId id) const {
    const Plane& plane = planes_[raw(id)];
    std::uint64_t pages = std::uint64_t{pool_.count(id)} * pages_per_block_;
    for (const Frontier* frontier : frontiers(plane)) {
        pages += pages_left(*frontier);
    }
    each_of_handles(id, [&](const Frontier& f) { pages += pages_left(f); });
    return pages - pages_left(plane.leveled); // those are for cold pages alone
}

void PageFtl::pace(const Frontier& host, PlaneId plane, FlashOpList& ops) {
    Emptying& task = emptying_[raw(plane)];
    if (task.block == 0 && pages_to_fill(plane) <= pages_wanted()) {
        begin_worthwhile_victim(plane);
    }
    if (task.block != 0) {
        task.owed += task.copies;
        const auto owed = static_cast<std::uint32_t>(task.owed / task.pages);
        const std::uint32_t due = owed - owed % together_;
        task.owed -= std::uint64_t{due} * task.pages;
        empty(plane, due, ops);
    }
    while (!is_open(host) && pool_.count(plane) <= gc_low_) {
        if (task.block == 0 && !begin_victim(plane)) {
            return;
        }
        empty(plane, pages_per_block_, ops);
    }
}

bool PageFtl::begin_victim(PlaneId plane) {
    const std::optional<BlockId> victim = victims_->choose(plane);
    if (!victim) {
        return false;
    }
    begin_emptying(*victim, plane, Origin::kGc);
    return true;
}

bool PageFtl::begin_worthwhile_victim(PlaneId plane) {
    const std::optional<BlockId> victim = worthwhile_victim(plane);
    if (victim) {
        begin_emptying(*victim, plane, Origin::kGc);
    }
    return victim.has_value();
}

void PageFtl::begin_emptying(BlockId block, PlaneId plane, Origin origin) {
    BlockState& state = blocks_[raw(block)];
    if (state.valid < pages_per_block_) {
        victims_->on_collect(plane, block);
    }
    state.use = BlockUse::kEmptied;
    const bool collects = origin == Origin::kGc;
    const std::uint32_t aside =
        origin == Origin::kWear ? kWearCopiesPerPage : kRefreshCopiesPerPage;
    emptying_[raw(plane)] = {raw(block) + 1,
                             0,
                             origin,
                             0,
                             collects ? state.valid : aside,
                             collects ? pages_per_block_ - state.valid : 1,
                             0};
}

void PageFtl::empty(PlaneId plane, std::uint32_t copies, FlashOpList& ops) {
    Emptying& task = emptying_[raw(plane)];
    const BlockId block{task.block - 1};
    const bool levels = task.origin == Origin::kWear;
    Plane& state = planes_[raw(plane)];
    const std::uint32_t left = blocks_[raw(block)].valid;
    const Moved moved =
        move_pages(block, task.next, std::min(copies, left),
                   levels ? state.leveled : gc_frontier(state), plane, task.origin, ops);
    task.next = moved.next;
    task.copied += moved.copies;
    const bool refreshes = task.origin == Origin::kRefresh;
    (levels      ? counters_.wear_pages
     : refreshes ? counters_.refresh_pages
                 : counters_.gc_pages) += moved.copies;
    if (blocks_[raw(block)].valid == 0) {
        if (log_ != nullptr) {
            const BlockId first = step_.block_in_flash(block, 0);
            levels      ? log_->level(first, task.copied)
            : refreshes ? log_->refresh(first, task.copied)
                        : log_->gc(first, task.copied);
        }
        ++(levels ? counters_.wear_runs : refreshes ? counters_.refresh_runs : counters_.gc_runs);
        task.block = 0;
        erase(block, plane, task.origin, moved.last, ops);
    }
    if (!doomed_.empty()) {
        rescue(plane, ops);
    }
    if (task.block != 0 || levels || !levels_) {
        return;
    }
    if (const std::optional<BlockId> coldest = uneven(plane)) {
        begin_emptying(*coldest, plane, Origin::kWear);
    }
}

} // namespace cavern
