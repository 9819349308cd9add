#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/error.h"
#include "cosim/lockstep_arbiter.h"
#include "cosim/rtl_arbiter.h"
#include "tests/cosim/arbiter_stream.h"

namespace cavern {

inline constexpr std::uint32_t kBrokenSlots = 4;
inline constexpr std::uint32_t kBrokenAgeLimit = 24;
inline constexpr std::uint64_t kBrokenSteps = 100'000;

/// The error that `arbiter` throws on a random stream; empty when it throws none.
inline std::string error_of(ClockedArbiterIf& arbiter) {
    try {
        run_stream(arbiter, kBrokenSlots, 5, kBrokenSteps);
    } catch (const ModelError& error) {
        return error.what();
    }
    return {};
}

inline std::unique_ptr<RtlArbiter> broken_rtl(ArbiterPolicy policy, const std::string& label) {
    return make_rtl_arbiter(kBrokenSlots, policy, kBrokenAgeLimit, 1, 5000, label);
}

inline std::string lockstep_error(ArbiterPolicy policy) {
    LockstepArbiter lockstep(
        broken_rtl(policy, "channel 5"),
        std::make_unique<ReferenceArbiter>(kBrokenSlots, policy, kBrokenAgeLimit), "channel 5");
    return error_of(lockstep);
}

/// The RTL without a twin beside it: only its own properties can see the fault. A second, idle
/// instance is there so that a failure booked on the wrong one would be noticed.
inline std::string property_error(ArbiterPolicy policy) {
    const auto arbiter = broken_rtl(policy, "channel 5");
    const auto other = broken_rtl(policy, "channel 6");
    other->step({});
    std::string text = error_of(*arbiter);
    other->step({});
    return text;
}

} // namespace cavern
