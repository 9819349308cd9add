#pragma once

#include <cstdint>

#include "core/base/knob.h"
#include "core/base/strong_id.h"
#include "core/ftl/dftl.h"
#include "core/ftl/fast.h"
#include "core/ftl/map_cache_if.h"
#include "core/partition/ghost_buffer.h"
#include "core/partition/ghost_map.h"
#include "core/partition/partition_tuner.h"
#include "core/partition/profit.h"

namespace cavern {

class StateArchive;

/// What the map has counted that means are made of. One of them stays zero: which, MapKind says.
struct MapCounts {
    Dftl::CacheCounters entries;
    Fast::CacheCounters logs;
};

/// Adaptive partitioning of a drive's memory between write buffer and mapping cache (Shim, Seo, Kim
/// & Maeng, "An adaptive partitioning scheme for DRAM-based cache in solid state drives", MSST
/// 2010): remembers what left either cache for want of room, counts what of it is asked for again,
/// and every `interval` requests of the host moves memory to where that costs most. It decides
/// sizes; the caches are resized by the owner.
class AdaptivePartition final : public MapCacheListenerIf {
  public:
    struct Params {
        std::uint64_t total_bytes = 0; ///< of both caches
        double map_ratio = 0.5;        ///< share of the mapping cache at the start
        std::uint64_t interval = 1000; ///< host requests between decisions
        double alpha = 3.0;            ///< of the ghost mapping
        std::uint64_t bitmap_bytes = std::uint64_t{128} << 10; ///< of the ghost mapping
        double tune_scale = 1.0;
        double ratio_most = 1000.0;
        double ratio_of_none = 1e9;
        double extra_hits = 0.0;
        std::uint32_t page_bytes = 0;
        std::uint32_t pages_per_block = 0;
        MapMemory map; ///< units of the mapping cache; its size at the start is map_ratio's
        FlashTimes times;

        static constexpr auto knobs = knobs_of(
            knob<&Params::map_ratio>("ratio", "adaptive partitioning starts with this share of the "
                                              "memory as mapping cache")
                .within(0.0, 1.0)
                .from("Shim et al., 2010, section IV-B"),
            knob<&Params::interval>("interval",
                                    "adaptive partitioning decides anew after this many "
                                    "host requests")
                .at_least(1)
                .from("Shim et al., 2010, section IV-A, for DFTL"),
            knob<&Params::alpha>("alpha", "one bit of the ghost mapping's bit map stands for at "
                                          "most this many entries")
                .within(1.0, 1000.0)
                .from("Shim et al., 2010, section IV-A"),
            knob<&Params::bitmap_bytes>("bitmap", "the bit map of the ghost mapping has this size, "
                                                  "a power of two")
                .bytes()
                .range(8, 64 * kMiB)
                .from("Shim et al., 2010, section IV-A"),
            knob<&Params::tune_scale>("tune_scale", "a decision between two equal benefits moves "
                                                    "this many map entries")
                .within(0.001, 1e9),
            knob<&Params::ratio_most>("inc_max", "adaptive partitioning bounds the ratio of two "
                                                 "benefits by this value")
                .within(1.0, 1e9),
            knob<&Params::ratio_of_none>("inc_none", "adaptive partitioning bounds the ratio by "
                                                     "this value, too, where the smaller benefit "
                                                     "is 0")
                .within(1.0, 1e9),
            knob<&Params::extra_hits>("extra_hits", "adaptive partitioning adds this many hits to "
                                                    "either ghost before it divides two benefits")
                .within(0.0, 1e6));
    };

    explicit AdaptivePartition(const Params& params);

    /// A page of a request was looked for in the buffer and not found. `enters`: it is in the
    /// buffer now.
    void on_buffer_miss(Lpn lpn, bool write, bool enters);
    /// A page left the buffer for want of room.
    void on_buffer_eviction(Lpn lpn) { ghost_buffer_.insert(lpn); }
    /// A page is not in the buffer, and would not be in a larger one: trimmed, or written through.
    void on_trim(Lpn lpn) { ghost_buffer_.erase(lpn); }
    void on_map_miss(Lpn lpn, bool write) override;
    void on_map_eviction(Lpn lpn) override { ghost_map_.insert(lpn); }

    /// A request has been decided. True every `interval` of them: then tune() is due.
    [[nodiscard]] bool count_request() { return ++requests_ % params_.interval == 0; }
    /// Decides the sizes of the caches anew, by what the map has counted.
    PartitionChange tune(const MapCacheIf& map);

    /// Counters of the map are about to be set to zero; means go on.
    void keep(const MapCacheIf& map) { kept_ = since_start(map); }
    /// Forgets all but the sizes.
    void forget();

    [[nodiscard]] std::uint64_t map_bytes() const { return tuner_.map_bytes(); }
    [[nodiscard]] std::uint64_t buffer_bytes() const { return tuner_.buffer_bytes(); }
    /// Of the mapping cache, over all decisions so far.
    [[nodiscard]] double mean_map_bytes() const;
    /// What a hit in each ghost is worth, by what the map has counted since the start.
    [[nodiscard]] ProfitFactors factors_of(const MapCounts& counts) const;
    /// Memory of the buffer in frames; at least one.
    [[nodiscard]] std::uint32_t buffer_pages() const;
    /// Frames the buffer can ever have.
    [[nodiscard]] static std::uint32_t most_pages(const Params& params) {
        return static_cast<std::uint32_t>((params.total_bytes - params.map.least) /
                                          params.page_bytes);
    }

    [[nodiscard]] std::uint64_t requests() const { return requests_; }
    [[nodiscard]] std::uint64_t decisions() const { return decisions_; }
    [[nodiscard]] std::uint64_t moved_bytes() const { return moved_bytes_; }
    [[nodiscard]] const GhostHits& hits() const { return hits_; }
    [[nodiscard]] const GhostBuffer& ghost_buffer() const { return ghost_buffer_; }
    [[nodiscard]] const GhostMap& ghost_map() const { return ghost_map_; }
    /// Sizes add up, and neither ghost is larger than what its cache lacks. Returns facts compared.
    std::uint64_t check_invariants() const;
    void serialize(StateArchive& archive);

  private:
    void fit_ghosts();
    [[nodiscard]] MapCounts since_start(const MapCacheIf& map) const;

    Params params_;
    PartitionTuner tuner_;
    GhostBuffer ghost_buffer_;
    GhostMap ghost_map_;
    GhostHits hits_;
    MapCounts kept_; ///< from before the latest reset of the counters
    std::uint64_t requests_ = 0;
    std::uint64_t decisions_ = 0;
    std::uint64_t moved_bytes_ = 0;
    double summed_map_bytes_ = 0; ///< after each decision
};

/// The means the profit factors take, of counters since the start. `times`: of the flash.
[[nodiscard]] DftlMeans dftl_means(const Dftl::CacheCounters& counters, const FlashTimes& times);
[[nodiscard]] FastMeans fast_means(const Fast::CacheCounters& counters, const FlashTimes& times);

} // namespace cavern
