#include "workload/random_place.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.h"
#include "core/base/wide.h"

namespace cavern {
namespace {

/// A stride near the golden section of `clusters` that shares no factor with it.
std::uint64_t golden_stride(std::uint64_t clusters) {
    auto stride =
        static_cast<std::uint64_t>((static_cast<Uint128>(0x9E3779B97F4A7C15u) * clusters) >> 64);
    stride = std::max<std::uint64_t>(stride, 1);
    while (std::gcd(stride, clusters) != 1) {
        ++stride;
    }
    return stride;
}

} // namespace

RandomPlace::RandomPlace(const PlaceDistribution& distribution, std::uint64_t places,
                         std::uint64_t cluster)
    : kind_(distribution.kind), places_(places), cluster_(cluster),
      clusters_(places / cluster + (places % cluster != 0 ? 1 : 0)),
      parameter_(distribution.parameter), stride_(golden_stride(clusters_)) {
    CAVERN_CHECK(places > 0, "there is a place to draw");
    if (kind_ == Popularity::kZipf) {
        const double second = std::pow(2.0, -parameter_);
        area_of_first_ = area(1.5) - 1;
        area_of_all_ = area(static_cast<double>(clusters_) + 0.5);
        sure_ = 2 - area_inverse(area(2.5) - second);
    } else if (kind_ == Popularity::kPareto) {
        power_ = std::log(parameter_) / std::log(1 - parameter_);
    } else if (kind_ == Popularity::kZoned) {
        double access = 0;
        double size = 0;
        std::uint64_t first = 0;
        for (const PlaceDistribution::Zone& zone : distribution.zones) {
            access += zone.access_percent;
            size += zone.size_percent;
            const bool last = &zone == &distribution.zones.back();
            const std::uint64_t end =
                last ? places
                     : std::min(places, static_cast<std::uint64_t>(static_cast<double>(places) *
                                                                   size / 100));
            const std::uint64_t threshold =
                last ? std::numeric_limits<std::uint64_t>::max()
                     : static_cast<std::uint64_t>(std::min(access / 100, 0x1.fffffffffffffp-1) *
                                                  0x1.0p64);
            zones_.push_back(
                {threshold, std::min(first, places - 1), std::max<std::uint64_t>(end - first, 1)});
            first = end;
        }
    }
}

double RandomPlace::area(double x) const {
    const double e = 1 - parameter_;
    return std::abs(e) < 1e-9 ? std::log(x) : (std::pow(x, e) - 1) / e;
}

double RandomPlace::area_inverse(double y) const {
    const double e = 1 - parameter_;
    return std::abs(e) < 1e-9 ? std::exp(y) : std::pow(std::max(0.0, 1 + y * e), 1 / e);
}

/// Rejection-inversion (Hoermann, Derflinger, "Rejection-inversion to generate variates from
/// monotone discrete distributions", ACM TOMACS 6(3), 1996): constant time, no table.
std::uint64_t RandomPlace::zipf_rank(Random& random) const {
    for (;;) {
        const double u = area_of_all_ + random.uniform() * (area_of_first_ - area_of_all_);
        const double x = area_inverse(u);
        const double k = std::clamp(std::floor(x + 0.5), 1.0, static_cast<double>(clusters_));
        if (k - x <= sure_ || u >= area(k + 0.5) - std::pow(k, -parameter_)) {
            return std::min(static_cast<std::uint64_t>(k), clusters_) - 1;
        }
    }
}

std::uint64_t RandomPlace::scattered(std::uint64_t rank) const {
    return static_cast<std::uint64_t>(static_cast<Uint128>(rank) * stride_ % clusters_);
}

std::uint64_t RandomPlace::place_in(std::uint64_t cluster, Random& random) const {
    const std::uint64_t first = cluster * cluster_;
    return cluster_ == 1 ? first : first + random.below(std::min(cluster_, places_ - first));
}

std::uint64_t RandomPlace::draw(Random& random) const {
    switch (kind_) {
    case Popularity::kZipf:
        return place_in(scattered(zipf_rank(random)), random);
    case Popularity::kPareto: {
        // A share h of the places gets a share 1 - h of the accesses, at every scale (Gray,
        // Sundaresan, Englert, Baclawski, Weinberger, SIGMOD 1994, "self-similar").
        const double at = static_cast<double>(clusters_) * std::pow(random.uniform(), power_);
        return place_in(scattered(std::min(static_cast<std::uint64_t>(at), clusters_ - 1)), random);
    }
    case Popularity::kZoned: {
        const std::uint64_t which = random.next();
        for (const Zone& zone : zones_) {
            if (which <= zone.threshold) {
                return zone.first + random.below(zone.count);
            }
        }
        break;
    }
    case Popularity::kUniform:
        break;
    }
    return random.below(places_);
}

} // namespace cavern
