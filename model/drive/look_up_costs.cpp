#include "drive/look_up_costs.h"

#include <cmath>

namespace cavern {

LookUpCosts::LookUpCosts(const FixedCosts::Cycles& cycles, const LookUpCost::Params& cache,
                         std::uint64_t written)
    : cycles_(cycles), cache_(cache) {
    for (std::uint64_t page = 0; page < written; ++page) {
        cache_.prewrite(page);
    }
}

std::uint64_t LookUpCosts::to_decide(const DeviceCommand& command, const CommandPages& pages) {
    double cycles = cycles_.command;
    if (moves_data(command.op)) {
        for (std::uint64_t page = pages.first; page < pages.end; ++page) {
            cycles += cache_.access(page, command.op == RequestOp::kWrite);
        }
    }
    return static_cast<std::uint64_t>(std::llround(cycles));
}

} // namespace cavern
