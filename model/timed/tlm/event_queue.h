#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <systemc>
#include <vector>

#include "core/base/units.h"

namespace cavern {

/// Woken by an EventQueue. `what` is the number given with the alarm.
class EventHandlerIf {
  public:
    virtual ~EventHandlerIf() = default;
    virtual void on_event(std::uint64_t what) = 0;
};

/// The future of a drive: who is to be woken when. One SystemC event stands for all alarms, because
/// the kernel's queue of timed events costs the more the more of them are pending, and because it
/// fires events of one time in an order that unrelated events can change: alarms of one time ring
/// in the order in which they were set.
///
/// What a drive waits for takes one of a few durations (tPROG, a frame on the link, ...), and waits
/// of one duration end in the order in which they began. So the alarms are kept in a few lanes,
/// each in order of time: a new alarm nearly always goes to the end of one, and the next is the
/// first of one.
class EventQueue final : public sc_core::sc_module {
  public:
    explicit EventQueue(const sc_core::sc_module_name& name);

    /// Calls who.on_event(what) at time `at`, not before the next delta cycle. An alarm cannot be
    /// taken back.
    void schedule(TimePs at, EventHandlerIf& who, std::uint64_t what);
    /// Calls who.on_event(what) at this time, when all that belongs to this delta cycle has
    /// happened: in the next one, or, where that would hold nothing else, without one. Of several
    /// the last asked goes first, as with the kernel's events.
    void settle(EventHandlerIf& who, std::uint64_t what);
    /// From now on rings without the kernel as long as nothing else is pending there before the
    /// next alarm, at a LocalTime ahead of it; the kernel's time follows. Not for a simulation that
    /// is to stop at a given time. The order of what happens is the same.
    void run_ahead() { runs_ahead_ = true; }
    [[nodiscard]] bool idle() const { return first_.at == kNever && settling_.empty(); }

  private:
    struct Alarm {
        TimePs at = kNever;
        std::uint64_t sequence = 0; ///< order of setting
        EventHandlerIf* who = nullptr;
        std::uint64_t what = 0;
    };
    /// A ring of alarms in order of time, then of setting.
    class Lane {
      public:
        [[nodiscard]] bool empty() const { return head_ == tail_; }
        [[nodiscard]] const Alarm& front() const { return alarms_[head_ & mask_]; }
        /// Returns whether the alarm has become the first.
        bool insert(const Alarm& alarm);
        void pop() { ++head_; }

      private:
        void grow();
        std::vector<Alarm> alarms_ = std::vector<Alarm>(64);
        std::uint32_t mask_ = 63;
        std::uint32_t head_ = 0; ///< these two count on and wrap around
        std::uint32_t tail_ = 0;
    };
    /// When the first alarm of a lane rings, and its order of setting.
    struct First {
        TimePs at = kNever;
        std::uint64_t sequence = 0;
        [[nodiscard]] bool operator<(const First& other) const {
            return at < other.at || (at == other.at && sequence < other.sequence);
        }
    };
    static constexpr std::size_t kLanes = 4;

    struct Settling {
        EventHandlerIf* who;
        std::uint64_t what;
    };

    [[nodiscard]] std::size_t lane_for(TimePs at) const;
    void remove_first();
    void ring();
    void ring_due();
    void settle_all();
    void ring_instant();
    [[nodiscard]] bool others_now() const;
    bool step_ahead();
    void arm();
    void arm(TimePs at);
    struct Homecoming;

    std::array<Lane, kLanes> lanes_;
    std::array<First, kLanes> firsts_;
    std::array<TimePs, kLanes> lasts_{}; ///< of the last alarm that a lane took; 0: it is empty
    First first_;                        ///< of all
    std::size_t first_lane_ = 0;
    std::uint64_t sequence_ = 0;
    std::vector<Settling> settling_;
    std::vector<Settling> settled_; ///< scratch
    sc_dt::uint64 asked_in_ = 0;    ///< delta cycle, when not from inside an alarm
    TimePs armed_at_ = kNever;
    bool ringing_ = false;
    bool runs_ahead_ = false;
    sc_core::sc_event event_{"event"};
};

} // namespace cavern
