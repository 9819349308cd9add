#include "results/run_identity.h"

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "config/config_show.h"
#include "core/base/sha256.h"
#include "results/run_results.h"
#include "results/run_warnings.h"

namespace cavern {
namespace {

constexpr std::size_t kIdDigits = 16;

ObjectFields<RunFile> file_fields() {
    ObjectFields<RunFile> fields;
    fields
        .value("what", "", "The option of ./cavern run that asked for it.",
               [](const RunFile& file) { return file.what; })
        .value("path", "", "Where it is, seen from the folder of this file.",
               [](const RunFile& file) { return file.path; })
        .measured()
        .value("bytes", "bytes", "Its size.", [](const RunFile& file) { return file.bytes; })
        .value("sha256", "", "SHA-256 of what it holds.",
               [](const RunFile& file) { return file.sha256; });
    return fields;
}

ObjectFields<RunInput> input_fields() {
    ObjectFields<RunInput> fields;
    fields
        .value("kind", "", "What it was: trace, traces, workload or clients.",
               [](const RunInput& input) { return input.kind; })
        .value("path", "",
               "Its file, as given; - is standard input; of traces NAME=FILE of each; of clients "
               "the URI "
               "of the drive.",
               [](const RunInput& input) { return input.path; })
        .value("format", "", "The format that --format gave; null: recognised from the content.",
               [](const RunInput& input) {
                   return input.format.empty() ? std::nullopt : std::optional(input.format);
               })
        .value("sha256", "",
               "SHA-256 of that file, as it lies there, and of traces of a line with name and "
               "SHA-256 for "
               "each; null of a pipe and of clients.",
               [](const RunInput& input) { return input.sha256; })
        .value("limit", "requests", "What --limit gave; null: none.",
               [](const RunInput& input) { return input.limit; })
        .value("warmup", "requests", "What --warmup gave.",
               [](const RunInput& input) { return input.warmup; })
        .value("flow", "", "What --flow gave; null: all was played.",
               [](const RunInput& input) {
                   return input.flow.empty() ? std::nullopt : std::optional(input.flow);
               })
        .value("state", "", "What --load-state gave; null: nothing.",
               [](const RunInput& input) {
                   return input.state.empty() ? std::nullopt : std::optional(input.state);
               })
        .value("state_id", "",
               "The same for saved states that hold the same: a hash of the checksums in that "
               "file; null without one.",
               [](const RunInput& input) {
                   return input.state_id.empty() ? std::nullopt : std::optional(input.state_id);
               });
    return fields;
}

} // namespace

std::string run_id(const ResolvedConfig& resolved, const RunIdentity& identity) {
    const RunInput& input = identity.input;
    Sha256 hash;
    const auto add = [&hash](std::string_view name, std::string_view value) {
        hash.add(name);
        hash.add("=");
        hash.add(value);
        hash.add("\n");
    };
    add("version", program_version());
    add("commit", program_commit());
    for (const auto& [name, value] : config_values(resolved)) {
        add(name, value);
    }
    add("input", input.kind);
    add("sha256", input.sha256.value_or(""));
    add("format", input.format);
    add("limit", input.limit ? std::to_string(*input.limit) : "");
    add("warmup", std::to_string(input.warmup));
    if (!input.flow.empty()) {
        add("flow", input.flow);
    }
    if (!input.state_id.empty()) {
        add("state", input.state_id);
    }
    if (input.kind == "clients") {
        add("started", identity.started);
    }
    return hash.digest().substr(0, kIdDigits);
}

std::string time_of_day() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

void set_files(nlohmann::ordered_json& summary, const std::vector<RunFile>& files) {
    static const ObjectFields<RunFile> fields = file_fields();
    nlohmann::ordered_json& list = summary["run"]["files"] = nlohmann::ordered_json::array();
    for (const RunFile& file : files) {
        list.push_back(fields.json(file));
    }
}

ObjectFields<RunResults> identity_fields() {
    const auto identity = [](const RunResults& run) -> const RunIdentity& {
        return run.facts.identity;
    };
    ObjectFields<RunResults> fields;
    fields
        .value("id", "",
               "The same for runs of the same program, configuration and input: a hash of these.",
               [identity](const RunResults& run) { return run_id(run.resolved, identity(run)); })
        .value("command", "", "The command that repeats the run, from the folder of then.",
               [identity](const RunResults& run) { return identity(run).command; })
        .measured()
        .value("version", "", "Version of the program.",
               [](const RunResults&) { return program_version(); })
        .value("commit", "",
               "The last commit that changed what the program is built of; -modified: and it was "
               "changed since.",
               [](const RunResults&) { return program_commit(); })
        .value("started", "", "When the run began, UTC.",
               [identity](const RunResults& run) { return identity(run).started; })
        .measured()
        .object(
            "input", "What was played.", input_fields(),
            [identity](const RunResults& run) -> const RunInput& { return identity(run).input; })
        .list("files", "What else the run wrote.", file_fields(),
              [identity](const RunResults& run) -> const std::vector<RunFile>& {
                  return identity(run).files;
              })
        .value("warnings", "", "What one should know before one believes the figures.",
               run_warnings);
    return fields;
}

} // namespace cavern
