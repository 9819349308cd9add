#include "core/recovery/rebuild.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/base/check.h"

namespace cavern {
namespace {

class BlockRebuild {
  public:
    BlockRebuild(Rebuild& rebuild, const MountNeeds& needs, bool strict_order)
        : rebuild_(rebuild), geometry_(rebuild.geometry()), scan_(rebuild.scan()), needs_(needs),
          strict_order_(strict_order),
          unit_pages_(std::uint64_t{needs.columns} * geometry_.pages_per_block),
          units_((scan_.places().size() + unit_pages_ - 1) / unit_pages_),
          blocks_(units_ * needs.columns), placed_(geometry_.planes(), 0) {}

    void run() {
        rebuild_.erase_unwanted();
        std::uint64_t page = 0;
        for (const std::uint64_t place : scan_.places()) {
            blocks_[number_of(Lpn{page++})].pages += place != 0 ? 1 : 0;
        }
        for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
            look_at(BlockId{block});
        }
        for (std::size_t number = 0; number < blocks_.size(); ++number) {
            if (blocks_[number].block) {
                settle(number);
            }
        }
        rebuild_.erase_unwanted();
        while (const std::optional<std::size_t> unit = next_to_merge()) {
            for (std::size_t number = *unit * needs_.columns; number < (*unit + 1) * needs_.columns;
                 ++number) {
                if (is_scattered(number)) {
                    merge(number, plane_for(number));
                }
            }
        }
        spread();
    }

  private:
    struct LogicalBlock {
        std::uint32_t pages = 0;      ///< that hold something
        std::optional<BlockId> block; ///< that holds all of them in their places
    };

    /// Its column of a superblock, row by row.
    template <typename Act>
    void each_page(std::size_t number, Act act) const {
        const std::uint64_t first = number / needs_.columns * unit_pages_ + number % needs_.columns;
        for (std::uint32_t row = 0; row < geometry_.pages_per_block; ++row) {
            const Lpn lpn{first + std::uint64_t{row} * needs_.columns};
            if (raw(lpn) < scan_.places().size() && scan_.places()[raw(lpn)] != 0) {
                act(lpn, row);
            }
        }
    }
    [[nodiscard]] std::size_t number_of(Lpn lpn) const {
        return raw(lpn) / unit_pages_ * needs_.columns + raw(lpn) % needs_.columns;
    }
    [[nodiscard]] std::uint64_t row_of(Lpn lpn) const {
        return raw(lpn) % unit_pages_ / needs_.columns;
    }
    [[nodiscard]] bool is_scattered(std::size_t number) const {
        return blocks_[number].pages != 0 && !blocks_[number].block;
    }

    /// Whether the block holds a logical block whole: then it may stay.
    void look_at(BlockId id) {
        if (rebuild_.next(id) == 0 || rebuild_.array().is_torn(geometry_.page(id, 0))) {
            return;
        }
        std::optional<std::size_t> number;
        std::uint32_t newest = 0;
        for (std::uint32_t i = 0; i < rebuild_.next(id); ++i) {
            const Ppn page = geometry_.page(id, i);
            const Lpn lpn = rebuild_.array().stored_lpn(page);
            if (lpn == kNoLpn) {
                continue;
            }
            const std::size_t of = number_of(lpn);
            if (row_of(lpn) != i || number.value_or(of) != of) {
                return;
            }
            number = of;
            newest += scan_.places()[raw(lpn)] != 0 &&
                              rebuild_.array().stored_version(page) == scan_.versions()[raw(lpn)]
                          ? 1
                          : 0;
        }
        if (number && newest != 0 && newest == blocks_[*number].pages && !blocks_[*number].block) {
            blocks_[*number].block = id;
        }
    }

    void settle(std::size_t number) {
        const BlockId block = *blocks_[number].block;
        each_page(number, [&](Lpn lpn, std::uint32_t row) {
            rebuild_.point_to(lpn, geometry_.page(block, row));
        });
        ++placed_[raw(geometry_.plane_of(block))];
    }

    void add_blocks_of(std::size_t number, std::map<BlockId, std::uint32_t>& pages) const {
        each_page(number, [&](Lpn lpn, std::uint32_t) {
            ++pages[geometry_.block_of(Ppn{scan_.places()[raw(lpn)] - 1})];
        });
    }

