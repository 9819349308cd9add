#pragma once

#include <cstdint>

#include "core/buffer/eviction_rate.h"

namespace cavern {

/// One victim when the buffer is full, as conventional buffers do (CAVE 3.1).
class SingleRate final : public EvictionRateIf {
  public:
    [[nodiscard]] std::uint32_t units_on_full() const override;
    [[nodiscard]] bool wants_more(const BufferLoad&) const override { return false; }
};

} // namespace cavern
