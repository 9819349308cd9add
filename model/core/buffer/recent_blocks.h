#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/flat_map.h"
#include "core/buffer/recency_list.h"

namespace cavern {

class StateArchive;

/// The logical blocks named last, a given number of them. O(1) per call, no allocation.
class RecentBlocks {
  public:
    /// `blocks` >= 1.
    explicit RecentBlocks(std::uint32_t blocks)
        : order_(blocks), lbns_(blocks), slot_of_lbn_(blocks) {}

    [[nodiscard]] bool contains(std::uint64_t lbn) const {
        return slot_of_lbn_.find(lbn) != FlatMap::kNone;
    }
    /// `lbn` becomes the newest; returns the oldest if that had to go.
    std::optional<std::uint64_t> name(std::uint64_t lbn);
    void serialize(StateArchive& archive);

  private:
    RecencyList order_;               ///< over slots
    std::vector<std::uint64_t> lbns_; ///< per slot
    FlatMap slot_of_lbn_;
};

} // namespace cavern
