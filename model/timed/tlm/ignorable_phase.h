#pragma once

#include <tlm>

namespace cavern {

/// Whether a phase is none of the base protocol's. There such a phase can only
/// be an ignorable one (IEEE 1666-2011, 15.2.5): who does not know it answers
/// TLM_ACCEPTED and does as if it had not come; as the phase of a call that
/// returns TLM_UPDATED it says as much as TLM_ACCEPTED.
inline bool is_ignorable(const tlm::tlm_phase& phase) {
    return static_cast<unsigned int>(phase) > static_cast<unsigned int>(tlm::END_RESP);
}

} // namespace cavern
