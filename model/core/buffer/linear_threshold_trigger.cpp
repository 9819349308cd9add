#include "core/buffer/linear_threshold_trigger.h"

#include <cmath>

#include <fmt/format.h>

#include "core/base/check.h"

namespace cavern {

std::optional<std::string> LinearThresholdParams::why_not() const {
    if (low < high) {
        return std::nullopt;
    }
    return fmt::format("buffer.linear-threshold.low = {} and high = {}; low below high", low, high);
}

LinearThresholdTrigger::LinearThresholdTrigger(double low, double high, std::uint32_t most)
    : low_(low), high_(high), most_(most) {
    CAVERN_CHECK(low >= 0.0 && low < high, "a linear threshold rises from low to high");
    CAVERN_CHECK(most >= 1, "the rate linear-threshold needs at least one victim");
}

std::string LinearThresholdTrigger::throttle() const {
    if (most_ >= at_a_time_) {
        return {};
    }
    return fmt::format("buffer.linear-threshold.max = {} lets fewer pages leave than the dies "
                       "program at a time ({})",
                       most_, at_a_time_);
}

bool LinearThresholdTrigger::wants_more(const BufferLoad& load) {
    return load.in_flight_units < victims(load.resident + load.in_flight, load.capacity);
}

std::uint32_t LinearThresholdTrigger::victims(std::uint32_t used, std::uint32_t capacity) const {
    const double above = static_cast<double>(used) - low_ * capacity;
    const double span = (high_ - low_) * capacity;
    if (above <= 0.0) {
        return 0;
    }
    if (above >= span) {
        return most_;
    }
    // Shares such as 0.6 have no exact binary form: what is a whole number but for that stays it.
    constexpr double kAllowance = 1e-9;
    return static_cast<std::uint32_t>(std::ceil(most_ * above / span - kAllowance));
}

} // namespace cavern
