#include "core/ftl/victim_policy_table.h"

#include "core/ftl/cost_benefit.h"
#include "core/ftl/d_choices.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/greedy.h"
#include "core/ftl/oldest_first.h"
#include "core/ftl/random_victim.h"

namespace cavern {

namespace {

template <typename Policy>
VictimPolicyRow victim_row(std::string_view name, std::string_view description) {
    return {name, description, knobs_of_scheme<Policy>(),
            make_scheme<VictimPolicyIf, Policy, VictimContext>};
}

} // namespace

const std::vector<VictimPolicyRow>& victim_policy_table() {
    static const std::vector<VictimPolicyRow> rows{
        victim_row<Greedy>("greedy", "The block with the fewest valid pages is collected first."),
        victim_row<CostBenefit>(
            "cost-benefit", "Old blocks may be collected ahead of emptier ones that still change."),
        victim_row<RandomVictim>("random", "Any block with garbage is collected, all alike."),
        victim_row<OldestFirst>("fifo", "The block that was begun first is collected first."),
        victim_row<DChoices>("d-choices",
                             "Of some blocks drawn at random the one with the fewest valid pages."),
    };
    return rows;
}

const VictimPolicyRow* find_victim_policy(std::string_view name) {
    return find_row(victim_policy_table(), name);
}

const VictimPolicyRow* default_victim_policy() {
    return find_victim_policy("greedy");
}

} // namespace cavern
