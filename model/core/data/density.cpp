#include "core/data/density.h"

#include <array>
#include <cstdint>

namespace cavern {
namespace {

constexpr std::uint32_t kBit = 256; // of entropy, in whole numbers

/// n log2 n, in parts of kBit; straight lines between powers of two, at most 0.09 n too low.
constexpr std::uint32_t n_log_n(std::uint32_t n) {
    std::uint32_t power = 0;
    while (n >> (power + 1) != 0) {
        ++power;
    }
    return n * (power * kBit + (n * kBit >> power) - kBit);
}

constexpr std::array<std::uint32_t, kSampled + 1> make_table() {
    std::array<std::uint32_t, kSampled + 1> table{};
    for (std::uint32_t n = 1; n <= kSampled; ++n) {
        table[n] = n_log_n(n);
    }
    return table;
}

constexpr std::array<std::uint32_t, kSampled + 1> kNLogN = make_table();

} // namespace

bool is_dense(const std::byte* bytes, std::size_t count) {
    constexpr std::size_t kRuns = 8;
    constexpr std::size_t kRun = kSampled / kRuns;
    const std::size_t stride = count / kRuns;
    std::array<std::uint16_t, 256> seen{};
    for (std::size_t run = 0; run < kRuns; ++run) {
        // Each run is at another place of its sector: sectors often begin alike.
        const std::byte* from = bytes + run * stride + run * kRun % (stride - kRun + 1);
        for (std::size_t i = 0; i < kRun; ++i) {
            ++seen[static_cast<std::size_t>(from[i])];
        }
    }
    std::uint32_t sum = 0;
    for (const std::uint16_t n : seen) {
        sum += kNLogN[n];
    }
    // Entropy: 9 - sum / 512 bits, as 2^9 bytes were sampled.
    constexpr std::uint32_t kDense = 6 * kBit + 3 * kBit / 4;
    return sum < kSampled * (9 * kBit - kDense);
}

} // namespace cavern
