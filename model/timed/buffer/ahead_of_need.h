#pragma once

#include <vector>

#include "core/drive/drive_core.h"
#include "timed/buffer/frame_table.h"
#include "timed/buffer/page_flow.h"
#include "timed/buffer/programs.h"
#include "timed/cpu/processors.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/nand_protocol.h"
#include "timed/tlm/time.h"

namespace cavern {

/// What is done before a command needs it: units leave before the buffer is full, idle dies collect
/// while the host is silent. Asked after every page, as programs end, as dies fall idle, and when a
/// silence has lasted as long as somebody waits for.
class AheadOfNeed final : private EventHandlerIf {
  public:
    /// `collect_after`: silence of the host before idle dies collect; kNever: never.
    AheadOfNeed(EventQueue& events, const Geometry& geometry, TimePs collect_after, DriveCore& core,
                FrameTable& frames, Programs& programs, PageFlow& pages, ActivityLogIf* activity);

    /// From now on what is collected takes time of a processor.
    void connect(Processors& processors) { processors_ = &processors; }
    /// Lets the core collect for a plane, now.
    void decide(PlaneId plane, std::uint32_t copies);
    /// A processor has nothing to do.
    void processor_idle() { collect(); }

    /// Lets units leave before the buffer is full, where the trigger says so.
    void evict() {
        if (works_ahead_) {
            evict_units();
        }
    }
    /// A die has nothing left to do.
    void die_idle() {
        evict();
        collect();
    }
    void host_is_active() {
        idle_since_ = kNever;
        if (processors_ != nullptr) {
            done_.clear();
        }
    }
    /// The last command has been answered.
    void host_is_silent();

  private:
    void evict_units();
    void collect();
    /// For an idle die; false: no processor has time for it.
    bool collect_for(DieId die);
    /// Of what has been decided, to a processor.
    void tell_work();
    void schedule_next();
    void on_event(std::uint64_t what) override;

    EventQueue& events_;
    Geometry geometry_;
    TimePs collect_after_;
    DriveCore& core_;
    FrameTable& frames_;
    Programs& programs_;
    PageFlow& pages_;
    ActivityLogIf* activity_;
    Processors* processors_ = nullptr; ///< null: deciding takes no time
    /// Planes of which nothing more is to be collected in this silence, where asking takes time.
    std::vector<bool> done_;
    bool works_ahead_;           ///< units may leave before the buffer is full
    TimePs idle_since_ = kNever; ///< when the last host command was answered; kNever: one is active
    bool scheduled_ = false;     ///< one event is under way
};

/// Tells an observer, if there is one, how full the buffer is.
inline void note_occupancy(ActivityLogIf* activity, const DriveCore& core) {
    if (activity != nullptr && core.buffer() != nullptr) {
        activity->buffer_pages(now_ps(), core.buffer()->used());
    }
}

} // namespace cavern
