#pragma once

#include <csignal>

namespace cavern {

/// While it lives, SIGINT and SIGTERM do not end the process but are remembered, and so is SIGUSR1,
/// where it cuts the power of the drive. They, and the end of a child, arrive only in a ppoll()
/// that lets them through. One per process, because signal handlers are.
class StopSignals {
  public:
    explicit StopSignals(bool cuts_power = false);
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    [[nodiscard]] static bool stopping();
    /// Whether SIGUSR1 has come since the last call.
    [[nodiscard]] static bool take_power_cut();
    /// Whether a child has ended since the last call.
    [[nodiscard]] static bool take_end_of_child();

  private:
    sigset_t before_{};
};

} // namespace cavern
