#include "app/commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "config/config_loader.h"
#include "config/config_manual.h"
#include "config/config_show.h"
#include "config/drive_list.h"
#include "keys/text_width.h"

namespace cavern {
namespace {

struct Options {
    std::string file;
    std::string other; ///< of diff
    std::vector<std::string> overrides;
    std::string key; ///< or a section
    std::string part;
    bool workload = false;
    bool derived = false;
    bool json = false;
    bool markdown = false;
};

constexpr const char* kDrive =
    "drive description (TOML), or the name of one (cavern config drives)";

void add_set(CLI::App& command, std::vector<std::string>& overrides) {
    command
        .add_option("--set", overrides, "overrides a configuration key, such as buffer.size=8MiB")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

} // namespace

void add_config_command(CLI::App& app, Action& chosen) {
    const auto options = std::make_shared<Options>();
    CLI::App* config = app.add_subcommand("config", "shows configuration keys and files");
    config->require_subcommand(1);
    const auto add_json = [options](CLI::App& command, const char* text) {
        return command.add_flag("--json", options->json, text);
    };
    CLI::App* show = config->add_subcommand(
        "show", "prints the resolved configuration, with the origin of each value");
    show->add_option("CONFIG", options->file, kDrive)->required();
    add_set(*show, options->overrides);
    add_json(*show, "prints the values alone, as JSON");
    show->add_flag("--derived", options->derived,
                   "prints what follows from them instead, such as the pages of the buffer");
    CLI::App* diff = config->add_subcommand("diff", "prints the keys that two drives differ in");
    diff->add_option("A", options->file, kDrive)->required();
    diff->add_option("B", options->other, "another")->required();
    add_json(*diff, "prints them as JSON");
    CLI::App* drives = config->add_subcommand(
        "drives", "lists the drives that come with it: name, capacity, what it is");
    drives->add_flag("--markdown", options->markdown, "prints the page docs/drives.md")
        ->excludes(add_json(*drives, "prints the list as JSON"));
    CLI::App* list = config->add_subcommand("list", "prints all keys with units and defaults");
    list->add_option("SECTION", options->key,
                     "prints only these keys, such as buffer or buffer.cave; job, target: those of "
                     "workload files");
    list->add_flag("--markdown", options->markdown, "prints all keys as the page docs/keys.md")
        ->excludes(add_json(*list, "prints keys and tables of schemes as JSON"));
    CLI::App* nand = config->add_subcommand(
        "nand-commands", "prints what a die can be asked to do, as in docs/nand-commands.md");
    CLI::App* schema = config->add_subcommand(
        "schema", "prints a JSON Schema of drive descriptions, for TOML editors");
    schema->add_flag("--workload", options->workload, "describes workload files instead")
        ->excludes(
            schema
                ->add_option("--part", options->part, "describes part files instead: nand or dram")
                ->type_name("KIND"));
    CLI::App* explain = config->add_subcommand("explain", "explains a key, or lists a section");
    explain->add_option("KEY", options->key, "dotted name, such as buffer.policy, or a section")
        ->required();

    let_print(*show, chosen, [options] {
        const ResolvedConfig resolved = load_config(options->file, options->overrides);
        if (options->json) {
            return (options->derived ? derived_json(resolved.config) : config_json(resolved))
                       .dump(2) +
                   "\n";
        }
        return options->derived ? derived_text(resolved.config) : config_to_toml(resolved);
    });
    let_print(*diff, chosen, [options] {
        const ConfigDiff differences(load_config(options->file), load_config(options->other));
        return options->json ? differences.json() : differences.text();
    });
    let_print(*drives, chosen, [options] {
        return options->json       ? drives_json()
               : options->markdown ? drives_markdown()
                                   : drives_text(terminal_width());
    });
    let_print(*list, chosen, [options] {
        return options->json       ? config_list_json(options->key)
               : options->markdown ? config_list_markdown()
                                   : list_config_keys(options->key, terminal_width());
    });
    let_print(*nand, chosen, nand_commands_markdown);
    let_print(*schema, chosen, [options] {
        return options->workload       ? workload_schema()
               : options->part.empty() ? config_schema()
                                       : part_schema(options->part);
    });
    let_print(*explain, chosen,
              [options] { return explain_config_key(options->key, terminal_width()); });
}

void let_print(CLI::App& command, Action& chosen, std::function<std::string()> text) {
    command.callback([&chosen, text = std::move(text)] {
        chosen = [text] {
            std::cout << text();
            return 0;
        };
    });
}

} // namespace cavern
