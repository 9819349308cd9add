#include "core/base/output_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/part_files.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

/// A link below /proc (where /dev/stdout leads) stands for what is open already, not for a name: it
/// is left as it is.
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

} // namespace

std::string OutputFile::target_of(const std::string& path) {
    return behind_links(path).string();
}

std::string OutputFile::place_of(const std::string& path) {
    const std::string target = target_of(path);
    return is_special(target) ? target : part_of(target);
}

OutputFile::OutputFile(std::string path, bool packs) : path_(std::move(path)) {
    std::error_code error;
    if (path_.empty() || fs::is_directory(path_, error)) {
        errno = path_.empty() ? ENOENT : EISDIR; // a rename would say so, after the whole run
        fail();
    }
    target_ = target_of(path_);
    if (is_special(target_)) {
        place_ = target_;
        done_ = true;
    } else {
        place_ = part_of(target_);
        sweep_parts(target_);
    }
    file_ = std::fopen(place_.c_str(), "wb");
    if (file_ == nullptr) {
        done_ = true;
        fail();
    }
    if (!done_) {
        note_part(place_);
    }
    packer_ = packs ? packer_for(path_) : nullptr;
}

OutputFile::~OutputFile() {
    if (file_ != nullptr) {
        std::fclose(file_);
    }
    if (!done_) {
        std::remove(place_.c_str());
        forget_part(place_);
    }
}

void OutputFile::fail() const {
    throw UserError(path_, 1, std::string("cannot be written: ") + std::strerror(errno),
                    "name a file in a folder that exists and may be written");
}

void OutputFile::print_all(fmt::string_view format, fmt::format_args args) {
    fmt::vformat_to(std::back_inserter(buffer_), format, args);
    if (buffer_.size() > kFlushAt) {
        flush();
    }
}

void OutputFile::add(const void* bytes, std::size_t size) {
    const auto* from = static_cast<const char*>(bytes);
    buffer_.append(from, from + size);
    if (buffer_.size() > kFlushAt) {
        flush();
    }
}

void OutputFile::flush() {
    if (packer_ != nullptr) {
        packer_->add({buffer_.data(), buffer_.size()},
                     [this](const char* bytes, std::size_t size) { write(bytes, size); });
    } else {
        write(buffer_.data(), buffer_.size());
    }
    buffer_.clear();
}

void OutputFile::write(const char* bytes, std::size_t size) {
    if (std::fwrite(bytes, 1, size, file_) != size) {
        fail();
    }
}

void OutputFile::finish() {
    if (file_ == nullptr) {
        return;
    }
    flush();
    if (packer_ != nullptr) {
        packer_->finish([this](const char* bytes, std::size_t size) { write(bytes, size); });
    }
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
        forget_part(place_);
        done_ = true;
    }
}

} // namespace cavern
