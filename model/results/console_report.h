#pragma once

#include "drive/ssd.h"
#include "drive/untimed_drive.h"
#include "results/summary.h"

namespace cavern {

/// A few lines on stdout about a finished run, for people; scripts read summary.json.
void print_console_report(const Ssd& ssd, const RunFacts& facts);
void print_console_report(const UntimedDrive& drive, const RunFacts& facts);

} // namespace cavern
