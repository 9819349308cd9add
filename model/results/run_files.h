#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/drive_plan.h"
#include "results/host_shares.h"
#include "results/log_lists.h"
#include "results/result_file.h"
#include "results/timeline.h"

namespace cavern {

/// Where the files of a run hear of it. They outlive the drive.
struct RunTaps {
    /// `shares`: jobs and queues are told apart; null: there are not several.
    RunTaps(const DrivePlan& described, HostShares* shares);

    /// The one of all formats; the window of the first counts.
    Timeline& draw(TimeWindow window);
    [[nodiscard]] ProcessorLogIf* processors() { return timeline ? &*timeline : nullptr; }

    const DrivePlan& config;
    bool has_origins;
    RequestLogs requests;
    ActivityLogs activity;
    DecisionLogIf* decisions = nullptr; ///< null: nobody listens
    std::optional<Timeline> timeline;
    std::string waves; ///< where the arbiter writes its own; empty: nowhere
};

/// One of run_files(), as it was asked for.
struct AskedFile {
    std::string path; ///< empty: it was not
    TimeWindow window;
};

/// A file that a run may write beside summary and configuration.
struct RunFileRow {
    enum Trait : std::uint8_t {
        kNone = 0,
        kTimes = 1,   ///< a run without time has nothing for it
        kWindow = 2,  ///< has options that leave out what starts earlier or later
        kSignals = 4, ///< is written to and fro, and shows what went wrong in the model
        kServed = 8,  ///< `cavern serve` writes it, too
        kOneLife = 16 ///< ends where the drive loses its power
    };
    [[nodiscard]] bool is(Trait trait) const { return (traits & trait) != 0; }

    const char* name; ///< of its option
    const char* help;
    std::uint8_t traits;
    std::unique_ptr<ResultFile> (*make)(const AskedFile& asked, RunTaps& taps);
};

/// In the order of the help.
[[nodiscard]] const std::vector<RunFileRow>& run_files();

} // namespace cavern
