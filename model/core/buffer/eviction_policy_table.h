#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/base/scheme.h"
#include "core/buffer/eviction_policy.h"

namespace cavern {

/// One policy that `buffer.policy` can name.
struct EvictionPolicyRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    SchemeKnobs knobs;            ///< the keys buffer.NAME.KNOB
    std::unique_ptr<EvictionPolicyIf> (*make_with)(const EvictionPolicyContext& context,
                                                   const SchemeParams& params);
    /// Made for a buffer that also keeps pages read (buffer.cache_reads).
    bool needs_read_cache = false;
    bool needs_die_load = false;          ///< looks at EvictionPolicyContext::load
    const CounterSet* counters = nullptr; ///< of its own; null: none

    /// `params` are of the policy's type Params; without them, the defaults.
    [[nodiscard]] std::unique_ptr<EvictionPolicyIf> make(const EvictionPolicyContext& context,
                                                         const SchemeParams& params = {}) const {
        return make_with(context, params);
    }
};

/// Every eviction policy there is; a new one is its pair of files and a row here.
[[nodiscard]] const std::vector<EvictionPolicyRow>& eviction_policy_table();

/// Row of `name`, or null.
[[nodiscard]] const EvictionPolicyRow* find_eviction_policy(std::string_view name);

} // namespace cavern
