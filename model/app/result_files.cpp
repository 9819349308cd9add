#include "app/result_files.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/standard_output.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "results/fst_writer.h"
#include "results/summary.h"
#include "timed/tlm/time.h"

namespace cavern {

namespace {

std::uint32_t processors_of(const SsdConfig& config) {
    return config.cpu.model == CpuModel::kNone ? 0 : config.cpu.cores;
}

} // namespace

std::vector<std::pair<const char*, std::string>> asked_for(const RunOptions& options) {
    std::vector<std::pair<const char*, std::string>> asked{
        {"requests", options.requests},
        {"decisions", options.decisions},
        {"timeline", options.timeline},
        {"perfetto", options.perfetto},
        {"power", options.power},
        {"waves", options.waves},
        {"bus-waves", options.bus_waves},
        {"firmware-trace", options.firmware.trace},
        {"firmware-profile", options.firmware.profile},
        {"firmware-coverage", options.firmware.coverage},
        {"firmware-log", options.firmware.log}};
    asked.erase(std::remove_if(asked.begin(), asked.end(),
                               [](const auto& file) { return file.second.empty(); }),
                asked.end());
    return asked;
}

bool to_standard_output(const RunOptions& options) {
    const auto asked = asked_for(options);
    return std::any_of(asked.begin(), asked.end(),
                       [](const auto& file) { return file.second == kStandardOutput; });
}

ResultFiles::ResultFiles(const RunOptions& options, const SsdConfig& config, const Places& places,
                         const std::vector<std::string>& jobs)
    : inputs_(places.inputs()), asked_(asked_for(options)), folder_(options.out),
      summary_(folder_.file("summary.json")), config_(folder_.file("config.toml")),
      shares_(HostShares::of(jobs, config.host.queues)), firmware_(options.firmware) {
    if (!options.requests.empty()) {
        requests_ = std::make_unique<RequestCsv>(options.requests, shares_ != nullptr);
    }
    if (checks_laws()) {
        laws_ = std::make_unique<RequestLaws>();
    }
    if (!options.decisions.empty()) {
        decisions_ = std::make_unique<DecisionJsonl>(options.decisions, drive_geometry(config),
                                                     [] { return now_ps(); });
        decisions_->mute(true); // until the drive is preconditioned
    }
    if (!options.timeline.empty()) {
        timeline_ = std::make_unique<TimelineJson>(options.timeline, drive_geometry(config),
                                                   options.timeline_window, processors_of(config));
    }
    if (!options.perfetto.empty()) {
        perfetto_ = std::make_unique<PerfettoTrace>(options.perfetto, drive_geometry(config),
                                                    options.timeline_window);
    }
    if (!options.waves.empty()) {
        waves_ = std::make_unique<OutputFile>(options.waves);
    }
    if (!options.bus_waves.empty()) {
        bus_waves_file_ = std::make_unique<OutputFile>(options.bus_waves);
        bus_waves_ = std::make_unique<FlashWaves>(drive_geometry(config), config.nand.timing,
                                                  options.bus_waves_window);
    }
    if (!options.power.empty()) {
        power_ = std::make_unique<PowerLog>(options.power);
    }
    request_logs_.add(shares_.get());
    request_logs_.add(requests_.get());
    request_logs_.add(laws_.get());
    request_logs_.add(timeline_.get());
    request_logs_.add(perfetto_.get());
    listen(timeline_.get());
    listen(perfetto_.get());
    listen(bus_waves_.get());
    listen(power_.get());
}

void ResultFiles::listen(ActivityLogIf* listener) {
    if (listener == nullptr) {
        return;
    }
    if (activity_ == nullptr) {
        activity_ = listener;
        return;
    }
    pairs_.push_back(std::make_unique<ActivityPair>(*activity_, *listener));
    activity_ = pairs_.back().get();
}

template <typename Act>
void ResultFiles::for_all(Act act) {
    if (requests_ != nullptr) {
        act(*requests_);
    }
    if (decisions_ != nullptr) {
        act(*decisions_);
    }
    if (timeline_ != nullptr) {
        act(*timeline_);
    }
    if (perfetto_ != nullptr) {
        act(*perfetto_);
    }
    if (power_ != nullptr) {
        act(*power_);
    }
    act(firmware_);
}

void ResultFiles::end() {
    if (power_ != nullptr) {
        power_->write(now_ps());
    }
}

void ResultFiles::commit(nlohmann::ordered_json& summary, const std::string& config) {
    for_all([](auto& file) { file.finish(); });
    close_waves();
    set_files(summary, written());
    verify(summary);
    summary_.print("{}\n", summary.dump(2));
    config_.print("{}", config);
    summary_.finish();
    config_.finish();
    std::vector<std::string> kept = inputs_;
    for (const auto& [what, path] : asked_) {
        kept.push_back(path);
    }
    replaced_ = folder_.remove_previous(kept);
    for_all([](auto& file) { file.commit(); });
    commit_waves();
    config_.commit();
    summary_.commit();
    folder_.keep();
}

void ResultFiles::verify(const nlohmann::ordered_json& summary) {
    if (laws_ == nullptr) {
        return;
    }
    const nlohmann::ordered_json rows = laws_->totals();
    try {
        check_summary(summary, summary["sim"]["fidelity"] == "at" ? &rows : nullptr);
    } catch (const ModelError&) {
        commit_waves(); // they show what went wrong
        throw;
    }
}

std::vector<RunFile> ResultFiles::written() const {
    std::vector<RunFile> files;
    for (const auto& [what, path] : asked_) {
        const std::string place = OutputFile::place_of(path);
        std::error_code error;
        if (path != kStandardOutput &&
            std::filesystem::is_regular_file(place, error)) { // and no pipe
            files.push_back({what, folder_.seen_from_here(path),
                             std::filesystem::file_size(place, error), sha256_of_file(place)});
        }
    }
    return files;
}

void ResultFiles::finish() {
    for_all([](auto& file) { file.finish(); });
}

void ResultFiles::close_waves() {
    if (waves_ != nullptr) {
        waves_->finish();
        check_fst(waves_->place(), waves_->name());
    }
    if (bus_waves_ != nullptr) {
        bus_waves_->write(bus_waves_file_->place(), waves());
        check_fst(bus_waves_file_->place(), bus_waves_file_->name());
    }
}

void ResultFiles::keep_waves() {
    close_waves();
    commit_waves();
}

void ResultFiles::commit_waves() {
    for (OutputFile* file : {bus_waves_file_.get(), waves_.get()}) {
        if (file != nullptr) {
            file->commit();
        }
    }
}

} // namespace cavern
