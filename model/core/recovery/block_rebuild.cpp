#include "core/recovery/block_rebuild.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "core/base/check.h"

namespace cavern {
namespace {

class BlockRebuild {
  public:
    BlockRebuild(Rebuild& rebuild, std::uint32_t most_of_plane, bool strict_order)
        : rebuild_(rebuild), geometry_(rebuild.geometry()), scan_(rebuild.scan()),
          most_of_plane_(most_of_plane), strict_order_(strict_order),
          units_((scan_.places().size() + geometry_.pages_per_block - 1) /
                 geometry_.pages_per_block),
          placed_(geometry_.planes(), 0) {}

    void run() {
        rebuild_.erase_unwanted();
        for (std::size_t unit = 0; unit < units_.size(); ++unit) {
            each_page(unit, [&](Lpn, std::uint32_t) { ++units_[unit].pages; });
        }
        for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
            look_at(BlockId{block});
        }
        for (std::size_t unit = 0; unit < units_.size(); ++unit) {
            if (units_[unit].block) {
                settle(unit);
            }
        }
        rebuild_.erase_unwanted();
        while (const std::optional<std::size_t> unit = next_to_merge()) {
            merge(*unit, plane_for(*unit));
        }
        spread();
    }

  private:
    struct Unit {
        std::uint32_t pages = 0;      ///< that hold something
        std::optional<BlockId> block; ///< that holds all of them in their places
    };

    template <typename Act>
    void each_page(std::size_t unit, Act act) const {
        for (std::uint32_t offset = 0; offset < geometry_.pages_per_block; ++offset) {
            const Lpn lpn{unit * geometry_.pages_per_block + offset};
            if (raw(lpn) < scan_.places().size() && scan_.places()[raw(lpn)] != 0) {
                act(lpn, offset);
            }
        }
    }

    /// Whether the block holds a logical block whole: then it may stay.
    void look_at(BlockId id) {
        if (rebuild_.next(id) == 0 || rebuild_.array().is_torn(geometry_.page(id, 0))) {
            return;
        }
        std::optional<std::size_t> unit;
        std::uint32_t newest = 0;
        for (std::uint32_t i = 0; i < rebuild_.next(id); ++i) {
            const Ppn page = geometry_.page(id, i);
            const Lpn lpn = rebuild_.array().stored_lpn(page);
            if (lpn == kNoLpn) {
                continue;
            }
            const std::size_t of = raw(lpn) / geometry_.pages_per_block;
            if (raw(lpn) % geometry_.pages_per_block != i || unit.value_or(of) != of) {
                return;
            }
            unit = of;
            newest += scan_.places()[raw(lpn)] != 0 &&
                              rebuild_.array().stored_version(page) == scan_.versions()[raw(lpn)]
                          ? 1
                          : 0;
        }
        if (unit && newest != 0 && newest == units_[*unit].pages && !units_[*unit].block) {
            units_[*unit].block = id;
        }
    }

    void settle(std::size_t unit) {
        const BlockId block = *units_[unit].block;
        each_page(unit, [&](Lpn lpn, std::uint32_t offset) {
            rebuild_.point_to(lpn, geometry_.page(block, offset));
        });
        ++placed_[raw(geometry_.plane_of(block))];
    }

    [[nodiscard]] std::set<BlockId> blocks_of(std::size_t unit) const {
        std::set<BlockId> blocks;
        each_page(unit, [&](Lpn lpn, std::uint32_t) {
            blocks.insert(geometry_.block_of(Ppn{scan_.places()[raw(lpn)] - 1}));
        });
        return blocks;
    }

    /// Blocks that hold pages of the unit alone.
    [[nodiscard]] std::uint32_t given_back(std::size_t unit) const {
        std::uint32_t blocks = 0;
        for (const BlockId block : blocks_of(unit)) {
            std::uint32_t own = 0;
            each_page(unit, [&](Lpn lpn, std::uint32_t) {
                own += geometry_.block_of(Ppn{scan_.places()[raw(lpn)] - 1}) == block ? 1 : 0;
            });
            blocks += own == rebuild_.wanted(block) ? 1 : 0;
        }
        return blocks;
    }

    [[nodiscard]] std::optional<std::size_t> next_to_merge() const {
        std::optional<std::size_t> best;
        std::uint32_t most = 0;
        for (std::size_t unit = 0; unit < units_.size(); ++unit) {
            if (units_[unit].pages == 0 || units_[unit].block) {
                continue;
            }
            const std::uint32_t blocks = given_back(unit);
            if (!best || blocks > most) {
                best = unit;
                most = blocks;
            }
        }
        return best;
    }

    /// One of those that hold its pages, if it has room; else the one with the most erased blocks.
    [[nodiscard]] PlaneId plane_for(std::size_t unit) const {
        for (const BlockId block : blocks_of(unit)) {
            const PlaneId plane = geometry_.plane_of(block);
            if (rebuild_.erased_blocks(plane) != 0 && placed_[raw(plane)] < most_of_plane_) {
                return plane;
            }
        }
        PlaneId best{0};
        for (std::uint32_t i = 0; i < geometry_.planes(); ++i) {
            const PlaneId plane{i};
            const auto rank = [this](PlaneId each) {
                const bool room = placed_[raw(each)] < most_of_plane_;
                const std::uint32_t erased = rebuild_.erased_blocks(each);
                return erased == 0 ? 0 : erased + (room ? geometry_.blocks_per_plane : 0);
            };
            best = rank(plane) > rank(best) ? plane : best;
        }
        return best;
    }

    void merge(std::size_t unit, PlaneId plane) {
        const std::set<BlockId> from = blocks_of(unit);
        const BlockId into = rebuild_.take(plane);
        each_page(unit, [&](Lpn lpn, std::uint32_t offset) {
            if (strict_order_) {
                rebuild_.fill_to(into, offset);
            }
            rebuild_.copy(lpn, into, offset);
        });
        for (const BlockId block : from) {
            if (rebuild_.wanted(block) == 0) {
                rebuild_.erase(block);
            }
        }
        units_[unit].block = into;
        ++placed_[raw(plane)];
    }

    /// Logical blocks of planes that have too many move to others.
    void spread() {
        for (std::size_t unit = 0; unit < units_.size(); ++unit) {
            if (!units_[unit].block) {
                continue;
            }
            const PlaneId plane = geometry_.plane_of(*units_[unit].block);
            if (placed_[raw(plane)] > most_of_plane_) {
                const auto least = std::min_element(placed_.begin(), placed_.end());
                --placed_[raw(plane)];
                merge(unit, PlaneId{static_cast<std::uint32_t>(least - placed_.begin())});
            }
        }
    }

    Rebuild& rebuild_;
    Geometry geometry_;
    SpareScan& scan_;
    std::uint32_t most_of_plane_;
    bool strict_order_;
    std::vector<Unit> units_;
    std::vector<std::uint32_t> placed_; ///< by plane: logical blocks in their last place
};

} // namespace

void rebuild_blocks(Rebuild& rebuild, std::uint32_t most_of_plane, bool strict_order) {
    BlockRebuild(rebuild, most_of_plane, strict_order).run();
}

} // namespace cavern
