#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/die_load.h"
#include "core/base/geometry.h"
#include "core/buffer/eviction_policy.h"

namespace cavern {

/// What an order policy may be told at its making. The defaults are those of the papers.
struct EvictionPolicyParams {
    std::uint32_t capacity = 0; ///< frames
    Geometry geometry;
    bool bplru_pad = true;
    bool bplru_compensate = true;
    double clc_alpha = 0.1;        ///< share of clusters in the size-independent list, 0..1
    std::uint32_t ref_window = 0;  ///< pages; 0: three quarters of the buffer
    std::uint32_t ref_victims = 1; ///< logical blocks remembered as recently evicted
    bool ref_refill_lru = false;   ///< with none in the window: the LRU page, not the fullest block
    std::uint32_t cflru_window = 0; ///< pages; 0: a quarter of the buffer
    bool ccf_new_dirty_cold = true;
    std::uint32_t multichip_window = 0;         ///< pages; 0: a quarter of the buffer
    const DieLoad* load = nullptr;              ///< may be null: every die idle
    const DestinationIf* destination = nullptr; ///< may be null: any die
};

/// One order policy that `buffer.policy` can name.
struct EvictionPolicyRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    std::unique_ptr<EvictionPolicyIf> (*make)(const EvictionPolicyParams& params);
    /// Made for a buffer that also keeps pages read (buffer.cache_reads).
    bool needs_read_cache = false;
    bool needs_die_load = false; ///< looks at EvictionPolicyParams::load
};

/// Every order policy there is; a new one is its file and a row here.
[[nodiscard]] const std::vector<EvictionPolicyRow>& eviction_policy_table();

/// Row of `name`, or null.
[[nodiscard]] const EvictionPolicyRow* find_eviction_policy(std::string_view name);

} // namespace cavern
