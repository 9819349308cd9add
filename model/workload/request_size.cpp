#include "workload/request_size.h"

#include <algorithm>
#include <limits>

#include "core/base/check.h"

namespace cavern {
namespace {

/// A geometric variate above this multiple of its mean is rarer than 1 in 8 million.
constexpr std::uint64_t kMostMeans = 16;

std::uint64_t threshold_of(double share) {
    return share >= 0x1.fffffffffffffp-1 ? std::numeric_limits<std::uint64_t>::max()
                                         : static_cast<std::uint64_t>(share * 0x1.0p64);
}

} // namespace

std::uint32_t SizeDistribution::smallest() const {
    if (mean > 0) {
        return unit;
    }
    return std::min_element(shares.begin(), shares.end(),
                            [](const Share& a, const Share& b) { return a.bytes < b.bytes; })
        ->bytes;
}

std::uint32_t SizeDistribution::largest() const {
    if (mean > 0) {
        return mean <= unit ? unit : static_cast<std::uint32_t>(kMostMeans * mean / unit * unit);
    }
    return std::max_element(shares.begin(), shares.end(),
                            [](const Share& a, const Share& b) { return a.bytes < b.bytes; })
        ->bytes;
}

double SizeDistribution::mean_bytes() const {
    if (mean > 0) {
        return static_cast<double>(mean);
    }
    double sum = 0;
    for (const Share& share : shares) {
        sum += share.percent / 100 * share.bytes;
    }
    return sum;
}

RequestSize::RequestSize(const SizeDistribution& distribution) {
    double cumulative = 0;
    if (distribution.mean == 0) {
        for (const SizeDistribution::Share& share : distribution.shares) {
            cumulative += share.percent / 100;
            bytes_.push_back(share.bytes);
            thresholds_.push_back(threshold_of(cumulative));
        }
    } else {
        // P(k units) = (1 - q) q^(k-1), mean 1 / (1 - q); by multiplication alone, so that every
        // machine draws the same.
        const double mean_units =
            static_cast<double>(distribution.mean) / static_cast<double>(distribution.unit);
        const double q = 1 - 1 / std::max(mean_units, 1.0);
        double share = 1 - q;
        for (std::uint64_t bytes = distribution.unit; bytes <= distribution.largest();
             bytes += distribution.unit) {
            cumulative += share;
            share *= q;
            bytes_.push_back(static_cast<std::uint32_t>(bytes));
            thresholds_.push_back(threshold_of(cumulative));
        }
    }
    CAVERN_CHECK(!bytes_.empty(), "requests have a size");
    thresholds_.back() = std::numeric_limits<std::uint64_t>::max();
    only_ = bytes_.size() == 1 ? bytes_.front() : 0;
}

std::uint32_t RequestSize::drawn(Random& random) const {
    const auto at = std::lower_bound(thresholds_.begin(), thresholds_.end(), random.next());
    return bytes_[static_cast<std::size_t>(at - thresholds_.begin())];
}

} // namespace cavern
