#include "app/result_files.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "timed/tlm/time.h"

namespace cavern {

namespace fs = std::filesystem;

OutputFolder::OutputFolder(fs::path path) : path_(std::move(path)) {
    fs::path missing = path_;
    while (!missing.empty() && !fs::exists(missing)) {
        made_.push_back(missing);
        missing = missing.parent_path();
    }
    std::error_code error;
    fs::create_directories(path_, error);
    if (error || !fs::is_directory(path_)) {
        remove_made();
        throw UserError(path_.string(), 1,
                        "cannot be made a folder" +
                            (error ? ": " + error.message() : std::string()),
                        "name an output folder that can be created or exists");
    }
}

void OutputFolder::remove_made() {
    for (const fs::path& folder : made_) {
        std::error_code ignored;
        fs::remove(folder, ignored); // refuses a folder that is not empty
    }
}

namespace {

std::uint32_t processors_of(const SsdConfig& config) {
    return config.cpu.model == CpuModel::kNone ? 0 : config.cpu.cores;
}

} // namespace

ResultFiles::ResultFiles(const RunOptions& options, const SsdConfig& config)
    : folder_(options.out), summary_(folder_.file("summary.json")),
      config_(folder_.file("config.toml")), firmware_(options.firmware) {
    if (!options.requests.empty()) {
        requests_ = std::make_unique<RequestCsv>(options.requests);
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
    listen(timeline_.get());
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
    act(config_);
    act(summary_);
    if (requests_ != nullptr) {
        act(*requests_);
    }
    if (decisions_ != nullptr) {
        act(*decisions_);
    }
    if (timeline_ != nullptr) {
        act(*timeline_);
    }
    if (power_ != nullptr) {
        act(*power_);
    }
    act(firmware_);
}

void ResultFiles::commit(const nlohmann::ordered_json& summary, const std::string& config) {
    summary_.print("{}\n", summary.dump(2));
    config_.print("{}", config);
    if (power_ != nullptr) {
        power_->write(now_ps());
    }
    finish();
    for_all([](auto& file) { file.commit(); });
    folder_.keep();
}

void ResultFiles::finish() {
    for_all([](auto& file) { file.finish(); });
}

void ResultFiles::keep_waves() {
    if (bus_waves_ != nullptr) {
        bus_waves_->write(bus_waves_file_->place(), waves());
        bus_waves_file_->commit();
    }
    if (waves_ != nullptr) {
        waves_->commit();
    }
}

} // namespace cavern
