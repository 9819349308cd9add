#include "core/alloc/block_round_robin.h"

#include <string>

#include "core/base/check.h"

namespace cavern {

// The drive exports fewer logical blocks than it has physical ones.
BlockRoundRobin::BlockRoundRobin(const Geometry& geometry, RoundRobinMode mode,
                                 const SpaceIf& space, DecisionLogIf* log)
    : geometry_(geometry), mode_(mode), log_(log), turn_(geometry, space),
      homes_(geometry.blocks()) {}

void BlockRoundRobin::place(const Lpn* pages, std::size_t count, PlaneId* planes) {
    for (std::size_t i = 0; i < count; ++i) {
        const Lbn lbn = geometry_.lbn_of(pages[i]);
        CAVERN_CHECK(raw(lbn) < homes_.size(),
                     "logical block " + std::to_string(raw(lbn)) + " is beyond the drive");
        std::uint32_t& entry = homes_[raw(lbn)];
        if ((entry & kInBatch) == 0) {
            const std::optional<DieId> old = home(lbn);
            const DieId die = choose_die(old, pages[i]);
            entry = (raw(die) + 1) | kInBatch;
            if (log_ != nullptr) {
                log_->allocate(lbn, die, old == die ? std::nullopt : old);
            }
        }
        const DieId die{(entry & ~kInBatch) - 1};
        const std::optional<PlaneId> plane = turn_.next(die, pages[i]);
        CAVERN_CHECK(plane, "a die lost its room while a batch was placed");
        planes[i] = *plane;
        turn_.taken(die, *plane);
    }
    for (std::size_t i = 0; i < count; ++i) {
        homes_[raw(geometry_.lbn_of(pages[i]))] &= ~kInBatch;
    }
}

std::optional<DieId> BlockRoundRobin::destination(Lpn lpn) const {
    if (mode_ != RoundRobinMode::kSticky) {
        return std::nullopt;
    }
    const std::optional<DieId> die = home(geometry_.lbn_of(lpn));
    return die && turn_.next(*die, lpn) ? die : std::nullopt;
}

std::optional<DieId> BlockRoundRobin::home(Lbn lbn) const {
    const std::uint32_t entry = homes_[raw(lbn)] & ~kInBatch;
    return entry == 0 ? std::nullopt : std::optional<DieId>(DieId{entry - 1});
}

DieId BlockRoundRobin::choose_die(std::optional<DieId> home, Lpn lpn) {
    if (mode_ == RoundRobinMode::kSticky && home && turn_.next(*home, lpn)) {
        return *home;
    }
    for (std::uint32_t tried = 0; tried < geometry_.dies(); ++tried) {
        const DieId die{next_die_};
        next_die_ = next_die_ + 1 == geometry_.dies() ? 0 : next_die_ + 1;
        if (turn_.next(die, lpn)) {
            return die;
        }
    }
    turn_.refuse();
}

} // namespace cavern
