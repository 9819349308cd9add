#include "core/recovery/rebuild.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/check.h"

namespace cavern {
namespace {

class SuperblockRebuild {
  public:
    SuperblockRebuild(Rebuild& rebuild, const MountNeeds& needs)
        : rebuild_(rebuild), geometry_(rebuild.geometry()), needs_(needs),
          units_(needs.most_of_unit.size()) {}

    void run() {
        rebuild_.erase_unwanted();
        for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
            if (rebuild_.wanted(BlockId{block}) != 0) {
                assign(BlockId{block});
            }
        }
        for (std::size_t unit = 0; unit < units_.size(); ++unit) {
            while (units_[unit].blocks.size() > needs_.most_of_unit[unit]) {
                empty_one(units_[unit]);
            }
            if (units_[unit].open) {
                rebuild_.leave_open(*units_[unit].open);
            }
        }
    }

  private:
    struct Unit {
        std::vector<BlockId> blocks;
        std::optional<BlockId> open; ///< of them, that with the most room
    };

    [[nodiscard]] std::uint32_t room(const Unit& unit) const {
        return unit.open ? rebuild_.pages_left(*unit.open) : 0;
    }

    void assign(BlockId block) {
        const Lpn page = rebuild_.pages_of(block).front();
        Unit& unit = units_[raw(page) / needs_.unit_pages];
        unit.blocks.push_back(block);
        if (rebuild_.pages_left(block) > room(unit)) {
            unit.open = block;
        }
    }

    [[nodiscard]] BlockId cheapest(const Unit& unit) const {
        std::optional<BlockId> best;
        for (const BlockId block : unit.blocks) {
            if (block != unit.open && (!best || rebuild_.wanted(block) < rebuild_.wanted(*best))) {
                best = block;
            }
        }
        CAVERN_CHECK(best && rebuild_.wanted(*best) < geometry_.pages_per_block,
                     "a superblock with too many blocks has one to be emptied");
        return *best;
    }

    void empty_one(Unit& unit) {
        const BlockId victim = cheapest(unit);
        for (const Lpn lpn : rebuild_.pages_of(victim)) {
            if (room(unit) == 0) {
                unit.open = rebuild_.take(plane_near(geometry_.plane_of(victim)));
                unit.blocks.push_back(*unit.open);
            }
            rebuild_.copy(lpn, *unit.open, rebuild_.next(*unit.open));
        }
        rebuild_.erase(victim);
        unit.blocks.erase(std::find(unit.blocks.begin(), unit.blocks.end(), victim));
    }

    /// It, or the one with the most erased blocks.
    [[nodiscard]] PlaneId plane_near(PlaneId wanted) const {
        PlaneId best = wanted;
        for (std::uint32_t i = 0; rebuild_.erased_blocks(wanted) == 0 && i < geometry_.planes();
             ++i) {
            const bool more = rebuild_.erased_blocks(PlaneId{i}) > rebuild_.erased_blocks(best);
            best = more ? PlaneId{i} : best;
        }
        return best;
    }

    Rebuild& rebuild_;
    Geometry geometry_;
    const MountNeeds& needs_;
    std::vector<Unit> units_;
};

} // namespace

void rebuild_superblocks(Rebuild& rebuild, const MountNeeds& needs) {
    SuperblockRebuild(rebuild, needs).run();
}

} // namespace cavern
