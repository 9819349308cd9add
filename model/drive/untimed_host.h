#pragma once

#include <cstdint>

#include "config/drive_plan.h"
#include "core/base/ring.h"
#include "drive/run_observer.h"
#include "workload/request.h"

namespace cavern {

/// The host of a drive without time: it keeps commands outstanding in the device, and as one is
/// done, it sends the next. A command that may be outstanding only alone (a TRIM without NCQ) waits
/// until the device has nothing else to do, and those behind it until it is done.
class UntimedHost {
  public:
    /// `observer` may be null. At most `depth` commands are outstanding in the device. The commands
    /// of `source` are numbered from `first` on. Its jobs see their answers as if `window` commands
    /// were outstanding, of which the device does one after the other.
    UntimedHost(RequestSourceIf& source, RunObserverIf* observer, const HostConfig& config,
                std::uint32_t depth, std::uint32_t window, std::uint64_t first);

    /// The next command, if there is one and the host sends it while so many are outstanding.
    bool send(std::uint64_t outstanding, HostRequest& request);

  private:
    [[nodiscard]] bool fetch(std::uint64_t outstanding);
    [[nodiscard]] bool ask(std::uint64_t outstanding);
    void answer_oldest() { source_.answered(unanswered_.pop()); }

    RequestSourceIf& source_;
    RunObserverIf* observer_;
    const HostConfig& config_;
    std::uint32_t depth_;
    std::uint32_t window_;
    bool has_jobs_;
    Ring<std::uint32_t> unanswered_; ///< jobs of commands sent, as the jobs see it
    std::uint64_t sent_;
    HostRequest next_;
    bool has_next_ = false;
    bool ended_ = false;
    bool alone_ = false; ///< the latest command sent must be
};

} // namespace cavern
