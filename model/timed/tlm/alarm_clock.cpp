#include "timed/tlm/alarm_clock.h"

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

AlarmClock::AlarmClock(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(AlarmClock);
    SC_METHOD(ring);
    sensitive << event_;
    dont_initialize();
}

void AlarmClock::set(TimePs at, AlarmIf& who, std::uint64_t what) {
    const std::uint32_t slot = slots_.allocate();
    CAVERN_CHECK(slot < (1u << kSlotBits), "fewer than a million alarms are set at a time");
    slots_[slot].who = &who;
    slots_[slot].what = what;
    heap_.emplace_back();
    sift_up(heap_.size() - 1, Key{at} << 64 | sequence_++ << kSlotBits | slot);
    if (!ringing_) {
        arm();
    }
}

void AlarmClock::arm() {
    if (!heap_.empty() && time_of(heap_.front()) < armed_at_) {
        armed_at_ = time_of(heap_.front());
        event_.notify(to_sc_time(armed_at_ - now_ps()));
    }
}

void AlarmClock::ring() {
    const TimePs now = now_ps();
    // Alarms set by those that ring, for this very time, wait for the next delta cycle.
    const Key end = Key{now} << 64 | sequence_ << kSlotBits;
    ringing_ = true;
    armed_at_ = kNever;
    while (!heap_.empty() && heap_.front() < end) {
        const auto slot =
            static_cast<std::uint32_t>(heap_.front()) & ((1u << kSlotBits) - 1);
        const Slot entry = slots_[slot];
        slots_.release(slot);
        remove_first();
        entry.who->alarm(entry.what);
    }
    ringing_ = false;
    arm();
}

void AlarmClock::sift_up(std::size_t hole, Key key) {
    while (hole != 0) {
        const std::size_t parent = (hole - 1) / 2;
        if (key > heap_[parent]) {
            break;
        }
        heap_[hole] = heap_[parent];
        hole = parent;
    }
    heap_[hole] = key;
}

void AlarmClock::remove_first() {
    const Key last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) {
        return;
    }
    // The hole goes down to a leaf along the smaller children; the last key, most often a late one,
    // then rarely climbs.
    std::size_t hole = 0;
    std::size_t child = 1;
    for (; child + 1 < size; child = 2 * hole + 1) {
        child += heap_[child + 1] < heap_[child] ? 1 : 0;
        heap_[hole] = heap_[child];
        hole = child;
    }
    if (child < size) {
        heap_[hole] = heap_[child];
        hole = child;
    }
    sift_up(hole, last);
}

} // namespace cavern
