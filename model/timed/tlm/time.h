#pragma once

#include <systemc>

#include "core/base/units.h"

namespace cavern {

/// The model counts picoseconds, the kernel its own resolution, which is left at its default of 1 ps.
inline sc_core::sc_time to_sc_time(TimePs time) { return sc_core::sc_time::from_value(time); }
inline TimePs to_ps(const sc_core::sc_time& time) { return time.value(); }
inline TimePs now_ps() {
    // The kernel hands out a reference to its clock; asking for it again each time costs a call.
    static const sc_core::sc_time& clock = sc_core::sc_time_stamp();
    return clock.value();
}

} // namespace cavern
