#include "core/ftl/collector.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

namespace {

/// A block that is emptied to level wear brings no page: the host has not waited for it, and does
/// not wait long. One that is to be refreshed has time.
constexpr std::uint32_t kWearCopiesPerPage = 4;
constexpr std::uint32_t kRefreshCopiesPerPage = 1;

} // namespace

Collector::Collector(FlashSpace& space, PageMapIf& map, const FtlParams& params,
                     const CollectorParams& own, DecisionLogIf* log)
    : space_(space), map_(map), log_(log), low_(params.gc_low), high_(params.gc_high),
      background_(params.gc_background), reserve_(own.reserve),
      room_(own.reserve + own.begun + own.apart), to_level_(own.to_level),
      in_pages_(params.gc_in_pages), stops_always_(space.streams().tables) {
    CAVERN_CHECK(low_ >= 1 && high_ > low_, "the watermarks of collection cannot work");
    const bool paced = params.gc_pace == GcPace::kPaced;
    CAVERN_CHECK(!paced || !in_pages_, "collection in steps has watermarks in blocks");
    if (!in_pages_) {
        low_ = std::max(low_, own.reserve + own.begun);
        high_ = std::max(high_, low_ + 1);
    }
    emptying_.resize(paced ? space.geometry().planes() : 0);
    paces_.resize(emptying_.size(), own.pace);
}

void Collector::make_room(Frontier& frontier, PlaneId plane, FlashOpList& ops) {
    if (space_.refreshes() != nullptr) {
        refresh_block(plane, ops);
    }
    for (;;) {
        if (goes_in_steps()) {
            pace(frontier, plane, ops);
        } else if (is_low(frontier, plane)) {
            collect(frontier, plane, ops);
        }
        // Where copies share it the collection may have left one open.
        if (!frontier.is_open()) {
            if (space_.free_blocks(plane) <= reserve_) {
                space_.refuse(plane);
            }
            space_.open(frontier, plane);
        }
        if (frontier.next != frontier.fail) {
            break;
        }
        space_.fail_program(frontier, plane, ops);
        rescue(plane, ops);
    }
    limit(frontier, plane);
}

bool Collector::is_low(const Frontier& frontier, PlaneId plane) const {
    const std::uint32_t free = space_.free_blocks(plane);
    if (!in_pages_) {
        return !frontier.is_open() && free <= low_;
    }
    return space_.pages_to_fill(plane) <= low_ || (!frontier.is_open() && free <= room_);
}

void Collector::limit(Frontier& frontier, PlaneId plane) const {
    // Free pages change only by collection, after which this is called, and by host pages.
    std::uint64_t ahead = frontier.fail - frontier.next;
    const auto above = [&](std::uint64_t low) {
        const std::uint64_t free = space_.pages_to_fill(plane);
        return free > low ? free - low : 1;
    };
    if (in_pages_) {
        ahead = above(low_);
    } else if (goes_in_steps()) {
        ahead = stops_always_ ? 0
                : !emptying_[raw(plane)].is_none()
                    ? 1
                    : above(std::uint64_t{high_ + 1} * space_.geometry().pages_per_block);
    }
    frontier.stop = std::min(frontier.fail, frontier.next + ahead);
}

void Collector::collect(const Frontier& frontier, PlaneId plane, FlashOpList& ops) {
    const auto wants_more = [&] {
        const std::uint32_t free = space_.free_blocks(plane);
        if (!in_pages_) {
            return free < high_;
        }
        return space_.pages_to_fill(plane) < high_ || (!frontier.is_open() && free <= room_);
    };
    while (wants_more()) {
        const std::optional<BlockId> victim = space_.victim(plane);
        if (!victim) {
            return;
        }
        relocate(*victim, plane, Origin::kGc, ops);
        rescue(plane, ops);
        level(plane, ops);
    }
}

bool Collector::maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) {
    if (space_.refreshes() != nullptr && refresh_block(plane, ops)) {
        limit(space_.frontier(plane, Streams::kHost), plane);
        return true;
    }
    const bool refreshes = goes_in_steps() && !emptying_[raw(plane)].is_none() &&
                           emptying_[raw(plane)].origin == Origin::kRefresh;
    if (space_.free_blocks(plane) >= background_ && !refreshes) {
        return false;
    }
    if (goes_in_steps()) {
        if (emptying_[raw(plane)].is_none() && !begin_victim(plane, true)) {
            return false;
        }
        const std::uint32_t together = space_.together();
        empty(plane, (copies + together - 1) / together * together, ops);
    } else if (const std::optional<BlockId> next = victim(plane, true)) {
        relocate(*next, plane, Origin::kGc, ops);
        rescue(plane, ops);
        level(plane, ops);
    } else {
        return false;
    }
    limit(space_.frontier(plane, Streams::kHost), plane);
    return true;
}

// Each victim has fewer valid pages than a block, so one free block suffices for its copies, and
// the erase gives one back: the pool is as full as before or fuller, and the free pages have grown.
// Failures take blocks in addition, out of those kept from the host.
void Collector::relocate(BlockId block, PlaneId plane, Origin origin, FlashOpList& ops) {
    Emptying task{raw(block) + 1, 0, origin};
    map_.make_room_to_move(task, plane, ops);
    map_.look_at(block);
    note(task, space_.block(block).valid);
    space_.begin_emptying(block, plane);
    CAVERN_CHECK(map_.move(task, plane, Emptying::kAll, ops), "a block is emptied whole");
    finish(task, plane, ops);
}

void Collector::finish(const Emptying& task, PlaneId plane, FlashOpList& ops) {
    FtlCounters& counters = space_.counters();
    ++(task.origin == Origin::kWear      ? counters.wear_runs
       : task.origin == Origin::kRefresh ? counters.refresh_runs
                                         : counters.gc_runs);
    space_.erase(task.block(), plane, task.origin, task.last, ops);
}

