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

PartitionChange PartitionTuner::tune(const GhostProfit& profit) {
    PartitionChange change;
    change.map_benefit = per_byte(profit.map, profit.map_bytes);
    change.buffer_benefit = per_byte(profit.buffer, profit.buffer_bytes);
    if (change.map_benefit == change.buffer_benefit) {
        return change;
    }
    const double larger = std::max(change.map_benefit, change.buffer_benefit);
    const double smaller = std::min(change.map_benefit, change.buffer_benefit);
    const double ratio =
        smaller == 0.0 ? params_.ratio_most : std::min(params_.ratio_most, larger / smaller);
    const double step = std::floor(static_cast<double>(params_.unit) * params_.scale * ratio);
    change.to_map = change.map_benefit > change.buffer_benefit;
    const std::uint64_t spare =
        change.to_map ? buffer_bytes() - params_.least_buffer : map_ - params_.least_map;
    change.moved = step >= static_cast<double>(spare) ? spare : static_cast<std::uint64_t>(step);
    map_ = change.to_map ? map_ + change.moved : map_ - change.moved;
    return change;
}

} // namespace cavern
