#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/firmware_files.h"
#include "app/output_folder.h"
#include "app/places.h"
#include "app/run.h"
#include "config/config.h"
#include "core/base/output_file.h"
#include "results/flash_waves.h"
#include "results/host_shares.h"
#include "results/perfetto_trace.h"
#include "results/power_log.h"
#include "results/request_rows.h"
#include "results/result_logs.h"
#include "results/run_identity.h"
#include "results/timeline_json.h"

namespace cavern {

/// Every file that is asked for beside summary and configuration, by its option without dashes.
[[nodiscard]] std::vector<std::pair<const char*, std::string>> asked_for(const RunOptions& options);

/// Whether one of them goes to standard output, where nothing else may.
[[nodiscard]] bool to_standard_output(const RunOptions& options);

/// Everything a run writes. Nothing of it appears before commit().
class ResultFiles {
  public:
    /// `jobs`: names of those of the workload.
    ResultFiles(const RunOptions& options, const SsdConfig& config, const Places& places,
                const std::vector<std::string>& jobs = {});

    [[nodiscard]] RequestLogIf* requests() { return request_logs_.get(); }
    [[nodiscard]] DecisionJsonl* decisions() const { return decisions_.get(); }
    /// Who listens to buses and dies; null: nobody.
    [[nodiscard]] ActivityLogIf* activity() const { return activity_; }
    /// Jobs and queues apart; null: there are not several.
    [[nodiscard]] const HostShares* shares() const { return shares_.get(); }
    /// The power over time; null: nobody asked.
    [[nodiscard]] PowerLog* power() const { return power_.get(); }
    /// Who listens to the processors of the controller; null: nobody.
    [[nodiscard]] ProcessorLogIf* processors() const { return timeline_.get(); }
    /// Where the arbiter writes its waves; empty: nowhere.
    [[nodiscard]] std::string waves() const { return waves_ ? waves_->place() : std::string(); }

    [[nodiscard]] FirmwareFiles& firmware() { return firmware_; }

    /// The simulation is at its end, and the drive still there.
    void end();
    /// All files or, where one cannot be written to its end, none; where a law is broken, the waves
    /// alone. The summary names the others; what the run before left in the folder goes. The drive
    /// has closed its waves.
    void commit(nlohmann::ordered_json& summary, const std::string& config);
    /// The id of the run whose results commit() has replaced; empty: none.
    [[nodiscard]] const std::string& replaced() const { return replaced_; }
    /// Throws UserError if what was printed so far cannot be written.
    void finish();
    /// Those about the firmware alone.
    void keep_firmware() { firmware_.commit(); }
    /// The waves alone, once the arbiter has closed them.
    void keep_waves();

  private:
    template <typename Act>
    void for_all(Act act);
    void close_waves();
    void commit_waves();
    void verify(const nlohmann::ordered_json& summary);
    [[nodiscard]] std::vector<RunFile> written() const;
    void listen(ActivityLogIf* listener);

    std::string replaced_;
    std::vector<std::string> inputs_;
    std::vector<std::pair<const char*, std::string>> asked_;
    OutputFolder folder_; // before the files: outlives those in it
    OutputFile summary_;
    OutputFile config_;
    std::unique_ptr<HostShares> shares_;
    std::unique_ptr<RequestCsv> requests_;
    std::unique_ptr<RequestLaws> laws_; ///< null: nothing is verified
    std::unique_ptr<DecisionJsonl> decisions_;
    std::unique_ptr<TimelineJson> timeline_;
    std::unique_ptr<PerfettoTrace> perfetto_;
    RequestLogs request_logs_; ///< all that are told of requests
    FirmwareFiles firmware_;
    std::unique_ptr<OutputFile> waves_;
    std::unique_ptr<OutputFile> bus_waves_file_;
    std::unique_ptr<FlashWaves> bus_waves_;
    std::unique_ptr<PowerLog> power_;
    std::vector<std::unique_ptr<ActivityPair>> pairs_;
    ActivityLogIf* activity_ = nullptr; ///< all that listen
};

} // namespace cavern
