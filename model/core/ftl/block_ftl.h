#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/base/divisor.h"
#include "core/base/geometry.h"
#include "core/ftl/block_store.h"
#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/page_set.h"

namespace cavern {

class StateArchive;

/// What the layers that map units of whole blocks (logical blocks, superblocks) have in common: the
/// blocks, the set of logical pages that hold data, and the programs that add to it. Units have
/// equally many pages; the drive may end within the last of them. Where a page lies is for derived
/// classes to know: location() must be right while the page is in mapped().
///
/// Memory: a bit a logical page, and what BlockStore takes; untouched parts cost nothing.
class BlockFtl : public FtlIf, public IdleWorkIf, public MountIf {
  public:
    [[nodiscard]] Ppn read(Lpn lpn, FlashOpList&) override { return location(lpn); }
    [[nodiscard]] std::uint64_t mapped_pages() const override { return mapped_.count(); }
    [[nodiscard]] std::uint64_t logical_pages() const override { return logical_pages_; }
    [[nodiscard]] const FtlCounters& counters() const override { return store_.counters(); }
    void reset_counters() override { store_.reset_counters(); }

    [[nodiscard]] std::uint32_t erase_count(BlockId block) const {
        return store_.erase_count(block);
    }
    void serialize(StateArchive& archive) override;

  protected:
    using Unit = std::uint32_t;
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

    /// `unit_pages`: pages of a unit, at least 1. `log` may be null.
    BlockFtl(const Geometry& geometry, const FtlParams& params, std::uint32_t unit_pages,
             DecisionLogIf* log);

    /// Throws ModelError if the drive has no such page.
    void check_range(Lpn lpn) const;
    [[nodiscard]] Unit unit_of(Lpn lpn) const {
        return by_unit_pages_.divide(static_cast<std::uint32_t>(raw(lpn)));
    }
    [[nodiscard]] std::uint32_t offset_in(Unit unit, Lpn lpn) const {
        return static_cast<std::uint32_t>(raw(lpn)) - unit * unit_pages_;
    }
    [[nodiscard]] std::uint32_t offset_of(Lpn lpn) const { return offset_in(unit_of(lpn), lpn); }
    [[nodiscard]] Lpn lpn_of(Unit unit, std::uint32_t offset) const {
        return Lpn{std::uint64_t{unit} * unit_pages_ + offset};
    }
    [[nodiscard]] std::uint32_t unit_pages() const { return unit_pages_; }
    /// Idle dies merge until so many logs are unused (FtlParams::gc_background).
    [[nodiscard]] std::uint32_t background() const { return background_; }
    [[nodiscard]] Unit units() const { return units_; }
    /// Whether any page of the unit holds data. Cost proportional to its pages.
    [[nodiscard]] bool holds_pages(Unit unit) const;

    using Columns = std::vector<std::optional<BlockId>>;
    /// After a loss of power: page r of a unit lies in its place r div `columns` of the block that
    /// column r mod `columns` of the unit has. Calls `has_blocks(unit, blocks)` for each unit that
    /// has pages, in order; a column without one has no block.
    template <typename HasBlocks>
    void mount_in_place(const MountedDrive& drive, std::uint32_t columns, HasBlocks has_blocks);

    /// Programs a page of host data, or of padding (`origin` kPadding): its newest version, or
    /// zeros if it has none. The page holds data from now on.
    void program(Lpn lpn, BlockId block, std::uint32_t page, Origin origin, FlashOpList& ops);

    BlockStore& store() { return store_; }
    [[nodiscard]] const BlockStore& store() const { return store_; }
    PageSet& mapped() { return mapped_; }
    [[nodiscard]] const PageSet& mapped() const { return mapped_; }

  private:
    std::uint64_t logical_pages_;
    std::uint32_t unit_pages_;
    Unit units_;
    std::uint32_t background_;
    Divisor by_unit_pages_;
    BlockStore store_;
    PageSet mapped_; ///< of all pages of all units, also those beyond the drive
};

template <typename HasBlocks>
void BlockFtl::mount_in_place(const MountedDrive& drive, std::uint32_t columns,
                              HasBlocks has_blocks) {
    CAVERN_CHECK(drive.places.size() == logical_pages_, "what is mounted has the drive's shape");
    store_.mount(drive);
    const Geometry& geometry = store_.geometry();
    Columns blocks(columns);
    for (Unit unit = 0; unit < units_; ++unit) {
        blocks.assign(columns, std::nullopt);
        bool holds_some = false;
        for (std::uint32_t offset = 0; offset < unit_pages_; ++offset) {
            const std::uint64_t page = raw(lpn_of(unit, offset));
            if (page >= logical_pages_ || drive.places[page] == 0) {
                continue;
            }
            const Ppn place{drive.places[page] - 1};
            std::optional<BlockId>& block = blocks[offset % columns];
            block = block.value_or(geometry.block_of(place));
            CAVERN_CHECK(place == geometry.page(*block, offset / columns),
                         "a page is mounted elsewhere than in its place");
            mapped_.insert(page);
            holds_some = true;
        }
        if (holds_some) {
            has_blocks(unit, blocks);
        }
    }
}

} // namespace cavern
