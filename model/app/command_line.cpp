#include "app/command_line.h"

#include <algorithm>
#include <cerrno>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <unistd.h>

#include "app/firmware_command.h"
#include "app/firmware_files.h"
#include "app/results_command.h"
#include "app/run.h"
#include "app/serve_command.h"
#include "app/trace_command.h"
#include "config/config_loader.h"
#include "config/config_manual.h"
#include "config/config_show.h"
#include "core/base/error.h"
#include "core/base/part_files.h"
#include "drive/run_observer.h"
#include "results/run_identity.h"

namespace cavern {
namespace {

/// "10ms" becomes the number of picoseconds, as text.
std::string as_picoseconds(const std::string& text) {
    const auto time = parse_quantity(text, Quantity::kTime);
    if (!time) {
        throw CLI::ValidationError("\"" + text + "\" is no time");
    }
    return std::to_string(*time);
}

/// CLI11 takes a minus sign for a large number.
std::string check_whole(const std::string& text) {
    const std::string largest = "9223372036854775807"; // of TOML, which has the seed
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (digits &&
        (text.size() < largest.size() || (text.size() == largest.size() && text <= largest))) {
        return {};
    }
    return "\"" + text + "\" is no whole number from 0 to " + largest;
}

void add_run(CLI::App& app, RunOptions& options) {
    CLI::App* run = app.add_subcommand("run", "runs one simulation");
    run->add_option("CONFIG", options.config, "drive description (TOML)")->required();
    run->add_option("--trace", options.trace,
                    "trace file in any known format (.gz .xz .zst or plain), or -");
    run->add_option("--format", options.format, "format of the trace, instead of detecting it");
    run->add_option("--workload", options.workload, "synthetic workload (TOML)");
    run->add_option("--set", options.overrides, "KEY=VALUE: overrides a configuration key")
        ->allow_extra_args(false);
    run->add_option("--limit", options.limit, "plays only the first N requests")
        ->check(check_whole);
    run->add_option("--warmup", options.warmup, "leaves the first N requests out of the statistics")
        ->check(check_whole);
    run->add_option("--seed", options.seed, "seed of everything random")->check(check_whole);
    run->add_option("--out", options.out, "folder of summary.json and config.toml")
        ->capture_default_str();
    run->add_option("--requests", options.requests, "writes the latency of every request, CSV");
    run->add_option("--decisions", options.decisions, "writes every decision, JSON lines");
    CLI::Option* timeline =
        run->add_option("--timeline", options.timeline,
                        "writes requests and what buses and dies do, trace-event JSON");
    run->add_option("--timeline-from", options.timeline_window.begin,
                    "leaves out what starts earlier, such as 10ms")
        ->transform(as_picoseconds)
        ->needs(timeline);
    run->add_option("--timeline-to", options.timeline_window.end, "leaves out what starts later")
        ->transform(as_picoseconds)
        ->needs(timeline);
    run->add_option("--perfetto", options.perfetto,
                    "writes the same in Perfetto's own format; FILE.gz packs it");
    run->add_option("--power", options.power, "writes what each part takes over time, CSV");
    run->add_option("--waves", options.waves, "writes the signals of channel 0's RTL arbiter, FST");
    CLI::Option* bus_waves = run->add_option(
        "--bus-waves", options.bus_waves,
        "writes the signals of every flash bus, and with --waves of that arbiter, FST");
    run->add_option("--bus-waves-from", options.bus_waves_window.begin,
                    "leaves out what starts earlier, such as 10ms")
        ->transform(as_picoseconds)
        ->needs(bus_waves);
    run->add_option("--bus-waves-to", options.bus_waves_window.end, "leaves out what starts later")
        ->transform(as_picoseconds)
        ->needs(bus_waves);
    CLI::Option* trace = add_firmware_options(*run, "firmware-", options.firmware);
    run->add_option("--firmware-trace-from", options.firmware_trace_window.begin,
                    "leaves out requests that the processor takes up earlier, such as 10ms")
        ->transform(as_picoseconds)
        ->needs(trace);
    run->add_option("--firmware-trace-to", options.firmware_trace_window.end,
                    "leaves out requests that it takes up later")
        ->transform(as_picoseconds)
        ->needs(trace);
    run->add_flag("--quiet", options.quiet, "prints neither progress nor report");
}

/// A word of a command line, as a shell takes it.
std::string quoted(const std::string& word) {
    const std::string plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                              "_@%+=:,./-";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
        return word;
    }
    std::string text = "'";
    for (const char letter : word) {
        text += letter == '\'' ? std::string("'\"'\"'") : std::string(1, letter);
    }
    return text + "'";
}

/// The command line, as the front door takes it.
std::string typed(int argc, char** argv) {
    std::string text = "./cavern";
    for (int i = 1; i < argc; ++i) {
        text += " " + quoted(argv[i]);
    }
    return text;
}

struct ConfigOptions {
    std::string file;
    std::vector<std::string> overrides;
    std::string key;
    std::string section;
    std::string part;
    bool json = false;
    bool markdown = false;
};

void add_config(CLI::App& app, ConfigOptions& options) {
    CLI::App* config = app.add_subcommand("config", "shows configuration keys and files");
    config->require_subcommand(1);
    CLI::App* show = config->add_subcommand(
        "show", "prints the resolved configuration, with the origin of each value");
    show->add_option("CONFIG", options.file, "drive description (TOML)")->required();
    show->add_option("--set", options.overrides, "KEY=VALUE: overrides a configuration key")
        ->allow_extra_args(false);
    CLI::App* list = config->add_subcommand("list", "prints all keys with units and defaults");
    list->add_option("SECTION", options.section,
                     "prints only these keys, such as buffer or buffer.cave");
    CLI::Option* json =
        list->add_flag("--json", options.json, "prints keys and tables of schemes as JSON");
    list->add_flag("--markdown", options.markdown, "prints all keys as the page docs/keys.md")
        ->excludes(json);
    CLI::App* schema = config->add_subcommand(
        "schema", "prints a JSON Schema of drive descriptions, for TOML editors");
    schema->add_option("--part", options.part, "describes part files instead: nand or dram");
    CLI::App* explain = config->add_subcommand("explain", "explains a key, or lists a section");
    explain->add_option("KEY", options.key, "dotted name, such as buffer.policy, or a section")
        ->required();
}

int run_config(const CLI::App& app, const ConfigOptions& options) {
    const CLI::App* config = app.get_subcommand("config");
    if (config->got_subcommand("show")) {
        std::cout << config_to_toml(load_config(options.file, options.overrides));
    } else if (config->got_subcommand("list")) {
        std::cout << (options.json       ? config_list_json(options.section)
                      : options.markdown ? config_list_markdown()
                                         : list_config_keys(options.section));
    } else if (config->got_subcommand("schema")) {
        std::cout << (options.part.empty() ? config_schema() : part_schema(options.part));
    } else {
        std::cout << explain_config_key(options.key);
    }
    return 0;
}

/// Messages have one line, whatever an argument contains.
void complain(std::string message) {
    std::replace_if(
        message.begin(), message.end(), [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
    std::cerr << "error: " << message << '\n';
}

void complain_of_usage(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App* command = &app;
    std::string name = "./cavern";
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        name += " " + command->get_name();
    }
    std::string what = error.what();
    if (const auto unknown = command->remaining();
        command->get_require_subcommand_min() > 0 && !unknown.empty()) {
        what = "unknown command \"" + unknown.front() + "\"";
    }
    complain("<command line>:1: " + what + "; see " + name + " --help");
}

int execute(int argc, char** argv) {
    CLI::App app{"Cavern: a cycle-approximate model of a NAND SSD", "cavern"};
    app.set_version_flag("--version", "cavern " + std::string(program_version()));
    app.require_subcommand(1);
    remove_parts_on_signals();
    RunOptions run;
    ConfigOptions config;
    add_run(app, run);
    add_config(app, config);
    TraceCommandOptions trace;
    add_trace_command(app, trace);
    ResultsCommandOptions results;
    add_results_command(app, results);
    FirmwareCommandOptions firmware;
    add_firmware_command(app, firmware);
    ServeCommandOptions serve;
    add_serve_command(app, serve);
    try {
        app.parse(argc, argv);
        if (app.got_subcommand("trace")) {
            return run_trace_command(app, trace);
        }
        if (app.got_subcommand("results")) {
            return run_results_command(app, results);
        }
        if (app.got_subcommand("firmware")) {
            return run_firmware_command(firmware);
        }
        if (app.got_subcommand("serve")) {
            serve.run.command = typed(argc, argv);
            return run_serve_command(serve);
        }
        run.command = typed(argc, argv);
        return app.got_subcommand("run") ? run_simulation(run) : run_config(app, config);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return app.exit(error); // --help, --version
        }
        complain_of_usage(app, error);
        return 2;
    } catch (const UserError& error) {
        complain(error.what());
        return 2;
    } catch (const Interrupted&) {
        return 130;
    } catch (const std::bad_alloc&) {
        std::cerr << "error: out of memory; a smaller drive, buffer or trace, or more memory for "
                     "the process (ulimit -v)\n";
        return 1;
    } catch (const std::exception& error) {
        std::cerr << "error: the model is inconsistent: " << error.what() << '\n';
        return 1;
    }
}

} // namespace

int command_line(int argc, char** argv) {
    const int status = execute(argc, argv);
    // What was printed and is not written is lost, and may be what the command was called for.
    std::cout.flush();
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
    if (written || status != 0) {
        return status;
    }
    // The reason may be long gone: it is asked for once more.
    const bool mended = write(STDOUT_FILENO, "\n", 1) == 1;
    complain("<stdout>:1: cannot be written: " +
             std::string(mended ? "an earlier error" : std::strerror(errno)) +
             "; a place with room");
    return 2;
}

} // namespace cavern
