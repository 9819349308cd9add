#include "core/buffer/order_policy_table.h"

#include "core/buffer/lru_block.h"
#include "core/buffer/lru_page.h"

namespace cavern {

namespace {

std::unique_ptr<OrderPolicyIf> make_lru_page(std::uint32_t capacity, const Geometry&) {
    return std::make_unique<LruPage>(capacity);
}

std::unique_ptr<OrderPolicyIf> make_lru_block(std::uint32_t capacity, const Geometry& geometry) {
    return std::make_unique<LruBlock>(capacity, geometry.pages_per_block);
}

} // namespace

const std::vector<OrderPolicyRow>& order_policy_table() {
    static const std::vector<OrderPolicyRow> rows{
        {"lru-page", "The least recently used page leaves first.", make_lru_page},
        {"lru-block",
         "All pages of the least recently used logical block leave together, in ascending order.",
         make_lru_block},
    };
    return rows;
}

const OrderPolicyRow* find_order_policy(std::string_view name) {
    for (const OrderPolicyRow& row : order_policy_table()) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

} // namespace cavern
