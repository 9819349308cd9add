#include "core/partition/profit.h"

namespace cavern {

ProfitFactors dftl_profit(const FlashTimes& times, const DftlMeans& means,
                          std::uint32_t pages_per_block) {
    const double block = pages_per_block;
    // A dirty entry that leaves: its share of a translation page read and programmed, and of the
    // collection that calls for later.
    const double write_back =
        (times.read + times.program + means.table_collection / block) / means.batch_entries;
    ProfitFactors factors;
    factors.map_read = times.read;
    factors.map_write = write_back;
    factors.buffer_read = times.read + times.read * means.read_misses;
    factors.buffer_write =
        times.program + means.data_collection / block + write_back * means.write_misses;
    return factors;
}

ProfitFactors fast_profit(const FlashTimes& times, const FastMeans& means,
                          std::uint32_t pages_per_block) {
    const double block = pages_per_block;
    const double full_merge = block * (times.read + times.program) + times.erase;
    ProfitFactors factors;
    factors.map_write = full_merge / means.associated_set;
    factors.buffer_read = times.read;
    factors.buffer_write = times.program + means.log_collection / block;
    return factors;
}

double map_profit(const GhostHits& hits, const ProfitFactors& factors) {
    return static_cast<double>(hits.map_reads) * factors.map_read +
           static_cast<double>(hits.map_writes) * factors.map_write;
}

double buffer_profit(const GhostHits& hits, const ProfitFactors& factors) {
    return static_cast<double>(hits.buffer_reads) * factors.buffer_read +
           static_cast<double>(hits.buffer_writes) * factors.buffer_write;
}

} // namespace cavern
