#pragma once

#include <string>
#include <vector>

#include "firmware/lookup/access_log.h"
#include "firmware/lookup/cost/look_up_cycles.h"
#include "firmware/lookup/host/run_settings.h"

namespace cavern::lookup {

/// An access of a page: what it did, counted on the host, and its cycles on the processor, without
/// those of reading the clock.
struct MeasuredAccess {
    std::uint32_t compares = 0;
    bool writes = false;
    bool looked_up = false;
    AccessEnd end = AccessEnd::kHit;
    double find = 0; ///< cycles of the look-up
    double rest = 0; ///< of everything else
};

/// Plays a session on the host and on the processor, and puts the accesses together; at most
/// kMostLogged. Throws ModelError if the two do not do the same.
std::vector<MeasuredAccess> measured_accesses(const RunSettings& settings);

/// The cycles by the accesses: a look-up's by least squares over its comparisons, with no negative
/// coefficient, the rest as the mean of each kind. A kind that is not there has those of the
/// next-best end.
LookUpCycles fitted_cycles(const RunSettings& settings,
                           const std::vector<MeasuredAccess>& accesses);

/// Writes the rows of all look-ups with all groups of the paper (cycles.inc) into the file `path`.
void write_costs(const RunSettings& settings, const std::string& path);

} // namespace cavern::lookup
