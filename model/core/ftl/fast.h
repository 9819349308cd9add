#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/knob.h"
#include "core/ftl/map_cache_if.h"
#include "core/ftl/mixed_log_ftl.h"

namespace cavern {

class StateArchive;

struct FastParams {
    std::uint32_t random_logs = 0; ///< 0: ftl.log_blocks less the sequential one

    static constexpr auto knobs = knobs_of(knob<&FastParams::random_logs>(
        "random_logs", "FAST has this many log blocks that all logical blocks share; 0: "
                       "ftl.log_blocks less the sequential one"));
};

/// FAST (Lee et al., "A log buffer-based flash translation layer using fully-associative sector
/// translation", ACM TECS 2007): one sequential log block for the whole drive, and random log
/// blocks that any page may go to, reclaimed in the order they were opened (SHIM, section II-C.2).
///
/// Offset 0 of a logical block opens the sequential log block, after a merge of the one before. The
/// block that owns it appends the offset whose turn it is; an earlier offset merges it fully, a
/// later one partially, and the merge writes the page at hand. All other pages go to the newest
/// random log block. Where that is full and all are in use, the oldest is reclaimed: every logical
/// block with a valid page in it is merged, then it is erased.
class Fast final : public MixedLogFtl, public MapCacheIf {
  public:
    using Params = FastParams;

    /// In the summary beside MapCacheCounters.
    struct CacheCounters : MapCacheCounters {
        std::uint64_t log_collections = 0;
        std::uint64_t log_valid_pages = 0;
        std::uint64_t log_merges = 0;
        std::uint64_t log_reads = 0;
        std::uint64_t log_programs = 0;
        std::uint64_t log_erases = 0;

        static constexpr auto declared =
            counters_of(counter(&CacheCounters::log_collections, "log_collections", "blocks",
                                "Random log blocks reclaimed."),
                        counter(&CacheCounters::log_valid_pages, "log_valid_pages", "pages",
                                "Valid pages in random log blocks when they were reclaimed."),
                        counter(&CacheCounters::log_merges, "log_merges", "merges",
                                "Logical blocks merged to reclaim random log blocks."),
                        counter(&CacheCounters::log_reads, "log_reads", "pages",
                                "Page reads that reclaiming random log blocks took."),
                        counter(&CacheCounters::log_programs, "log_programs", "pages",
                                "Page programs that reclaiming random log blocks took."),
                        counter(&CacheCounters::log_erases, "log_erases", "blocks",
                                "Block erases that reclaiming random log blocks took."));
    };

    /// `params` must satisfy fast_why_not(). `log` may be null.
    Fast(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);

    /// What reclaiming random log blocks took so far; not reset with the counters.
    struct Reclaims {
        std::uint64_t blocks = 0;      ///< random log blocks erased
        std::uint64_t valid_pages = 0; ///< valid pages in them when their turn came
        std::uint64_t merged = 0;      ///< logical blocks merged for them
        std::uint64_t reads = 0;       ///< all operations of the reclaims: pages read
        std::uint64_t programs = 0;
        std::uint64_t erases = 0;
    };

    /// Random log blocks that may be in use from now on, 1 .. most_random_logs(). Where more are in
    /// use the oldest are reclaimed, as if their turn had come; appends to `ops` what that takes.
    void resize(std::uint32_t random_logs, FlashOpList& ops);
    [[nodiscard]] std::uint32_t random_logs() const { return limit_; }
    /// What the spare blocks permit.
    [[nodiscard]] std::uint32_t most_random_logs() const { return random().most(); }
    /// Random log blocks that hold pages.
    [[nodiscard]] std::uint32_t random_logs_used() const { return random().used(); }
    /// Whether the newest version of `lpn` lies in a random log block.
    [[nodiscard]] bool is_logged(Lpn lpn) const { return random().find(lpn) != SharedLog::kNone; }
    [[nodiscard]] const Reclaims& reclaims() const { return reclaims_; }

    /// Bytes of mapping that describe the log: 4 a page of the random log blocks and of the
    /// sequential one (SHIM, Table II).
    [[nodiscard]] static std::uint64_t map_bytes(std::uint32_t random_logs,
                                                 std::uint32_t pages_per_block) {
        return (std::uint64_t{random_logs} + 1) * pages_per_block * 4;
    }

    [[nodiscard]] std::optional<DieId> destination(Lpn lpn,
                                                   std::optional<DieId> target) const override;
    std::uint64_t check_invariants() const override;

    [[nodiscard]] std::uint64_t cache_bytes() const override { return map_bytes_; }
    /// As many random log blocks as the bytes map, from one to what the spare blocks permit.
    void resize_cache(std::uint64_t bytes, FlashOpList& ops) override;
    /// Reclaims all random log blocks.
    void empty_cache(FlashOpList& ops) override;
    [[nodiscard]] const CacheCounters& cache_counters() const override { return logged_; }
    [[nodiscard]] CounterView own_cache_counters() const override { return logged_; }
    void set_listener(MapCacheListenerIf* listener) override { listener_ = listener; }
    void reset_counters() override {
        MixedLogFtl::reset_counters();
        logged_ = {};
    }

    /// Reclaims the oldest random log block, if it is full and lies in that plane.
    bool maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) override;
    void serialize(StateArchive& archive) override;

  private:
    void note_write(Lpn lpn);
    void put(Lpn lpn, PlaneId target, Origin origin, FlashOpList& ops) override;
    void put_in_newest(Lpn lpn, Origin origin, FlashOpList& ops);
    void reclaim_oldest(FlashOpList& ops);
    [[nodiscard]] bool is_complete(std::uint32_t log) const {
        return next_in_sequential(log) == pages_per_block();
    }

    bool eager_switch_;
    std::uint32_t limit_; ///< random log blocks that may be in use
    std::uint32_t newest_ = kNone;
    Reclaims reclaims_;
    std::uint64_t map_bytes_;
    CacheCounters logged_;
    MapCacheListenerIf* listener_ = nullptr;
};

/// The map of the log blocks (see FtlRow).
[[nodiscard]] MapMemory fast_map_memory(const Geometry& geometry, const FtlParams& params);

/// Random log blocks that `params` asks for: ftl.fast.random_logs, else ftl.log_blocks less the
/// sequential one.
[[nodiscard]] std::uint32_t fast_random_logs(const FtlParams& params);

/// Why FAST cannot be built so, as "what; what would be right"; nothing if it can. Beside its data
/// the drive needs the random log blocks, the sequential one and a block to merge into.
[[nodiscard]] std::optional<std::string> fast_why_not(const Geometry& geometry,
                                                      const FtlParams& params);

} // namespace cavern
