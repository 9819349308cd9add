#include "core/ftl/shared_log.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/base/check.h"

namespace cavern {

namespace {

/// Entries that a map has room for at the start; from then on it grows with the log.
constexpr std::size_t kFirstEntries = std::size_t{1} << 14;

std::size_t first_entries(std::uint32_t blocks, std::uint32_t pages_per_block) {
    return std::min(std::size_t{blocks} * pages_per_block, kFirstEntries);
}

} // namespace

SharedLog::SharedLog(std::uint32_t most, std::uint32_t pages_per_block, bool associates)
    : pages_per_block_(pages_per_block), associates_(associates), by_pages_(pages_per_block),
      slots_(most), lpns_(std::size_t{most} * pages_per_block),
      map_(first_entries(most, pages_per_block)),
      pairs_(associates ? first_entries(most, pages_per_block) : 0) {
    CAVERN_CHECK(most >= 1, "a log has a block");
    for (std::uint32_t slot = most; slot-- > 0;) {
        slots_[slot].newer = closed_;
        closed_ = slot;
    }
}

std::uint32_t SharedLog::open(BlockId block) {
    CAVERN_CHECK(closed_ != kNone, "the log has a slot for each of its blocks");
    const std::uint32_t slot = closed_;
    closed_ = slots_[slot].newer;
    slots_[slot] = {block, 0, 0, 0, newest_, kNone};
    (newest_ == kNone ? oldest_ : slots_[newest_].newer) = slot;
    newest_ = slot;
    ++used_;
    return slot;
}

void SharedLog::close(std::uint32_t slot) {
    Slot& s = slots_[slot];
    CAVERN_CHECK(s.valid == 0, "a log block with valid pages is given up");
    (s.older == kNone ? oldest_ : slots_[s.older].newer) = s.newer;
    (s.newer == kNone ? newest_ : slots_[s.newer].older) = s.older;
    s.newer = closed_;
    closed_ = slot;
    --used_;
}

void SharedLog::append(std::uint32_t slot, Lpn lpn) {
    drop(lpn);
    Slot& s = slots_[slot];
    const std::uint32_t position = slot * pages_per_block_ + s.filled;
    lpns_[position] = static_cast<std::uint32_t>(raw(lpn));
    map_.set(raw(lpn), position);
    ++s.filled;
    ++s.valid;
    associate(slot, lpn);
}

void SharedLog::drop(Lpn lpn) {
    if (const std::uint32_t position = find(lpn); position != kNone) {
        --slots_[slot_of(position)].valid;
        dissociate(slot_of(position), lpn);
        map_.erase(raw(lpn));
    }
}

void SharedLog::associate(std::uint32_t slot, Lpn lpn) {
    if (associates_) {
        const std::uint32_t pages = pairs_.find(pair_of(slot, lpn));
        slots_[slot].associated += pages == kNone ? 1 : 0;
        pairs_.set(pair_of(slot, lpn), pages == kNone ? 1 : pages + 1);
    }
}

void SharedLog::dissociate(std::uint32_t slot, Lpn lpn) {
    if (!associates_) {
        return;
    }
    const std::uint32_t pages = pairs_.find(pair_of(slot, lpn));
    if (pages > 1) {
        pairs_.set(pair_of(slot, lpn), pages - 1);
        return;
    }
    pairs_.erase(pair_of(slot, lpn));
    --slots_[slot].associated;
}

std::uint64_t SharedLog::check_invariants() const {
    std::uint64_t facts = 2;
    std::uint64_t mapped = 0;
    std::uint32_t seen = 0;
    for (std::uint32_t slot = oldest_; slot != kNone; slot = slots_[slot].newer) {
        CAVERN_CHECK(seen++ < used_, "the order of the log is longer than its count");
        std::uint32_t valid = 0;
        std::set<std::uint64_t> associated;
        for (std::uint32_t page = 0; page < slots_[slot].filled; ++page) {
            if (is_valid(slot, page)) {
                ++valid;
                associated.insert(pair_of(slot, lpn_at(slot, page)));
            }
        }
        CAVERN_CHECK(!associates_ || associated.size() == slots_[slot].associated,
                     "log block " + std::to_string(raw(slots_[slot].block)) + " counts " +
                         std::to_string(slots_[slot].associated) + " logical blocks and has " +
                         std::to_string(associated.size()));
        CAVERN_CHECK(valid == slots_[slot].valid && slots_[slot].filled <= pages_per_block_,
                     "log block " + std::to_string(raw(slots_[slot].block)) + " counts " +
                         std::to_string(slots_[slot].valid) + " valid pages and has " +
                         std::to_string(valid));
        mapped += valid;
        facts += slots_[slot].filled + 1;
    }
    CAVERN_CHECK(seen == used_, "the order of the log is shorter than its count");
    CAVERN_CHECK(mapped == map_.size(), "the log maps a page that none of its blocks holds");
    return facts;
}

} // namespace cavern
