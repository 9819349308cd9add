#include "firmware/twin/guided_allocator.h"

#include <string>

#include "core/alloc/block_round_robin.h"
#include "core/base/check.h"

namespace cavern {

void GuidedAllocator::place(const Lpn* pages, std::size_t count, PlaneId* planes) {
    std::size_t placed = 0;
    const Batch* const batch = guide_.batch();
    for (std::size_t i = 0; batch != nullptr && i < batch->ops.size(); ++i) {
        const FlashOp& op = batch->ops[i];
        if (!op.is_hosts()) {
            continue;
        }
        CAVERN_CHECK(placed < count, "more pages are programmed than leave the buffer");
        CAVERN_CHECK(raw(op.page) < geometry_.pages(),
                     "operation " + std::to_string(i) + " programs a page beyond the drive");
        planes[placed++] = geometry_.plane_of(geometry_.block_of(op.page));
    }
    CAVERN_CHECK(placed == count, "of " + std::to_string(count) + " pages " +
                                      std::to_string(placed) + " are programmed");
    for (std::size_t i = 0; log_ != nullptr && i < count; ++i) {
        note_die(geometry_.lbn_of(pages[i]), geometry_.die_of(planes[i]));
    }
    for (std::size_t i = 0; log_ != nullptr && i < count; ++i) {
        homes_[raw(geometry_.lbn_of(pages[i]))] &= ~kInBatch;
    }
}

void GuidedAllocator::note_die(Lbn lbn, DieId die) {
    std::uint32_t& home = homes_[raw(lbn)];
    if ((home & kInBatch) != 0) {
        return;
    }
    const bool moves = home != 0 && home != raw(die) + 1;
    log_->allocate(lbn, die, moves ? std::optional<DieId>(DieId{home - 1}) : std::nullopt);
    home = (raw(die) + 1) | kInBatch;
}

} // namespace cavern
