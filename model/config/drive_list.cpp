#include "config/drive_list.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/config_loader.h"
#include "config/config_show.h"
#include "keys/text_width.h"

namespace cavern {
namespace {

constexpr std::size_t kNarrowest = 24; ///< that a column of text is of use in

struct Drive {
    std::string name;
    std::string what;
    std::uint64_t bytes;
    std::string shape; ///< "8 x 4 dies of slc-k9xxg08uxa"
    std::string host;
    std::string ftl;
};

/// The first line of a file, which is a comment.
std::string about(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line.substr(std::min(line.find_first_not_of("# "), line.size()));
}

std::vector<Drive> drives() {
    const std::filesystem::path folder = installed_folder(kDrives);
    std::vector<Drive> found;
    for (const std::string& name : file_names(kDrives, folder)) {
        const std::string path = (folder / (name + std::string(kDrives.ending))).string();
        const ResolvedConfig resolved = load_config(path);
        const DrivePlan& config = resolved.config;
        const Geometry& nand = config.nand.geometry;
        found.push_back({name, about(path), config.host_bytes(),
                         fmt::format("{} × {} dies, {}", nand.channels, nand.dies() / nand.channels,
                                     bare_value(resolved, "nand.part")),
                         bare_value(resolved, "host.interface"),
                         bare_value(resolved, "ftl.scheme")});
    }
    return found;
}

} // namespace

std::string drives_text(std::size_t width) {
    const std::vector<Drive> all = drives();
    std::size_t names = 0;
    for (const Drive& drive : all) {
        names = std::max(names, drive.name.size());
    }
    std::string text =
        fmt::format("{:<{}}  {:>10}  {}\n", "drive", names, "capacity", "what it is");
    const std::size_t margin = names + 14;
    const std::size_t most = width < margin + kNarrowest ? std::string::npos : width;
    for (const Drive& drive : all) {
        const std::string what = indented(drive.what, margin, most);
        text += fmt::format("{:<{}}  {:>10}  ", drive.name, names, size_text(drive.bytes)) +
                (what.empty() ? "\n" : what.substr(margin));
    }
    return text;
}

std::string drives_json() {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Drive& drive : drives()) {
        rows.push_back({{"name", drive.name},
                        {"description", drive.what},
                        {"capacity", drive.bytes},
                        {"dies", drive.shape},
                        {"host", drive.host},
                        {"ftl", drive.ftl}});
    }
    return rows.dump(2) + "\n";
}

std::string drives_markdown() {
    std::string text =
        "# Drives\n\n"
        "Printed by `./cavern config drives --markdown`; do not edit. "
        "`./cavern run NAME` finds each by its name, from any folder;\n"
        "`./cavern config show NAME` prints all of it, and `./cavern config diff A B` "
        "what two differ in. A drive of your own may\n"
        "`extends` one ([configuration.md](configuration.md)).\n\n"
        "| name | capacity | dies | host | map | what it is |\n"
        "|---|---|---|---|---|---|\n";
    for (const Drive& drive : drives()) {
        text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", drive.name,
                            size_text(drive.bytes), drive.shape, drive.host, drive.ftl, drive.what);
    }
    return text;
}

} // namespace cavern
