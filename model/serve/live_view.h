#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drive/live_drive.h"
#include "serve/drive_export.h"
#include "serve/serve_clock.h"

namespace cavern {

/// Shows on a terminal what a drive does at the moment: a few lines that are written over
/// themselves.
class LiveView {
  public:
    /// `clients`: how they reach the drive. All outlive the view.
    LiveView(const LiveDrive& drive, DriveExport& exported, std::string clients);

    /// The lines, each with a line feed, about the time since the last call.
    [[nodiscard]] std::string lines(std::size_t connections);
    /// Writes the lines over those that were there before, by ANSI escape sequences.
    [[nodiscard]] std::string over_the_last(std::size_t connections);

  private:
    /// Counters up to now.
    struct Counted {
        ServeClock::Wall::time_point wall;
        TimePs drive = 0;
        std::uint64_t requests = 0;
        std::uint64_t bytes_read = 0;
        std::uint64_t bytes_written = 0;
        std::uint64_t host_pages = 0;
        std::uint64_t programs = 0;
        std::vector<TimePs> dies;     ///< busy
        std::vector<TimePs> channels; ///< busy
    };

    [[nodiscard]] Counted count() const;

    const LiveDrive& drive_;
    DriveExport& export_;
    std::string clients_;
    Counted last_;
    std::size_t shown_ = 0; ///< lines
};

} // namespace cavern
