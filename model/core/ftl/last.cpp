#include "core/ftl/last.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

namespace {

std::uint32_t sequential_logs(const FtlParams& params) {
    const std::uint32_t logs = own_params<LastParams>(params).sequential_logs;
    return logs != 0 ? logs : std::max(1u, params.log_blocks / 4);
}

std::uint32_t random_logs(const FtlParams& params) {
    if (const std::uint32_t logs = own_params<LastParams>(params).random_logs; logs != 0) {
        return logs;
    }
    const std::uint32_t sequential = sequential_logs(params);
    return params.log_blocks > sequential ? params.log_blocks - sequential : 0;
}

std::uint32_t threshold_pages(const Geometry& geometry, const FtlParams& params) {
    const std::uint64_t bytes = own_params<LastParams>(params).threshold;
    return static_cast<std::uint32_t>((bytes + geometry.page_bytes - 1) / geometry.page_bytes);
}

std::uint64_t hot_window(const Geometry& geometry, const FtlParams& params) {
    const std::uint64_t writes = own_params<LastParams>(params).hot_window;
    return writes != 0 ? writes : std::uint64_t{random_logs(params)} * geometry.pages_per_block / 2;
}

} // namespace

Last::Last(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : MixedLogFtl(geometry, params, {sequential_logs(params), random_logs(params), true}, log),
      eager_switch_(params.eager_switch), threshold_(threshold_pages(geometry, params)),
      window_(hot_window(geometry, params)), limit_(random_logs(params)),
      sequential_write_(threshold_ <= 1), open_{kNone, kNone}, is_hot_(limit_, false),
      written_(std::size_t{limit_} * geometry.pages_per_block) {
    CAVERN_CHECK(!last_why_not(geometry, params), "the drive cannot hold its log blocks");
    units_.reserve(geometry.pages_per_block);
}

void Last::write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) {
    sequential_write_ = std::max<std::size_t>(count, pages[0].together) >= threshold_;
    MixedLogFtl::write_unit(pages, count, ops);
    sequential_write_ = threshold_ <= 1; // a page by itself
}

void Last::put(Lpn lpn, PlaneId target, Origin origin, FlashOpList& ops) {
    if (put_in_place(lpn, target, origin, ops)) {
        return;
    }
    if (!sequential_write_ || !put_as_sequential(lpn, target, origin, ops)) {
        put_as_random(lpn, origin, ops);
    }
}

bool Last::put_as_sequential(Lpn lpn, PlaneId target, Origin origin, FlashOpList& ops) {
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_of(lpn);
    std::uint32_t log = sequential_of(unit);
    if (log != kNone && offset != next_in_sequential(log)) {
        merge_sequential(log, ops);
        log = kNone;
    }
    if (log == kNone) {
        if (offset != 0) {
            return false;
        }
        if (sequential().is_full(0)) {
            merge_sequential(sequential().least_recent(0), ops);
        }
        log = open_sequential(unit, target);
    }
    put_in_sequential(log, lpn, origin, ops);
    if (eager_switch_ && next_in_sequential(log) == pages_per_block()) {
        merge_sequential(log, ops);
    }
    return true;
}

void Last::merge_sequential(std::uint32_t log, FlashOpList& ops) {
    if (sequential().is_prefix(log)) {
        close_sequential(log, {}, ops);
    } else {
        merge_fully(sequential().unit(log), {}, ops);
    }
}

void Last::put_as_random(Lpn lpn, Origin origin, FlashOpList& ops) {
    const bool hot = would_be_hot(lpn);
    ++random_writes_;
    std::uint32_t& open = open_[hot ? 1 : 0];
    if (open == kNone || random().is_full(open)) {
        if (random().used() == limit_) {
            reclaim(ops);
        }
        open = open_random();
        is_hot_[open] = hot;
    }
    put_in_random(open, lpn, origin, ops);
    written_[random().find(lpn)] = random_writes_;
}

bool Last::would_be_hot(Lpn lpn) const {
    const std::uint32_t before = random().find(lpn);
    return before != SharedLog::kNone && random_writes_ + 1 - written_[before] <= window_;
}

// The cases of put() and put_as_sequential(), in their order.
std::optional<DieId> Last::destination(Lpn lpn, std::optional<DieId> target) const {
    if (fits_in_place(lpn)) {
        return die_in_place(lpn, target);
    }
    if (threshold_ <= 1) { // a page by itself is sequential
        const Unit unit = unit_of(lpn);
        const std::uint32_t offset = offset_of(lpn);
        if (const std::uint32_t log = sequential_of(unit); log != kNone) {
            return offset == next_in_sequential(log)
                       ? std::optional(die_of(sequential().block(log, 0)))
                       : std::nullopt; // a merge comes first
        }
        if (offset == 0) {
            return sequential().is_full(0) ? std::nullopt : die_near_data(unit, target);
        }
    }
    const std::uint32_t open = open_[would_be_hot(lpn) ? 1 : 0];
    return open == kNone || random().is_full(open) ? std::nullopt
                                                   : std::optional(die_of(random().block(open)));
}

