#include "core/partition/partition_tuner.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace cavern {

namespace {

double per_byte(double profit, std::uint64_t bytes) {
    return bytes == 0 ? 0.0 : profit / static_cast<double>(bytes);
}

} // namespace

PartitionTuner::PartitionTuner(const Params& params) : params_(params), map_(params.map) {
    CAVERN_CHECK(params.least_map + params.least_buffer <= params.total &&
                     map_ >= params.least_map && buffer_bytes() >= params.least_buffer,
                 "memory is divided so that each side has its least");
}

double PartitionTuner::ratio(const GhostProfit& profit, const PartitionChange& change) const {
    double map = change.map_benefit;
    double buffer = change.buffer_benefit;
    if (params_.extra_hits > 0.0) {
        map = per_byte(profit.map + params_.extra_hits * profit.map_hit,
                       std::max(profit.map_bytes, params_.unit));
        buffer = per_byte(profit.buffer + params_.extra_hits * profit.buffer_hit,
                          std::max(profit.buffer_bytes, params_.buffer_entry));
    }
    const double larger = change.to_map ? map : buffer;
    const double smaller = change.to_map ? buffer : map;
    return smaller == 0.0 ? params_.ratio_of_none : std::max(1.0, larger / smaller);
}

PartitionChange PartitionTuner::tune(const GhostProfit& profit) {
    PartitionChange change;
    change.map_benefit = per_byte(profit.map, profit.map_bytes);
    change.buffer_benefit = per_byte(profit.buffer, profit.buffer_bytes);
    if (change.map_benefit == change.buffer_benefit) {
        return change;
    }
    change.to_map = change.map_benefit > change.buffer_benefit;
    const double times = std::min(params_.ratio_most, ratio(profit, change));
    const double step = std::floor(static_cast<double>(params_.unit) * params_.scale * times);
    const std::uint64_t spare =
        change.to_map ? buffer_bytes() - params_.least_buffer : map_ - params_.least_map;
    change.moved = step >= static_cast<double>(spare) ? spare : static_cast<std::uint64_t>(step);
    map_ = change.to_map ? map_ + change.moved : map_ - change.moved;
    return change;
}

} // namespace cavern
