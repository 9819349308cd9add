#include "core/buffer/write_buffer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/check.h"

namespace cavern {

WriteBuffer::WriteBuffer(std::uint32_t capacity, const Geometry& geometry,
                         std::unique_ptr<EvictionPolicyIf> policy,
                         std::unique_ptr<EvictionTriggerIf> rate, bool read_touch,
                         DecisionLogIf* log, bool cache_reads, std::uint64_t logical_pages,
                         bool flush_keep, bool keeps_sectors)
    : capacity_(capacity), limit_(capacity), geometry_(geometry), policy_(std::move(policy)),
      trigger_(std::move(rate)), evicts_blocks_(policy_->evicts_blocks()),
      pads_blocks_(policy_->pads_blocks()), read_touch_(read_touch || cache_reads),
      cache_reads_(cache_reads), flush_keep_(flush_keep), keeps_sectors_(keeps_sectors),
      pages_together_(geometry.units_per_program()),
      every_sector_(first_sectors(geometry.page_bytes / kSectorBytes)),
      logical_pages_(logical_pages), log_(log), resident_(capacity), lpn_of_(capacity, kNoLpn),
      dirty_(capacity, 0), sectors_(keeps_sectors ? capacity : 0, 0), free_(capacity) {
    CAVERN_CHECK(capacity >= 1, "a write buffer needs at least one frame");
    CAVERN_CHECK(!keeps_sectors || geometry.page_bytes <= kMaxSectors * kSectorBytes,
                 "a frame keeps account of 64 sectors at most");
    for (std::uint32_t i = 0; i < capacity; ++i) {
        free_[i] = FrameId{i};
    }
    unit_frames_.reserve(capacity);
    if (cache_reads_ || flush_keep_) {
        dropped_.reserve(capacity);
        drain_.reserve(capacity);
    }
    if (policy_->pads_blocks()) {
        padding_.reserve(geometry.pages_per_block);
    }
    const std::uint64_t unit_pages =
        policy_->pads_blocks() ? std::uint64_t{geometry.pages_per_block} : 1;
    victims_.reserve(capacity + (unit_pages - 1) * std::min(capacity, trigger_->units_on_full()));
    if (log != nullptr) {
        unit_pages_.reserve(capacity);
    }
}

BufferAccess WriteBuffer::write(Lpn lpn, SectorMask sectors) {
    const std::uint32_t found = resident_.find(raw(lpn));
    const bool hit = found != FlatMap::kNone;
    if (log_ != nullptr) {
        log_->write(lpn, hit);
    }
    if (hit) {
        ++counters_.write_hits;
        set_dirty(FrameId{found}, true);
        if (keeps_sectors_) {
            sectors_[found] |= sectors;
        }
        policy_->on_hit(FrameId{found}, lpn, Access::kWrite);
        return {true, FrameId{found}, false};
    }
    ++counters_.write_misses;
    const bool full = used_ == limit_;
    return {false, insert(lpn, Access::kWrite, sectors), full};
}

BufferAccess WriteBuffer::write_through(Lpn lpn, SectorMask sectors) {
    victims_.clear();
    dropped_.clear();
    const std::uint32_t found = resident_.find(raw(lpn));
    const bool hit = found != FlatMap::kNone;
    const FrameId frame = hit ? FrameId{found} : kNoFrame;
    ++(hit ? counters_.write_hits : counters_.write_misses);
    if (log_ != nullptr) {
        log_->write(lpn, hit);
        log_->evict_page(lpn);
    }
    if (hit) {
        sectors |= keeps_sectors_ ? sectors_[found] : 0;
        policy_->on_hit(frame, lpn, Access::kWrite);
        policy_->remove(frame, lpn);
        give_back(frame);
    }
    victims_.push_back({lpn, frame, false, false, missing(sectors)});
    units_ = 1;
    ++counters_.eviction_events;
    ++counters_.victims;
    ++counters_.evicted_pages;
    return {hit, frame, true};
}

FrameId WriteBuffer::insert(Lpn lpn, Access access, SectorMask sectors) {
    policy_->on_miss(lpn);
    if (used_ == limit_) {
        choose_victims(trigger_->units_on_full());
        CAVERN_CHECK(used_ < limit_, "an eviction freed no frame");
    }
    const FrameId frame = take_free_frame();
    lpn_of_[raw(frame)] = lpn;
    set_dirty(frame, access == Access::kWrite);
    if (keeps_sectors_) {
        sectors_[raw(frame)] = sectors;
    }
    resident_.set(raw(lpn), raw(frame));
    policy_->on_insert(frame, lpn, access);
    return frame;
}

BufferAccess WriteBuffer::read(Lpn lpn, SectorMask sectors) {
    const std::uint32_t found = resident_.find(raw(lpn));
    const bool resident = found != FlatMap::kNone;
    const bool hit =
        resident && (!keeps_sectors_ || (sectors & every_sector_ & ~sectors_[found]) == 0);
    if (log_ != nullptr) {
        log_->read(lpn, hit);
    }
    if (!resident) {
        ++counters_.read_misses;
        if (!cache_reads_) {
            return {};
        }
        const bool full = used_ == limit_;
        return {false, insert(lpn, Access::kRead, kAllSectors), full};
    }
    ++(hit ? counters_.read_hits : counters_.read_misses);
    SectorSpan rest = kNoSectors;
    if (!hit) {
        ++counters_.completed_pages;
        rest = missing_of(FrameId{found});
        sectors_[found] = kAllSectors;
    }
    if (read_touch_) {
        policy_->on_hit(FrameId{found}, lpn, Access::kRead);
    }
    return {hit, FrameId{found}, false, !hit, rest};
}

FrameId WriteBuffer::trim(Lpn lpn) {
    const std::uint32_t found = resident_.find(raw(lpn));
    if (found == FlatMap::kNone) {
        return kNoFrame;
    }
    const FrameId frame{found};
    policy_->remove(frame, lpn);
    give_back(frame);
    return frame;
}

bool WriteBuffer::evict_batch() {
    if (used_ == 0) {
        victims_.clear();
        dropped_.clear();
        return false;
    }
    choose_victims(trigger_->units_on_full());
    return true;
}

bool WriteBuffer::flush_batch() {
    if (!cache_reads_ && !flush_keep_) {
        return evict_batch(); // all that is resident is dirty
    }
    victims_.clear();
    dropped_.clear();
    units_ = 0;
    if (dirty_pages_ == 0) {
        drain_.clear();
        drained_ = 0;
        return false;
    }
    if (drained_ == drain_.size()) {
        drain_.clear();
        drained_ = 0;
        policy_->drain_order(drain_);
    }
    const std::uint32_t units = trigger_->units_on_full();
    while ((units_ < units || !fills_pages()) && drained_ < drain_.size()) {
        drain_unit();
    }
    CAVERN_CHECK(!victims_.empty(), "the order policy knows every dirty page of the buffer");
    counters_.eviction_events += flush_keep_ ? 0 : 1;
    return true;
}

/// Whether `drain_` has a partial page of the unit from `place` on.
bool WriteBuffer::any_partial_from(std::size_t place, std::uint64_t unit) const {
    for (; place < drain_.size(); ++place) {
        const FrameId frame = drain_[place];
        if (dirty_[raw(frame)] == 0) {
            continue;
        }
        if (unit_of(lpn_of_[raw(frame)]) != unit) {
            break;
        }
        if (is_partial(frame)) {
            return true;
        }
    }
    return false;
}

void WriteBuffer::drain_unit() {
    const auto is_dirty = [this](FrameId frame) { return dirty_[raw(frame)] != 0; };
    while (drained_ < drain_.size() && !is_dirty(drain_[drained_])) {
        ++drained_;
    }
    if (drained_ == drain_.size()) {
        return;
    }
    const std::size_t first = victims_.size();
    const std::uint64_t unit = unit_of(lpn_of_[raw(drain_[drained_])]);
    // Sectors that complete a page left in part would have to wait for its program. Such pages are
    // a unit of their own, unless blocks are written whole: then all of the block leave.
    const bool partial =
        pads_blocks_ ? any_partial_from(drained_, unit) : is_partial(drain_[drained_]);
    const bool stays = flush_keep_ && !partial;
    for (; drained_ < drain_.size(); ++drained_) {
        const FrameId frame = drain_[drained_];
        if (!is_dirty(frame)) {
            continue;
        }
        const Lpn lpn = lpn_of_[raw(frame)];
        if (unit_of(lpn) != unit ||
            (flush_keep_ && !pads_blocks_ && is_partial(frame) != partial)) {
            break;
        }
        victims_.push_back({lpn, frame, false, stays, missing_of(frame)});
        if (log_ != nullptr) {
            unit_pages_.push_back(lpn);
        }
        if (stays) {
            set_dirty(frame, false);
            policy_->on_clean(frame);
            ++counters_.cleaned_pages;
        } else {
            policy_->remove(frame, lpn);
            give_back(frame);
            ++counters_.evicted_pages;
        }
    }
    ++units_;
    counters_.victims += stays ? 0 : 1;
    if (pads_blocks_) {
        add_padding(first);
    }
    log_unit(stays);
}

bool WriteBuffer::evict_ahead(BufferLoad load) {
    load.capacity = limit_;
    load.resident = used_;
    if (used_ == 0 || !trigger_->wants_more(load)) {
        return false;
    }
    choose_victims(1);
    return true;
}

void WriteBuffer::set_capacity(std::uint32_t pages) {
    CAVERN_CHECK(pages >= 1 && pages <= capacity_, "a write buffer has one frame at least, and no "
                                                   "more than it was made with");
    limit_ = pages;
    victims_.clear();
    dropped_.clear();
    units_ = 0;
    if (used_ <= limit_) {
        return;
    }
    ++counters_.eviction_events;
    while (used_ > limit_) {
        policy_->on_batch(1);
        CAVERN_CHECK(pop_unit(), "the order policy finds no victim in a buffer that holds pages");
        units_ += release_unit() ? 1 : 0;
    }
}

bool WriteBuffer::is_resident(Lpn lpn) const {
    return resident_.find(raw(lpn)) != FlatMap::kNone;
}

void WriteBuffer::choose_victims(std::uint32_t units) {
    victims_.clear();
    dropped_.clear();
    ++counters_.eviction_events;
    units_ = 0;
    policy_->on_batch(units);
    // No more than a NAND page has units are looked at to fill the last one.
    const std::uint32_t most = units + pages_together_ - 1;
    for (std::uint32_t chosen = 0; chosen < most; ++chosen) {
        if ((chosen >= units && fills_pages()) || !pop_unit()) {
            break;
        }
        units_ += release_unit() ? 1 : 0;
    }
    CAVERN_CHECK(!victims_.empty() || !dropped_.empty(),
                 "the order policy finds no victim in a buffer that holds pages");
}

/// Only when every unit is pinned does a pinned one leave, and its pins with it.
bool WriteBuffer::pop_unit() {
    static const Pins kNothingPinned;
    unit_frames_.clear();
    if (policy_->pop_victim(unit_frames_, pins_)) {
        return true;
    }
    if (!pins_.any() || !policy_->pop_victim(unit_frames_, kNothingPinned)) {
        return false;
    }
    pins_.drop(unit_of(lpn_of_[raw(unit_frames_.front())]));
    return true;
}

bool WriteBuffer::release_unit() {
    CAVERN_CHECK(!unit_frames_.empty(), "the order policy chose an empty unit");
    ++counters_.victims;
    std::size_t written = 0;
    for (const FrameId frame : unit_frames_) {
        const Lpn lpn = lpn_of_[raw(frame)];
        CAVERN_CHECK(lpn != kNoLpn, "the order policy chose a free frame");
        if (dirty_[raw(frame)] != 0) {
            victims_.push_back({lpn, frame, false, false, missing_of(frame)});
            ++written;
        } else {
            dropped_.push_back(frame);
            ++counters_.dropped_pages;
        }
        give_back(frame);
        if (log_ != nullptr) {
            unit_pages_.push_back(lpn);
        }
    }
    counters_.evicted_pages += written;
    if (pads_blocks_ && written != 0) {
        add_padding(victims_.size() - written);
    }
    log_unit(false);
    return written != 0;
}

void WriteBuffer::log_unit(bool stays) {
    if (log_ == nullptr) {
        return;
    }
    const Lpn first = unit_pages_.front();
    if (!evicts_blocks_) {
        stays ? log_->clean_page(first) : log_->evict_page(first);
    } else {
        const Lbn block = geometry_.lbn_of(first);
        stays ? log_->clean_block(block, unit_pages_, padding_)
              : log_->evict_block(block, unit_pages_, padding_);
    }
    unit_pages_.clear();
    padding_.clear();
}

/// The unit that begins at victims_[first] is to be written whole: its block's other pages join it.
void WriteBuffer::add_padding(std::size_t first) {
    padding_.clear();
    const std::uint32_t pages = geometry_.pages_per_block;
    const std::uint64_t begin = raw(geometry_.lbn_of(victims_[first].lpn)) * pages;
    const std::uint64_t end = std::min(begin + pages, logical_pages_);
    // From the back, so that each page of the unit moves once.
    std::size_t present = victims_.size();
    std::size_t place = first + (end - begin);
    victims_.resize(place);
    for (std::uint64_t lpn = end; lpn-- > begin;) {
        if (present > first && raw(victims_[present - 1].lpn) == lpn) {
            victims_[--place] = victims_[--present];
        } else {
            victims_[--place] = {Lpn{lpn}, kNoFrame, true};
            padding_.push_back(Lpn{lpn});
        }
    }
    std::reverse(padding_.begin(), padding_.end());
    counters_.padding_pages += padding_.size();
}

// The frame that has been free longest is taken first: of a batch, the victim that was sent to
// flash first, so that the new page waits least.
FrameId WriteBuffer::take_free_frame() {
    const FrameId frame = free_[next_free_];
    next_free_ = next_free_ + 1 == capacity_ ? 0 : next_free_ + 1;
    ++used_;
    return frame;
}

void WriteBuffer::give_back(FrameId frame) {
    resident_.erase(raw(lpn_of_[raw(frame)]));
    set_dirty(frame, false);
    lpn_of_[raw(frame)] = kNoLpn;
    // used_ frames are missing from the ring, in front of next_free_.
    const std::uint32_t end =
        next_free_ >= used_ ? next_free_ - used_ : next_free_ + (capacity_ - used_);
    free_[end] = frame;
    --used_;
}

std::uint64_t WriteBuffer::check_invariants() const {
    std::uint64_t facts = 2;
    CAVERN_CHECK(used_ <= limit_, "the buffer holds more pages than frames");
    CAVERN_CHECK(resident_.size() == used_, "the residency map and the fill level disagree");
    std::uint32_t occupied = 0;
    std::uint32_t dirty = 0;
    for (std::uint32_t i = 0; i < capacity_; ++i) {
        const Lpn lpn = lpn_of_[i];
        dirty += dirty_[i];
        CAVERN_CHECK(dirty_[i] == 0 || lpn != kNoLpn, "a free frame of the buffer is dirty");
        if (lpn != kNoLpn) {
            ++occupied;
            CAVERN_CHECK(!keeps_sectors_ || (sectors_[i] & every_sector_) != 0,
                         "frame " + std::to_string(i) + " holds a page without a sector");
            CAVERN_CHECK(resident_.find(raw(lpn)) == i,
                         "frame " + std::to_string(i) + " holds logical page " +
                             std::to_string(raw(lpn)) + " but the residency map does not say so");
        }
        ++facts;
    }
    CAVERN_CHECK(occupied == used_, "the frame table and the fill level disagree");
    CAVERN_CHECK(dirty == dirty_pages_, "the frame table and the number of dirty pages disagree");
    std::vector<bool> seen(capacity_, false);
    for (std::uint32_t i = 0; i < capacity_ - used_; ++i) {
        const std::uint32_t frame = raw(free_[(std::uint64_t{next_free_} + i) % capacity_]);
        CAVERN_CHECK(lpn_of_[frame] == kNoLpn && !seen[frame],
                     "frame " + std::to_string(frame) + " is free and in use, or free twice");
        seen[frame] = true;
        ++facts;
    }
    return facts + 1;
}

} // namespace cavern