std::uint32_t Last::choose_victim() const {
    std::uint32_t dead[2] = {kNone, kNone}; // cold, hot
    std::uint32_t fewest = kNone;
    std::uint32_t oldest = kNone;
    for (std::uint32_t slot = random().oldest(); slot != kNone; slot = random().newer(slot)) {
        if (!random().is_full(slot)) {
            continue;
        }
        oldest = oldest == kNone ? slot : oldest;
        std::uint32_t& first_dead = dead[is_hot_[slot] ? 1 : 0];
        if (random().valid(slot) == 0 && first_dead == kNone) {
            first_dead = slot;
        }
        if (!is_hot_[slot] &&
            (fewest == kNone || random().associated(slot) < random().associated(fewest))) {
            fewest = slot;
        }
    }
    const std::uint32_t by_rank[] = {dead[1], dead[0], fewest, oldest};
    return *std::find_if(std::begin(by_rank), std::end(by_rank) - 1,
                         [](std::uint32_t slot) { return slot != kNone; });
}

void Last::reclaim(FlashOpList& ops) {
    const std::uint32_t victim = choose_victim();
    CAVERN_CHECK(victim != kNone, "of all random log blocks none is full");
    const std::size_t before = ops.size();
    units_.clear();
    for (std::uint32_t page = 0; page < pages_per_block(); ++page) {
        if (random().is_valid(victim, page)) {
            units_.push_back(unit_of(random().lpn_at(victim, page)));
        }
    }
    std::sort(units_.begin(), units_.end());
    units_.erase(std::unique(units_.begin(), units_.end()), units_.end());
    for (const Unit unit : units_) {
        if (const std::uint32_t log = sequential_of(unit); log != kNone) {
            merge_sequential(log, ops);
        } else {
            merge_fully(unit, {}, ops);
        }
    }
    for (std::uint32_t& open : open_) {
        open = open == victim ? kNone : open;
    }
    erase_random(victim, before, ops);
}

bool Last::maintain(PlaneId plane, std::uint32_t, FlashOpList& ops) {
    if (limit_ - random().used() >= background()) {
        return false;
    }
    const std::uint32_t victim = choose_victim();
    if (victim == kNone || store().geometry().plane_of(random().block(victim)) != plane) {
        return false;
    }
    reclaim(ops);
    return true;
}

bool Last::is_in(Lpn lpn, bool hot) const {
    const std::uint32_t position = random().find(lpn);
    return position != SharedLog::kNone && is_hot_[random().slot_of(position)] == hot;
}

std::uint64_t Last::check_invariants() const {
    CAVERN_CHECK(random().used() <= limit_, "more random log blocks are in use than may be");
    std::uint64_t facts = 2;
    for (std::uint32_t slot = random().oldest(); slot != kNone; slot = random().newer(slot)) {
        CAVERN_CHECK(random().is_full(slot) || slot == open_[is_hot_[slot] ? 1 : 0],
                     "a random log block is neither full nor open");
        ++facts;
    }
    const std::uint32_t unused =
        limit_ - random().used() + sequential().logs_per_group() - sequential().used(0);
    CAVERN_CHECK(store().free_blocks() > unused,
                 "the drive lacks free blocks for its logs and a merge");
    return facts + MixedLogFtl::check_invariants();
}

std::optional<std::string> last_why_not(const Geometry& geometry, const FtlParams& params) {
    if (const auto problem = drive_fits(geometry, params)) {
        return problem;
    }
    if (random_logs(params) < 2) {
        return std::to_string(random_logs(params)) +
               " random log blocks are too few for hot and cold pages; at least 2 beside " +
               std::to_string(sequential_logs(params)) +
               " sequential ones (ftl.log_blocks, or ftl.last.random_logs)";
    }
    const std::uint64_t kept = params.recovers ? 1 : 0; // for the mount after a loss of power
    return drive_spare_fits(geometry, params.overprovision,
                            std::uint64_t{sequential_logs(params)} + random_logs(params) + 1 + kept,
                            kept != 0 ? "sequential log blocks + random log blocks + 2"
                                      : "sequential log blocks + random log blocks + 1");
}

} // namespace cavern