    /// Blocks that a merge of the superblock gives back, less those that it takes; nothing if there
    /// is nothing to merge.
    [[nodiscard]] std::optional<std::int64_t> gain_of(std::size_t unit) const {
        std::map<BlockId, std::uint32_t> pages;
        std::int64_t gain = 0;
        for (std::size_t number = unit * needs_.columns; number < (unit + 1) * needs_.columns;
             ++number) {
            if (is_scattered(number)) {
                add_blocks_of(number, pages);
                --gain;
            }
        }
        if (gain == 0) {
            return std::nullopt;
        }
        for (const auto& [block, own] : pages) {
            gain += own == rebuild_.wanted(block) ? 1 : 0;
        }
        return gain;
    }

    [[nodiscard]] std::optional<std::size_t> next_to_merge() const {
        std::optional<std::size_t> best;
        std::int64_t most = 0;
        for (std::size_t unit = 0; unit < units_; ++unit) {
            const std::optional<std::int64_t> gain = gain_of(unit);
            if (gain && (!best || *gain > most)) {
                best = unit;
                most = *gain;
            }
        }
        return best;
    }

    /// Its home or, without homes, one of those that hold its pages, if it has room; else the one
    /// with the most erased blocks.
    [[nodiscard]] PlaneId plane_for(std::size_t number) const {
        const auto takes = [this](PlaneId plane) {
            return rebuild_.erased_blocks(plane) != 0 && placed_[raw(plane)] < needs_.most_of_plane;
        };
        std::map<BlockId, std::uint32_t> pages;
        if (!needs_.homes.empty() && takes(needs_.homes[number])) {
            return needs_.homes[number];
        }
        if (needs_.homes.empty()) {
            add_blocks_of(number, pages);
        }
        for (const auto& [block, own] : pages) {
            if (takes(geometry_.plane_of(block))) {
                return geometry_.plane_of(block);
            }
        }
        PlaneId best{0};
        for (std::uint32_t i = 0; i < geometry_.planes(); ++i) {
            const PlaneId plane{i};
            const auto rank = [this](PlaneId each) {
                const bool room = placed_[raw(each)] < needs_.most_of_plane;
                const std::uint32_t erased = rebuild_.erased_blocks(each);
                return erased == 0 ? 0 : erased + (room ? geometry_.blocks_per_plane : 0);
            };
            best = rank(plane) > rank(best) ? plane : best;
        }
        return best;
    }

    void merge(std::size_t number, PlaneId plane) {
        std::map<BlockId, std::uint32_t> from;
        add_blocks_of(number, from);
        const BlockId into = rebuild_.take(plane);
        each_page(number, [&](Lpn lpn, std::uint32_t row) {
            if (strict_order_) {
                rebuild_.fill_to(into, row);
            }
            rebuild_.copy(lpn, into, row);
        });
        for (const auto& [block, own] : from) {
            if (rebuild_.wanted(block) == 0) {
                rebuild_.erase(block);
            }
        }
        blocks_[number].block = into;
        ++placed_[raw(plane)];
    }

    /// Logical blocks of planes that have too many move to others.
    void spread() {
        for (std::size_t number = 0; number < blocks_.size(); ++number) {
            if (!blocks_[number].block) {
                continue;
            }
            const PlaneId plane = geometry_.plane_of(*blocks_[number].block);
            if (placed_[raw(plane)] > needs_.most_of_plane) {
                const auto least = std::min_element(placed_.begin(), placed_.end());
                --placed_[raw(plane)];
                merge(number, PlaneId{static_cast<std::uint32_t>(least - placed_.begin())});
            }
        }
    }

    Rebuild& rebuild_;
    Geometry geometry_;
    SpareScan& scan_;
    const MountNeeds& needs_;
    bool strict_order_;
    std::uint64_t unit_pages_;
    std::size_t units_; ///< superblocks
    std::vector<LogicalBlock> blocks_;
    std::vector<std::uint32_t> placed_; ///< by plane: logical blocks in their last place
};

} // namespace

void rebuild_blocks(Rebuild& rebuild, const MountNeeds& needs, bool strict_order) {
    BlockRebuild(rebuild, needs, strict_order).run();
}

} // namespace cavern
