#pragma once

#include <cstdint>

#include "core/buffer/eviction_trigger.h"

namespace cavern {

/// As many victims at once as there are NAND dies, so that every die gets work (CAVE 4.2).
class CaveTrigger final : public EvictionTriggerIf {
  public:
    /// `victims` >= 1.
    explicit CaveTrigger(std::uint32_t victims);
    [[nodiscard]] std::uint32_t units_on_full() const override;
    [[nodiscard]] bool wants_more(const BufferLoad&) const override { return false; }

  private:
    std::uint32_t victims_;
};

} // namespace cavern
