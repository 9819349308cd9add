#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/alloc/allocator.h"
#include "core/alloc/plane_turn.h"
#include "core/base/decision_log.h"
#include "core/base/geometry.h"
#include "core/base/knob.h"
#include "core/base/lazy_array.h"

namespace cavern {

class StateArchive;

enum class RoundRobinMode : std::uint8_t {
    kSticky, ///< a logical block keeps the die it got first
    kFree,   ///< it gets the next die each time it is evicted; no data moves
    kMove,   ///< likewise, and a block-mapped FTL moves what it had elsewhere (CAVE 4.2)
    kGather, ///< likewise, and its next log block goes there (FtlParams::gather)
};

/// Marks the home of a logical block (its die + 1) that the batch under way has given.
inline constexpr std::uint32_t kInBatch = 0x8000'0000u;

struct BlockRoundRobinParams {
    RoundRobinMode mode = RoundRobinMode::kFree;

    static constexpr auto knobs = knobs_of(
        knob<&BlockRoundRobinParams::mode>("mode",
                                           "what happens to the die of a logical block that "
                                           "is evicted again")
            .of(KnobWord{"sticky", "A logical block keeps the die it was given first."},
                KnobWord{"free", "A logical block is given the next die at each eviction; no data "
                                 "moves."},
                KnobWord{"move", "As free, and a block-mapped translation layer moves what the "
                                 "block had elsewhere."},
                KnobWord{"gather", "As free, and the next log block of the logical block goes to "
                                   "the new die, where its pages meet when they are merged."})
            .from("CAVE, section 4.2: the cost of a changed die is taken as rare"));
};

/// CAVE's round-robin block allocator (CAVE 4.2): victims go to the dies in turn, channels fastest,
/// one die per logical block and batch, so that a batch keeps all dies busy. Within a die the pages
/// go to its planes in turn. Dies and planes without room are passed over; a logical block whose
/// home is full gets another even in sticky mode. O(1) per page while dies have room.
///
/// Room is asked once per page of a batch against the state before the batch. Callers that write
/// several pages to a nearly full plane ask again before each write (FtlIf::has_room) and have a
/// page whose plane has filled meanwhile placed anew.
class BlockRoundRobin final : public AllocatorIf {
  public:
    using Params = BlockRoundRobinParams;

    BlockRoundRobin(const AllocatorContext& context, const Params& params)
        : BlockRoundRobin(context.geometry, params.mode, context.space, context.log) {}
    /// `space` is used by place() only and must outlive the allocator. `log` may be null.
    BlockRoundRobin(const Geometry& geometry, RoundRobinMode mode, const SpaceIf& space,
                    DecisionLogIf* log);

    /// Throws ModelError if no plane of the drive has room.
    void place(const Lpn* pages, std::size_t count, PlaneId* planes) override;

    /// In sticky mode the home of its block, while that has room.
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn) const override;

    /// Die that `lbn` was given last, if any.
    [[nodiscard]] std::optional<DieId> home(Lbn lbn) const;
    void serialize(StateArchive& archive) override;

  private:
    /// Chooses the die of a logical block that this batch has not met yet.
    [[nodiscard]] DieId choose_die(std::optional<DieId> home, Lpn lpn);

    Geometry geometry_;
    RoundRobinMode mode_;
    DecisionLogIf* log_;
    PlaneTurn turn_;
    std::uint32_t next_die_ = 0;
    LazyArray<std::uint32_t> homes_; ///< per logical block: die + 1, and kInBatch
};

} // namespace cavern
