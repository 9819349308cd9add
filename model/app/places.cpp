#include "app/places.h"

#include <filesystem>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/output_file.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

/// Device and inode of a file that is there, and the path that one will have which is not.
using Identity = std::tuple<dev_t, ino_t, std::string>;

/// Nothing for what may be named as often as one likes: a pipe, /dev/null.
std::optional<Identity> identity_of(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) == 0) {
        return S_ISREG(found.st_mode) || S_ISBLK(found.st_mode)
                   ? std::optional(Identity(found.st_dev, found.st_ino, {}))
                   : std::nullopt;
    }
    std::error_code error;
    const fs::path target = fs::absolute(OutputFile::target_of(path), error).lexically_normal();
    const fs::path real = fs::weakly_canonical(target, error);
    return Identity(0, 0, (error ? target : real).string()); // a folder that one may not look into
}

} // namespace

void Places::reads(std::string name, std::string path) {
    places_.push_back({std::move(name), path == "-" ? "/dev/stdin" : std::move(path), false});
}

void Places::writes(std::string name, std::string path) {
    places_.push_back({std::move(name), std::move(path), true});
}

void Places::check() const {
    std::map<Identity, const Place*> taken;
    for (const bool written : {false, true}) {
        for (const Place& place : places_) {
            const auto identity = place.written == written && !place.path.empty()
                                      ? identity_of(place.path)
                                      : std::nullopt;
            if (!identity) {
                continue;
            }
            const auto [other, fresh] = taken.emplace(*identity, &place);
            if (!fresh && written) {
                throw UserError("<command line>", 1,
                                place.name + " would write over \"" + place.path + "\" of " +
                                    other->second->name,
                                "name another file");
            }
        }
    }
}

std::vector<std::string> Places::inputs() const {
    std::vector<std::string> paths;
    for (const Place& place : places_) {
        if (!place.written) {
            paths.push_back(place.path);
        }
    }
    return paths;
}

} // namespace cavern
