#pragma once

#include <cstdint>
#include <vector>

#include "core/base/die_load.h"
#include "core/base/knob.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/lru_window.h"

namespace cavern {

class StateArchive;

struct MultichipParams {
    std::uint32_t window = 0; ///< pages; 0: a quarter of the buffer

    static constexpr auto knobs = knobs_of(knob<&MultichipParams::window>(
        "window", "the multichip policy looks for pages of idle dies among this many pages nearest "
                  "the LRU end; 0: a quarter of the buffer"));
};

/// Multi-chip-aware replacement (Seol, Shim, Kim, Maeng, CASES 2009; CAVE 3.1): of the pages
/// nearest the LRU end (the replacement window) the least recently used one whose die is idle
/// leaves; without one, the LRU page. Of a batch, each page goes to another die, and the batch ends
/// where the window, as it was at its begin, has no such page left. A page that may go to any die
/// waits for none. Partially filled pages, which would also occupy the die of their old copy, do
/// not exist in this buffer. O(dies) per victim, and a step more for each pinned page it passes
/// over; O(1) for the other calls.
class Multichip final : public EvictionPolicyIf {
  public:
    using Params = MultichipParams;
    struct Counters {
        std::uint64_t idle_die_victims = 0;
        std::uint64_t lru_victims = 0;

        static constexpr auto declared = counters_of(
            counter(&Counters::idle_die_victims, "idle_die_victims", "pages",
                    "Victims taken from the window because their die was idle or not fixed yet."),
            counter(&Counters::lru_victims, "lru_victims", "pages",
                    "Victims taken at the LRU end because the window had no such page."));
    };

    Multichip(const EvictionPolicyContext& context, const Params& params)
        : Multichip(context.capacity, context.window(params.window, 1, 4), context.geometry.dies(),
                    context.load, context.destination) {}
    /// `window` >= 1 pages. `load` may be null (every die is idle), `destination` too (any die).
    /// The die of a page is asked for when it enters the window.
    Multichip(std::uint32_t capacity, std::uint32_t window, std::uint32_t dies, const DieLoad* load,
              const DestinationIf* destination);

    [[nodiscard]] bool evicts_blocks() const override { return false; }
    void on_batch(std::uint32_t units) override;
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override;
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;
    [[nodiscard]] CounterView own_counters() const override { return counters_; }
    void reset_own_counters() override { counters_ = {}; }
    void serialize(StateArchive& archive) override;

  private:
    static constexpr std::uint32_t kNone = LruWindow::kNone;

    void take_out(std::uint32_t frame);
    void put_in(std::uint32_t frame);
    void enter_window(std::uint32_t frame);
    [[nodiscard]] std::uint32_t idle_die_page(const Pins& pins) const;
    [[nodiscard]] bool is_free(std::uint32_t list) const;

    LruWindow order_;                      ///< over frames
    std::vector<Lpn> lpns_;                ///< per frame
    std::vector<std::uint64_t> placed_at_; ///< per frame: number of the access that made it MRU
    std::uint64_t accesses_ = 0;
    const DieLoad* load_;
    const DestinationIf* destination_;
    std::uint32_t dies_;
    IndexLists by_die_; ///< the window's pages by die, LRU first; list dies_: those for any

    bool in_batch_ = false;
    bool batch_begun_ = false;            ///< it has a victim already
    std::uint64_t batch_newest_ = 0;      ///< placed_at_ of the window's newest page at its begin
    std::uint64_t batch_ = 0;             ///< number of the batch
    std::vector<std::uint64_t> taken_in_; ///< per die: the last batch with a page for it
    Counters counters_;
};

} // namespace cavern
