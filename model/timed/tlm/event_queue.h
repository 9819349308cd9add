#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <systemc>
#include <vector>

#include "core/base/units.h"
#include "core/base/wide.h"

namespace cavern {

/// Called by an EventQueue. `what` is the number given with the event.
class EventHandlerIf {
  public:
    virtual ~EventHandlerIf() = default;
    virtual void on_event(std::uint64_t what) = 0;
};

/// The future of a drive: who is to be called when. One SystemC event stands for all events here,
/// because the kernel's queue of timed events costs the more the more of them are pending, and
/// because it fires those of one time in an order that unrelated ones can change: here events of
/// one time are dispatched in the order in which they were scheduled.
///
/// What a drive waits for takes one of a few durations (tPROG, a frame on the link, ...), and waits
/// of one duration end in the order in which they began. So the events are kept in a few lanes,
/// each in order of time: a new event nearly always goes to the end of one, and the next is the
/// first of one.
class EventQueue final : public sc_core::sc_module {
  public:
    explicit EventQueue(const sc_core::sc_module_name& name);

    /// Calls who.on_event(what) at time `at`, not before the next delta cycle. An event cannot be
    /// cancelled.
    void schedule(TimePs at, EventHandlerIf& who, std::uint64_t what);
    /// Calls who.on_event(what) at this time, when all that belongs to this delta cycle has
    /// happened: in the next one, or, where that would hold nothing else, without one. Of several
    /// the last asked goes first, as with the kernel's events.
    void settle(EventHandlerIf& who, std::uint64_t what);
    /// From now on dispatches without the kernel as long as nothing else is pending there before
    /// the next event, at a LocalTime ahead of it; the kernel's time follows. Not for a simulation
    /// that is to stop at a given time. The order of what happens is the same.
    void run_ahead() { runs_ahead_ = true; }
    [[nodiscard]] bool runs_ahead() const { return runs_ahead_; }
    [[nodiscard]] bool idle() const { return next_at() == kNever && settling_.empty(); }

  private:
    struct Event {
        TimePs at = kNever;
        std::uint64_t sequence = 0; ///< order of scheduling
        EventHandlerIf* who = nullptr;
        std::uint64_t what = 0;
    };
    /// A circular buffer of events in order of time, then of scheduling.
    class Lane {
      public:
        [[nodiscard]] bool empty() const { return head_ == tail_; }
        [[nodiscard]] const Event& front() const { return events_[head_ & mask_]; }
        /// Behind all others, or where its time says. Return whether the event is the first now.
        bool append(const Event& event);
        bool insert(const Event& event);
        void pop() { ++head_; }

      private:
        void grow();
        std::vector<Event> events_ = std::vector<Event>(64);
        std::uint32_t mask_ = 63;
        std::uint32_t head_ = 0; ///< these two count on and wrap around
        std::uint32_t tail_ = 0;
    };
    /// When the first event of a lane is due, then its order of scheduling: one number, so that a
    /// comparison of both is one.
    using First = Uint128;
    static constexpr First kNone = static_cast<First>(kNever) << 64;
    [[nodiscard]] static First first_of(TimePs at, std::uint64_t sequence) {
        return static_cast<First>(at) << 64 | sequence;
    }
    [[nodiscard]] TimePs next_at() const { return static_cast<TimePs>(first_ >> 64); }
    static constexpr std::size_t kLanes = 4;

    struct Settling {
        EventHandlerIf* who;
        std::uint64_t what;
    };

    [[nodiscard]] std::size_t lane_for(TimePs at) const;
    void remove_first();
    void dispatch();
    void dispatch_due();
    void settle_all();
    void dispatch_instant();
    [[nodiscard]] bool others_now() const;
    bool step_ahead();
    void arm();
    void arm(TimePs at);
    struct BackToKernelTime;

    std::array<Lane, kLanes> lanes_;
    std::array<First, kLanes> firsts_;
    std::array<TimePs, kLanes> lasts_{}; ///< of the last event that a lane took; 0: it is empty
    First first_ = kNone;                ///< of all
    std::size_t first_lane_ = 0;
    std::uint64_t sequence_ = 0;
    std::vector<Settling> settling_;
    std::vector<Settling> settled_; ///< scratch
    sc_dt::uint64 asked_in_ = 0;    ///< delta cycle, when not from inside a dispatch
    TimePs armed_at_ = kNever;
    bool dispatching_ = false;
    bool runs_ahead_ = false;
    sc_core::sc_event event_{"event"};
};

} // namespace cavern
