#pragma once

#include <cstddef>
#include <cstdint>

namespace cavern {

/// When a drive under the same writes again and again counts as steady, in the manner of the SNIA
/// Solid State Storage Performance Test Specification 2.0.2 (2.1.24, "Steady State"): over a window
/// of rounds the value tracked stays within a range, and the straight line through it is nearly
/// level. Tracked here is write amplification, since there is no time yet.
struct SteadyState {
    double round = 1.0;       ///< writes of a round, as a share of the filled pages
    std::uint32_t window = 5; ///< rounds looked at together, >= 2
    double range = 0.2;       ///< largest less smallest value, as a share of the mean
    double slope = 0.1;       ///< rise or fall of the line over the window, likewise
    std::uint32_t max_rounds = 25;
};

/// What a window of rounds shows; shares of the mean.
struct SteadyWindow {
    double mean = 0.0;
    double range = 0.0;
    double slope = 0.0; ///< of the line of least squares, first round to last, without sign
};

/// `values` of `count` rounds, >= 2, positive.
[[nodiscard]] SteadyWindow look_at(const double* values, std::size_t count);

[[nodiscard]] inline bool is_steady(const SteadyWindow& window, const SteadyState& state) {
    return window.range <= state.range && window.slope <= state.slope;
}

} // namespace cavern
