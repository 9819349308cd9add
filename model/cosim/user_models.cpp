// The arbiter given as CAVERN_USER_ARBITER. Which one it is, is decided by the folder the generated
// headers come from. It has one form for all policies.
#include "cosim/user_models.h"
#include "cosim/verilated_model_of.h"
#include "Vuser_1.h"
#include "Vuser_16.h"
#include "Vuser_4.h"
#include "Vuser_8.h"

namespace cavern {
namespace {

constexpr ArbiterPolicy kAny = ArbiterPolicy::kRoundRobin;

constexpr VerilatedModelRow kModels[] = {
    {1, kAny, make_model_of<Vuser_1>},
    {4, kAny, make_model_of<Vuser_4>},
    {8, kAny, make_model_of<Vuser_8>},
    {16, kAny, make_model_of<Vuser_16>},
};

} // namespace

std::string_view user_rtl_top() {
    return CAVERN_USER_ARBITER;
}

std::unique_ptr<VerilatedModelIf> make_user_model(std::uint32_t slots, std::uint32_t age_limit,
                                                  std::uint64_t seed) {
    return make_from_table(kModels, slots, kAny, age_limit, seed);
}

} // namespace cavern
