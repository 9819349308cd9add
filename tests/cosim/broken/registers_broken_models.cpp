// The register block with one thing wrong in its description or its RTL (processor.cmake).
#include "tests/cosim/broken/registers_broken_models.h"

#include <Vregisters_clear.h>
#include <Vregisters_moderation.h>
#include <Vregisters_queue.h>
#include <Vregisters_reset.h>

#include "cosim/register_model_of.h"

namespace cavern {

std::unique_ptr<RegisterModelIf> make_broken_register_model(const std::string& variant) {
    if (variant == "reset") {
        return std::make_unique<RegisterModelOf<Vregisters_reset>>(1);
    }
    if (variant == "clear") {
        return std::make_unique<RegisterModelOf<Vregisters_clear>>(1);
    }
    if (variant == "queue") {
        return std::make_unique<RegisterModelOf<Vregisters_queue>>(1);
    }
    return std::make_unique<RegisterModelOf<Vregisters_moderation>>(1);
}

} // namespace cavern
