#pragma once

#include <cstdint>
#include <vector>

#include "core/base/knob.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/lru_window.h"

namespace cavern {

class StateArchive;

struct CflruParams {
    std::uint32_t window = 0; ///< pages; 0: a quarter of the buffer

    static constexpr auto knobs = knobs_of(knob<&CflruParams::window>(
        "window", "CFLRU looks for clean victims among this many pages nearest the LRU end; 0: a "
                  "quarter of the buffer"));
};

/// CFLRU, clean first (Park, Jung, Kang, Kim, Lee, CASES 2006): of the pages nearest the LRU end
/// (the clean-first region) the least recently used clean one leaves, which costs no flash write;
/// without a clean one there, the LRU page. For a buffer that keeps pages read. O(1) per call; a
/// victim costs a step more for each pinned page it passes over.
class Cflru final : public EvictionPolicyIf {
  public:
    using Params = CflruParams;

    Cflru(const EvictionPolicyContext& context, const Params& params)
        : Cflru(context.capacity, context.window(params.window, 1, 4)) {}
    /// `window` >= 1 pages of the region.
    Cflru(std::uint32_t capacity, std::uint32_t window);

    [[nodiscard]] bool evicts_blocks() const override { return false; }
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override;
    void on_clean(FrameId frame) override;
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;
    void serialize(StateArchive& archive) override;

  private:
    void take_out(std::uint32_t frame);
    void put_in(std::uint32_t frame);
    void enter_region(std::uint32_t frame);

    LruWindow order_;                 ///< over frames; its window is the region
    RecencyList clean_;               ///< the region's clean pages, least recently used first
    std::vector<std::uint8_t> dirty_; ///< per frame
    std::vector<Lpn> lpns_;           ///< per frame
};

} // namespace cavern
