#pragma once

#include <cstdint>

namespace cavern {

class StateArchive;

/// What one interval has shown: the flash time that hits in each ghost would have saved, and the
/// size of each ghost, in the bytes its entries would take in memory.
struct GhostProfit {
    double map = 0;
    double buffer = 0;
    std::uint64_t map_bytes = 0;
    std::uint64_t buffer_bytes = 0;
    double map_hit = 0; ///< what one more hit of a write would add
    double buffer_hit = 0;
};

/// What was made of it.
struct PartitionChange {
    double map_benefit = 0; ///< profit a byte
    double buffer_benefit = 0;
    std::uint64_t moved = 0; ///< bytes that changed sides
    bool to_map = false;
};

/// Divides memory between write buffer and mapping cache (SHIM III-C, Algorithm 1): the side whose
/// ghost profits more a byte gets unit * larger / smaller bytes of the other. Both together always
/// have all of it.
///
/// Not in the paper: a ghost of no size profits nothing; the ratio is bounded by `ratio_most`, and
/// by `ratio_of_none` where the smaller profit is 0; no side goes below its minimum; the unit can
/// be scaled. With `extra_hits` the ratio, but not the direction, is that of profits with so many
/// hits more on either side, where a ghost has room for one entry at least; it is not below 1.
class PartitionTuner {
  public:
    struct Params {
        std::uint64_t total = 0;     ///< bytes to be divided
        std::uint64_t map = 0;       ///< of these to the map at the start
        std::uint64_t least_map = 8; ///< a side never has less
        std::uint64_t least_buffer = 0;
        std::uint64_t unit = 8; ///< bytes of one entry of the map
        double scale = 1.0;     ///< of the unit
        double ratio_most = 1000.0;
        double ratio_of_none = 1e9;
        double extra_hits = 0.0;
        std::uint64_t buffer_entry = 1; ///< bytes of one entry of the buffer
    };

    explicit PartitionTuner(const Params& params);

    /// Moves the division by one step.
    PartitionChange tune(const GhostProfit& profit);

    [[nodiscard]] std::uint64_t map_bytes() const { return map_; }
    [[nodiscard]] std::uint64_t buffer_bytes() const { return params_.total - map_; }
    void serialize(StateArchive& archive);

  private:
    [[nodiscard]] double ratio(const GhostProfit& profit, const PartitionChange& change) const;

    Params params_;
    std::uint64_t map_;
};

} // namespace cavern
