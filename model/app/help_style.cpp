#include "app/help_style.h"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "keys/closest_name.h"
#include "keys/key_value.h"
#include "keys/text_width.h"

namespace cavern {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kNameColumn = 28;

/// Click's: usage first, what it takes in capital letters, lines of 80 characters.
class HelpStyle final : public CLI::Formatter {
  public:
    HelpStyle() {
        column_width(kNameColumn);
        label("SUBCOMMAND", "COMMAND [ARGS]...");
        label("Positionals", "Arguments");
    }

    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        return make_usage(app, std::move(name)) + "\n" +
               indented(app->get_description(), 2, kWidth) + make_positionals(app) +
               make_groups(app, mode) + make_subcommands(app, mode);
    }

    std::string make_subcommand(const CLI::App* command) const override {
        return entry(command->get_name(), command->get_description());
    }

    std::string make_option(const CLI::Option* option, bool is_positional) const override {
        std::string name = option->get_name(is_positional, !is_positional);
        for (std::size_t comma = 0; (comma = name.find(",-", comma)) != std::string::npos;) {
            name.insert(++comma, " ");
        }
        const bool takes = !is_positional && option->get_type_size() != 0;
        const std::string fallback = takes && !option->get_default_str().empty()
                                         ? fmt::format("  [default: {}]", option->get_default_str())
                                         : std::string();
        const std::string type = option->get_type_name();
        return entry(takes ? name + " " + type.substr(0, type.find(':')) : name,
                     option->get_description() + fallback);
    }

  private:
    static std::string entry(const std::string& name, const std::string& text) {
        const std::string said = indented(text, kNameColumn, kWidth);
        const std::string begin = "  " + name;
        return begin.size() + 2 > kNameColumn
                   ? begin + "\n" + said
                   : begin + said.substr(std::min(begin.size(), said.size()));
    }
};

/// The option that was meant, or nothing.
std::string meant_option(const CLI::App& command, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return closest_name(word.substr(0, word.find('=')), names);
}

} // namespace

std::string called_as(const char* program) {
    const std::filesystem::path path(program);
    return path.filename() == "cavern" ? path.string() : "./cavern";
}

void set_help_style(CLI::App& app) {
    app.formatter(std::make_shared<HelpStyle>());
}

std::string usage_problem(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App* command = &app;
    std::string name = app.get_name();
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        name += " " + command->get_name();
    }
    std::string what = error.what();
    std::string meant;
    const std::vector<std::string> unknown = command->remaining();
    if (!unknown.empty() && command->get_require_subcommand_min() > 0) {
        std::vector<std::string> names;
        for (const CLI::App* one : command->get_subcommands({})) {
            names.push_back(one->get_name());
        }
        what = fmt::format("unknown command \"{}\"", unknown.front());
        meant = closest_name(unknown.front(), names);
    } else if (!unknown.empty() && unknown.front().rfind("--", 0) == 0) {
        meant = meant_option(*command, unknown.front());
    }
    const std::string right =
        meant.empty() ? "" : fmt::format("did you mean {}? ", in_quotes(meant));
    return fmt::format("<command line>:1: {}; {}see {} --help", what, right, name);
}

} // namespace cavern
