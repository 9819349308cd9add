#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "drive/run_observer.h"

namespace cavern {

/// Shows a wait before there is a run to show: a count on a terminal's stderr. Signals end the
/// program meanwhile as ever.
class WaitDisplay {
  public:
    WaitDisplay(std::string what, bool quiet);
    ~WaitDisplay() { clear(); }
    WaitDisplay(const WaitDisplay&) = delete;
    WaitDisplay& operator=(const WaitDisplay&) = delete;
    void show(std::uint64_t count, const char* unit);
    void clear();

  private:
    std::string what_;
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point last_;
};

/// Progress of a long run on a terminal's stderr (nothing when stderr is no terminal), and the way
/// SIGINT and SIGTERM stop a run: the host takes no further requests, those outstanding finish.
/// A second signal ends the process at once, without results. One per process, because signal
/// handlers are.
class Progress final : public RunObserverIf {
  public:
    Progress(std::optional<std::uint64_t> total, bool quiet);
    ~Progress() override;

    bool dispatching(std::uint64_t id) override;
    void preconditioning(std::uint64_t done, std::uint64_t most) override;
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
