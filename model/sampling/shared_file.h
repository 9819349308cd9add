#pragma once

#include <cstddef>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/check.h"

namespace cavern {

/// Memory that processes share which are forked behind it, whoever of them maps it.
class SharedFile {
  public:
    SharedFile() : file_(memfd_create("windows", MFD_CLOEXEC)) {
        CAVERN_CHECK(file_ >= 0, "there is a file for what windows measure");
    }
    ~SharedFile() {
        if (bytes_ != 0) {
            munmap(data_, bytes_);
        }
        close(file_);
    }
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;

    /// So many bytes, which are 0 until somebody writes them. Once in a process.
    void* map(std::size_t bytes) {
        CAVERN_CHECK(ftruncate(file_, static_cast<off_t>(bytes)) == 0,
                     "there is room for what windows measure");
        data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
        CAVERN_CHECK(data_ != MAP_FAILED, "there is memory for what windows measure");
        bytes_ = bytes;
        return data_;
    }

  private:
    int file_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace cavern
