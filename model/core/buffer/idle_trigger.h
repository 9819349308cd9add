#pragma once

#include <cstdint>

#include "core/base/knob.h"
#include "core/buffer/eviction_trigger.h"

namespace cavern {

class StateArchive;

struct IdleParams {
    TimePs after = kMs; ///< silence of the host after which victims leave
    double low = 0.5;   ///< share of the buffer at which that stops

    static constexpr auto knobs = knobs_of(
        knob<&IdleParams::after>("after", "idle eviction begins when the host has been silent for "
                                          "this long")
            .time()
            .at_least(1),
        knob<&IdleParams::low>("low", "idle eviction stops when this share of the buffer is in use")
            .within(0.0, 1.0));
};

/// Background eviction: once the host has been silent for a time, victims leave while a die is
/// idle, and until the buffer is down to a share of its frames. A host command ends it at once;
/// programs issued before finish. Never more victims under way than dies, so that a command does
/// not find a queue where an allocator sent them all to one die. A buffer full in spite of it
/// evicts one victim.
class IdleTrigger final : public EvictionTriggerIf {
  public:
    using Params = IdleParams;
    struct Counters {
        std::uint64_t units = 0;

        static constexpr auto declared = counters_of(counter(
            &Counters::units, "units", "units",
            "Times that this trigger asked for a unit to leave while the host was silent."));
    };

    IdleTrigger(const EvictionTriggerContext& context, const Params& params)
        : IdleTrigger(params.after, params.low, context.geometry.dies()) {}
    /// `after` >= 1: silence. `low`: share of the capacity at which eviction stops. `dies` >= 1.
    IdleTrigger(TimePs after, double low, std::uint32_t dies);

    [[nodiscard]] std::uint32_t units_on_full() const override { return 1; }
    [[nodiscard]] bool wants_more(const BufferLoad& load) override;
    [[nodiscard]] bool works_ahead() const override { return true; }
    [[nodiscard]] TimePs idle_after() const override { return after_; }
    [[nodiscard]] CounterView own_counters(std::size_t) const override { return counters_; }
    void reset_own_counters() override { counters_ = {}; }
    void serialize(StateArchive& archive) override;

  private:
    TimePs after_;
    double low_;
    std::uint32_t dies_;
    Counters counters_;
};

} // namespace cavern
