#include "config/file_names.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "keys/closest_name.h"
#include "keys/key_value.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

/// More names than these help nobody.
constexpr std::size_t kMostSuggested = 3;
constexpr std::size_t kFewestLetters = 3;

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

std::string_view without_ending(std::string_view name, std::string_view ending) {
    const bool has = name.size() >= ending.size() &&
                     name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
    return has ? name.substr(0, name.size() - ending.size()) : name;
}

/// A short name is two edits from many: most letters have to be the same ones.
bool has_letters_of(std::string_view word, std::string_view name) {
    std::size_t missing = 0;
    for (const char letter : word) {
        const auto count = [letter](std::string_view text) {
            return std::count(text.begin(), text.end(), letter);
        };
        missing += count(word) > count(name) ? 1 : 0;
    }
    return missing <= std::max<std::size_t>(1, word.size() / 3);
}

/// `did you mean "cave"? `, or nothing: of what comes with Cavern, or lies in a folder of one's own
/// that the name has.
std::string suggestion(const FileKind& kind, std::string_view name) {
    const std::size_t slash = name.rfind('/');
    const bool own = slash != std::string_view::npos && name.substr(0, slash) != kind.folder;
    const auto whole = [&](const std::string& one) {
        return in_quotes(own ? fmt::format("{}/{}{}", name.substr(0, slash), one, kind.ending)
                             : one);
    };
    const std::string_view word =
        without_ending(name.substr(slash + 1), kind.ending); // npos + 1 is 0
    const std::vector<std::string> names =
        file_names(kind, own ? fs::path(name.substr(0, slash)) : installed_folder(kind));
    std::vector<std::string> meant;
    if (const std::string near = closest_name(word, names);
        !near.empty() && has_letters_of(word, near)) {
        meant.push_back(whole(near));
    } else if (word.size() >= kFewestLetters) {
        for (const std::string& one : names) {
            if (meant.size() < kMostSuggested && one.find(word) != std::string::npos) {
                meant.push_back(whole(one));
            }
        }
    }
    if (meant.empty()) {
        return {};
    }
    const std::string last = meant.back();
    meant.pop_back();
    return fmt::format("did you mean {}{}{}? ", fmt::join(meant, ", "), meant.empty() ? "" : " or ",
                       last);
}

namespace fs = std::filesystem;

/// The file of the program or of the shared library that this code is part of; empty if nobody can
/// tell. The loader knows a library by its path, but a program only by the word it was called with.
fs::path own_file() {
    static const char anchor = 0;
    Dl_info info{};
    void* map = nullptr;
    if (dladdr1(&anchor, &info, &map, RTLD_DL_LINKMAP) == 0 || map == nullptr) {
        return {};
    }
    const char* name = static_cast<const link_map*>(map)->l_name;
    std::error_code error;
    const fs::path file =
        fs::canonical(name == nullptr || *name == '\0' ? "/proc/self/exe" : name, error);
    return error ? fs::path() : file;
}

} // namespace

fs::path installed_folder(const FileKind& kind) {
    return installed_configs().parent_path() / kind.folder;
}

std::optional<std::string> shipped_file(const FileKind& kind, const std::string& name,
                                        const fs::path& folder) {
    const fs::path parent = fs::path(name).parent_path();
    const fs::path last = fs::path(name).filename();
    if (!last.empty() && (parent.empty() || parent == kind.folder)) {
        for (const std::string_view ending : {std::string_view(), kind.ending}) {
            fs::path found = folder / last;
            found += ending;
            if (is_there(found)) {
                return found.string();
            }
        }
    }
    return std::nullopt;
}

std::string find_file(const FileKind& kind, const std::string& name, const fs::path& folder) {
    if (name.empty() || name == "-" || is_there(name)) {
        return name;
    }
    const char* elsewhere = kind.elsewhere ? std::getenv("CAVERN_TRACES") : nullptr;
    if (elsewhere != nullptr && *elsewhere != '\0' && is_there(fs::path(elsewhere) / name)) {
        return (fs::path(elsewhere) / name).string();
    }
    return shipped_file(kind, name, folder).value_or(name);
}

std::string find_file(const FileKind& kind, const std::string& name) {
    return find_file(kind, name, installed_folder(kind));
}

std::string require_file(const FileKind& kind, const std::string& name) {
    std::string found = find_file(kind, name);
    std::error_code ignored;
    if (found != "-" && !found.empty() && !fs::exists(found, ignored)) {
        throw UserError(name, 1, "no such file", instead_of(kind, name));
    }
    return found;
}

std::vector<std::string> file_names(const FileKind& kind, const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        const std::string_view bare = without_ending(name, kind.ending);
        if (bare.size() != name.size() && entry.is_regular_file(ignored)) {
            names.emplace_back(bare);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string instead_of(const FileKind& kind, std::string_view name) {
    const std::string meant = suggestion(kind, name);
    const std::string path = fmt::format("{}give the path of a readable {}", meant, kind.what);
    if (!kind.list.empty()) {
        return fmt::format("{}, or a name that \"{}\" lists", path, kind.list);
    }
    return meant.empty() ? fmt::format("{}, or one of those that come with Cavern: {}", path,
                                       fmt::join(file_names(kind, installed_folder(kind)), ", "))
                         : path;
}

fs::path configs_of(const fs::path& file, const fs::path& otherwise) {
    // PREFIX/bin/cavern-sim, PREFIX/lib/libcavern.so, PREFIX/lib/x86_64-linux-gnu/libcavern.so
    fs::path folder = file.parent_path();
    for (int level = 0; level < 2 && folder.has_relative_path(); ++level) {
        folder = folder.parent_path();
        fs::path configs = folder / "share" / "cavern" / "configs";
        std::error_code ignored;
        if (fs::is_directory(configs, ignored)) {
            return configs;
        }
    }
    return otherwise;
}

fs::path installed_configs() {
    static const fs::path configs = configs_of(own_file(), CAVERN_CONFIGS_DIR);
    return configs;
}

} // namespace cavern
