#pragma once

#include <cstring>
#include <systemc>
#include <type_traits>
#include <utility>

#include "core/base/units.h"

namespace cavern {

/// The model counts picoseconds, the kernel its own resolution, which is left at its default of 1
/// ps.
inline sc_core::sc_time to_sc_time(TimePs time) {
    // As sc_time::from_value(), which is a call into the library, several times a request. A class
    // of standard layout lies where its first member does.
    sc_core::sc_time result;
    static_assert(std::is_standard_layout_v<sc_core::sc_time> && sizeof(result) == sizeof(time));
    std::memcpy(static_cast<void*>(&result), &time, sizeof(time));
    return result;
}
inline TimePs to_ps(const sc_core::sc_time& time) {
    return time.value();
}

/// The kernel hands out a reference to its clock; asking for it again each time costs a call.
class KernelClock {
  public:
    [[nodiscard]] static TimePs now() { return clock_->value(); }
    /// Of the kernel as it is. Modules that know time call this when they are built.
    static void attach() { clock_ = &sc_core::sc_time_stamp(); }

  private:
    inline static const sc_core::sc_time kStart;
    inline static const sc_core::sc_time* clock_ = &kStart;
};

/// The kernel's time.
inline TimePs kernel_ps() {
    return KernelClock::now();
}

/// Temporal decoupling as in IEEE 1666-2011, 12.1: while an EventQueue runs ahead of the kernel,
/// what it calls lives at a local time, the kernel's plus an offset. So the present is now_ps(),
/// not sc_time_stamp(); a call through a socket is annotated with annotation(), and events are
/// notified through notify_at() and nothing else, for the clock must not pass them. The offset is
/// zero in every process that the kernel runs by itself.
class LocalTime {
  public:
    [[nodiscard]] static TimePs offset() { return offset_; }
    /// The delay to annotate on a transport call that is made now.
    [[nodiscard]] static const sc_core::sc_time& annotation() { return annotation_; }

    /// The kernel has something to do at this time.
    static void expect(TimePs when) { horizon_ = when < horizon_ ? when : horizon_; }
    /// As at the start of the process, for another kernel.
    static void restart() {
        set(0);
        horizon_ = 0;
    }

  private:
    friend class EventQueue;
    static void set(TimePs offset) {
        offset_ = offset;
        annotation_ = to_sc_time(offset);
    }
    inline static TimePs offset_ = 0;
    inline static TimePs horizon_ = 0; ///< the kernel does nothing before
    inline static sc_core::sc_time annotation_;
};

/// The present of whoever asks.
inline TimePs now_ps() {
    return kernel_ps() + LocalTime::offset();
}
/// From the kernel's time to `when`: the annotation of a later time.
inline sc_core::sc_time until(TimePs when) {
    return to_sc_time(when - kernel_ps());
}
/// Notifies an event, or a queue of events, to which `what` goes with it.
template <typename Event, typename... What>
void notify_at(TimePs when, Event& event, What&&... what) {
    LocalTime::expect(when);
    event.notify(std::forward<What>(what)..., until(when));
}
/// Whether a transport call with this annotation is one of the present.
inline bool is_now(const sc_core::sc_time& delay) {
    return to_ps(delay) <= LocalTime::offset();
}

} // namespace cavern
