#include "sampling/sampling_plan.h"

#include <algorithm>

#include "core/base/random.h"

namespace cavern {
namespace {

/// Times the commands outstanding.
constexpr std::uint64_t kLeastTail = 8;

} // namespace

SamplingPlan plan_windows(const SampledConfig& config, SampledRange range,
                          std::uint32_t outstanding, std::uint64_t windows, std::uint64_t seed) {
    SamplingPlan plan;
    plan.warmup = std::uint64_t{config.warmup_depths} * outstanding;
    plan.measured = config.requests;
    plan.tail = std::max<std::uint64_t>(plan.warmup, kLeastTail * outstanding);
    plan.first = range.first;
    const std::uint64_t requests = range.end > range.first ? range.end - range.first : 0;
    windows = std::min(windows, requests / plan.measured);
    plan.most_warmup = std::max(plan.warmup, windows == 0 ? 0 : requests / windows);
    Random random(seed);
    const std::uint64_t common = windows == 0 ? 0 : random.next();
    for (std::uint64_t window = 0; window < windows; ++window) {
        // Parts differ by one request at most.
        const std::uint64_t begin =
            requests / windows * window + requests % windows * window / windows;
        const std::uint64_t room = requests / windows - plan.measured + 1;
        Random same(common);
        const std::uint64_t within = config.random ? random.below(room) : same.below(room);
        plan.places.push_back(range.first + begin + within);
    }
    return plan;
}

} // namespace cavern
