#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/geometry.h"
#include "core/buffer/eviction_rate.h"

namespace cavern {

struct EvictionRateParams {
    Geometry geometry;
    std::uint32_t cave_victims = 0; ///< 0: as many as dies
    double linear_low = 0.8;        ///< share of the buffer from which victims leave
    double linear_high = 0.9;       ///< share at which the most are under way
    std::uint32_t linear_max = 0;   ///< that most; 0: as many as dies
    TimePs idle_after = kMs;        ///< silence of the host after which victims leave
    double idle_low = 0.5;          ///< share of the buffer at which that stops
};

/// One rate that `buffer.eviction` can name.
struct EvictionRateRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    /// Decides what happens when the buffer is full; a list of rates has at most one such.
    bool on_full;
    std::unique_ptr<EvictionRateIf> (*make)(const EvictionRateParams& params);
};

/// Every eviction rate there is; a new one is its file and a row here.
[[nodiscard]] const std::vector<EvictionRateRow>& eviction_rate_table();

/// Row of `name`, or null.
[[nodiscard]] const EvictionRateRow* find_eviction_rate(std::string_view name);

/// The rates of a list acting together: on a full buffer as the largest of them, ahead of that as
/// any of them. All names must be in the table.
[[nodiscard]] std::unique_ptr<EvictionRateIf>
make_eviction_rate(const std::vector<std::string>& names, const EvictionRateParams& params);

} // namespace cavern
