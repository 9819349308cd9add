#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/controller_view.h"
#include "app/output_folder.h"
#include "app/places.h"
#include "app/run.h"
#include "config/drive_plan.h"
#include "core/base/output_file.h"
#include "results/request_rows.h"
#include "results/run_files.h"
#include "results/run_identity.h"

namespace cavern {

/// Every file that is asked for beside summary and configuration, by its option without dashes.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> asked_for(const RunOptions& options);
[[nodiscard]] bool is_asked_for(const RunOptions& options, std::string_view name);

/// Whether one of them goes to standard output, where nothing else may.
[[nodiscard]] bool to_standard_output(const RunOptions& options);

/// Everything a run writes. Nothing of it appears before commit().
class ResultFiles {
  public:
    /// `jobs`: names of those of the workload.
    ResultFiles(const RunOptions& options, const DrivePlan& config, const Places& places,
                const std::vector<std::string>& jobs = {});

    /// What the files are made of.
    [[nodiscard]] RunTaps& taps() { return taps_; }
    /// Jobs and queues apart; null: there are not several.
    [[nodiscard]] const HostShares* shares() const { return shares_.get(); }
    [[nodiscard]] ControllerView& controller() { return *controller_; }

    /// The drive of a run with time is built; it outlives end_run().
    void watch(const Ssd& ssd);
    /// The drive is preconditioned.
    void begin_run();
    void end_run();
    /// All files or, where one cannot be written to its end, none; where a law is broken, those of
    /// signals alone. The summary names the others; what the run before left in the folder goes.
    /// The drive has closed its waves.
    void commit(nlohmann::ordered_json& summary, const std::string& config);
    /// The id of the run whose results commit() has replaced; empty: none.
    [[nodiscard]] const std::string& replaced() const { return replaced_; }
    /// Throws UserError if what was printed so far cannot be written.
    void finish();
    /// Those of the controller alone.
    void keep_controller() { controller_->commit(); }
    /// Those of signals alone, once the drive has closed its own.
    void keep_signals();

  private:
    void commit_signals();
    void verify(const nlohmann::ordered_json& summary);
    [[nodiscard]] std::vector<RunFile> written() const;

    std::string replaced_;
    std::vector<std::string> inputs_;
    std::vector<std::pair<std::string, std::string>> asked_;
    OutputFolder folder_; // before the files: outlives those in it
    OutputFile summary_;
    OutputFile config_;
    std::unique_ptr<HostShares> shares_;
    std::unique_ptr<RequestLaws> laws_; ///< null: nothing is verified
    RunTaps taps_;
    std::vector<std::unique_ptr<ResultFile>> printed_;
    std::vector<std::unique_ptr<ResultFile>> signals_;
    std::unique_ptr<ControllerView> controller_;
};

} // namespace cavern
