#include "core/buffer/eviction_trigger_table.h"

#include <utility>

#include "core/buffer/cave_trigger.h"
#include "core/buffer/idle_trigger.h"
#include "core/buffer/linear_threshold_trigger.h"
#include "core/buffer/single_trigger.h"
#include "core/buffer/trigger_list.h"

namespace cavern {

namespace {

constexpr bool kOnFull = true;

template <typename Trigger>
EvictionTriggerRow trigger_row(std::string_view name, std::string_view description,
                               bool on_full = false) {
    return {name,
            description,
            on_full,
            knobs_of_scheme<Trigger>(),
            make_scheme<EvictionTriggerIf, Trigger, EvictionTriggerContext>,
            OwnCounters<Trigger>::set()};
}

} // namespace

const std::vector<EvictionTriggerRow>& eviction_trigger_table() {
    static const std::vector<EvictionTriggerRow> rows{
        trigger_row<SingleTrigger>("single", "A full buffer evicts one victim.", kOnFull),
        trigger_row<CaveTrigger>(
            "cave", "A full buffer evicts as many victims as there are NAND dies.", kOnFull),
        trigger_row<LinearThresholdTrigger>(
            "linear-threshold", "The fuller the buffer, the more victims are under way."),
        trigger_row<IdleTrigger>("idle",
                                 "Victims leave while the host is silent and a die is idle."),
    };
    return rows;
}

const EvictionTriggerRow* find_eviction_trigger(std::string_view name) {
    return find_row(eviction_trigger_table(), name);
}

std::unique_ptr<EvictionTriggerIf>
make_eviction_trigger(const std::vector<const EvictionTriggerRow*>& rows,
                      const EvictionTriggerContext& context, const EvictionTriggerParams& params) {
    std::vector<std::unique_ptr<EvictionTriggerIf>> triggers;
    for (const EvictionTriggerRow* row : rows) {
        triggers.push_back(row->make(context, params[*row]));
    }
    return triggers.size() == 1 ? std::move(triggers.front())
                                : std::make_unique<TriggerList>(std::move(triggers));
}

} // namespace cavern
