#include "core/ftl/victim_policy_table.h"

#include "core/ftl/cost_benefit.h"
#include "core/ftl/d_choices.h"
#include "core/ftl/greedy.h"
#include "core/ftl/oldest_first.h"
#include "core/ftl/random_victim.h"

namespace cavern {

namespace {

template <typename Policy>
std::unique_ptr<VictimPolicyIf> make(const VictimContext& context) {
    return std::make_unique<Policy>(context);
}

std::unique_ptr<VictimPolicyIf> make_greedy(const VictimContext& context) {
    return std::make_unique<Greedy>(context.geometry, context.blocks);
}

} // namespace

const std::vector<VictimPolicyRow>& victim_policy_table() {
    static const std::vector<VictimPolicyRow> rows{
        {"greedy", "The block with the fewest valid pages is collected first.", make_greedy},
        {"cost-benefit", "Old blocks may be collected ahead of emptier ones that still change.",
         make<CostBenefit>},
        {"random", "Any block with garbage is collected, all alike.", make<RandomVictim>},
        {"fifo", "The block that was begun first is collected first.", make<OldestFirst>},
        {"d-choices", "Of some blocks drawn at random the one with the fewest valid pages.",
         make<DChoices>},
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
