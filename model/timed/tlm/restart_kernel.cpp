#include "timed/tlm/restart_kernel.h"

#include <systemc>

#include "timed/tlm/time.h"

namespace cavern {

/// Accellera's kernel has no call for this; the pointers are those that it looks at itself.
void restart_kernel() {
    // In the first one the library's own event, sc_event::none, is registered: when the program
    // ends it takes leave of it.
    static const sc_core::sc_simcontext* const first = sc_core::sc_get_curr_simcontext();
    if (sc_core::sc_curr_simcontext != first) {
        delete sc_core::sc_curr_simcontext;
    }
    sc_core::sc_default_global_context = new sc_core::sc_simcontext;
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context;
    KernelClock::attach();
    LocalTime::restart();
}

} // namespace cavern
