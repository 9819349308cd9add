#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "drive/run_observer.h"

namespace cavern {

/// Progress of a long run on a terminal's stderr (nothing when stderr is no terminal), and the way
/// SIGINT and SIGTERM stop a run: the host takes no further requests, those outstanding finish.
/// One per process, because signal handlers are.
class Progress final : public RunObserverIf {
  public:
    Progress(std::optional<std::uint64_t> total, bool quiet);
    ~Progress() override;

    bool dispatching(std::uint64_t id) override;
    /// Clears the line.
    void finish();
    /// The host was kept from taking a request.
    [[nodiscard]] bool interrupted() const { return interrupted_; }
    /// A signal has come, whether or not there was a request left to refuse.
    [[nodiscard]] static bool stopping();

  private:
    void show(std::uint64_t done);

    std::optional<std::uint64_t> total_;
    bool terminal_;
    bool shown_ = false;
    bool interrupted_ = false;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_;
};

} // namespace cavern
