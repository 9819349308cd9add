#include "drive/restart_kernel.h"

#include <systemc>

#include "timed/tlm/time.h"

namespace cavern {

/// Accellera's kernel has no call for this; the pointers are those that it looks at itself.
void restart_kernel() {
    delete sc_core::sc_curr_simcontext;
    sc_core::sc_default_global_context = new sc_core::sc_simcontext;
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context;
    KernelClock::forget();
    LocalTime::restart();
}

} // namespace cavern
