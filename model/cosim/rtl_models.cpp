#include "cosim/verilated_model_of.h"
#include "Vpriority_age_1.h"
#include "Vpriority_age_16.h"
#include "Vpriority_age_4.h"
#include "Vpriority_age_8.h"
#include "Vround_robin_1.h"
#include "Vround_robin_16.h"
#include "Vround_robin_4.h"
#include "Vround_robin_8.h"
#include "Vweighted_1.h"
#include "Vweighted_16.h"
#include "Vweighted_4.h"
#include "Vweighted_8.h"

namespace cavern {
namespace {

constexpr VerilatedModelRow kModels[] = {
    {1, ArbiterPolicy::kRoundRobin, make_model_of<Vround_robin_1>},
    {4, ArbiterPolicy::kRoundRobin, make_model_of<Vround_robin_4>},
    {8, ArbiterPolicy::kRoundRobin, make_model_of<Vround_robin_8>},
    {16, ArbiterPolicy::kRoundRobin, make_model_of<Vround_robin_16>},
    {1, ArbiterPolicy::kPriorityAge, make_model_of<Vpriority_age_1>},
    {4, ArbiterPolicy::kPriorityAge, make_model_of<Vpriority_age_4>},
    {8, ArbiterPolicy::kPriorityAge, make_model_of<Vpriority_age_8>},
    {16, ArbiterPolicy::kPriorityAge, make_model_of<Vpriority_age_16>},
    {1, ArbiterPolicy::kWeightedRoundRobin, make_model_of<Vweighted_1>},
    {4, ArbiterPolicy::kWeightedRoundRobin, make_model_of<Vweighted_4>},
    {8, ArbiterPolicy::kWeightedRoundRobin, make_model_of<Vweighted_8>},
    {16, ArbiterPolicy::kWeightedRoundRobin, make_model_of<Vweighted_16>},
};

} // namespace

std::unique_ptr<VerilatedModelIf> make_verilated_model(std::uint32_t slots, ArbiterPolicy policy,
                                                       std::uint32_t age_limit,
                                                       std::uint64_t seed) {
    return make_from_table(kModels, slots, policy, age_limit, seed);
}

} // namespace cavern
