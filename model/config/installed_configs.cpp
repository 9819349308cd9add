#include "config/installed_configs.h"

#include <dlfcn.h>
#include <link.h>
#include <system_error>

namespace cavern {
namespace {

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
