#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/alloc/adaptive.h"
#include "core/alloc/allocator.h"
#include "core/alloc/block_round_robin.h"
#include "core/base/decision_log.h"
#include "core/base/geometry.h"

namespace cavern {

struct AllocatorParams {
    Geometry geometry;
    std::string_view rr_mode = "sticky"; ///< a name of round_robin_mode_table()
    DieLoad* load = nullptr;             ///< may be null: every die idle, nothing measured
    Adaptive::Params adaptive{};
};

/// One scheme that `alloc.scheme` can name.
struct AllocatorRow {
    std::string name;
    std::string description; ///< one sentence
    bool keeps_blocks;       ///< pages of one logical block that leave together go to one die
    /// `name` is the row's own. `space` must outlive the allocator; `log` may be null.
    std::unique_ptr<AllocatorIf> (*make)(std::string_view name, const AllocatorParams& params,
                                         const SpaceIf& space, DecisionLogIf* log);
    bool needs_die_load = false; ///< looks at AllocatorParams::load
};

/// One value of `alloc.block-round-robin.mode`.
struct RoundRobinModeRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    RoundRobinMode mode;
};

/// Every allocator there is, the 24 page orders included; a new one is its file and a row here.
[[nodiscard]] const std::vector<AllocatorRow>& allocator_table();
[[nodiscard]] const std::vector<RoundRobinModeRow>& round_robin_mode_table();

/// Row of `name`, or null.
[[nodiscard]] const AllocatorRow* find_allocator(std::string_view name);
[[nodiscard]] const RoundRobinModeRow* find_round_robin_mode(std::string_view name);

} // namespace cavern
