#include "cpu/machine_debug.h"

#include <algorithm>

#include "cpu/debugged_hart.h"

namespace cavern::cpu {

Outcome run_debugged(Machine& machine, DebuggerIf& debugger, std::uint64_t max_instructions) {
    DebuggedHart hart(machine.hart(), debugger);
    const auto go = [&hart](std::uint64_t left, std::uint64_t until) {
        return hart.run(left, until);
    };
    for (;;) {
        const std::uint64_t executed = machine.hart().executed();
        const Outcome outcome =
            machine.run_by(max_instructions - std::min(executed, max_instructions), go);
        if (hart.killed()) {
            return {End::kKilled, 0};
        }
        if (hart.detached()) {
            return outcome;
        }
        DebugStop stop;
        switch (outcome.end) {
        case End::kExit:
            stop.why = DebugStop::Why::kExit;
            stop.status = outcome.status;
            hart.hold(stop);
            return outcome;
        case End::kDead:
            stop.why = DebugStop::Why::kWaiting;
            hart.hold(stop);
            break;
        default: // of the instructions: breakpoints and faults do not come back
            stop.why = DebugStop::Why::kWatchdog;
            hart.hold(stop);
            return outcome;
        }
    }
}

} // namespace cavern::cpu