void Collector::note(const Emptying& task, std::uint32_t copies) {
    if (log_ == nullptr) {
        return;
    }
    const BlockId first = space_.step().block_in_flash(task.block(), 0);
    task.origin == Origin::kWear      ? log_->level(first, copies)
    : task.origin == Origin::kRefresh ? log_->refresh(first, copies)
                                      : log_->gc(first, copies);
}

// ---- in steps -----------------------------------------------------------------------------------

void Collector::pace(const Frontier& frontier, PlaneId plane, FlashOpList& ops) {
    const Emptying& task = emptying_[raw(plane)];
    if (task.is_none() && space_.pages_to_fill(plane) <=
                              std::uint64_t{high_ + 1} * space_.geometry().pages_per_block) {
        begin_victim(plane, true);
    }
    if (!task.is_none()) {
        empty(plane, paces_[raw(plane)].due(space_.together()), ops);
    }
    while (!frontier.is_open() && space_.free_blocks(plane) <= low_) {
        if (task.is_none() && !begin_victim(plane, false)) {
            return;
        }
        empty(plane, Emptying::kAll, ops);
    }
}

std::optional<BlockId> Collector::victim(PlaneId plane, bool ahead) {
    const std::optional<BlockId> victim = space_.victim(plane);
    const bool pays = victim && space_.block(*victim).valid + space_.together() <=
                                    space_.geometry().pages_per_block;
    return pays || !ahead ? victim : std::nullopt;
}

bool Collector::begin_victim(PlaneId plane, bool ahead) {
    const std::optional<BlockId> next = victim(plane, ahead);
    if (!next) {
        return false;
    }
    map_.look_at(*next);
    const std::int64_t work = map_.work_of(*next);
    paces_[raw(plane)].begin(work, std::int64_t{space_.geometry().pages_per_block} - work);
    begin(*next, plane, Origin::kGc);
    return true;
}

void Collector::begin_aside(BlockId block, PlaneId plane, Origin origin) {
    paces_[raw(plane)].begin_aside(origin == Origin::kWear ? kWearCopiesPerPage
                                                           : kRefreshCopiesPerPage);
    map_.look_at(block);
    begin(block, plane, origin);
}

void Collector::begin(BlockId block, PlaneId plane, Origin origin) {
    space_.begin_emptying(block, plane);
    emptying_[raw(plane)] = {raw(block) + 1, 0, origin};
}

void Collector::empty(PlaneId plane, std::uint32_t units, FlashOpList& ops) {
    Emptying& task = emptying_[raw(plane)];
    map_.make_room_to_move(task, plane, ops);
    const bool levels = task.origin == Origin::kWear;
    task.last = FlashOp::kNone;
    if (map_.move(task, plane, units, ops)) {
        note(task, task.copied);
        finish(task, plane, ops);
        task = {};
    }
    rescue(plane, ops);
    if (task.is_none() && !levels && space_.wear() != nullptr) {
        if (const std::optional<BlockId> coldest = uneven(plane)) {
            begin_aside(*coldest, plane, Origin::kWear);
        }
    }
}

// ---- wear levelling, refresh, failures ----------------------------------------------------------

// Once after each victim, so that it ends.
void Collector::level(PlaneId plane, FlashOpList& ops) {
    if (space_.wear() == nullptr) {
        return;
    }
    if (const std::optional<BlockId> coldest = uneven(plane)) {
        relocate(*coldest, plane, Origin::kWear, ops);
        rescue(plane, ops);
    }
}

std::optional<BlockId> Collector::uneven(PlaneId plane) {
    const std::optional<BlockId> coldest = space_.uneven(plane);
    if (!coldest) {
        return std::nullopt;
    }
    const std::uint32_t room = space_.frontier(plane, space_.streams().leveled()).left();
    const bool fits = to_level_ == 1 && space_.block(*coldest).valid <= room;
    return fits || space_.free_blocks(plane) >= to_level_ ? coldest : std::nullopt;
}

std::optional<BlockId> Collector::stale(PlaneId plane) const {
    if (space_.free_blocks(plane) < reserve_) {
        return std::nullopt;
    }
    for (const BlockId block : space_.refreshes()->due(plane)) {
        if (space_.block(block).use == BlockUse::kClosed) {
            return block;
        }
    }
    return std::nullopt;
}

bool Collector::refresh_block(PlaneId plane, FlashOpList& ops) {
    if (goes_in_steps() && !emptying_[raw(plane)].is_none()) {
        return false;
    }
    const std::optional<BlockId> block = stale(plane);
    if (!block) {
        return false;
    }
    if (goes_in_steps()) {
        begin_aside(*block, plane, Origin::kRefresh);
        return false;
    }
    relocate(*block, plane, Origin::kRefresh, ops);
    rescue(plane, ops);
    return true;
}

void Collector::rescue(PlaneId plane, FlashOpList& ops) {
    std::vector<BlockId>& doomed = space_.doomed();
    while (!doomed.empty()) {
        const BlockId block = doomed.back();
        doomed.pop_back();
        Emptying task{raw(block) + 1, 0, Origin::kRescue};
        map_.make_room_to_move(task, plane, ops);
        map_.look_at(block);
        CAVERN_CHECK(map_.move(task, plane, Emptying::kAll, ops), "a block is emptied whole");
        space_.retire(block, plane);
    }
}

std::uint64_t Collector::check() const {
    std::vector<std::uint32_t> emptied;
    for (const Emptying& task : emptying_) {
        emptied.push_back(task.number);
    }
    return space_.check(map_, emptied);
}

} // namespace cavern
