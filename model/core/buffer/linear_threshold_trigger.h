#pragma once

#include <cstdint>

#include "core/buffer/eviction_trigger.h"

namespace cavern {

/// As many victims under way as the buffer is full: none up to a share `low` of its frames, `most`
/// from a share `high` on, and in between in proportion, rounded up (WOW, Gill & Modha, FAST 2005,
/// section IV-E; CAVE, section 6, as further work). Pages being programmed count as full frames, so
/// that the level, and with it the rate, falls as programs complete. A buffer full in spite of it
/// evicts one victim.
class LinearThresholdTrigger final : public EvictionTriggerIf {
  public:
    /// 0 <= low < high, shares of the capacity; most >= 1.
    LinearThresholdTrigger(double low, double high, std::uint32_t most);

    [[nodiscard]] std::uint32_t units_on_full() const override { return 1; }
    [[nodiscard]] bool wants_more(const BufferLoad& load) const override;
    [[nodiscard]] bool works_ahead() const override { return true; }
    /// Victims that should be under way with `used` of `capacity` frames in use.
    [[nodiscard]] std::uint32_t victims(std::uint32_t used, std::uint32_t capacity) const;

  private:
    double low_;
    double high_;
    std::uint32_t most_;
};

} // namespace cavern
