#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"

namespace cavern {

enum class Popularity : std::uint8_t { kUniform, kZipf, kPareto, kZoned };

/// fio's `random_distribution`. zipf and pareto spread the popular places over the whole region;
/// zones lie one after the other.
struct PlaceDistribution {
    struct Zone {
        double access_percent = 0;
        double size_percent = 0;
    };
    Popularity kind = Popularity::kUniform;
    double parameter = 0;    ///< zipf: theta > 0; pareto: h, 0 < h < 1
    std::vector<Zone> zones; ///< both columns add up to 100
};

/// Draws one of `places` places, 0 to places - 1. Uniform and zoned use no floating point while
/// drawing; zipf and pareto use pow and log of the C library.
///
/// Zipf and pareto draw a cluster of `cluster` neighbouring places (the last may have fewer), then
/// any place within it equally often: what is popular are neighbourhoods.
class RandomPlace {
  public:
    /// `places` and `cluster` are at least 1.
    RandomPlace(const PlaceDistribution& distribution, std::uint64_t places,
                std::uint64_t cluster = 1);
    [[nodiscard]] std::uint64_t draw(Random& random) const;

  private:
    struct Zone {
        std::uint64_t threshold; ///< of a 64-bit draw: below it, this zone or one before
        std::uint64_t first;
        std::uint64_t count;
    };

    [[nodiscard]] std::uint64_t zipf_rank(Random& random) const;
    [[nodiscard]] double area(double x) const;
    [[nodiscard]] double area_inverse(double y) const;
    /// Where the cluster of this popularity (0: most popular) lies; a bijection.
    [[nodiscard]] std::uint64_t scattered(std::uint64_t rank) const;
    [[nodiscard]] std::uint64_t place_in(std::uint64_t cluster, Random& random) const;

    Popularity kind_;
    std::uint64_t places_;
    std::uint64_t cluster_;  ///< places
    std::uint64_t clusters_; ///< the last may be smaller
    double parameter_;
    double area_of_first_ = 0;
    double area_of_all_ = 0;
    double sure_ = 0;
    double power_ = 0;
    std::uint64_t stride_ = 1;
    std::vector<Zone> zones_;
};

} // namespace cavern
