#pragma once

#include <cstdint>

#include "core/ftl/ftl_params.h"
#include "core/ftl/page_ftl.h"

namespace cavern::testing {

inline FtlParams page_params(double overprovision, std::uint32_t low, std::uint32_t high,
                             bool shared = false) {
    FtlParams params;
    params.overprovision = overprovision;
    params.gc_low = low;
    params.gc_high = high;
    params.gc_shared_frontier = shared;
    return params;
}

inline FlashOpList write(PageFtl& ftl, std::uint64_t lpn, std::uint32_t plane = 0) {
    FlashOpList ops;
    ftl.write(Lpn{lpn}, PlaneId{plane}, ops);
    return ops;
}

/// Logical pages written in docs/algorithms.md, PAGE-1.
inline constexpr std::uint64_t kPage1[] = {0, 1, 2, 3, 4, 5, 6, 7,  0,  4, 1,
                                           5, 0, 4, 2, 6, 8, 9, 10, 11, 0, 1};

} // namespace cavern::testing
