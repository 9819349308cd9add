#pragma once

#include <csignal>

namespace cavern {

/// While it lives, SIGINT and SIGTERM do not end the process but are remembered. They, and the end
/// of a child, arrive only in a ppoll() that lets them through. One per process, because signal
/// handlers are.
class StopSignals {
  public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    [[nodiscard]] static bool stopping();

  private:
    sigset_t before_{};
};

} // namespace cavern
