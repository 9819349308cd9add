#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"

namespace cavern {

/// How large the requests of one direction are: one size, a list with shares (fio's bssplit), or a
/// geometric distribution of a given mean over the multiples of a unit.
struct SizeDistribution {
    struct Share {
        std::uint32_t bytes = 0;
        double percent = 0;
    };
    std::vector<Share> shares; ///< one size: a single share of 100
    std::uint32_t unit = 0;    ///< with a mean: sizes are multiples of it
    std::uint64_t mean = 0;    ///< 0: the shares hold

    static SizeDistribution constant(std::uint32_t bytes) { return {{{bytes, 100}}, 0, 0}; }

    [[nodiscard]] std::uint32_t smallest() const;
    [[nodiscard]] std::uint32_t largest() const;
    [[nodiscard]] double mean_bytes() const;
    /// Offsets are multiples of it.
    [[nodiscard]] std::uint32_t alignment() const { return smallest(); }
};

/// Draws sizes. A single size takes no random number.
class RequestSize {
  public:
    explicit RequestSize(const SizeDistribution& distribution);
    [[nodiscard]] std::uint32_t draw(Random& random) const {
        return only_ != 0 ? only_ : drawn(random);
    }
    /// The single size; 0 where there are several.
    [[nodiscard]] std::uint32_t only() const { return only_; }

  private:
    [[nodiscard]] std::uint32_t drawn(Random& random) const;

    std::uint32_t only_ = 0;
    std::vector<std::uint32_t> bytes_;
    std::vector<std::uint64_t> thresholds_; ///< of a 64-bit draw, ascending
};

} // namespace cavern
