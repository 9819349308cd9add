#pragma once

#include <memory>
#include <string>

#include "cosim/register_model.h"

namespace cavern {

/// "reset": irq.moderation.events is 1 after a reset. "clear": a write clears the bits of
/// counters.* that it has 1 in, no others. "queue": queues hold one entry less. "moderation": the
/// line rises a cycle late.
std::unique_ptr<RegisterModelIf> make_broken_register_model(const std::string& variant);

} // namespace cavern
