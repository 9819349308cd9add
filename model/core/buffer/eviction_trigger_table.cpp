#include "core/buffer/eviction_trigger_table.h"

#include <utility>

#include "core/base/check.h"
#include "core/buffer/cave_trigger.h"
#include "core/buffer/idle_trigger.h"
#include "core/buffer/linear_threshold_trigger.h"
#include "core/buffer/single_trigger.h"
#include "core/buffer/trigger_list.h"

namespace cavern {

namespace {

std::unique_ptr<EvictionTriggerIf> make_single(const EvictionTriggerParams&) {
    return std::make_unique<SingleTrigger>();
}

std::unique_ptr<EvictionTriggerIf> make_cave(const EvictionTriggerParams& params) {
    return std::make_unique<CaveTrigger>(params.cave_victims != 0 ? params.cave_victims
                                                                  : params.geometry.dies());
}

std::unique_ptr<EvictionTriggerIf> make_linear_threshold(const EvictionTriggerParams& params) {
    return std::make_unique<LinearThresholdTrigger>(
        params.linear_low, params.linear_high,
        params.linear_max != 0 ? params.linear_max : params.geometry.dies());
}

std::unique_ptr<EvictionTriggerIf> make_idle(const EvictionTriggerParams& params) {
    return std::make_unique<IdleTrigger>(params.idle_after, params.idle_low,
                                         params.geometry.dies());
}

} // namespace

const std::vector<EvictionTriggerRow>& eviction_trigger_table() {
    static const std::vector<EvictionTriggerRow> rows{
        {"single", "A full buffer evicts one victim.", true, make_single},
        {"cave", "A full buffer evicts as many victims as there are NAND dies.", true, make_cave},
        {"linear-threshold", "The fuller the buffer, the more victims are under way.", false,
         make_linear_threshold},
        {"idle", "Victims leave while the host is silent and a die is idle.", false, make_idle},
    };
    return rows;
}

const EvictionTriggerRow* find_eviction_trigger(std::string_view name) {
    for (const EvictionTriggerRow& row : eviction_trigger_table()) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

std::unique_ptr<EvictionTriggerIf> make_eviction_trigger(const std::vector<std::string>& names,
                                                         const EvictionTriggerParams& params) {
    std::vector<std::unique_ptr<EvictionTriggerIf>> rates;
    for (const std::string& name : names) {
        const EvictionTriggerRow* row = find_eviction_trigger(name);
        CAVERN_CHECK(row != nullptr, "unknown eviction rate " + name);
        rates.push_back(row->make(params));
    }
    return rates.size() == 1 ? std::move(rates.front())
                             : std::make_unique<TriggerList>(std::move(rates));
}

} // namespace cavern
