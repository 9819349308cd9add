#pragma once

#include "core/buffer/eviction_trigger_table.h"
#include "core/buffer/linear_threshold_trigger.h"

namespace cavern::testing {

/// docs/algorithms.md, LIN-1: page LRU, K = 20, L = 12, H = 18, Nmax = 8.
inline EvictionTriggerParams lin_1() {
    EvictionTriggerParams params(eviction_trigger_table());
    params[*find_eviction_trigger("linear-threshold")] = LinearThresholdParams{0.6, 0.9, 8};
    return params;
}

} // namespace cavern::testing
