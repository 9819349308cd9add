#pragma once

#include <memory>
#include <vector>

#include "core/buffer/eviction_trigger.h"

namespace cavern {

/// Several rates acting together: on a full buffer as the largest of them, ahead of that as any.
class TriggerList final : public EvictionTriggerIf {
  public:
    /// At least one.
    explicit TriggerList(std::vector<std::unique_ptr<EvictionTriggerIf>> rates);

    [[nodiscard]] std::uint32_t units_on_full() const override;
    [[nodiscard]] bool wants_more(const BufferLoad& load) const override;
    [[nodiscard]] bool works_ahead() const override;
    [[nodiscard]] bool insert_waits_for_batch() const override;
    [[nodiscard]] TimePs idle_after() const override;

  private:
    std::vector<std::unique_ptr<EvictionTriggerIf>> rates_;
};

} // namespace cavern
