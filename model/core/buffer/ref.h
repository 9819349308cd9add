#pragma once

#include <cstdint>
#include <vector>

#include "core/base/knob.h"
#include "core/buffer/cluster_table.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/lru_window.h"
#include "core/buffer/rank_heap.h"
#include "core/buffer/recent_blocks.h"

namespace cavern {

class StateArchive;

struct RefParams {
    std::uint32_t window = 0;  ///< pages; 0: three quarters of the buffer
    std::uint32_t victims = 1; ///< logical blocks remembered as recently evicted
    bool refill_lru = false;   ///< with none in the window: the LRU page, not the fullest block

    static constexpr auto knobs = knobs_of(
        knob<&RefParams::window>("window", "REF chooses victims among this many pages nearest the "
                                           "LRU end; 0: three quarters of the buffer"),
        knob<&RefParams::victims>("victims", "REF remembers this many recently evicted logical "
                                             "blocks and prefers their pages")
            .range(1, 65536),
        knob<&RefParams::refill_lru>("refill", "what REF evicts when its window holds no page of a "
                                               "recently evicted block")
            .of(KnobWord{"most", "A page of the block with most pages in the window leaves."},
                KnobWord{"lru", "The least recently used page leaves."}));
};

/// REF, recently evicted first (Seo & Shin, IEEE TCE 2008; CAVE 3.1): single pages leave, but
/// several of the same few logical blocks one after the other. The victim is the least recently
/// used page of the victim window (the pages nearest the LRU end) whose block was recently evicted
/// from; without one, of the block with most pages in the window (of several, the one with the
/// least recently used page). O(log n) per call.
class Ref final : public EvictionPolicyIf {
  public:
    using Params = RefParams;

    Ref(const EvictionPolicyContext& context, const Params& params)
        : Ref(context.capacity, context.geometry.pages_per_block,
              context.window(params.window, 3, 4), params.victims, params.refill_lru) {}
    /// `window` pages >= 1; `victims` >= 1 blocks remembered; `refill_lru`: without a page of those
    /// the LRU page leaves.
    Ref(std::uint32_t capacity, std::uint32_t pages_per_block, std::uint32_t window,
        std::uint32_t victims, bool refill_lru);

    [[nodiscard]] bool evicts_blocks() const override { return false; }
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override;
    /// With the whole window pinned, the least recently used page outside leaves.
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;
    void serialize(StateArchive& archive) override;

  private:
    static constexpr std::uint32_t kNone = ClusterTable::kNone;

    void take_out(std::uint32_t frame);
    void put_in(std::uint32_t frame);
    void enter_window(std::uint32_t frame);
    void rerank(std::uint32_t cluster);
    void remember(std::uint64_t lbn);
    [[nodiscard]] std::uint32_t page_of_recent_block(const Pins& pins);
    [[nodiscard]] std::uint32_t page_of_fullest_block(const Pins& pins);
    [[nodiscard]] std::uint32_t first_free(std::uint32_t cluster, const Pins& pins) const;

    LruWindow order_;                      ///< over frames
    std::vector<Lpn> lpns_;                ///< per frame
    std::vector<std::uint64_t> placed_at_; ///< per frame: number of the access that made it MRU
    std::uint64_t accesses_ = 0;
    bool refill_lru_;
    ClusterTable inside_; ///< the window's pages by logical block, least recently used first
    RecentBlocks recent_;
    RankHeap recent_by_age_; ///< clusters of recently evicted blocks, by their oldest page
    RankHeap by_pages_;      ///< clusters, largest first, then by their oldest page
};

} // namespace cavern
