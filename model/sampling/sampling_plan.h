#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/config.h"

namespace cavern {

/// Which requests of a sampled run are measured: windows of as many each, and what is played with
/// them. Numbers of requests count from the start of the run.
struct SamplingPlan {
    std::uint64_t warmup = 0; ///< requests before those measured, at least, if there are so many
    std::uint64_t most_warmup = 0; ///< at most: what lies between windows in the mean
    std::uint64_t measured = 0;    ///< of each window
    std::uint64_t tail = 0;        ///< at most so many behind keep the drive loaded until these end
    std::uint64_t first = 0;       ///< behind the warm-up of the run
    /// Requests from the start of the run that a first process plays in time, at most, to see how
    /// full the buffer gets (BufferLevel); 0: none.
    std::uint64_t pilot = 0;
    std::vector<std::uint64_t> places; ///< the first one measured of each window, ascending

    /// The pilot, if there is one, is window 0.
    [[nodiscard]] std::size_t windows() const { return places.size() + pilots(); }
    [[nodiscard]] bool is_pilot(std::size_t window) const { return window < pilots(); }
    [[nodiscard]] std::uint64_t place_of(std::size_t window) const {
        return is_pilot(window) ? 0 : places[window - pilots()];
    }
    /// Requests that a window plays at most, with so many of a warm-up.
    [[nodiscard]] std::uint64_t length_of(std::size_t window, std::uint64_t warmup_of_it) const {
        return is_pilot(window) ? pilot : warmup_of_it + measured + tail;
    }

  private:
    [[nodiscard]] std::size_t pilots() const { return pilot != 0 ? 1 : 0; }
};

/// The requests that a sample is drawn from.
struct SampledRange {
    std::uint64_t first = 0; ///< behind the warm-up of the run
    std::uint64_t end = 0;
};

/// The range in as many equal parts as there are windows, a window in each: at the same place of
/// all parts, or at one of its own (systematic and stratified sampling: Cochran, Sampling
/// Techniques, 3rd ed., 8.1 and 5A.1). `outstanding`: commands that the host keeps outstanding.
/// Fewer windows than asked for where what they measure would overlap. Without a pilot.
[[nodiscard]] SamplingPlan plan_windows(const SampledConfig& config, SampledRange range,
                                        std::uint32_t outstanding, std::uint64_t windows,
                                        std::uint64_t seed);

} // namespace cavern
