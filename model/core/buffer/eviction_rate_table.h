#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/geometry.h"
#include "core/buffer/eviction_rate.h"

namespace cavern {

struct EvictionRateParams {
    Geometry geometry;
    std::uint32_t cave_victims = 0; ///< 0: as many as dies
};

/// One rate that `buffer.eviction` can name.
struct EvictionRateRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    std::unique_ptr<EvictionRateIf> (*make)(const EvictionRateParams& params);
};

/// Every eviction rate there is; a new one is its file and a row here.
[[nodiscard]] const std::vector<EvictionRateRow>& eviction_rate_table();

/// Row of `name`, or null.
[[nodiscard]] const EvictionRateRow* find_eviction_rate(std::string_view name);

} // namespace cavern
