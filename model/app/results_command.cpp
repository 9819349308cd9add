#include "app/results_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "results/serve_summary.h"
#include "results/summary.h"

namespace cavern {

void add_results_command(CLI::App& app, ResultsCommandOptions& options) {
    CLI::App* results = app.add_subcommand("results", "describes the results of a run");
    results->require_subcommand(1);
    CLI::App* list = results->add_subcommand("list", "lists every field of summary.json");
    CLI::Option* json = list->add_flag("--json", options.json, "prints the list as JSON");
    list->add_flag("--markdown", options.markdown, "prints the list as tables in Markdown")
        ->excludes(json);
    results->add_subcommand("schema", "prints the JSON Schema of summary.json, or of serve.json")
        ->add_option("FILE", options.file, "summary.json or serve.json")
        ->check(CLI::IsMember({"summary.json", "serve.json"}));
}

int run_results_command(const CLI::App& app, const ResultsCommandOptions& options) {
    if (app.get_subcommand("results")->got_subcommand("schema")) {
        const bool serves = options.file == "serve.json";
        std::cout << (serves ? serve_schema() : summary_schema()).dump(2) << '\n';
    } else if (options.json) {
        std::cout << fields_json(summary_fields()).dump(2) << '\n';
    } else {
        std::cout << (options.markdown ? summary_markdown() : fields_text(summary_fields()));
    }
    return 0;
}

} // namespace cavern
