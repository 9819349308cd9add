#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <queue>
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
/// What is due soon hangs in a wheel, in slots of some 130 ns, in order in its slot, and is found
/// again by the first bit set of those that tell where something hangs; a slot rarely has more than
/// one. What is due later, as the end of a program is, waits in pages of 67 us, in no order, and is
/// hung up when the page before is reached. What is due later than all pages is in a heap.
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
    /// When an event is due, then its order of scheduling: one number, so that a comparison of both
    /// is one.
    using Turn = Uint128;
    static constexpr Turn kNone = static_cast<Turn>(kNever) << 64;
    [[nodiscard]] static Turn turn_of(TimePs at, std::uint64_t sequence) {
        return static_cast<Turn>(at) << 64 | sequence;
    }
    [[nodiscard]] static TimePs time_of(Turn turn) { return static_cast<TimePs>(turn >> 64); }
    struct Event {
        Turn turn = kNone;
        EventHandlerIf* who = nullptr;
        std::uint64_t what = 0;
        Event* next = nullptr; ///< of its slot; of the free list
    };
    struct IsLater {
        bool operator()(const Event* a, const Event* b) const { return a->turn > b->turn; }
    };
    /// Events in order.
    struct Slot {
        Event* first = nullptr;
        Event* last = nullptr;
    };
    static constexpr std::uint32_t kSlotShift = 17; ///< of a time in ps
    static constexpr std::uint32_t kPageShift = 9;  ///< of a time in slots
    static constexpr std::uint32_t kSlots = 2u << kPageShift;
    static constexpr std::uint32_t kBits = 64; ///< of a word
    static constexpr std::uint32_t kPages = kBits;
    // In the place of a slot:
    static constexpr std::uint32_t kHeap = kSlots;
    static constexpr std::uint32_t kPage = kSlots + 1;

    [[nodiscard]] TimePs next_at() const { return time_of(first_); }

    struct Settling {
        EventHandlerIf* who;
        std::uint64_t what;
    };

    [[nodiscard]] static std::uint64_t place_of(const Event& event) {
        return time_of(event.turn) >> kSlotShift;
    }
    void hang(std::uint64_t place, Event& event);
    [[gnu::noinline]] std::uint32_t put_aside(Event& event);
    [[gnu::noinline]] Event* more_events();
    Event* take_from_wheel();
    [[gnu::noinline]] Event* take_from_aside();
    [[gnu::noinline]] void turn_to(std::uint64_t place);
    void hang_page(std::uint64_t page);
    void find_first();
    [[gnu::noinline]] void find_first_aside();
    [[nodiscard]] std::uint32_t next_slot() const;
    void dispatch();
    void dispatch_due();
    void settle_all();
    void dispatch_instant();
    [[nodiscard]] bool others_now() const;
    bool step_ahead();
    void arm();
    void arm(TimePs at);
    struct BackToKernelTime;

    std::uint64_t turned_to_ = 0;                       ///< time of the last event taken, in slots
    std::array<Slot, kSlots> slots_;                    ///< of its page and the next
    std::array<std::uint64_t, kSlots / kBits> hangs_{}; ///< a bit set: something is in the slot
    std::uint32_t words_ = 0;                           ///< a bit set: one of that word is
    std::array<Event*, kPages> pages_{};
    std::uint64_t waits_ = 0; ///< a bit set: something is in the page
    std::priority_queue<Event*, std::vector<Event*>, IsLater> heap_;
    Turn heap_first_ = kNone;
    Turn first_ = kNone; ///< of all
    std::uint32_t first_slot_ = kHeap;
    std::deque<Event> events_;
    Event* free_ = nullptr;
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
