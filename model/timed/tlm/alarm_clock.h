#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "core/base/units.h"
#include "core/base/wide.h"
#include "timed/tlm/slab.h"

namespace cavern {

/// Woken by an AlarmClock. `what` is the number given with the alarm.
class AlarmIf {
  public:
    virtual ~AlarmIf() = default;
    virtual void alarm(std::uint64_t what) = 0;
};

/// The future of a drive: who is to be woken when. One SystemC event stands for all alarms, because the
/// kernel's queue of timed events costs the more the more of them are pending, and because it fires
/// events of one time in an order that unrelated events can change: alarms of one time ring in the order
/// in which they were set.
class AlarmClock final : public sc_core::sc_module {
  public:
    explicit AlarmClock(const sc_core::sc_module_name& name);

    /// Calls who.alarm(what) at time `at`, not before the next delta cycle. An alarm cannot be taken
    /// back.
    void set(TimePs at, AlarmIf& who, std::uint64_t what);
    [[nodiscard]] bool idle() const { return heap_.empty(); }

  private:
    /// Time, then order of setting, then the slot of the rest, from the highest bit down: one number to
    /// compare.
    using Key = Uint128;
    static constexpr unsigned kSlotBits = 20;

    struct Slot {
        std::uint32_t next = 0; ///< used by the pool
        AlarmIf* who = nullptr;
        std::uint64_t what = 0;
    };

    [[nodiscard]] static TimePs time_of(Key key) { return static_cast<TimePs>(key >> 64); }
    void ring();
    void arm();
    void sift_up(std::size_t hole, Key key);
    void remove_first();

    std::vector<Key> heap_;
    Slab<Slot> slots_;
    std::uint64_t sequence_ = 0;
    TimePs armed_at_ = kNever;
    bool ringing_ = false;
    sc_core::sc_event event_{"event"};
};

} // namespace cavern
