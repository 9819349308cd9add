#include "sampling/estimates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/random.h"
#include "core/base/units.h"

namespace cavern {
namespace {

constexpr std::size_t kResamples = 1000;

double normal_cdf(double z) {
    return std::erfc(-z / std::sqrt(2.0)) / 2;
}

/// Of 0 < p < 1.
double normal_quantile(double p) {
    double low = -40;
    double high = 40;
    for (int step = 0; step < 100; ++step) {
        const double middle = (low + high) / 2;
        (normal_cdf(middle) < p ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// Cornish and Fisher's expansion (Abramowitz and Stegun, 26.7.5).
double student_quantile(double p, double degrees) {
    const double z = normal_quantile(p);
    const double z3 = z * z * z;
    const double z5 = z3 * z * z;
    const double z7 = z5 * z * z;
    return z + (z3 + z) / (4 * degrees) + (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * degrees * degrees * degrees);
}

/// How many values of a resample lie below the interval.
std::size_t left_out(double confidence, std::size_t windows) {
    const auto n = static_cast<double>(windows);
    const double t = student_quantile((1 + confidence) / 2, n - 1);
    return static_cast<std::size_t>(normal_cdf(-t * std::sqrt(n / (n - 1))) * kResamples);
}

/// How often each window is in each resample.
using Resamples = std::vector<std::vector<std::uint32_t>>;

Resamples draw(std::size_t windows, std::uint64_t seed) {
    Random random(seed);
    Resamples resamples(kResamples, std::vector<std::uint32_t>(windows, 0));
    for (std::vector<std::uint32_t>& resample : resamples) {
        for (std::size_t i = 0; i < windows; ++i) {
            ++resample[random.below(windows)];
        }
    }
    return resamples;
}

/// From the value of each resample.
Interval interval(double value, std::vector<double> resampled, std::size_t windows,
                  double confidence) {
    std::sort(resampled.begin(), resampled.end());
    const std::size_t out = left_out(confidence, windows);
    return {value, std::min(resampled[out], value),
            std::max(resampled[resampled.size() - 1 - out], value)};
}

struct Ratio {
    double part = 0;
    double whole = 0;
};

/// The sum of the parts over that of the wholes.
Interval interval_of_ratio(const Resamples& resamples, double confidence,
                           const std::vector<Ratio>& windows) {
    const auto ratio = [&](const std::vector<std::uint32_t>& times) {
        Ratio sum;
        for (std::size_t i = 0; i < windows.size(); ++i) {
            sum.part += times[i] * windows[i].part;
            sum.whole += times[i] * windows[i].whole;
        }
        return sum.whole == 0 ? 0 : sum.part / sum.whole;
    };
    std::vector<double> resampled;
    for (const std::vector<std::uint32_t>& times : resamples) {
        resampled.push_back(ratio(times));
    }
    return interval(ratio(std::vector<std::uint32_t>(windows.size(), 1)), std::move(resampled),
                    windows.size(), confidence);
}

/// A latency, and the window that it is of.
using Latency = std::pair<std::uint64_t, std::uint32_t>;
using Quantiles = std::array<double, kEstimatedQuantiles.size()>;

/// Of windows that are there so many times each.
Quantiles quantiles_of(const std::vector<Latency>& sorted, const std::vector<std::uint64_t>& counts,
                       const std::vector<std::uint32_t>& times) {
    std::uint64_t all = 0;
    for (std::size_t window = 0; window < counts.size(); ++window) {
        all += counts[window] * times[window];
    }
    Quantiles found{};
    std::size_t quantile = 0;
    std::uint64_t seen = 0;
    for (const auto& [latency, window] : sorted) {
        seen += times[window];
        while (quantile < found.size() && seen != 0 &&
               seen >= rank_of(kEstimatedQuantiles[quantile], all)) {
            found[quantile++] = static_cast<double>(latency);
        }
    }
    return found;
}

OpEstimates estimate_op(const std::vector<Window>& windows, RequestOp op,
                        const Resamples& resamples, double confidence) {
    OpEstimates of;
    std::vector<Latency> latencies;
    std::vector<Ratio> means(windows.size());
    std::vector<std::uint64_t> counts(windows.size(), 0);
    for (std::uint32_t window = 0; window < windows.size(); ++window) {
        for (const MeasuredRequest& request : windows[window].requests) {
            if (request.op == op) {
                of.latency_ns.add(request.latency_ns);
                latencies.emplace_back(request.latency_ns, window);
                means[window].part += static_cast<double>(request.latency_ns);
                ++means[window].whole;
                ++counts[window];
            }
        }
    }
    if (latencies.empty()) {
        return of;
    }
    std::sort(latencies.begin(), latencies.end());
    of.mean = interval_of_ratio(resamples, confidence, means);
    std::array<std::vector<double>, kEstimatedQuantiles.size()> resampled;
    for (const std::vector<std::uint32_t>& times : resamples) {
        const Quantiles found = quantiles_of(latencies, counts, times);
        for (std::size_t i = 0; i < found.size(); ++i) {
            resampled[i].push_back(found[i]);
        }
    }
    const Quantiles found =
        quantiles_of(latencies, counts, std::vector<std::uint32_t>(windows.size(), 1));
    for (std::size_t i = 0; i < found.size(); ++i) {
        of.quantiles[i] = interval(found[i], std::move(resampled[i]), windows.size(), confidence);
    }
    return of;
}

} // namespace

Estimates estimate(const std::vector<Window>& windows, double confidence, std::uint64_t seed) {
    const Resamples resamples = draw(windows.size(), seed);
    Estimates found;
    found.confidence = confidence;
    for (std::size_t op = 0; op < kRequestOps; ++op) {
        found.by_op[op] = estimate_op(windows, static_cast<RequestOp>(op), resamples, confidence);
    }
    std::vector<Ratio> latency;
    std::vector<Ratio> requests;
    std::vector<Ratio> bytes;
    for (const Window& window : windows) {
        const auto count = static_cast<double>(window.requests.size());
        const double seconds = static_cast<double>(window.span) / static_cast<double>(kSecond);
        Ratio sum{0, count};
        for (const MeasuredRequest& request : window.requests) {
            sum.part += static_cast<double>(request.latency_ns);
        }
        latency.push_back(sum);
        requests.push_back({count, seconds});
        bytes.push_back({static_cast<double>(window.bytes), seconds});
        found.measured += window.requests.size();
    }
    found.mean_ns = interval_of_ratio(resamples, confidence, latency);
    found.iops = interval_of_ratio(resamples, confidence, requests);
    found.bandwidth_bps = interval_of_ratio(resamples, confidence, bytes);
    return found;
}

} // namespace cavern
