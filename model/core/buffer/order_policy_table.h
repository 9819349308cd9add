#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/geometry.h"
#include "core/buffer/order_policy.h"

namespace cavern {

/// One order policy that `buffer.policy` can name.
struct OrderPolicyRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    /// `capacity` frames.
    std::unique_ptr<OrderPolicyIf> (*make)(std::uint32_t capacity, const Geometry& geometry);
};

/// Every order policy there is; a new one is its file and a row here.
[[nodiscard]] const std::vector<OrderPolicyRow>& order_policy_table();

/// Row of `name`, or null.
[[nodiscard]] const OrderPolicyRow* find_order_policy(std::string_view name);

} // namespace cavern
