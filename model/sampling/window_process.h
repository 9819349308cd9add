#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <vector>

#include "drive/untimed_drive.h"
#include "sampling/buffer_level.h"
#include "sampling/sampled_source.h"
#include "sampling/shared_file.h"
#include "sampling/window.h"
#include "timed/host/host_interface.h"

namespace cavern {

/// Plays the windows of a sampled run, each in a process of its own that is forked where the window
/// begins: it has the drive as it is then, at the price of the memory that either process changes
/// meanwhile, and goes on with it in time. What it measures comes back through shared memory.
class WindowProcesses final : public WindowPlayerIf {
  public:
    /// `jobs`: processes at the same time, this one among them; 1: the run waits for each window.
    /// All must outlive it. What was measured is in `file` for whoever maps it by the same plan.
    WindowProcesses(UntimedDrive& drive, const HostInterface::Params& host,
                    const SamplingPlan& plan, std::uint32_t jobs, SharedFile& file);
    ~WindowProcesses() override;
    WindowProcesses(const WindowProcesses&) = delete;
    WindowProcesses& operator=(const WindowProcesses&) = delete;

    [[nodiscard]] std::uint64_t most_before() const override;
    [[nodiscard]] WindowApproach approach(std::size_t window) override;
    /// Throws ModelError where a process cannot be begun.
    [[nodiscard]] bool fork_for(std::size_t window) override;
    [[noreturn]] void play(std::size_t window, SampledSource& source) override;

    /// Waits for all. The pilot, and what was not played to its end, are left out. Throws
    /// ModelError with what went wrong in a window.
    [[nodiscard]] std::vector<Window> finish();
    /// Requests that were played in time.
    [[nodiscard]] std::uint64_t detailed() const;

  private:
    struct Record;

    [[nodiscard]] Record& record(std::size_t window) const;
    [[nodiscard]] MeasuredRequest* requests(std::size_t window) const;
    void measure(std::size_t window, SampledSource& source);
    void wait_for_one();
    [[nodiscard]] std::uint64_t most_lead() const;
    [[nodiscard]] std::uint64_t requests_so_far() const;
    [[nodiscard]] bool collects() const;
    [[nodiscard]] std::uint64_t lead_to(double level) const;
    [[nodiscard]] double level_before(std::size_t window, std::uint64_t begin);

    UntimedDrive& drive_;
    HostInterface::Params host_;
    const SamplingPlan& plan_;
    std::uint32_t jobs_;
    bool fills_buffer_; ///< BufferLevel::matters()
    void* shared_;      ///< a record for each window, then the requests of all
    std::vector<pid_t> running_;
    std::size_t ended_ = 0; ///< processes
    double level_told_ = 0; ///< frames in use at the beginning of the window to be forked next
    double drift_ = 0;      ///< of the level within the window that told
    double reach_ = 1;      ///< how far it goes on, as a multiple of that
    std::optional<BufferLevel> level_;
};

} // namespace cavern
