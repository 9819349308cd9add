#include "timed/buffer/ahead_of_need.h"

#include <algorithm>

namespace cavern {

namespace {

constexpr std::uint32_t kCopiesAtOnce = 1;

} // namespace

AheadOfNeed::AheadOfNeed(EventQueue& events, const Geometry& geometry, TimePs collect_after,
                         DriveCore& core, FrameTable& frames, Programs& programs, PageFlow& pages,
                         ActivityLogIf* activity)
    : events_(events), geometry_(geometry), collect_after_(collect_after), core_(core),
      frames_(frames), programs_(programs), pages_(pages), activity_(activity),
      works_ahead_(core.works_ahead()) {}

void AheadOfNeed::evict_units() {
    bool evicted = false;
    for (;;) {
        BufferLoad load;
        load.in_flight = static_cast<std::uint32_t>(programs_.outstanding());
        load.in_flight_units = frames_.units_in_flight();
        load.idle_dies = core_.load() != nullptr ? core_.load()->idle_dies() : 0;
        load.idle_for = idle_since_ == kNever ? 0 : now_ps() - idle_since_;
        const Batch* batch = core_.evict_ahead(load);
        if (batch == nullptr) {
            break;
        }
        evicted = true;
        programs_.carry_out(*batch);
    }
    if (evicted) {
        tell_work();
        note_occupancy(activity_, core_);
        pages_.grant_frames(); // clean pages leave their frames at once
    }
}

/// Lets every idle die collect one victim, or copy one page where that goes in steps, so that a
/// command never finds more than that under way.
void AheadOfNeed::collect() {
    if (collect_after_ == kNever || idle_since_ == kNever ||
        now_ps() - idle_since_ < collect_after_) {
        return;
    }
    if (processors_ != nullptr) {
        done_.resize(geometry_.planes());
    }
    for (std::uint32_t die = 0; die < geometry_.dies(); ++die) {
        if (!collect_for(DieId{die})) {
            return; // processor_idle() goes on
        }
    }
}

void AheadOfNeed::tell_work() {
    if (programs_.counts_work()) {
        processors_->brought(programs_.take_work());
    }
}

bool AheadOfNeed::collect_for(DieId die) {
    for (std::uint32_t i = 0; i < geometry_.planes_per_die && core_.load()->is_idle(die); ++i) {
        const PlaneId plane = geometry_.plane(die, i);
        if (processors_ == nullptr) {
            decide(plane, kCopiesAtOnce);
            continue;
        }
        if (done_[raw(plane)]) {
            continue;
        }
        if (!processors_->has_time()) {
            return false;
        }
        processors_->work_ahead(plane, kCopiesAtOnce); // and then decide()
    }
    return true;
}

void AheadOfNeed::decide(PlaneId plane, std::uint32_t copies) {
    const Batch* batch = core_.maintain(plane, copies);
    if (batch != nullptr) {
        programs_.carry_out(*batch);
        tell_work();
    }
    if (!done_.empty()) { // the host is still silent
        done_[raw(plane)] = batch == nullptr;
    }
}

void AheadOfNeed::host_is_silent() {
    idle_since_ = now_ps();
    schedule_next();
}

/// For the next thing that wants a longer silence than there has been.
void AheadOfNeed::schedule_next() {
    const TimePs to_evict = works_ahead_ && core_.buffer()->used() != 0
                                ? core_.buffer()->trigger().idle_after()
                                : kNever;
    TimePs next = kNever;
    for (const TimePs after : {to_evict, collect_after_}) {
        if (after != kNever && idle_since_ + after > now_ps()) {
            next = std::min(next, idle_since_ + after);
        }
    }
    if (next != kNever && !scheduled_) {
        scheduled_ = true;
        events_.schedule(next, *this, 0);
    }
}

/// The silence, or one before it, that was noticed has lasted long enough.
void AheadOfNeed::on_event(std::uint64_t) {
    scheduled_ = false;
    if (idle_since_ == kNever) {
        return;
    }
    // Each looks itself whether the silence has been long enough for it.
    evict();
    collect();
    schedule_next();
}

} // namespace cavern
