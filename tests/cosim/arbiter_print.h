#pragma once

#include <cstddef>
#include <ostream>

#include "core/arbiter/arbiter_rules.h"
#include "core/arbiter/clocked_arbiter_if.h"

namespace cavern {

// Found by GoogleTest, so that names and failures of tests are readable.

inline void PrintTo(ArbiterPolicy policy, std::ostream* out) {
    *out << kArbiterPolicies[static_cast<std::size_t>(policy)].name;
}

inline void PrintTo(const ArbiterOutputs& outputs, std::ostream* out) {
    *out << "valid=" << outputs.valid << " grant=" << outputs.grant << " index=" << outputs.index;
}

} // namespace cavern
