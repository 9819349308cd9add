#include "ssd/output_file.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"

namespace cavern {

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), temporary_(path_ + ".part-" + std::to_string(getpid())),
      file_(std::fopen(temporary_.c_str(), "wb")) {
    if (file_ == nullptr) {
        fail();
    }
}

OutputFile::~OutputFile() {
    if (file_ != nullptr) {
        std::fclose(file_);
        std::remove(temporary_.c_str());
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

void OutputFile::commit() {
    flush();
    if (std::fflush(file_) != 0) {
        fail();
    }
    std::fclose(file_);
    file_ = nullptr;
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int reason = errno;
        std::remove(temporary_.c_str());
        errno = reason;
        fail();
    }
}

} // namespace cavern
