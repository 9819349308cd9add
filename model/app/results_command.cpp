#include "app/commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "results/serve_summary.h"
#include "results/summary.h"

namespace cavern {

void add_results_command(CLI::App& app, Action& chosen) {
    struct Options {
        bool json = false;
        bool markdown = false;
        std::string file = "summary.json"; ///< of the schema
    };
    const auto options = std::make_shared<Options>();
    CLI::App* results = app.add_subcommand("results", "describes the results of a run");
    results->require_subcommand(1);
    CLI::App* list = results->add_subcommand("list", "lists every field of summary.json");
    CLI::Option* json = list->add_flag("--json", options->json, "prints the list as JSON");
    list->add_flag("--markdown", options->markdown, "prints the list as tables in Markdown")
        ->excludes(json);
    CLI::App* schema = results->add_subcommand(
        "schema", "prints the JSON Schema of summary.json, or of serve.json");
    schema->add_option("FILE", options->file, "summary.json or serve.json")
        ->check(CLI::IsMember({"summary.json", "serve.json"}));
    let_print(*list, chosen, [options] {
        return options->json       ? fields_json(summary_fields()).dump(2) + "\n"
               : options->markdown ? summary_markdown()
                                   : fields_text(summary_fields());
    });
    let_print(*schema, chosen, [options] {
        const bool serves = options->file == "serve.json";
        return (serves ? serve_schema() : summary_schema()).dump(2) + "\n";
    });
}

} // namespace cavern
