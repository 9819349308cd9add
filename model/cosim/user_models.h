#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "cosim/verilated_model.h"

namespace cavern {

/// Module name of the arbiter that the user has given to the build (CAVERN_USER_ARBITER); empty
/// when there is none. Defined by a library of cavern_add_user_models(), which a program links
/// directly, and without one by cavern_tb.
std::string_view user_rtl_top();

/// A model of it, as make_verilated_model() gives them. Throws ModelError when there is none.
std::unique_ptr<VerilatedModelIf> make_user_model(std::uint32_t slots, std::uint32_t age_limit,
                                                  std::uint64_t seed);

} // namespace cavern
