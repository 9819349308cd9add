// What must hold in the physical side of a page-mapped layer at any time between two calls.

#include <string>

#include "core/base/check.h"
#include "core/ftl/flash_space.h"
#include "core/ftl/page_map_if.h"

namespace cavern {

std::uint64_t FlashSpace::check(const PageMapIf& map,
                                const std::vector<std::uint32_t>& emptied) const {
    std::uint64_t facts = 0;
    for (std::uint32_t plane = 0; plane < geometry_.planes(); ++plane) {
        facts += check_plane(PlaneId{plane}, map, emptied.empty() ? 0 : emptied[plane]);
    }
    return facts;
}

std::uint64_t FlashSpace::check_plane(PlaneId id, const PageMapIf& map,
                                      std::uint32_t emptied) const {
    const Plane& plane = planes_[raw(id)];
    const std::string where = "plane " + std::to_string(raw(id)) + ": ";
    std::uint64_t facts = 0;
    const std::vector<BlockId> free = pool_.list(id);
    for (const BlockId block : free) {
        CAVERN_CHECK(blocks_[raw(block)].use == BlockUse::kFree && blocks_[raw(block)].valid == 0,
                     block_name(block) + " is in the free pool and in use");
        ++facts;
    }
    std::size_t unused = 0;
    std::uint32_t bad = 0;
    for (std::uint32_t i = pool_.first_fresh(id); i < geometry_.blocks_per_plane; ++i) {
        const bool is_bad = faults_ != nullptr && faults_->is_factory_bad(geometry_.block(id, i));
        bad += is_bad ? 1 : 0;
        unused += is_bad ? 0 : 1;
    }
    std::uint64_t valid = 0;
    for (std::uint32_t i = 0; i < geometry_.slc_blocks; ++i) {
        const BlockId block = geometry_.block(id, i);
        valid += blocks_[raw(block)].valid;
        facts += check_block(block, map);
    }
    bool garbage = false;
    for (std::uint32_t i = geometry_.slc_blocks; i < pool_.first_fresh(id); ++i) {
        const BlockId block = geometry_.block(id, i);
        const BlockState& state = blocks_[raw(block)];
        std::uint32_t open = 0;
        for (Stream stream = 0; stream < streams_.count(); ++stream) {
            const Frontier& f = at(id, stream);
            open += f.is_open() && f.block == raw(block) ? 1 : 0;
        }
        CAVERN_CHECK(open == (state.use == BlockUse::kOpen ? 1 : 0),
                     block_name(block) + " is open without being a frontier, or the reverse");
        unused += state.use == BlockUse::kFree ? 1 : 0;
        bad += state.use == BlockUse::kBad ? 1 : 0;
        CAVERN_CHECK((state.use == BlockUse::kEmptied) == (emptied == raw(block) + 1),
                     block_name(block) + " is being emptied without a task, or the reverse");
        CAVERN_CHECK(state.use != BlockUse::kDoomed, block_name(block) + " waits to be retired");
        CAVERN_CHECK(state.use != BlockUse::kBad || state.valid == 0,
                     block_name(block) + " is retired and holds valid pages");
        garbage |= state.use == BlockUse::kClosed && state.valid < geometry_.pages_per_block;
        valid += state.valid;
        facts += check_block(block, map) + 1;
    }
    CAVERN_CHECK(unused == free.size(), where + "a free block is missing from the pool");
    CAVERN_CHECK(bad == plane.bad, where + "the bad blocks are miscounted");
    // What is being emptied gives one back.
    CAVERN_CHECK(!free.empty() || emptied != 0 || faults_ != nullptr,
                 where + "the reserve block is gone");
    CAVERN_CHECK(valid == plane.valid, where + "the valid pages are miscounted");
    const std::optional<BlockId> victim = victims_->choose(id);
    CAVERN_CHECK(victim.has_value() == garbage, where + "the candidates for collection are wrong");
    CAVERN_CHECK(!victim || (blocks_[raw(*victim)].use == BlockUse::kClosed &&
                             blocks_[raw(*victim)].valid < geometry_.pages_per_block),
                 where + "the next victim is no candidate");
    return facts + 6;
}

std::uint64_t FlashSpace::check_block(BlockId block, const PageMapIf& map) const {
    const std::uint32_t valid =
        map.count_valid(geometry_.page(block, 0), geometry_.pages_per_block);
    CAVERN_CHECK(valid == blocks_[raw(block)].valid,
                 block_name(block) + " counts " + std::to_string(blocks_[raw(block)].valid) +
                     " valid pages and has " + std::to_string(valid));
    return std::uint64_t{geometry_.pages_per_block} + 1;
}

} // namespace cavern
