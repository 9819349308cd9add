#include "cosim/register_model.h"

#include <Vdrive_registers.h>

#include "cosim/register_model_of.h"

namespace cavern {

std::unique_ptr<RegisterModelIf> make_register_model(std::uint64_t seed) {
    return std::make_unique<RegisterModelOf<Vdrive_registers>>(seed);
}

} // namespace cavern
