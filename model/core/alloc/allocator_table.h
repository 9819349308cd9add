#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/alloc/allocator.h"
#include "core/alloc/block_round_robin.h"
#include "core/base/scheme.h"

namespace cavern {

/// One scheme that `alloc.scheme` can name.
struct AllocatorRow {
    std::string name;
    std::string description; ///< one sentence
    SchemeKnobs knobs;       ///< the keys alloc.NAME.KNOB
    bool keeps_blocks;       ///< pages of one logical block that leave together go to one die
    /// `row` is the row itself.
    std::unique_ptr<AllocatorIf> (*make_with)(const AllocatorRow& row,
                                              const AllocatorContext& context,
                                              const SchemeParams& params);
    bool needs_die_load = false; ///< looks at AllocatorContext::load
    /// What operations take counts for it without time, too (StripeCosts).
    bool measures_times = false;
    /// The striping of layers whose addresses fix every place: all that they go with.
    bool stripes_by_address = false;
    /// Treatment of a logical block that is evicted again; null: keeps its die.
    RoundRobinMode (*mode)(const SchemeParams& params) = nullptr;

    /// `params` are of the allocator's type Params; without them, the defaults.
    [[nodiscard]] std::unique_ptr<AllocatorIf> make(const AllocatorContext& context,
                                                    const SchemeParams& params = {}) const {
        return make_with(*this, context, params);
    }
    [[nodiscard]] RoundRobinMode mode_of(const SchemeParams& params) const {
        return mode != nullptr ? mode(params) : RoundRobinMode::kSticky;
    }
};

/// Every allocator there is, the 24 page orders included; a new one is its pair of files and a row
/// here.
[[nodiscard]] const std::vector<AllocatorRow>& allocator_table();

/// Row of `name`, or null.
[[nodiscard]] const AllocatorRow* find_allocator(std::string_view name);

} // namespace cavern
