#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/knob.h"
#include "core/ftl/block_log_ftl.h"

namespace cavern {

struct McSplitParams {
    std::uint32_t stripe = 0; ///< channels; 0: all

    static constexpr auto knobs =
        knobs_of(knob<&McSplitParams::stripe>("stripe", "an MCSplit superblock spans this many "
                                                        "channels; 0: all")
                     .range(0, 64));
};

/// MCSplit (Kim, Jung, Song, IWSSPS 2008; CAVE, SAC 2011, sections 3.2 and 4.1), reconstructed:
/// BAST whose mapping unit is a superblock of S blocks on S channels. Page r of superblock g lies
/// on the (r mod S)-th channel of its group; g counts through the groups of channels first, then
/// ways, dies of a way, planes. At most ftl.log_blocks / S superblocks of the whole drive have a
/// log.
///
/// Addresses fix the place of every page: targets are ignored.
class McSplit final : public BlockLogFtl {
  public:
    using Params = McSplitParams;

    /// `params` must satisfy mcsplit_why_not(). `log` may be null.
    McSplit(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    [[nodiscard]] bool has_room(PlaneId, Lpn) const override { return true; }
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn, std::optional<DieId>) const override {
        return die_of(lpn, home(unit_of(lpn)));
    }
    [[nodiscard]] MountNeeds mount_needs() const override;
    std::uint64_t check_invariants() const override;

  private:
    [[nodiscard]] PlaneId home(Unit unit) const { return homes_[unit % homes_.size()]; }

    std::uint32_t stripe_;
    std::vector<PlaneId> homes_; ///< planes of a superblock's first column, in turn
};

/// Why MCSplit cannot be built so, as "what; what would be right"; nothing if it can. The stripe
/// must divide the channels. All logs may come to lie in the same planes, so each needs room for
/// them beside its data and a block to merge into; one more in a drive that can lose its power.
[[nodiscard]] std::optional<std::string> mcsplit_why_not(const Geometry& geometry,
                                                         const FtlParams& params);

} // namespace cavern
