// What must hold in the page-mapping layer at any time between two calls.

#include <algorithm>
#include <string>

#include "core/base/check.h"
#include "core/ftl/page_ftl.h"

namespace cavern {

std::uint64_t PageFtl::check_invariants() const {
    std::uint64_t facts = 0;
    std::uint64_t valid = 0;
    for (std::uint32_t i = 0; i < geometry_.planes(); ++i) {
        facts += check_plane(PlaneId{i});
        valid += planes_[i].valid;
    }
    const std::uint64_t mapped = l2p_.count_used();
    // With check_block this makes the map injective: as many physical pages name a logical page
    // that points back to them as there are logical pages that point anywhere.
    CAVERN_CHECK(mapped == valid, std::to_string(mapped) + " logical pages are mapped but " +
                                      std::to_string(valid) + " physical pages are valid");
    return facts + 1;
}

std::uint64_t PageFtl::check_plane(PlaneId id) const {
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
        facts += check_block(block);
    }
    bool garbage = false;
    for (std::uint32_t i = geometry_.slc_blocks; i < pool_.first_fresh(id); ++i) {
        const BlockId block = geometry_.block(id, i);
        const BlockState& state = blocks_[raw(block)];
        const auto all = frontiers(plane);
        auto open = std::count_if(all.begin(), all.end(), [&](const Frontier* f) {
            return is_open(*f) && f->block == raw(block);
        });
        each_of_handles(
            id, [&](const Frontier& f) { open += is_open(f) && f.block == raw(block) ? 1 : 0; });
        CAVERN_CHECK(open == (state.use == BlockUse::kOpen ? 1 : 0),
                     block_name(block) + " is open without being a frontier, or the reverse");
        unused += state.use == BlockUse::kFree ? 1 : 0;
        bad += state.use == BlockUse::kBad ? 1 : 0;
        CAVERN_CHECK((state.use == BlockUse::kEmptied) ==
                         (paced_ && emptying_[raw(id)].block == raw(block) + 1),
                     block_name(block) + " is being emptied without a task, or the reverse");
        CAVERN_CHECK(state.use != BlockUse::kDoomed, block_name(block) + " waits to be retired");
        CAVERN_CHECK(state.use != BlockUse::kBad || state.valid == 0,
                     block_name(block) + " is retired and holds valid pages");
        garbage |= state.use == BlockUse::kClosed && state.valid < pages_per_block_;
        valid += state.valid;
        facts += check_block(block) + 1;
    }
    CAVERN_CHECK(unused == free.size(), where + "a free block is missing from the pool");
    CAVERN_CHECK(bad == plane.bad, where + "the bad blocks are miscounted");
    // What is being emptied gives one back.
    const bool returns = paced_ && emptying_[raw(id)].block != 0;
    CAVERN_CHECK(!free.empty() || returns || faults_ != nullptr,
                 where + "the reserve block is gone");
    CAVERN_CHECK(valid == plane.valid, where + "the valid pages are miscounted");
    const std::optional<BlockId> victim = victims_->choose(id);
    CAVERN_CHECK(victim.has_value() == garbage, where + "the candidates for collection are wrong");
    CAVERN_CHECK(!victim || (blocks_[raw(*victim)].use == BlockUse::kClosed &&
                             blocks_[raw(*victim)].valid < pages_per_block_),
                 where + "the next victim is no candidate");
    return facts + 6;
}

std::uint64_t PageFtl::check_block(BlockId block) const {
    std::uint32_t valid = 0;
    std::optional<std::uint32_t> handle; // of the first valid page
    for (std::uint32_t i = 0; i < pages_per_block_; ++i) {
        const Ppn page = geometry_.page(block, i);
        if (!is_valid(page)) {
            continue;
        }
        ++valid;
        if (handles_ != nullptr && handles_->isolates_persistently()) {
            const std::uint32_t placed = handles_->placed(Lpn{p2l_.get(raw(page))});
            CAVERN_CHECK(handle.value_or(placed) == placed,
                         block_name(block) +
                             " holds data of two handles that are isolated persistently");
            handle = placed;
        }
    }
    CAVERN_CHECK(valid == blocks_[raw(block)].valid,
                 block_name(block) + " counts " + std::to_string(blocks_[raw(block)].valid) +
                     " valid pages and has " + std::to_string(valid));
    return std::uint64_t{pages_per_block_} + 1;
}

} // namespace cavern
