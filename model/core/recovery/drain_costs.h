#pragma once

namespace cavern {

/// What operations cost a drive without power, in joules: of the die, of its bus, and of the
/// controller. A page is a mapping unit.
struct DrainCosts {
    double read = 0;
    double program = 0; ///< 0: not known
    double erase = 0;
};

} // namespace cavern
