// Stands for the user's arbiter in a program that links none. A member of a static library: it is
// left out where an object library defines the same.
#include "core/base/error.h"
#include "cosim/user_models.h"

namespace cavern {

std::string_view user_rtl_top() {
    return {};
}

std::unique_ptr<VerilatedModelIf> make_user_model(std::uint32_t, std::uint32_t, std::uint64_t) {
    throw ModelError("this program was built without an arbiter of the user's");
}

} // namespace cavern
