#pragma once

#include <memory>
#include <vector>

#include "core/buffer/eviction_trigger.h"

namespace cavern {

class StateArchive;

/// Several rates acting together: on a full buffer as the largest of them, ahead of that as any.
class TriggerList final : public EvictionTriggerIf {
  public:
    /// At least one.
    explicit TriggerList(std::vector<std::unique_ptr<EvictionTriggerIf>> rates);

    [[nodiscard]] std::uint32_t units_on_full() const override;
    [[nodiscard]] bool wants_more(const BufferLoad& load) override;
    [[nodiscard]] bool works_ahead() const override;
    [[nodiscard]] bool insert_waits_for_batch() const override;
    [[nodiscard]] TimePs idle_after() const override;
    [[nodiscard]] CounterView own_counters(std::size_t index) const override {
        return rates_[index]->own_counters(0);
    }
    void reset_own_counters() override {
        for (const auto& rate : rates_) {
            rate->reset_own_counters();
        }
    }
    void serialize(StateArchive& archive) override;

  private:
    std::vector<std::unique_ptr<EvictionTriggerIf>> rates_;
};

} // namespace cavern
