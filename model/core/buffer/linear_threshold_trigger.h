#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/knob.h"
#include "core/buffer/eviction_trigger.h"

namespace cavern {

class StateArchive;

struct LinearThresholdParams {
    double low = 0.8;      ///< share of the buffer from which victims leave
    double high = 0.9;     ///< share at which the most are under way
    std::uint32_t max = 0; ///< that most; 0: twice as many as the dies program at a time

    /// "what; what would be right", if the values do not fit each other.
    [[nodiscard]] std::optional<std::string> why_not() const;

    static constexpr auto knobs = knobs_of(
        knob<&LinearThresholdParams::low>("low", "linear-threshold evicts while more than this "
                                                 "share of the buffer is in use")
            .within(0.0, 1.0)
            .from("Gill & Modha, FAST 2005, section IV-E"),
        knob<&LinearThresholdParams::high>("high", "linear-threshold keeps its largest number of "
                                                   "victims under way from this share of the "
                                                   "buffer on")
            .within(0.0, 1.0)
            .from("Gill & Modha, FAST 2005, section IV-E"),
        knob<&LinearThresholdParams::max>("max", "linear-threshold keeps at most this many victims "
                                                 "under way; 0: twice as many pages as the "
                                                 "dies program at a time")
            .range(0, 65536));
};

/// Keeps victims under way by how full the buffer is: none up to a share `low` of its frames,
/// `most` from a share `high` on, and in between in proportion, rounded up (WOW, Gill & Modha, FAST
/// 2005, section IV-E; CAVE, section 6, as further work). Pages being programmed count as full
/// frames, so that the level, and with it the rate, falls as programs complete. A buffer full in
/// spite of it evicts one victim.
class LinearThresholdTrigger final : public EvictionTriggerIf {
  public:
    using Params = LinearThresholdParams;

    LinearThresholdTrigger(const EvictionTriggerContext& context, const Params& params)
        : LinearThresholdTrigger(params.low, params.high,
                                 params.max != 0 ? params.max : 2 * at_a_time(context.geometry)) {
        at_a_time_ = at_a_time(context.geometry);
    }
    /// Pages (mapping units) that all planes program together. With that number of victims under
    /// way all dies are at work, with twice as many their next programs wait for them.
    [[nodiscard]] static std::uint32_t at_a_time(const Geometry& geometry) {
        return geometry.planes() * geometry.units_per_program();
    }
    /// 0 <= low < high, shares of the capacity; most >= 1.
    LinearThresholdTrigger(double low, double high, std::uint32_t most);

    [[nodiscard]] std::uint32_t units_on_full() const override { return 1; }
    [[nodiscard]] bool wants_more(const BufferLoad& load) override;
    [[nodiscard]] bool works_ahead() const override { return true; }
    [[nodiscard]] std::string throttle() const override;
    /// Victims that should be under way with `used` of `capacity` frames in use.
    [[nodiscard]] std::uint32_t victims(std::uint32_t used, std::uint32_t capacity) const;
    void serialize(StateArchive&) override {}

  private:
    double low_;
    double high_;
    std::uint32_t most_;
    std::uint32_t at_a_time_ = 0;
};

} // namespace cavern
