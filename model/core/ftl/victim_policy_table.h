#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/ftl/victim_policy.h"

namespace cavern {

/// One policy that `ftl.gc_policy` can name.
struct VictimPolicyRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    std::unique_ptr<VictimPolicyIf> (*make)(const VictimContext& context);
};

/// Every victim policy there is; a new one is its file and a row here.
[[nodiscard]] const std::vector<VictimPolicyRow>& victim_policy_table();

/// Row of `name`, or null.
[[nodiscard]] const VictimPolicyRow* find_victim_policy(std::string_view name);

} // namespace cavern
