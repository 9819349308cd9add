#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/geometry.h"
#include "core/buffer/eviction_trigger.h"

namespace cavern {

struct EvictionTriggerParams {
    Geometry geometry;
    std::uint32_t cave_victims = 0; ///< 0: as many as dies
    double linear_low = 0.8;        ///< share of the buffer from which victims leave
    double linear_high = 0.9;       ///< share at which the most are under way
    std::uint32_t linear_max = 0;   ///< that most; 0: as many as dies
    TimePs idle_after = kMs;        ///< silence of the host after which victims leave
    double idle_low = 0.5;          ///< share of the buffer at which that stops
};

/// One rate that `buffer.eviction` can name.
struct EvictionTriggerRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    /// Decides what happens when the buffer is full; a list of rates has at most one such.
    bool on_full;
    std::unique_ptr<EvictionTriggerIf> (*make)(const EvictionTriggerParams& params);
};

/// Every eviction rate there is; a new one is its file and a row here.
[[nodiscard]] const std::vector<EvictionTriggerRow>& eviction_trigger_table();

/// Row of `name`, or null.
[[nodiscard]] const EvictionTriggerRow* find_eviction_trigger(std::string_view name);

/// The rates of a list acting together: on a full buffer as the largest of them, ahead of that as
/// any of them. All names must be in the table.
[[nodiscard]] std::unique_ptr<EvictionTriggerIf>
make_eviction_trigger(const std::vector<std::string>& names, const EvictionTriggerParams& params);

} // namespace cavern
