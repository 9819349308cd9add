#include "core/parts/bit_error_rate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.h"

namespace cavern {
namespace {

// Second-hand: of the paper's tables as SimpleSSD 3 (ftl/read_reclaim) and MQSim-JW
// (src/ssd/FTL.cpp) have them.
constexpr BitErrorRate kMlc2y{8.34e-05, 3.30e-11, 1.71, 5.56e-19, 2.49, 3.33, 6.26e-13, 1.76, 0.47};
constexpr BitErrorRate kTlc72{1.48e-03, 3.90e-10, 2.05, 6.28e-05, 0.14, 0.54, 3.73e-09, 0.33, 1.71};

} // namespace

const BitErrorRate& bit_error_rate(BitErrors errors) {
    CAVERN_CHECK(errors != BitErrors::kNone, "a part that errs has a bit error rate");
    return errors == BitErrors::kMlc2y ? kMlc2y : kTlc72;
}

double BitErrorRate::at(double cycles, double days, double reads) const {
    const double rate =
        base + wear * std::pow(cycles, wear_power) +
        retention * std::pow(cycles, retention_cycles_power) * std::pow(days, retention_power) +
        disturb * std::pow(cycles, disturb_cycles_power) * std::pow(reads, disturb_power);
    return std::min(rate, 0.5);
}

std::vector<double> page_shares(PageCoding coding) {
    std::vector<double> voltages;
    switch (coding) {
    case PageCoding::kEven:
        break;
    case PageCoding::k12:
        voltages = {1, 2};
        break;
    case PageCoding::k124:
        voltages = {1, 2, 4};
        break;
    case PageCoding::k232:
        voltages = {2, 3, 2};
        break;
    case PageCoding::k1248:
        voltages = {1, 2, 4, 8};
        break;
    }
    const double all = std::accumulate(voltages.begin(), voltages.end(), 0.0);
    for (double& each : voltages) {
        each *= static_cast<double>(voltages.size()) / all;
    }
    return voltages;
}

/// By adding up probabilities, from where there are next to none.
std::uint32_t poisson_quantile(double mean, std::uint64_t hash) {
    const double place = static_cast<double>(hash >> 11) * 0x1.0p-53;
    if (mean <= 0) {
        return 0;
    }
    const double deviation = std::sqrt(mean);
    const double last = std::ceil(mean + 9 * deviation + 30);
    double count = std::max(0.0, std::floor(mean - 10 * deviation));
    double probability = std::exp(count * std::log(mean) - mean - std::lgamma(count + 1));
    double sum = probability;
    while (sum <= place && count < last) {
        ++count;
        probability *= mean / count;
        sum += probability;
    }
    return static_cast<std::uint32_t>(count);
}

} // namespace cavern
