#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer/eviction_policy.h"
#include "core/buffer/recency_list.h"

namespace cavern {

class StateArchive;

/// Least recently used page first (CAVE 5.1, SHIM III-C). Every access it is told of makes the page
/// most recent. O(1) per call; a
/// victim costs one step more for each pinned page it passes over.
class LruPage final : public EvictionPolicyIf {
  public:
    explicit LruPage(const EvictionPolicyContext& context) : LruPage(context.capacity) {}
    explicit LruPage(std::uint32_t capacity) : recency_(capacity), lpns_(capacity, kNoLpn) {}

    [[nodiscard]] bool evicts_blocks() const override { return false; }
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override;
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;
    void serialize(StateArchive& archive) override;

  private:
    RecencyList recency_;   ///< over frames
    std::vector<Lpn> lpns_; ///< per frame
};

} // namespace cavern
