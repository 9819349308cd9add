#include "firmware/twin/guided_buffer.h"

#include <string>

#include "core/base/check.h"

namespace cavern {

void GuidedPolicy::drain_order(std::vector<FrameId>&) const {
    CAVERN_CHECK(false, "the firmware keeps no page that a FLUSH has written");
}

bool GuidedPolicy::pop_victim(std::vector<FrameId>& frames, const Pins&) {
    const Victim* const first = guide_.victim();
    if (first == nullptr) {
        return false;
    }
    const auto name = [](const Victim& victim) {
        return "logical page " + std::to_string(raw(victim.lpn)) + " leaves frame " +
               std::to_string(raw(victim.frame));
    };
    const auto is_of_unit = [&](const Victim& victim) {
        return by_blocks_ && geometry_.lbn_of(victim.lpn) == geometry_.lbn_of(first->lpn);
    };
    const Victim* before = nullptr;
    for (const Victim* victim = first;
         victim != nullptr && (before == nullptr || is_of_unit(*victim));
         victim = guide_.victim()) {
        CAVERN_CHECK(raw(victim->frame) < lpn_of_.size() &&
                         lpn_of_[raw(victim->frame)] == victim->lpn,
                     name(*victim) + ", which does not hold it");
        CAVERN_CHECK(before == nullptr || before->lpn < victim->lpn,
                     name(*victim) + " behind a higher page of its block");
        lpn_of_[raw(victim->frame)] = kNoLpn;
        frames.push_back(victim->frame);
        guide_.take_victim();
        before = victim;
    }
    return true;
}

} // namespace cavern
