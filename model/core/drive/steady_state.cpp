#include "core/drive/steady_state.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace cavern {

SteadyWindow look_at(const double* values, std::size_t count) {
    CAVERN_CHECK(count >= 2, "a line needs two rounds");
    const auto n = static_cast<double>(count);
    double sum = 0;
    double moment = 0;
    double spread = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double from_middle = static_cast<double>(i) - (n - 1) / 2;
        sum += values[i];
        moment += from_middle * values[i];
        spread += from_middle * from_middle;
    }
    const auto [least, most] = std::minmax_element(values, values + count);
    SteadyWindow window;
    window.mean = sum / n;
    window.range = (*most - *least) / window.mean;
    window.slope = std::abs(moment / spread) * (n - 1) / window.mean;
    return window;
}

} // namespace cavern
