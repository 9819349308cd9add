#pragma once

#include <cstdint>

#include "core/base/knob.h"
#include "core/buffer/eviction_trigger.h"

namespace cavern {

class StateArchive;

struct CaveParams {
    std::uint32_t victims = 0; ///< 0: as many as dies
    bool block_all = true;     ///< the insert waits for the whole batch, not one frame

    static constexpr auto knobs = knobs_of(
        knob<&CaveParams::victims>("victims", "CAVE evicts this many victims in one batch; 0: one "
                                              "per NAND die")
            .range(0, 65536)
            .from("CAVE, section 4.2: as many as NAND dies"),
        knob<&CaveParams::block_all>("block", "what a new page waits for when CAVE evicts a batch")
            .of(KnobWord{"first", "The page waits until one frame of the batch is free."},
                KnobWord{"all", "The page waits until the whole batch is programmed."})
            .from("CAVE, section 4.2"));
};

/// Evicts one victim per NAND die at once, so that every die gets work (CAVE 4.2).
class CaveTrigger final : public EvictionTriggerIf {
  public:
    using Params = CaveParams;

    CaveTrigger(const EvictionTriggerContext& context, const Params& params)
        : CaveTrigger(params.victims != 0 ? params.victims : context.geometry.dies(),
                      params.block_all) {}
    /// `victims` >= 1.
    explicit CaveTrigger(std::uint32_t victims, bool block_all = true);
    [[nodiscard]] std::uint32_t units_on_full() const override;
    [[nodiscard]] bool wants_more(const BufferLoad&) override { return false; }
    [[nodiscard]] bool insert_waits_for_batch() const override { return block_all_; }
    void serialize(StateArchive&) override {}

  private:
    std::uint32_t victims_;
    bool block_all_;
};

} // namespace cavern
