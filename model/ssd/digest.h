#pragma once

#include "ssd/ssd.h"
#include "ssd/summary.h"
#include "ssd/untimed_drive.h"

namespace cavern {

/// A few lines on stdout about a finished run, for people; scripts read summary.json.
void print_digest(const Ssd& ssd, const RunFacts& facts);
void print_digest(const UntimedDrive& drive, const RunFacts& facts);

} // namespace cavern
