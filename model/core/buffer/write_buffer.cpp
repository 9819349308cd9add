#include "core/buffer/write_buffer.h"

#include <string>
#include <utility>

#include "core/base/check.h"

namespace cavern {

WriteBuffer::WriteBuffer(std::uint32_t capacity, const Geometry& geometry,
                         std::unique_ptr<OrderPolicyIf> policy,
                         std::unique_ptr<EvictionRateIf> rate, bool read_touch, DecisionLogIf* log)
    : capacity_(capacity), geometry_(geometry), policy_(std::move(policy)), rate_(std::move(rate)),
      read_touch_(read_touch), log_(log), resident_(capacity), lpn_of_(capacity, kNoLpn),
      free_(capacity) {
    CAVERN_CHECK(capacity >= 1, "a write buffer needs at least one frame");
    for (std::uint32_t i = 0; i < capacity; ++i) {
        free_[i] = FrameId{i};
    }
    victims_.reserve(capacity);
    unit_frames_.reserve(capacity);
    if (log != nullptr) {
        unit_pages_.reserve(capacity);
    }
}

BufferAccess WriteBuffer::write(Lpn lpn) {
    const std::uint32_t found = resident_.find(raw(lpn));
    const bool hit = found != FlatMap::kNone;
    if (log_ != nullptr) {
        log_->write(lpn, hit);
    }
    if (hit) {
        ++counters_.write_hits;
        policy_->on_hit(FrameId{found}, lpn, Access::kWrite);
        return {true, FrameId{found}, false};
    }
    ++counters_.write_misses;
    const bool full = used_ == capacity_;
    if (full) {
        choose_victims();
        CAVERN_CHECK(used_ < capacity_, "an eviction freed no frame");
    }
    const FrameId frame = take_free_frame();
    lpn_of_[raw(frame)] = lpn;
    resident_.set(raw(lpn), raw(frame));
    policy_->on_insert(frame, lpn, Access::kWrite);
    return {false, frame, full};
}

BufferAccess WriteBuffer::read(Lpn lpn) {
    const std::uint32_t found = resident_.find(raw(lpn));
    const bool hit = found != FlatMap::kNone;
    if (log_ != nullptr) {
        log_->read(lpn, hit);
    }
    if (!hit) {
        ++counters_.read_misses;
        return {};
    }
    ++counters_.read_hits;
    if (read_touch_) {
        policy_->on_hit(FrameId{found}, lpn, Access::kRead);
    }
    return {true, FrameId{found}, false};
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
        return false;
    }
    choose_victims();
    return true;
}

bool WriteBuffer::is_resident(Lpn lpn) const {
    return resident_.find(raw(lpn)) != FlatMap::kNone;
}

void WriteBuffer::choose_victims() {
    victims_.clear();
    ++counters_.eviction_events;
    for (std::uint32_t units = rate_->units_on_full(); units > 0; --units) {
        unit_frames_.clear();
        if (!policy_->pop_victim(unit_frames_)) {
            break;
        }
        release_unit();
    }
    CAVERN_CHECK(!victims_.empty(),
                 "the order policy finds no victim in a buffer that holds pages");
}

void WriteBuffer::release_unit() {
    CAVERN_CHECK(!unit_frames_.empty(), "the order policy chose an empty unit");
    ++counters_.victims;
    counters_.evicted_pages += unit_frames_.size();
    unit_pages_.clear();
    for (const FrameId frame : unit_frames_) {
        const Lpn lpn = lpn_of_[raw(frame)];
        CAVERN_CHECK(lpn != kNoLpn, "the order policy chose a free frame");
        victims_.push_back({lpn, frame});
        give_back(frame);
        if (log_ != nullptr) {
            unit_pages_.push_back(lpn);
        }
    }
    if (log_ == nullptr) {
        return;
    }
    if (policy_->evicts_blocks()) {
        log_->evict_block(geometry_.lbn_of(unit_pages_.front()), unit_pages_, {});
    } else {
        log_->evict_page(unit_pages_.front());
    }
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
    lpn_of_[raw(frame)] = kNoLpn;
    // used_ frames are missing from the ring, in front of next_free_.
    const std::uint32_t end =
        next_free_ >= used_ ? next_free_ - used_ : next_free_ + (capacity_ - used_);
    free_[end] = frame;
    --used_;
}

std::uint64_t WriteBuffer::check_invariants() const {
    std::uint64_t facts = 2;
    CAVERN_CHECK(used_ <= capacity_, "the buffer holds more pages than frames");
    CAVERN_CHECK(resident_.size() == used_, "the residency map and the fill level disagree");
    std::uint32_t occupied = 0;
    for (std::uint32_t i = 0; i < capacity_; ++i) {
        const Lpn lpn = lpn_of_[i];
        if (lpn != kNoLpn) {
            ++occupied;
            CAVERN_CHECK(resident_.find(raw(lpn)) == i,
                         "frame " + std::to_string(i) + " holds logical page " +
                             std::to_string(raw(lpn)) + " but the residency map does not say so");
        }
        ++facts;
    }
    CAVERN_CHECK(occupied == used_, "the frame table and the fill level disagree");
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
