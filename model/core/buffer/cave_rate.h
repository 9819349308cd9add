#pragma once

#include <cstdint>

#include "core/buffer/eviction_rate.h"

namespace cavern {

/// As many victims at once as there are NAND dies, so that every die gets work (CAVE 4.2).
class CaveRate final : public EvictionRateIf {
  public:
    /// `victims` >= 1.
    explicit CaveRate(std::uint32_t victims);
    [[nodiscard]] std::uint32_t units_on_full() const override;
    [[nodiscard]] bool wants_more(const BufferLoad&) const override { return false; }

  private:
    std::uint32_t victims_;
};

} // namespace cavern
