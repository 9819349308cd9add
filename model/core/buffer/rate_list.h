#pragma once

#include <memory>
#include <vector>

#include "core/buffer/eviction_rate.h"

namespace cavern {

/// Several rates acting together: on a full buffer as the largest of them, ahead of that as any.
class RateList final : public EvictionRateIf {
  public:
    /// At least one.
    explicit RateList(std::vector<std::unique_ptr<EvictionRateIf>> rates);

    [[nodiscard]] std::uint32_t units_on_full() const override;
    [[nodiscard]] bool wants_more(const BufferLoad& load) const override;
    [[nodiscard]] bool works_ahead() const override;
    [[nodiscard]] TimePs idle_after() const override;

  private:
    std::vector<std::unique_ptr<EvictionRateIf>> rates_;
};

} // namespace cavern
