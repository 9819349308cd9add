#include "app/places.h"

#include <map>
#include <optional>
#include <sys/stat.h>
#include <tuple>
#include <utility>

#include "app/output_folder.h"
#include "core/base/error.h"
#include "core/base/output_file.h"

namespace cavern {
namespace {

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
    return Identity(0, 0, real_path(OutputFile::target_of(path)).string());
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
