#include "app/standard_output.h"

#include <CLI/CLI.hpp>

namespace cavern {

CLI::Option* name_output(CLI::Option* option) {
    return option
        ->transform([](const std::string& path) {
            return path == "-" ? std::string(kStandardOutput) : path;
        })
        ->type_name("FILE");
}

CLI::Option* refuse_standard_output(CLI::Option* option) {
    const std::string type = option->get_type_name();
    return option
        ->check([](const std::string& path) {
            return path == "-"
                       ? std::string("- is standard output, which is no place for it; give a "
                                     "path, such as ./-")
                       : std::string();
        })
        ->type_name(type);
}

} // namespace cavern
