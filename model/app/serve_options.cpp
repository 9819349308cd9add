#include <CLI/CLI.hpp>

#include "app/serve_command.h"

namespace cavern {

void add_serve_command(CLI::App& app, ServeCommandOptions& options) {
    CLI::App* serve = app.add_subcommand(
        "serve", "exports the drive to real software, as a network block device");
    serve->add_option("CONFIG", options.run.config, "drive description (TOML)")->required();
    CLI::Option* socket = serve->add_option(
        "--socket", options.socket, "Unix socket, instead of nbd.sock in the folder of --out");
    serve
        ->add_option("--listen", options.listen,
                     "[HOST:]PORT: listens there instead; without HOST on the loopback alone")
        ->excludes(socket);
    serve
        ->add_option("--time", options.time,
                     "free: as fast as the drive is computed; real: a second of the drive is one "
                     "on the wall; dilated=N: N on the wall")
        ->capture_default_str();
    serve->add_option("--image", options.image,
                      "raw disk image: the contents of the drive, from the last end to the next");
    serve->add_option("--run", options.command,
                      "runs this command of the shell, with the variable uri, and ends with it");
    serve->add_flag("--live", options.live, "shows what the drive does, on a terminal");
    serve->add_option("--set", options.run.overrides, "KEY=VALUE: overrides a configuration key")
        ->allow_extra_args(false);
    serve->add_option("--out", options.run.out, "folder of summary.json, config.toml, serve.json")
        ->capture_default_str();
    serve->add_option("--requests", options.run.requests,
                      "writes the latency of every request, CSV");
    serve->add_option("--decisions", options.run.decisions, "writes every decision, JSON lines");
    serve->add_option("--timeline", options.run.timeline,
                      "writes bus and die activity, trace-event JSON");
    serve->add_option("--power", options.run.power, "writes what each part takes over time, CSV");
    serve->add_flag("--quiet", options.run.quiet, "prints no report");
}

} // namespace cavern
