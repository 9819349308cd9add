#include "core/partition/adaptive_partition.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

namespace {

double share(std::uint64_t part, std::uint64_t whole, double of_nothing) {
    return whole == 0 ? of_nothing : static_cast<double>(part) / static_cast<double>(whole);
}

PartitionTuner::Params tuner_params(const AdaptivePartition::Params& params) {
    PartitionTuner::Params tuner;
    tuner.total = params.total_bytes;
    tuner.least_map = params.map.least;
    tuner.least_buffer = params.page_bytes; // data pass through a frame
    tuner.unit = params.map.unit;
    tuner.scale = params.tune_scale;
    tuner.ratio_most = params.ratio_most;
    tuner.ratio_of_none = params.ratio_of_none;
    tuner.extra_hits = params.extra_hits;
    tuner.buffer_entry = params.page_bytes;
    tuner.map = std::clamp(
        static_cast<std::uint64_t>(params.map_ratio * static_cast<double>(params.total_bytes)),
        tuner.least_map, tuner.total - tuner.least_buffer);
    return tuner;
}

} // namespace

DftlMeans dftl_means(const Dftl::CacheCounters& c, const FlashTimes& times) {
    const double copy = times.read + times.program;
    DftlMeans means;
    means.batch_entries = share(c.batch_entries, c.batches, 1.0);
    means.table_collection =
        c.table_collections == 0
            ? 0.0
            : share(c.table_copies, c.table_collections, 0.0) * copy + times.erase;
    // The translation pages that moved data call for belong to the data block.
    means.data_collection =
        c.data_collections == 0
            ? 0.0
            : share(c.data_copies + c.gc_batches, c.data_collections, 0.0) * copy + times.erase;
    means.read_misses = share(c.read_misses, c.read_hits + c.read_misses, 0.0);
    means.write_misses = share(c.write_misses, c.write_hits + c.write_misses, 0.0);
    return means;
}

FastMeans fast_means(const Fast::CacheCounters& c, const FlashTimes& times) {
    FastMeans means;
    means.associated_set = share(c.log_valid_pages, c.log_merges, 1.0);
    means.log_collection = share(c.log_reads, c.log_collections, 0.0) * times.read +
                           share(c.log_programs, c.log_collections, 0.0) * times.program +
                           share(c.log_erases, c.log_collections, 0.0) * times.erase;
    return means;
}

AdaptivePartition::AdaptivePartition(const Params& params)
    : params_(params), tuner_(tuner_params(params)),
      ghost_buffer_(most_pages(params), most_pages(params)),
      ghost_map_(params.bitmap_bytes * 8, params.alpha, 0) {
    fit_ghosts();
}

std::uint32_t AdaptivePartition::buffer_pages() const {
    return std::max(1u, static_cast<std::uint32_t>(buffer_bytes() / params_.page_bytes));
}

/// A ghost and its cache together hold what all of the memory could.
void AdaptivePartition::fit_ghosts() {
    ghost_buffer_.set_capacity(static_cast<std::uint32_t>(map_bytes() / params_.page_bytes));
    ghost_map_.set_capacity(buffer_bytes() / params_.map.ghost_entry);
}

void AdaptivePartition::on_buffer_miss(Lpn lpn, bool write, bool enters) {
    if (ghost_buffer_.contains(lpn)) {
        ++(write ? hits_.buffer_writes : hits_.buffer_reads);
    }
    if (enters) {
        ghost_buffer_.erase(lpn);
    }
}

void AdaptivePartition::on_map_miss(Lpn lpn, bool write) {
    if (ghost_map_.take(lpn)) {
        ++(write ? hits_.map_writes : hits_.map_reads);
    }
}

MapCounts AdaptivePartition::since_start(const MapCacheIf& map) const {
    MapCounts sum = kept_;
    const CounterView own = map.own_cache_counters();
    if (const auto* logs = own.as<Fast::CacheCounters>()) {
        add_counters<MapCacheCounters>(sum.logs, *logs);
        add_counters(sum.logs, *logs);
    } else if (const auto* entries = own.as<Dftl::CacheCounters>()) {
        add_counters<MapCacheCounters>(sum.entries, *entries);
        add_counters(sum.entries, *entries);
    }
    return sum;
}

PartitionChange AdaptivePartition::tune(const MapCacheIf& map) {
    const ProfitFactors factors = factors_of(since_start(map));
    GhostProfit profit;
    profit.map = map_profit(hits_, factors);
    profit.buffer = buffer_profit(hits_, factors);
    profit.map_hit = factors.map_write;
    profit.buffer_hit = factors.buffer_write;
    profit.map_bytes = ghost_map_.size() * params_.map.ghost_entry;
    profit.buffer_bytes = std::uint64_t{ghost_buffer_.size()} * params_.page_bytes;
    const PartitionChange change = tuner_.tune(profit);
    hits_ = {};
    ++decisions_;
    moved_bytes_ += change.moved;
    summed_map_bytes_ += static_cast<double>(map_bytes());
    fit_ghosts();
    return change;
}

ProfitFactors AdaptivePartition::factors_of(const MapCounts& counts) const {
    return params_.map.kind == MapKind::kLogs
               ? fast_profit(params_.times, fast_means(counts.logs, params_.times),
                             params_.pages_per_block)
               : dftl_profit(params_.times, dftl_means(counts.entries, params_.times),
                             params_.pages_per_block);
}

double AdaptivePartition::mean_map_bytes() const {
    return decisions_ == 0 ? static_cast<double>(map_bytes())
                           : summed_map_bytes_ / static_cast<double>(decisions_);
}

void AdaptivePartition::forget() {
    ghost_buffer_.clear();
    ghost_map_.clear();
    hits_ = {};
    kept_ = {};
    requests_ = decisions_ = moved_bytes_ = 0;
    summed_map_bytes_ = 0;
}

std::uint64_t AdaptivePartition::check_invariants() const {
    CAVERN_CHECK(map_bytes() + buffer_bytes() == params_.total_bytes,
                 "buffer and mapping cache have all of the memory between them");
    CAVERN_CHECK(buffer_bytes() + std::uint64_t{ghost_buffer_.size()} * params_.page_bytes <=
                     params_.total_bytes,
                 "buffer and ghost buffer are larger than the memory");
    CAVERN_CHECK(map_bytes() + ghost_map_.size() * params_.map.ghost_entry <= params_.total_bytes,
                 "mapping cache and ghost mapping are larger than the memory");
    return 3;
}

} // namespace cavern
