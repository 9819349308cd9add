#pragma once

#include <cstdint>

namespace cavern {

/// Times of the flash with the transfer of the page, in microseconds (SHIM Table I).
struct FlashTimes {
    double read = 0;
    double program = 0;
    double erase = 0;
};

/// Flash time that one hit in a ghost cache would have saved, in microseconds (SHIM, the profit
/// factors of Tables II to IV).
struct ProfitFactors {
    double map_read = 0;
    double map_write = 0;
    double buffer_read = 0;
    double buffer_write = 0;
};

/// Means since the start that the factors of DFTL are made of. Before the first sample: one entry a
/// batch, no cost of collection, no misses.
struct DftlMeans {
    double batch_entries = 1;    ///< F_b: entries that become clean as one leaves
    double table_collection = 0; ///< T_trans_GC: reclaiming a block of translation pages, us
    double data_collection = 0;  ///< T_data_GC: reclaiming a block of data, us
    double read_misses = 0;      ///< R: share of read look-ups that miss the cache
    double write_misses = 0;     ///< share of write look-ups
};

/// Means since the start of FAST, likewise.
struct FastMeans {
    double associated_set = 1; ///< F_as_set: valid pages of a data block in a victim log block
    double log_collection = 0; ///< T_log_GC: reclaiming a log block, us
};

/// With DFTL. Where SHIM's Table IV prints T_two in the factor of buffer writes, the text says
/// T_dwo, which is meant.
[[nodiscard]] ProfitFactors dftl_profit(const FlashTimes& times, const DftlMeans& means,
                                        std::uint32_t pages_per_block);

/// With FAST, where reads need no map in flash.
[[nodiscard]] ProfitFactors fast_profit(const FlashTimes& times, const FastMeans& means,
                                        std::uint32_t pages_per_block);

/// Hits in the ghost caches since the last decision.
struct GhostHits {
    std::uint64_t map_reads = 0;
    std::uint64_t map_writes = 0;
    std::uint64_t buffer_reads = 0;
    std::uint64_t buffer_writes = 0;
};

/// Flash time those hits would have saved, us.
[[nodiscard]] double map_profit(const GhostHits& hits, const ProfitFactors& factors);
[[nodiscard]] double buffer_profit(const GhostHits& hits, const ProfitFactors& factors);

} // namespace cavern
