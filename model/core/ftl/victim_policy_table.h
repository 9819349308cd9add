#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/base/scheme.h"
#include "core/ftl/victim_policy.h"

namespace cavern {

/// One policy that `ftl.gc_policy` can name.
struct VictimPolicyRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    SchemeKnobs knobs;            ///< the keys ftl.NAME.KNOB
    std::unique_ptr<VictimPolicyIf> (*make_with)(const VictimContext& context,
                                                 const SchemeParams& params);

    /// `params` are of the policy's type Params; without them, the defaults.
    [[nodiscard]] std::unique_ptr<VictimPolicyIf> make(const VictimContext& context,
                                                       const SchemeParams& params = {}) const {
        return make_with(context, params);
    }
};

/// Every victim policy there is; a new one is its pair of files and a row here.
[[nodiscard]] const std::vector<VictimPolicyRow>& victim_policy_table();

/// Row of `name`, or null.
[[nodiscard]] const VictimPolicyRow* find_victim_policy(std::string_view name);

} // namespace cavern
