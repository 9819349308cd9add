#include "core/ftl/victim_policy_table.h"

#include "core/ftl/greedy.h"

namespace cavern {

namespace {

std::unique_ptr<VictimPolicyIf> make_greedy(const Geometry& geometry, const BlockStates& blocks) {
    return std::make_unique<Greedy>(geometry, blocks);
}

} // namespace

const std::vector<VictimPolicyRow>& victim_policy_table() {
    static const std::vector<VictimPolicyRow> rows{
        {"greedy", "The block with the fewest valid pages is collected first.", make_greedy},
    };
    return rows;
}

const VictimPolicyRow* find_victim_policy(std::string_view name) {
    for (const VictimPolicyRow& row : victim_policy_table()) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

} // namespace cavern
