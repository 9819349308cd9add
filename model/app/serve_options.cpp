#include <CLI/CLI.hpp>

#include "app/serve_command.h"
#include "app/standard_output.h"

namespace cavern {

void add_serve_command(CLI::App& app, ServeCommandOptions& options) {
    CLI::App* serve = app.add_subcommand(
        "serve", "exports the drive to real software, as a network block device");
    serve
        ->add_option("CONFIG", options.run.config,
                     "drive description (TOML), or the name of one (cavern config drives)")
        ->required();
    CLI::Option* socket = serve->add_option(
        "--socket", options.socket, "Unix socket, instead of nbd.sock in the folder of --out");
    socket->type_name("PATH");
    serve
        ->add_option("--listen", options.listen,
                     "[HOST:]PORT: listens there instead; without HOST on the loopback alone")
        ->type_name("ADDRESS")
        ->excludes(socket);
    serve
        ->add_option("--time", options.time,
                     "free: as fast as the drive is computed; real: a second of the drive is one "
                     "on the wall; dilated=N: N on the wall")
        ->type_name("MODE")
        ->capture_default_str();
    serve
        ->add_option("--image", options.image,
                     "raw disk image: the contents of the drive, from the last end to the next")
        ->type_name("FILE");
    serve
        ->add_option("--run", options.command,
                     "runs this command of the shell, with the variable uri, and ends with it")
        ->type_name("COMMAND");
    serve->add_flag("--live", options.live, "shows what the drive does, on a terminal");
    serve
        ->add_option("--set", options.run.overrides,
                     "overrides a configuration key, such as buffer.size=8MiB")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    // Standard output says where the drive is.
    refuse_standard_output(serve
                               ->add_option("--out", options.run.out,
                                            "folder of summary.json, config.toml, serve.json")
                               ->type_name("DIR")
                               ->capture_default_str());
    for (std::size_t i = 0; i < run_files().size(); ++i) {
        const RunFileRow& row = run_files()[i];
        if (row.is(RunFileRow::kServed)) {
            refuse_standard_output(
                serve->add_option(std::string("--") + row.name, options.run.files[i].path, row.help)
                    ->type_name("FILE"));
        }
    }
    serve->add_flag("--quiet", options.run.quiet, "prints no report");
}

} // namespace cavern
