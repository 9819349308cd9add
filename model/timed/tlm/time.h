#pragma once

#include <systemc>

#include "core/base/units.h"

namespace cavern {

/// The model counts picoseconds, the kernel its own resolution, which is left at its default of 1 ps.
inline sc_core::sc_time to_sc_time(TimePs time) { return sc_core::sc_time::from_value(time); }
inline TimePs to_ps(const sc_core::sc_time& time) { return time.value(); }
inline TimePs now_ps() { return sc_core::sc_time_stamp().value(); }

} // namespace cavern
