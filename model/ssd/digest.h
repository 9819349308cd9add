#pragma once

#include "ssd/ssd.h"
#include "ssd/summary.h"

namespace cavern {

/// A few lines on stdout about a finished run, for people; scripts read summary.json.
void print_digest(const Ssd& ssd, const RunFacts& facts);

} // namespace cavern
