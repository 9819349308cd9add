#pragma once

#include <cstdint>

#include "core/buffer/eviction_trigger.h"

namespace cavern {

class StateArchive;

/// One victim when the buffer is full, as conventional buffers do (CAVE 3.1).
class SingleTrigger final : public EvictionTriggerIf {
  public:
    explicit SingleTrigger(const EvictionTriggerContext& = {}) {}
    [[nodiscard]] std::uint32_t units_on_full() const override;
    [[nodiscard]] bool wants_more(const BufferLoad&) override { return false; }
    void serialize(StateArchive&) override {}
};

} // namespace cavern
