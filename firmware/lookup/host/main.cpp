// cavern-lookup: plays the workload of Lee & Chung 2020 through the firmware's data cache.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "firmware/lookup/host/costs.h"
#include "firmware/lookup/host/play.h"
#include "firmware/lookup/host/processor.h"
#include "keys/key_schema.h"
#include "keys/key_text.h"

namespace {

using namespace cavern;
using namespace cavern::lookup;

void add_sources(CLI::App& app, RunSources& sources) {
    app.add_option("CONFIG", sources.config, "cache, flash and processor (TOML)")->required();
    app.add_option("--workload", sources.workload, "threads, files and records (TOML)");
    app.add_option("--set", sources.overrides, "KEY=VALUE: overrides a key")
        ->allow_extra_args(false);
}

void run(const RunSources& sources, const std::string& out, bool quiet) {
    const RunSettings settings = read_settings(sources);
    double host_seconds = -1;
    const session_result result = settings.played_on == "host"
                                      ? play_on_host(settings.session, nullptr, &host_seconds)
                                      : play_on_processor(settings);
    std::filesystem::create_directories(out);
    OutputFile config(out + "/config.toml");
    config.print("{}", settings_toml(settings));
    OutputFile summary(out + "/summary.json");
    summary.print("{}", summary_json(settings, sources, result, host_seconds));
    config.finish();
    summary.finish();
    config.commit();
    summary.commit();
    if (!quiet) {
        std::cout << result.records << " records, " << result.cost.look_ups << " look-ups, "
                  << result.cost.compares << " compares\n";
    }
}

int command_line(int argc, char** argv) {
    CLI::App app("plays the workload of Lee & Chung 2020 through the firmware's data cache");
    app.require_subcommand(1);
    RunSources sources;
    std::string out = "out/lookup";
    bool quiet = false;
    CLI::App* const play = app.add_subcommand("run", "plays one run");
    add_sources(*play, sources);
    play->add_option("--out", out, "folder of summary.json and config.toml")->capture_default_str();
    play->add_flag("--quiet", quiet, "prints nothing");
    CLI::App* const trace = app.add_subcommand("trace", "writes the workload as a trace (csv)");
    add_sources(*trace, sources);
    trace->add_option("--out", out, "the file")->required();
    CLI::App* const costs =
        app.add_subcommand("costs", "measures cycles.inc: what an access costs, by look-up");
    add_sources(*costs, sources);
    costs->add_option("--out", out, "the file")->required();
    CLI::App* const config = app.add_subcommand("config", "shows keys and settings");
    config->require_subcommand(1);
    CLI::App* const show = config->add_subcommand("show", "prints every key with its value");
    add_sources(*show, sources);
    CLI::App* const list = config->add_subcommand("list", "prints every key with its default");
    std::string key;
    CLI::App* const explain = config->add_subcommand("explain", "explains a key");
    explain->add_option("KEY", key)->required();
    config->add_subcommand("schema", "prints a JSON Schema of both files, for TOML editors");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        std::cerr << "error: <command line>:1: " << error.what() << "; see --help\n";
        return 2;
    }
    if (play->parsed()) {
        run(sources, out, quiet);
    } else if (trace->parsed()) {
        write_trace(read_settings(sources).session, out);
    } else if (costs->parsed()) {
        write_costs(read_settings(sources), out);
    } else if (show->parsed()) {
        std::cout << settings_toml(read_settings(sources));
    } else if (list->parsed()) {
        std::cout << list_keys(all_keys());
    } else if (explain->parsed()) {
        std::cout << explain_key(find_setting(key, 1));
    } else {
        nlohmann::ordered_json schema = schema_head("cavern-lookup settings");
        add_keys(schema, config_file_keys());
        add_keys(schema, workload_file_keys());
        std::cout << schema.dump(2) << '\n';
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return command_line(argc, argv);
    } catch (const UserError& error) {
        std::cerr << "error: " << error.what() << '\n';
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "invariant: " << error.what() << '\n';
        return 1;
    }
}
