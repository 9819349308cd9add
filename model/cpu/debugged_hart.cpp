#include "cpu/debugged_hart.h"

#include <algorithm>

namespace cavern::cpu {

namespace {

/// Instructions between two looks at the debugger: a millisecond or so.
constexpr std::uint64_t kSlice = 200'000;
/// The count of a run of no instruction: a processor that sleeps most of the time is looked after,
/// too.
constexpr std::uint64_t kRun = 100;

} // namespace

void DebuggedHart::hold(const DebugStop& stop) {
    const DebugStop why = stop; // it may be the one that is pending
    pending_.reset();
    resume_ = debugger_.hold(why);
}

bool DebuggedHart::interrupted(std::uint64_t instructions) {
    since_look_ += instructions + kRun;
    if (since_look_ < kSlice) {
        return false;
    }
    since_look_ = 0;
    return debugger_.interrupts();
}

Stop DebuggedHart::run(std::uint64_t max_instructions, std::uint64_t until_cycle) {
    using Why = DebugStop::Why;
    if (pending_) {
        hold(*pending_);
    }
    if (killed()) {
        return Stop::kBreakpoint;
    }
    if (detached()) {
        return hart_.run(max_instructions, until_cycle);
    }
    if (hart_.cycle() >= until_cycle) {
        return Stop::kCycle;
    }
    const bool steps = resume_ == Resume::kStep;
    const std::uint64_t before = hart_.executed();
    const Stop stop =
        steps ? hart_.step() : hart_.run(std::min(max_instructions, kSlice), until_cycle);
    DebugStop found;
    switch (stop) {
    case Stop::kBreakpoint:
        found.why = Why::kBreakpoint;
        break;
    case Stop::kWatchpoint:
        found.why = Why::kWatchpoint;
        found.hit = hart_.watch_hit();
        break;
    case Stop::kFault:
        found.why = Why::kFault;
        found.fault = hart_.fault();
        break;
    default:
        if (steps && stop == Stop::kInstructions) {
            found.why = Why::kStep;
        } else if (!steps && interrupted(hart_.executed() - before)) {
            found.why = Why::kInterrupt;
        } else {
            return stop;
        }
        pending_ = found;
        return stop;
    }
    pending_ = found;
    return Stop::kInstructions;
}

} // namespace cavern::cpu
