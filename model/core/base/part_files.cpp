#include "core/base/part_files.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace cavern {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = ".part-";
constexpr std::size_t kMost = 64; ///< at a time; more are swept later

/// A handler may look at any moment: a name is whole before it is here, and stays until it is not.
std::array<std::atomic<const char*>, kMost> parts;

extern "C" void end_by_signal(int number) {
    remove_parts();
    std::signal(number, SIG_DFL);
    std::raise(number);
}

} // namespace

std::string part_of(const std::string& target) {
    return target + kMark + std::to_string(getpid());
}

void note_part(const std::string& part) {
    std::error_code error;
    const std::string path = fs::absolute(part, error).string();
    char* name = strdup(path.c_str());
    for (std::atomic<const char*>& place : parts) {
        const char* none = nullptr;
        if (place.compare_exchange_strong(none, name)) {
            return;
        }
    }
    std::free(name);
}

void forget_part(const std::string& part) {
    std::error_code error;
    const std::string path = fs::absolute(part, error).string();
    for (std::atomic<const char*>& place : parts) {
        const char* name = place.load();
        if (name != nullptr && path == name && place.compare_exchange_strong(name, nullptr)) {
            std::free(const_cast<char*>(name));
            return;
        }
    }
}

void sweep_parts(const std::string& target) {
    const fs::path path(target);
    const std::string begin = path.filename().string() + kMark;
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.compare(0, begin.size(), begin) != 0) {
            continue;
        }
        pid_t owner = 0;
        const char* end = name.data() + name.size();
        const auto [rest, fault] = std::from_chars(name.data() + begin.size(), end, owner);
        if (fault == std::errc() && rest == end && owner > 0 && kill(owner, 0) != 0 &&
            errno == ESRCH) {
            std::error_code ignored;
            fs::remove(entry.path(), ignored);
        }
    }
}

void remove_parts_on_signals() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        if (std::signal(number, end_by_signal) == SIG_IGN) {
            std::signal(number, SIG_IGN);
        }
    }
}

void remove_parts() {
    for (const std::atomic<const char*>& place : parts) {
        if (const char* name = place.load()) {
            unlink(name);
        }
    }
}

} // namespace cavern
