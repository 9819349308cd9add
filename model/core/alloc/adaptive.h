#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/alloc/allocator.h"
#include "core/alloc/plane_turn.h"
#include "core/base/decision_log.h"
#include "core/base/die_load.h"
#include "core/base/geometry.h"
#include "core/base/knob.h"
#include "core/base/lazy_array.h"

namespace cavern {

class StateArchive;

/// The width that follows `width`, one of 1, 2, 4, .. and `channels`, when host pages waited
/// `stall` on average while dies were idle, and collection took `collect` for each: the next wider
/// if the former is larger by more than `hysteresis` (a share), the next narrower if the latter is.
[[nodiscard]] std::uint32_t next_stripe_width(std::uint32_t width, std::uint32_t channels,
                                              double stall, double collect, double hysteresis);

struct AdaptiveParams {
    std::uint32_t epoch = 10'000; ///< host pages; >= 1
    double hysteresis = 0.1;      ///< >= 0

    static constexpr auto knobs = knobs_of(
        knob<&AdaptiveParams::epoch>("epoch", "the adaptive allocator reconsiders the width of its "
                                              "stripes after this many host pages")
            .at_least(1),
        knob<&AdaptiveParams::hysteresis>("hysteresis",
                                          "the adaptive allocator changes the width of its stripes "
                                          "when waiting and collecting differ by this share")
            .within(0.0, 100.0));
};

/// Degree of striping between one and all channels, regulated (CAVE, section 6, names it as further
/// work; the rule is our own). A logical block has a home die and a width k: its page at offset p
/// goes k channels wide, to channel (home + p mod k) mod C, same way. Homes are given to the dies
/// in turn.
///
/// The width is looked at again after each epoch of host pages (StripeCosts). A block takes the
/// width of the time when an eviction brings pages of it; what it has elsewhere stays there, since
/// there is no merge to move it: for translation layers that map pages. Pages whose die has no room
/// go to the next die that has. O(1) per page while dies have room.
class Adaptive final : public AllocatorIf {
  public:
    using Params = AdaptiveParams;

    Adaptive(const AllocatorContext& context, const Params& params)
        : Adaptive(context.geometry, params, context.load, context.space, context.log) {}
    /// `load` may be null: the width stays one channel. `space` must outlive the allocator. `log`
    /// may be null.
    Adaptive(const Geometry& geometry, const Params& params, DieLoad* load, const SpaceIf& space,
             DecisionLogIf* log);

    /// Throws ModelError if no plane of the drive has room.
    void place(const Lpn* pages, std::size_t count, PlaneId* planes) override;

    /// Width of the unit that is evicted now.
    [[nodiscard]] std::uint32_t width() const { return width_; }
    /// Width of what was evicted of a block last; absent: never.
    [[nodiscard]] std::optional<std::uint32_t> width_of(Lbn lbn) const;
    void serialize(StateArchive& archive) override;

  private:
    struct Stripe {
        std::uint16_t width; ///< 0: never written
        std::uint16_t home;  ///< die
    };

    /// Looks at the costs when an epoch has passed.
    void regulate();
    [[nodiscard]] DieId die_of(const Stripe& stripe, Lpn lpn) const;
    [[nodiscard]] PlaneId plane_near(DieId die, Lpn lpn);

    Geometry geometry_;
    Params params_;
    const DieLoad* load_;
    DecisionLogIf* log_;
    PlaneTurn turn_;
    std::uint32_t width_ = 1;
    StripeCosts epoch_began_; ///< costs up to then
    std::uint32_t next_home_ = 0;
    LazyArray<Stripe> stripes_; ///< per logical block
};

} // namespace cavern
