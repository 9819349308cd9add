#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/knob.h"
#include "core/ftl/page_ftl.h"

namespace cavern {

class StateArchive;

/// What is done with a host page for which no block in SLC mode has room.
enum class SlcFull : std::uint8_t {
    kFold,   ///< room was made before it was needed, with each host page some
    kBypass, ///< it goes to a block of all bits
};

struct SlcCacheParams {
    SlcFull when_full = SlcFull::kFold;
    bool idle = true;

    static constexpr auto knobs = knobs_of(
        knob<&SlcCacheParams::when_full>(
            "when_full", "what happens to host pages where the blocks in SLC mode are full")
            .of(KnobWord{"fold", "the oldest block is emptied, some pages with each host page"},
                KnobWord{"bypass", "they go to blocks of all bits until the drive is idle"}),
        knob<&SlcCacheParams::idle>("idle", "idle dies empty the blocks in SLC mode"));
};

/// A page-mapped drive whose host pages go to blocks in SLC mode first: the first
/// Geometry::slc_blocks of each plane, which have slc_pages pages and shorter times. They are
/// filled in turn and emptied in the same order (static region, first in first out): valid pages of
/// the oldest move to the blocks of all bits of the same plane, which are those of PageFtl, where
/// collection makes room for them as for host pages. What is overwritten in time is never moved.
///
/// With SlcFull::kFold the oldest block is emptied while the last free one is being filled: with
/// each host page so many pages that it is empty and erased when the next is needed. With
/// SlcCacheParams::idle, maintain() empties every block that is not being filled.
///
/// Pages that lie in SLC mode have their room in the blocks of all bits kept: the drive exports a
/// share of those alone, and has_room() counts every valid page of the plane.
class SlcCache final : public PageFtl, public NandPagesIf {
  public:
    using Params = SlcCacheParams;
    /// In the summary beside FtlCounters.
    struct Counters {
        std::uint64_t slc_pages = 0;
        std::uint64_t fold_pages = 0;
        std::uint64_t folds = 0;

        static constexpr auto declared =
            counters_of(counter(&Counters::slc_pages, "slc_pages", "pages",
                                "Of host_pages, those programmed in SLC mode."),
                        counter(&Counters::fold_pages, "fold_pages", "pages",
                                "Programs of pages moved out of blocks in SLC mode."),
                        counter(&Counters::folds, "folds", "blocks",
                                "Blocks in SLC mode emptied and erased, which are among erases."));
    };

    SlcCache(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) override;
    void complete_pages(FlashOpList& ops) override;
    void complete_copies(FlashOpList& ops) override { space_.complete_copies(ops); }
    bool maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) override;
    [[nodiscard]] bool has_room(PlaneId target, Lpn lpn) const override;
    [[nodiscard]] CounterView own_counters() const override { return own_; }
    [[nodiscard]] std::uint64_t programs() const override {
        return PageFtl::programs() + own_.fold_pages;
    }
    void reset_counters() override {
        PageFtl::reset_counters();
        own_ = {};
    }
    void mount(const MountedDrive& drive) override;
    std::uint64_t check_invariants() const override;
    void serialize(StateArchive& archive) override;

  private:
    friend struct SlcCacheProbe; // tests corrupt the state to see check_invariants notice

    /// The blocks in SLC mode of a plane, in turn: `used` of them from `oldest` on hold pages, the
    /// last of which is being filled.
    struct Region {
        std::uint32_t oldest = 0; ///< index within the plane
        std::uint32_t used = 0;
        std::uint64_t next = 0; ///< physical page that is programmed next; `end`: none
        std::uint64_t end = 0;
        Emptying task; ///< of the oldest
        Pace pace;
    };

    [[nodiscard]] BlockId block(PlaneId plane, const Region& region, std::uint32_t place) const {
        return space_.geometry().block(plane,
                                       (region.oldest + place) % space_.geometry().slc_blocks);
    }
    /// A page in SLC mode for the host, if there is one.
    [[nodiscard]] bool make_room(Region& region, PlaneId plane, FlashOpList& ops);
    /// Moves so many pages of the oldest block, and erases it when none is left.
    void fold(Region& region, PlaneId plane, std::uint32_t copies, FlashOpList& ops);
    /// Returns the number of the program.
    std::int32_t fold_page(Ppn from, PlaneId plane, FlashOpList& ops);
    /// `region.oldest` is the block filled last.
    void mount(Region& region, PlaneId plane, const MountedDrive& drive);

    bool bypasses_;
    bool idle_;
    std::vector<Region> regions_; ///< by plane
    Counters own_;
};

/// As page_ftl_why_not(), for the blocks that are not in SLC mode; and what is wrong with those.
[[nodiscard]] std::optional<std::string> slc_cache_why_not(const Geometry& geometry,
                                                           const FtlParams& params);

} // namespace cavern
