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

#include "app/built_without.h"
#include "app/commands.h"
#include "app/firmware_command.h"
#include "app/help_style.h"
#include "app/run.h"
#include "app/serve_command.h"
#include "core/base/error.h"
#include "core/base/part_files.h"
#include "drive/run_observer.h"
#include "results/run_identity.h"

namespace cavern {
namespace {

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

/// The command line, as the front door takes it, or an installed package.
std::string typed(int argc, char** argv) {
    std::string text = called_as(argv[0]);
    for (int i = 1; i < argc; ++i) {
        text += " " + quoted(argv[i]);
    }
    return text;
}

/// Messages have one line, whatever an argument contains.
void complain(std::string message) {
    std::replace_if(
        message.begin(), message.end(), [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
    std::cerr << "error: " << message << '\n';
}

int execute(int argc, char** argv) {
    CLI::App app{"Cavern: a cycle-approximate model of a NAND SSD", called_as(argv[0])};
    set_help_style(app); // what is added takes it over
    app.set_help_flag("-h,--help", "shows this message");
    const std::string without = built_without();
    app.set_version_flag("-V,--version",
                         "cavern " + std::string(program_version()) +
                             (without.empty() ? "" : ", built without " + without),
                         "shows the version");
    app.require_subcommand(1);
    remove_parts_on_signals();
    Action chosen;
    RunOptions run;
    add_run_command(app, run);
    add_config_command(app, chosen);
    add_trace_command(app, chosen);
    add_results_command(app, chosen);
    FirmwareCommandOptions firmware;
    add_firmware_command(app, firmware);
    ServeCommandOptions serve;
    add_serve_command(app, serve);
    try {
        app.parse(argc, argv);
        if (chosen) {
            return chosen();
        }
        if (app.got_subcommand("firmware")) {
            return run_firmware_command(firmware);
        }
        const bool serves = app.got_subcommand("serve");
        (serves ? serve.run : run).command = typed(argc, argv);
        return serves ? run_serve_command(serve) : run_simulation(run);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return app.exit(error); // --help, --version
        }
        complain(usage_problem(app, error));
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
