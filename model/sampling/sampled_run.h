#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drive/run_observer.h"
#include "drive/untimed_drive.h"
#include "sampling/estimates.h"
#include "sampling/sampling_plan.h"
#include "timed/host/host_interface.h"

namespace cavern {

/// What a run measured in windows.
struct Sample {
    std::uint64_t windows = 0;
    std::uint64_t detailed = 0;         ///< requests that were played in time
    std::uint64_t rounds = 1;           ///< how often the run was played
    std::optional<Estimates> estimates; ///< none of fewer than two windows
    bool closed_loop = false;
    /// Open loop: from the arrival of the first request that counts to that of the last.
    TimePs arrivals = 0;
    std::vector<std::string> notes; ///< on what the estimates may miss
};

/// How the host of a sampled run works, as for a run with time, and how many requests it has.
struct SampledHost {
    HostInterface::Params params;
    std::uint64_t requests = 0;
    /// Opens the workload anew: a file that two processes read has one position.
    std::function<std::unique_ptr<RequestSourceIf>()> open_again;
};

/// Plays `source` to its end on `drive`, without time, and windows of it with time, each on the
/// drive as it is there. `observer` may be null. Where the error that the configuration asks for is
/// missed, another process, which has waited since the start, plays the run once more, with other
/// windows. May be called once in a process, in which the kernel of SystemC was not used. Throws
/// ModelError if a window goes wrong.
[[nodiscard]] Sample play_sampled(UntimedDrive& drive, RequestSourceIf& source,
                                  const SampledHost& host, RunObserverIf* observer);

} // namespace cavern
