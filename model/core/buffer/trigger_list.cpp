#include "core/buffer/trigger_list.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace cavern {

TriggerList::TriggerList(std::vector<std::unique_ptr<EvictionTriggerIf>> rates)
    : rates_(std::move(rates)) {
    CAVERN_CHECK(!rates_.empty(), "a list of eviction rates names at least one");
}

std::uint32_t TriggerList::units_on_full() const {
    std::uint32_t units = 1;
    for (const auto& rate : rates_) {
        units = std::max(units, rate->units_on_full());
    }
    return units;
}

bool TriggerList::wants_more(const BufferLoad& load) {
    return std::any_of(rates_.begin(), rates_.end(),
                       [&load](const auto& rate) { return rate->wants_more(load); });
}

bool TriggerList::works_ahead() const {
    return std::any_of(rates_.begin(), rates_.end(),
                       [](const auto& rate) { return rate->works_ahead(); });
}

bool TriggerList::insert_waits_for_batch() const {
    return std::any_of(rates_.begin(), rates_.end(),
                       [](const auto& rate) { return rate->insert_waits_for_batch(); });
}

TimePs TriggerList::idle_after() const {
    TimePs after = kNever;
    for (const auto& rate : rates_) {
        after = std::min(after, rate->idle_after());
    }
    return after;
}

} // namespace cavern
