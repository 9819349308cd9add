#include "app/run_checks.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "app/controller_view.h"
#include "app/result_files.h"
#include "app/run_workload.h"
#include "app/standard_output.h"
#include "config/file_names.h"
#include "config/resolved_config.h"
#include "core/base/error.h"
#include "cosim/user_models.h"

namespace cavern {
namespace {

/// Which arbiter of the user's there is, only the program knows that it was linked into.
void check_rtl_top(const ResolvedConfig& resolved) {
    const std::string& top = resolved.config.channel.rtl_top;
    if (top.empty() || top == user_rtl_top()) {
        return;
    }
    const SettingOrigin at = latest_origin(resolved, {"channel.rtl_top"}).value();
    throw UserError(at.file, at.line, "this program has no RTL arbiter \"" + top + "\" in it",
                    user_rtl_top().empty() ? "built-in, or build with -DCAVERN_USER_ARBITER=FILE.sv"
                                           : "built-in or " + std::string(user_rtl_top()));
}

void check_window(const std::string& name, const TimeWindow& window) {
    if (window.begin > window.end) {
        throw UserError("<command line>", 1, "--" + name + "-from lies after --" + name + "-to",
                        "give the earlier time first");
    }
}

/// Standard output has room for one thing.
void check_standard_output(const RunOptions& options) {
    std::string taken = options.json ? "--json" : "";
    for (const auto& [name, path] : asked_for(options)) {
        if (path != kStandardOutput) {
            continue;
        }
        if (!taken.empty()) {
            throw UserError("<command line>", 1,
                            taken + " and --" + name + " both go to standard output",
                            "name a file for one of them");
        }
        taken = std::string("--") + name;
    }
}

/// Files of single requests or decisions: what shows times needs a run that has all of them, and
/// the processes of windows would write into the files of the run.
void check_files(const RunOptions& options, Fidelity fidelity) {
    if (fidelity == Fidelity::kApproximatelyTimed) {
        return;
    }
    const bool sampled = fidelity == Fidelity::kSampled;
    const TimeWindow& window = options.firmware_trace_window;
    std::vector<std::pair<std::string, bool>> timed;
    for (std::size_t i = 0; i < run_files().size(); ++i) {
        const RunFileRow& row = run_files()[i];
        const bool asked = !options.files[i].path.empty();
        timed.emplace_back(row.name, asked && row.is(RunFileRow::kTimes));
        if (sampled && asked && !row.is(RunFileRow::kTimes)) {
            throw UserError("<command line>", 1, fmt::format("--{} of a sampled run", row.name),
                            "add --set fidelity=untimed, which decides the same");
        }
    }
    timed.emplace_back("firmware-trace-from", window.begin != TimeWindow{}.begin);
    timed.emplace_back("firmware-trace-to", window.end != TimeWindow{}.end);
    for (const auto& [name, asked] : timed) {
        if (asked) {
            throw UserError("<command line>", 1,
                            fmt::format("--{} shows times, and the run has {}", name,
                                        sampled ? "some of them" : "none"),
                            "add --set fidelity=at");
        }
    }
}

} // namespace

void check_decides(const ResolvedConfig& resolved) {
    if (const auto lacks = controller_why_not(resolved.config)) {
        const std::optional<SettingOrigin> key = latest_origin(resolved, lacks->keys);
        const SettingOrigin at = key ? *key : latest_origin(resolved, {"cpu.decides"}).value();
        throw UserError(at.file, at.line, lacks->what,
                        lacks->right + (executes_firmware(resolved.config.cpu.model)
                                            ? ", or cpu.model = \"none\""
                                            : ", or cpu.decides = \"core\""));
    }
}

ResolvedConfig resolve(const RunOptions& options) {
    std::vector<std::string> overrides = options.overrides;
    if (options.seed) {
        overrides.push_back("seed=" + std::to_string(*options.seed));
    }
    ResolvedConfig resolved = load_config(options.config, overrides);
    if (is_asked_for(options, "waves") && !row_of(resolved.config.channel.arbiter).has_rtl) {
        throw UserError("<command line>", 1, "--waves needs an arbiter in RTL",
                        "add --set channel.arbiter=rtl (or lockstep)");
    }
    check_files(options, resolved.config.fidelity);
    check_standard_output(options);
    check_rtl_top(resolved);
    check_controller(options, resolved);
    for (std::size_t i = 0; i < run_files().size(); ++i) {
        check_window(run_files()[i].name, options.files[i].window);
    }
    check_window("firmware-trace", options.firmware_trace_window);
    return resolved;
}

Places inputs_of(const RunOptions& options, const ResolvedConfig& resolved) {
    Places places;
    for (const ConfigInput& file : resolved.files) {
        places.reads(file.name, file.path);
    }
    for (const TraceFlow& flow : traces_of(options)) {
        places.reads("--trace", find_file(kTraces, flow.path));
    }
    places.reads("--workload", find_file(kWorkloads, options.workload));
    places.reads("--load-state", options.load_state);
    return places;
}

void add_outputs(const RunOptions& options, Places& places) {
    places.writes("--save-state", options.save_state);
    for (const char* name : {"summary.json", "config.toml"}) {
        places.writes("--out", (std::filesystem::path(options.out) / name).string());
    }
    for (const auto& [name, path] : asked_for(options)) {
        places.writes(std::string("--") + name, path);
    }
}

void rethrow_as_users(const ResolvedConfig& resolved, bool debugger_changed) {
    try {
        throw;
    } catch (const FirmwareError& error) {
        if (debugger_changed) {
            throw UserError("<command line>", 1, error.what(),
                            "a debugger of --gdb that leaves it able to go on");
        }
        if (resolved.config.cpu.firmware.empty()) {
            throw; // the program's own
        }
        const SettingOrigin at = latest_origin(resolved, {"cpu.firmware"}).value();
        throw UserError(at.file, at.line, error.what(),
                        "firmware that decides what can be carried out");
    }
}

} // namespace cavern
