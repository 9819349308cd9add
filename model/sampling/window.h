#pragma once

#include <cstdint>
#include <vector>

#include "core/base/request_op.h"
#include "core/base/units.h"

namespace cavern {

/// One request that was measured.
struct MeasuredRequest {
    std::uint64_t latency_ns = 0;
    RequestOp op = RequestOp::kRead;
};

/// What a window of a sampled run has measured.
struct Window {
    std::vector<MeasuredRequest> requests;
    /// Between the completion of the last request of the warm-up and that of as many as are
    /// measured, in the order of completions; and what those moved.
    TimePs span = 0;
    std::uint64_t bytes = 0;
    /// Requests that had arrived and were not answered when the last one measured arrived.
    std::uint64_t backlog = 0;
    /// By so many frames the buffer was fuller, in the mean while the window was measured, than at
    /// its beginning, where that was estimated (BufferLevel).
    double level_change = 0;
};

} // namespace cavern
