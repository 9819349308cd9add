#include "workload/trace_output.h"

namespace cavern {

DecimalTime::DecimalTime(TimePs ps, unsigned digits, std::size_t least) : size(digits) {
    std::uint64_t unit = 1;
    for (unsigned i = 0; i < digits; ++i) {
        unit *= 10;
    }
    whole = ps / unit;
    std::uint64_t rest = ps % unit;
    for (std::size_t i = digits; i > 0; --i) {
        fraction[i - 1] = static_cast<char>('0' + rest % 10);
        rest /= 10;
    }
    while (size > least && fraction[size - 1] == '0') {
        --size;
    }
}

} // namespace cavern
