#pragma once

#include <cstdint>
#include <vector>

#include "core/base/flat_map.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/index_lists.h"

namespace cavern {

class StateArchive;

/// ARC (Megiddo & Modha, FAST 2003, Fig. 4): pages used once (T1) and pages used again (T2) share
/// the buffer at a target size of T1 that follows which of the two the misses would have hit, as
/// told by lists of pages that left either (B1, B2). For a buffer that keeps pages read. O(1) per
/// call; a victim costs a step more for each pinned page it passes over. Beyond the paper, because
/// here pages also leave several at a time, ahead of a full buffer, by TRIM, or not while pinned: a
/// victim that the list to be reduced cannot give comes from the other.
class Arc final : public EvictionPolicyIf {
  public:
    explicit Arc(const EvictionPolicyContext& context) : Arc(context.capacity) {}
    explicit Arc(std::uint32_t capacity);

    [[nodiscard]] bool evicts_blocks() const override { return false; }
    void on_miss(Lpn lpn) override;
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override;
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;

    /// p, the target size of T1 in pages, 0 .. capacity.
    [[nodiscard]] double target() const { return target_; }
    void serialize(StateArchive& archive) override;

  private:
    static constexpr std::uint32_t kNone = IndexLists::kNone;

    /// List 0 or 1 of frames_ and of ghosts_: used once, used again.
    enum List : std::uint32_t { kOnce, kAgain, kLists };

    void add_ghost(List list, Lpn lpn);
    void drop_ghost(std::uint32_t ghost);
    void drop_oldest_ghost(List list) { drop_ghost(ghosts_.oldest(list)); }

    std::uint32_t capacity_;
    double target_ = 0.0;
    IndexLists frames_;     ///< T1, T2
    std::vector<Lpn> lpns_; ///< per frame
    IndexLists ghosts_;     ///< B1, B2 over ghost slots
    std::vector<Lpn> ghost_lpns_;
    std::vector<std::uint32_t> free_ghosts_; ///< stack
    FlatMap ghost_of_lpn_;

    // Between on_miss and on_insert:
    Lpn missed_ = kNoLpn;
    List missed_from_ = kLists; ///< list of ghosts that held it; kLists: none
    bool forget_once_ = false;  ///< the next victim of T1 leaves no ghost
};

} // namespace cavern
