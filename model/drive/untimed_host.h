#pragma once

#include <cstdint>

#include "config/config.h"
#include "drive/run_observer.h"
#include "workload/request.h"

namespace cavern {

/// The host of a drive without time: it keeps commands outstanding in the device, and as one is
/// done, it sends the next. A command that may be outstanding only alone (a TRIM without NCQ) waits
/// until the device has nothing else to do, and those behind it until it is done.
class UntimedHost {
  public:
    /// `observer` may be null. At most `depth` commands are outstanding. The commands of `source`
    /// are numbered from `first` on.
    UntimedHost(RequestSourceIf& source, RunObserverIf* observer, const HostConfig& config,
                std::uint32_t depth, std::uint64_t first);

    /// The next command, if there is one and the host sends it while so many are outstanding.
    bool send(std::uint64_t outstanding, HostRequest& request);

  private:
    [[nodiscard]] bool fetch();

    RequestSourceIf& source_;
    RunObserverIf* observer_;
    const HostConfig& config_;
    std::uint32_t depth_;
    std::uint64_t sent_;
    HostRequest next_;
    bool has_next_ = false;
    bool ended_ = false;
    bool alone_ = false; ///< the latest command sent must be
};

} // namespace cavern
