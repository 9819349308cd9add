#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/counter.h"
#include "core/base/decision_log.h"
#include "core/base/flat_map.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/pins.h"

namespace cavern {

class StateArchive;

/// Any order policy, made aware of the commands that wait in the device's queue (Kim & Kim 2013,
/// section III, Figures 1 and 2): units (pages, or logical blocks, as the order has them) that such
/// a command will use move to a virtual section above the MRU end, where no victim is looked for
/// while there are others. What is resident when the command arrives is pinned, nothing later; new
/// pages enter below the virtual section. When the buffer has served the command, its pins go; its
/// own accesses were ordinary ones. Where every unit is pinned, the order's own choice leaves, and
/// its pins with it. Needs O(units spanned) for a command, nothing for a page beyond one map
/// look-up.
///
/// Figure 2 names the first block of a command max_bn and the last min_bn, and then asks for
/// bn >= min_bn and bn <= max_bn: taken by the letter, a command of several units pins nothing.
/// `literal_minmax` does so.
class NcqAware final : public EvictionPolicyIf {
  public:
    struct Params {
        std::uint32_t capacity = 0; ///< page frames
        std::uint32_t pages_per_block = 1;
        std::uint32_t most_pages =
            0; ///< a pin that would protect more pages than these is not taken
        bool literal_minmax = false;
    };
    struct Counters {
        std::uint64_t pins = 0;
        std::uint64_t refused = 0;
        std::uint64_t pinned_victims = 0;

        static constexpr auto declared =
            counters_of(counter(&Counters::pins, "pins", "units",
                                "Units moved to the virtual section for a command that waits."),
                        counter(&Counters::refused, "pins_refused", "units",
                                "Units not moved there because buffer.ncq_max_pinned was reached."),
                        counter(&Counters::pinned_victims, "pinned_victims", "units",
                                "Units that left though pinned, because all were."));
    };
    /// The handle of a command that pins nothing.
    static constexpr std::uint32_t kNoPins = 0xFFFF'FFFFu;

    /// `log` may be null.
    NcqAware(std::unique_ptr<EvictionPolicyIf> order, const Params& params, DecisionLogIf* log);

    /// Names the pins, which pop_victim is called with as well; before anything else.
    void attach(Pins& pins) { pins_ = &pins; }

    /// A read or write of the pages `first` .. `last` has joined commands that wait. Returns what
    /// on_served takes.
    [[nodiscard]] std::uint32_t on_arrival(Lpn first, Lpn last);
    /// All its pages have passed the buffer.
    void on_served(std::uint32_t command);

    [[nodiscard]] const Counters& counters() const { return counters_; }
    void reset_counters() { counters_ = {}; }
    [[nodiscard]] std::uint32_t pinned_pages() const { return pinned_pages_; }
    /// Throws ModelError unless pins and pages agree, and, with no command waiting, nothing is
    /// pinned. Returns facts compared.
    [[nodiscard]] std::uint64_t check_invariants(bool queue_empty) const;

    [[nodiscard]] bool evicts_blocks() const override { return by_block_; }
    [[nodiscard]] bool pads_blocks() const override { return order_->pads_blocks(); }
    void on_miss(Lpn lpn) override { order_->on_miss(lpn); }
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override { order_->drain_order(frames); }
    void on_clean(FrameId frame) override { order_->on_clean(frame); }
    void on_batch(std::uint32_t units) override { order_->on_batch(units); }
    [[nodiscard]] CounterView own_counters() const override { return order_->own_counters(); }
    void reset_own_counters() override { order_->reset_own_counters(); }
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;
    void serialize(StateArchive& archive) override;

  private:
    /// A pin of a command. Free ones and those of one command are linked.
    struct Pin {
        std::uint64_t unit = 0;
        std::uint32_t stay = 0; ///< which stay of the unit among the pinned it belongs to
        std::uint32_t next = kNoPins;
    };

    [[nodiscard]] std::uint64_t unit_of(Lpn lpn) const;
    std::uint32_t new_pin(std::uint64_t unit, std::uint32_t stay);
    /// Returns whether the unit is in the virtual section now.
    [[nodiscard]] bool hold(std::uint64_t unit);
    /// Its pages no longer count as pinned.
    void end_stay(std::uint64_t unit);
    void page_left(std::uint64_t unit);

    std::unique_ptr<EvictionPolicyIf> order_;
    Params params_;
    DecisionLogIf* log_;
    bool by_block_;
    Pins* pins_ = nullptr;
    FlatMap pages_;           ///< resident pages of each unit that has any
    FlatMap stays_;           ///< of each pinned unit
    std::vector<Lpn> lpn_of_; ///< per frame
    std::vector<Pin> pool_;
    std::uint32_t free_ = kNoPins;
    std::uint32_t next_stay_ = 0;
    std::uint32_t pinned_pages_ = 0;
    std::uint64_t held_ = 0; ///< pins that commands hold, those that are void among them
    Counters counters_;
};

} // namespace cavern
