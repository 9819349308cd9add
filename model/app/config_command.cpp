#include "app/config_command.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include <nlohmann/json.hpp>

#include "config/config_derived.h"
#include "config/config_diff.h"
#include "config/config_loader.h"
#include "config/config_manual.h"
#include "config/config_show.h"
#include "config/drive_list.h"
#include "config/nand_command_list.h"
#include "config/text_width.h"

namespace cavern {
namespace {

constexpr const char* kDrive =
    "drive description (TOML), or the name of one (cavern config drives)";

void add_set(CLI::App& command, std::vector<std::string>& overrides) {
    command
        .add_option("--set", overrides, "overrides a configuration key, such as buffer.size=8MiB")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

} // namespace

void add_config_command(CLI::App& app, ConfigCommandOptions& options) {
    CLI::App* config = app.add_subcommand("config", "shows configuration keys and files");
    config->require_subcommand(1);
    const auto add_json = [&options](CLI::App& command, const char* text) {
        return command.add_flag("--json", options.json, text);
    };
    CLI::App* show = config->add_subcommand(
        "show", "prints the resolved configuration, with the origin of each value");
    show->add_option("CONFIG", options.file, kDrive)->required();
    add_set(*show, options.overrides);
    add_json(*show, "prints the values alone, as JSON");
    show->add_flag("--derived", options.derived,
                   "prints what follows from them instead, such as the pages of the buffer");
    CLI::App* diff = config->add_subcommand("diff", "prints the keys that two drives differ in");
    diff->add_option("A", options.file, kDrive)->required();
    diff->add_option("B", options.other, "another")->required();
    add_json(*diff, "prints them as JSON");
    CLI::App* drives = config->add_subcommand(
        "drives", "lists the drives that come with it: name, capacity, what it is");
    drives->add_flag("--markdown", options.markdown, "prints the page docs/drives.md")
        ->excludes(add_json(*drives, "prints the list as JSON"));
    CLI::App* list = config->add_subcommand("list", "prints all keys with units and defaults");
    list->add_option("SECTION", options.section,
                     "prints only these keys, such as buffer or buffer.cave");
    list->add_flag("--markdown", options.markdown, "prints all keys as the page docs/keys.md")
        ->excludes(add_json(*list, "prints keys and tables of schemes as JSON"));
    config->add_subcommand("nand-commands",
                           "prints what a die can be asked to do, as in docs/nand-commands.md");
    CLI::App* schema = config->add_subcommand(
        "schema", "prints a JSON Schema of drive descriptions, for TOML editors");
    schema->add_option("--part", options.part, "describes part files instead: nand or dram")
        ->type_name("KIND");
    CLI::App* explain = config->add_subcommand("explain", "explains a key, or lists a section");
    explain->add_option("KEY", options.key, "dotted name, such as buffer.policy, or a section")
        ->required();
}

int run_config_command(const CLI::App& app, const ConfigCommandOptions& options) {
    const CLI::App* config = app.get_subcommand("config");
    const std::size_t width = terminal_width();
    if (config->got_subcommand("show")) {
        const ResolvedConfig resolved = load_config(options.file, options.overrides);
        std::cout << (options.json ? (options.derived ? derived_json(resolved.config)
                                                      : config_json(resolved))
                                             .dump(2) +
                                         "\n"
                      : options.derived ? derived_text(resolved.config)
                                        : config_to_toml(resolved));
    } else if (config->got_subcommand("diff")) {
        const ConfigDiff diff(load_config(options.file), load_config(options.other));
        std::cout << (options.json ? diff.json() : diff.text());
    } else if (config->got_subcommand("drives")) {
        std::cout << (options.json       ? drives_json()
                      : options.markdown ? drives_markdown()
                                         : drives_text(width));
    } else if (config->got_subcommand("list")) {
        std::cout << (options.json       ? config_list_json(options.section)
                      : options.markdown ? config_list_markdown()
                                         : list_config_keys(options.section, width));
    } else if (config->got_subcommand("nand-commands")) {
        std::cout << nand_commands_markdown();
    } else if (config->got_subcommand("schema")) {
        std::cout << (options.part.empty() ? config_schema() : part_schema(options.part));
    } else {
        std::cout << explain_config_key(options.key, width);
    }
    return 0;
}

} // namespace cavern
