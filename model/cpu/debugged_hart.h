#pragma once

#include <cstdint>
#include <optional>

#include "cpu/debug_if.h"

namespace cavern::cpu {

/// A hart that a debugger holds: run() in the place of Hart::run(), for whoever runs one, in a loop
/// of his own. What only a debugger cares for (breakpoints, watchpoints, faults, steps) does not
/// come back; all other stops do. While the debugger is asked, at the beginning of run(), time
/// stands.
class DebuggedHart {
  public:
    /// Both must outlive it.
    DebuggedHart(Hart& hart, DebuggerIf& debugger) : hart_(hart), debugger_(debugger) {}

    /// Runs like Hart::run(), but kInstructions may come before `max_instructions` (above 0) are
    /// executed. kBreakpoint: the debugger has killed it, and nothing is executed any more.
    Stop run(std::uint64_t max_instructions, std::uint64_t until_cycle);
    /// Asks about what the caller has found: kExit, kWaiting, kWatchdog.
    void hold(const DebugStop& stop);

    [[nodiscard]] bool killed() const { return resume_ == Resume::kKill; }
    /// run() is Hart::run(), faults included.
    [[nodiscard]] bool detached() const { return resume_ == Resume::kDetach; }

  private:
    [[nodiscard]] bool interrupted(std::uint64_t instructions);

    Hart& hart_;
    DebuggerIf& debugger_;
    Resume resume_ = Resume::kContinue;
    /// The stop that the debugger hears of in the next run(): the caller sees first whether a step
    /// was the last one.
    std::optional<DebugStop> pending_ = DebugStop{};
    std::uint64_t since_look_ = 0; ///< at the debugger, while it runs
};

} // namespace cavern::cpu
