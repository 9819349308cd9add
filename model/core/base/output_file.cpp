#include "core/base/output_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

/// The file that a chain of symbolic links stands for, existing or not. A link below /proc (where
/// /dev/stdout leads) stands for what is open already, not for a name: it is left as it is.
fs::path behind_links(fs::path path) {
    std::error_code error;
    for (int links = 0; links < 40; ++links) {
        const fs::path folder =
            fs::weakly_canonical(fs::absolute(path, error).parent_path(), error);
        if (folder.string().rfind("/proc/", 0) == 0 ||
            !fs::is_symlink(fs::symlink_status(path, error))) {
            break;
        }
        path = folder / fs::read_symlink(path, error);
    }
    return path;
}

/// Whether a file renamed to `path` would replace something that is no ordinary file.
bool is_special(const fs::path& path) {
    std::error_code error;
    return fs::is_symlink(fs::symlink_status(path, error)) ||
           (fs::exists(path, error) && !fs::is_regular_file(path, error));
}

/// Beside what the file will be. The number is that of the process, so that two do not meet.
std::string part_of(const std::string& target) {
    return target + ".part-" + std::to_string(getpid());
}

} // namespace

std::string OutputFile::place_of(const std::string& path) {
    const std::string target = behind_links(path).string();
    return is_special(target) ? target : part_of(target);
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    std::error_code error;
    if (path_.empty() || fs::is_directory(path_, error)) {
        errno = path_.empty() ? ENOENT : EISDIR; // a rename would say so, after the whole run
        fail();
    }
    target_ = behind_links(path_).string();
    if (is_special(target_)) {
        place_ = target_;
        done_ = true;
    } else {
        place_ = part_of(target_);
    }
    file_ = std::fopen(place_.c_str(), "wb");
    if (file_ == nullptr) {
        done_ = true;
        fail();
    }
}

OutputFile::~OutputFile() {
    if (file_ != nullptr) {
        std::fclose(file_);
    }
    if (!done_) {
        std::remove(place_.c_str());
    }
}

void OutputFile::fail() const {
    throw UserError(path_, 1, std::string("cannot be written: ") + std::strerror(errno),
                    "name a file in a folder that exists and may be written");
}

void OutputFile::flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
        fail();
    }
    buffer_.clear();
}

void OutputFile::finish() {
    if (file_ == nullptr) {
        return;
    }
    flush();
    std::FILE* file = std::exchange(file_, nullptr);
    const bool written = std::fflush(file) == 0;
    const int reason = errno;
    if (std::fclose(file) != 0 || !written) {
        errno = written ? errno : reason;
        fail();
    }
}

void OutputFile::commit() {
    finish();
    if (place_ != target_) {
        if (std::rename(place_.c_str(), target_.c_str()) != 0) {
            fail();
        }
        done_ = true;
    }
}

} // namespace cavern
