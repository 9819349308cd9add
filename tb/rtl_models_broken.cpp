// Models with one line of the RTL broken (CMakeLists.txt), four ways only: which line it is, is
// decided by the folder the generated headers come from.
#include "cosim/verilated_model_of.h"
#include "Vpriority_age_4.h"
#include "Vround_robin_4.h"
#include "Vweighted_4.h"

namespace cavern {
namespace {

constexpr VerilatedModelRow kModels[] = {
    {4, ArbiterPolicy::kRoundRobin, make_model_of<Vround_robin_4>},
    {4, ArbiterPolicy::kPriorityAge, make_model_of<Vpriority_age_4>},
    {4, ArbiterPolicy::kWeightedRoundRobin, make_model_of<Vweighted_4>},
};

} // namespace

std::unique_ptr<VerilatedModelIf> make_verilated_model(std::uint32_t slots, ArbiterPolicy policy,
                                                       std::uint32_t age_limit,
                                                       std::uint64_t seed) {
    return make_from_table(kModels, slots, policy, age_limit, seed);
}

} // namespace cavern
