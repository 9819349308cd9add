#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/knob.h"
#include "core/base/lazy_array.h"
#include "core/ftl/mixed_log_ftl.h"

namespace cavern {

class StateArchive;

struct LastParams {
    std::uint32_t sequential_logs = 0; ///< 0: a quarter of ftl.log_blocks
    std::uint32_t random_logs = 0;     ///< 0: ftl.log_blocks less those
    std::uint64_t threshold = 8192;    ///< bytes that come together and are sequential
    std::uint64_t hot_window = 0;      ///< random page writes; 0: half of what the random logs hold

    static constexpr auto knobs = knobs_of(
        knob<&LastParams::sequential_logs>("sequential_logs",
                                           "LAST has this many log blocks that belong to one "
                                           "logical block each; 0: a quarter of ftl.log_blocks"),
        knob<&LastParams::random_logs>("random_logs",
                                       "LAST has this many log blocks that all logical blocks "
                                       "share; 0: ftl.log_blocks less the sequential ones"),
        knob<&LastParams::threshold>("threshold",
                                     "LAST treats data as sequential that comes together in at "
                                     "least this size")
            .bytes()
            .at_least(1),
        knob<&LastParams::hot_window>("hot_window",
                                      "LAST calls a page hot when it is written again within this "
                                      "many random page writes; 0: half of what the random log "
                                      "blocks hold"));
};

/// LAST (Lee, Shin, Kim, Kim, "LAST: locality-aware sector translation for NAND flash memory-based
/// storage systems", SPEED 2008), reconstructed where that says nothing: pages that come together
/// in large numbers are sequential, others random.
///
/// Sequential pages go to a log block of their logical block alone, in order from offset 0; there
/// are several such, the least recently written gives way. A sequential page that is not the next
/// of its block's log merges that first; one that opens no log is random. Random pages go to log
/// blocks that all share, hot ones apart from cold ones: hot is what was written to a random log
/// block before, not longer ago than a window. When a block is needed and all are in use, one that
/// is full is reclaimed: a dead one (hot before cold), else the cold one whose pages belong to the
/// fewest logical blocks, else the oldest.
///
/// What comes together: the pages of an eviction unit; without a write buffer, of a host command.
class Last final : public MixedLogFtl {
  public:
    using Params = LastParams;

    /// `params` must satisfy last_why_not(). `log` may be null.
    Last(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);

    void write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) override;
    /// Whether the newest version of `lpn` lies in a hot, or cold, random log block.
    [[nodiscard]] bool is_hot(Lpn lpn) const { return is_in(lpn, true); }
    [[nodiscard]] bool is_cold(Lpn lpn) const { return is_in(lpn, false); }
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn,
                                                   std::optional<DieId> target) const override;
    std::uint64_t check_invariants() const override;

    /// Reclaims the random log block that would be reclaimed next, if it lies in that plane.
    bool maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) override;
    void serialize(StateArchive& archive) override;

  private:
    friend struct LastProbe; // tests corrupt the state to see check_invariants notice

    void put(Lpn lpn, PlaneId target, Origin origin, FlashOpList& ops) override;
    /// Returns false if the page is to be treated as random.
    bool put_as_sequential(Lpn lpn, PlaneId target, Origin origin, FlashOpList& ops);
    void put_as_random(Lpn lpn, Origin origin, FlashOpList& ops);
    /// Of the random page write that comes next.
    [[nodiscard]] bool would_be_hot(Lpn lpn) const;
    void merge_sequential(std::uint32_t log, FlashOpList& ops);
    void reclaim(FlashOpList& ops);
    [[nodiscard]] std::uint32_t choose_victim() const;
    [[nodiscard]] bool is_in(Lpn lpn, bool hot) const;

    bool eager_switch_;
    std::uint32_t threshold_;          ///< pages that make a sequential write
    std::uint64_t window_;             ///< random page writes
    std::uint32_t limit_;              ///< random log blocks
    bool sequential_write_;            ///< the pages at hand came together in such numbers
    std::uint32_t open_[2];            ///< slots: cold, hot
    std::vector<bool> is_hot_;         ///< by slot
    LazyArray<std::uint64_t> written_; ///< by position: number of the random page write
    std::uint64_t random_writes_ = 0;
    std::vector<Unit> units_; ///< scratch of reclaim()
};

/// Why LAST cannot be built so, as "what; what would be right"; nothing if it can. Beside its data
/// the drive needs all log blocks and a block to merge into.
[[nodiscard]] std::optional<std::string> last_why_not(const Geometry& geometry,
                                                      const FtlParams& params);

} // namespace cavern
