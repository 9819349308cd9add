#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/wide.h"

namespace cavern {

/// Of `count` values in ascending order the first, from 1, that at least a share `q` of all do not
/// exceed; q in (0, 1].
[[nodiscard]] inline std::uint64_t rank_of(double q, std::uint64_t count) {
    const double exact = q * static_cast<double>(count);
    const auto rank = static_cast<std::uint64_t>(exact);
    return static_cast<double>(rank) < exact || rank == 0 ? rank + 1 : rank;
}

/// Mean (exact), extremes (exact) and quantiles of a stream of non-negative integers in constant
/// memory. Quantiles come from log-linear buckets (as in HdrHistogram): exact below 2048, then
/// within 1/2048 of the value. Unit is the caller's.
class Histogram {
  public:
    /// Returns the bucket.
    std::size_t add(std::uint64_t value) {
        const std::size_t bucket = bucket_of(value);
        if (bucket >= counts_.size()) {
            counts_.resize(bucket + 1, 0);
        }
        ++counts_[bucket];
        ++count_;
        sum_ += value;
        min_ = std::min(min_, value);
        max_ = std::max(max_, value);
        return bucket;
    }

    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// Its lower 64 bits: the difference of two sums is right as long as that fits.
    [[nodiscard]] std::uint64_t sum() const { return static_cast<std::uint64_t>(sum_); }
    [[nodiscard]] double mean() const {
        return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
    }
    [[nodiscard]] std::uint64_t min() const { return count_ == 0 ? 0 : min_; }
    [[nodiscard]] std::uint64_t max() const { return max_; }

    /// Smallest recorded value (to bucket precision) that at least a share `q` of all values do not
    /// exceed; q in (0, 1]. 0 when empty.
    [[nodiscard]] std::uint64_t quantile(double q) const {
        if (count_ == 0) {
            return 0;
        }
        const std::uint64_t rank = rank_of(q, count_);
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            seen += counts_[i];
            if (seen >= rank) {
                return std::clamp(upper_bound_of(i), min_, max_);
            }
        }
        return max_;
    }

    static constexpr unsigned kSubBits = 11;

    static constexpr std::size_t bucket_of(std::uint64_t value) {
        if (value < (std::uint64_t{1} << kSubBits)) {
            return static_cast<std::size_t>(value);
        }
        const unsigned top = 63u - static_cast<unsigned>(__builtin_clzll(value));
        const unsigned shift = top - kSubBits;
        return (std::size_t{shift + 1} << kSubBits) +
               static_cast<std::size_t>((value >> shift) - (std::uint64_t{1} << kSubBits));
    }

    static constexpr std::uint64_t upper_bound_of(std::size_t bucket) {
        const std::size_t group = bucket >> kSubBits;
        const std::uint64_t sub = bucket & ((std::size_t{1} << kSubBits) - 1);
        if (group == 0) {
            return sub;
        }
        const std::size_t shift = group - 1;
        return (((std::uint64_t{1} << kSubBits) + sub + 1) << shift) - 1;
    }

  private:
    std::vector<std::uint64_t> counts_;
    std::uint64_t count_ = 0;
    Uint128 sum_ = 0;
    std::uint64_t min_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t max_ = 0;
};

/// Mean and maximum of a stream, where quantiles are not wanted.
class MeanMax {
  public:
    void add(std::uint64_t value) {
        ++count_;
        sum_ += value;
        max_ = std::max(max_, value);
    }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t sum() const { return sum_; }
    [[nodiscard]] std::uint64_t max() const { return max_; }
    [[nodiscard]] double mean() const {
        return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
    }

  private:
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
    std::uint64_t max_ = 0;
};

} // namespace cavern
