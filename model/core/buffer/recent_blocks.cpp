#include "core/buffer/recent_blocks.h"

namespace cavern {

std::optional<std::uint64_t> RecentBlocks::name(std::uint64_t lbn) {
    const std::uint32_t known = slot_of_lbn_.find(lbn);
    if (known != FlatMap::kNone) {
        order_.move_to_mru(known);
        return std::nullopt;
    }
    std::optional<std::uint64_t> dropped;
    std::uint32_t slot = order_.size();
    if (slot == lbns_.size()) {
        slot = order_.lru();
        order_.remove(slot);
        dropped = lbns_[slot];
        slot_of_lbn_.erase(*dropped);
    }
    lbns_[slot] = lbn;
    slot_of_lbn_.set(lbn, slot);
    order_.push_mru(slot);
    return dropped;
}

} // namespace cavern
