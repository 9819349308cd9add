#include "app/result_files.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/standard_output.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "results/summary.h"
#include "timed/tlm/time.h"

namespace cavern {

std::vector<std::pair<std::string, std::string>> asked_for(const RunOptions& options) {
    std::vector<std::pair<std::string, std::string>> asked;
    const auto add = [&asked](const std::string& name, const std::string& path) {
        if (!path.empty()) {
            asked.emplace_back(name, path);
        }
    };
    for (std::size_t i = 0; i < run_files().size(); ++i) {
        add(run_files()[i].name, options.files[i].path);
    }
    for (const FirmwareFileRow& row : kFirmwareFiles) {
        add(std::string("firmware-") + row.name, options.firmware.*row.path);
    }
    return asked;
}

bool is_asked_for(const RunOptions& options, std::string_view name) {
    const auto asked = asked_for(options);
    return std::any_of(asked.begin(), asked.end(),
                       [name](const auto& file) { return file.first == name; });
}

bool to_standard_output(const RunOptions& options) {
    const auto asked = asked_for(options);
    return std::any_of(asked.begin(), asked.end(),
                       [](const auto& file) { return file.second == kStandardOutput; });
}

ResultFiles::ResultFiles(const RunOptions& options, const DrivePlan& config, const Places& places,
                         const std::vector<std::string>& jobs)
    : inputs_(places.inputs()), asked_(asked_for(options)), folder_(options.out),
      summary_(folder_.file("summary.json")), config_(folder_.file("config.toml")),
      shares_(HostShares::of(jobs, config.host.queues)), taps_(config, shares_.get()),
      controller_(make_controller_view(options, config)) {
    for (std::size_t i = 0; i < run_files().size(); ++i) {
        const RunFileRow& row = run_files()[i];
        if (!options.files[i].path.empty()) {
            (row.is(RunFileRow::kSignals) ? signals_ : printed_)
                .push_back(row.make(options.files[i], taps_));
        }
    }
    if (checks_laws()) {
        laws_ = std::make_unique<RequestLaws>();
        taps_.requests.add(laws_.get());
    }
}

void ResultFiles::watch(const Ssd& ssd) {
    for (const auto& file : printed_) {
        file->watch(ssd);
    }
}

void ResultFiles::begin_run() {
    for (const auto& file : printed_) {
        file->begin_run();
    }
}

void ResultFiles::end_run() {
    for (const auto& file : printed_) {
        file->end_run(now_ps());
    }
}

void ResultFiles::finish() {
    for (const auto& file : printed_) {
        file->finish();
    }
    controller_->finish();
}

void ResultFiles::keep_signals() {
    for (const auto& file : signals_) {
        file->finish();
    }
    commit_signals();
}

void ResultFiles::commit_signals() {
    for (const auto& file : signals_) {
        file->commit();
    }
}

void ResultFiles::commit(nlohmann::ordered_json& summary, const std::string& config) {
    finish();
    for (const auto& file : signals_) {
        file->finish();
    }
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
    for (const auto& file : printed_) {
        file->commit();
    }
    commit_signals();
    controller_->commit();
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
        commit_signals(); // they show what went wrong
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

} // namespace cavern
