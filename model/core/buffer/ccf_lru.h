#pragma once

#include <cstdint>
#include <vector>

#include "core/base/knob.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/recency_list.h"

namespace cavern {

class StateArchive;

struct CcfLruParams {
    bool new_dirty_cold = true;

    static constexpr auto knobs = knobs_of(knob<&CcfLruParams::new_dirty_cold>(
        "new_dirty_cold", "CCF-LRU counts a page as cold when it is first written"));
};

/// CCF-LRU, cold clean first (Li, Jung, Wang, Cai, IEEE TCE 2009): pages read once leave first.
/// Then the mixed list of dirty and of hot clean pages is looked through from its LRU end: a cold
/// page leaves, a hot one loses its heat and gets another round (a clean one among those read
/// once). For a buffer that keeps pages read. O(1) per call, amortised; a victim costs a step more
/// for each pinned page it passes over.
class CcfLru final : public EvictionPolicyIf {
  public:
    using Params = CcfLruParams;

    CcfLru(const EvictionPolicyContext& context, const Params& params)
        : CcfLru(context.capacity, params.new_dirty_cold) {}
    /// `new_dirty_cold`: a page first written starts cold.
    CcfLru(std::uint32_t capacity, bool new_dirty_cold);

    [[nodiscard]] bool evicts_blocks() const override { return false; }
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override;
    void on_clean(FrameId frame) override;
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;
    void serialize(StateArchive& archive) override;

  private:
    static constexpr std::uint32_t kNone = RecencyList::kNone;

    struct Page {
        Lpn lpn = kNoLpn;
        bool dirty = false;
        bool cold = false;
    };

    void unlist(std::uint32_t frame);
    /// A cold page of the mixed list; every hot one passed over is demoted.
    [[nodiscard]] std::uint32_t demote_until_cold(const Pins& pins);

    bool new_dirty_cold_;
    RecencyList mixed_;       ///< over frames
    RecencyList cold_clean_;  ///< over frames
    std::vector<Page> pages_; ///< per frame
};

} // namespace cavern
