#pragma once

#include <vector>

#include "cpu/debug_if.h"

namespace cavern::cpu {

/// Answers as a test has written down, and remembers what it was asked.
class ScriptedDebugger final : public DebuggerIf {
  public:
    Resume hold(const DebugStop& stop) override {
        stops.push_back(stop);
        const std::size_t number = stops.size() - 1;
        return stop.why == DebugStop::Why::kExit || stop.why == DebugStop::Why::kWatchdog
                   ? Resume::kDetach
               : number < script.size() ? script[number]
                                        : rest;
    }
    bool interrupts() override {
        ++looks;
        return looks == interrupt_at;
    }
    [[nodiscard]] std::vector<DebugStop::Why> whys() const {
        std::vector<DebugStop::Why> result;
        for (const DebugStop& stop : stops) {
            result.push_back(stop.why);
        }
        return result;
    }

    std::vector<Resume> script;
    Resume rest = Resume::kContinue;
    int interrupt_at = 0;
    int looks = 0;
    std::vector<DebugStop> stops;
};

} // namespace cavern::cpu
