#include "serve/drive_image.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/base/sectors.h"

namespace cavern {
namespace {

/// So much is read from the file at a time, and written to the drive in such pieces.
constexpr std::uint64_t kChunk = std::uint64_t{8} << 20;
constexpr std::uint64_t kPiece = std::uint64_t{256} << 10;

[[noreturn]] void complain(const std::string& path, const std::string& what,
                           const std::string& right) {
    throw UserError(path, 1, what, right);
}

/// A file by its descriptor.
class Descriptor {
  public:
    Descriptor(const std::string& path, int flags)
        : path_(path), descriptor_(open(path.c_str(), flags | O_CLOEXEC)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
    }
    [[nodiscard]] int get() const { return descriptor_; }
    [[noreturn]] void fail(const char* what) const {
        complain(path_, std::string(what) + ": " + std::strerror(errno),
                 "name a file that can be read and written, with room on its disk");
    }
    void read_all(std::byte* to, std::uint64_t bytes, std::uint64_t offset) const {
        move_all(
            [&](std::uint64_t done) {
                return pread(descriptor_, to + done, bytes - done,
                             static_cast<off_t>(offset + done));
            },
            bytes, "the image cannot be read");
    }
    void write_all(const std::byte* from, std::uint64_t bytes, std::uint64_t offset) const {
        move_all(
            [&](std::uint64_t done) {
                return pwrite(descriptor_, from + done, bytes - done,
                              static_cast<off_t>(offset + done));
            },
            bytes, "the image cannot be written");
    }

  private:
    template <typename Move>
    void move_all(Move move, std::uint64_t bytes, const char* what) const {
        for (std::uint64_t done = 0; done < bytes;) {
            const ssize_t moved = move(done);
            if (moved > 0) {
                done += static_cast<std::uint64_t>(moved);
            } else if (moved == 0 || errno != EINTR) {
                fail(what);
            }
        }
    }

    std::string path_;
    int descriptor_;
};

} // namespace

DriveImage::DriveImage(std::string path, std::uint64_t capacity) : path_(std::move(path)) {
    struct stat found {};
    if (stat(path_.c_str(), &found) != 0) {
        if (errno != ENOENT) {
            complain(path_, std::string("the image cannot be read: ") + std::strerror(errno),
                     "name a file of yours");
        }
        return;
    }
    const auto bytes = static_cast<std::uint64_t>(found.st_size);
    if (!S_ISREG(found.st_mode) || bytes % kSectorBytes != 0 || bytes > capacity) {
        complain(path_,
                 S_ISREG(found.st_mode) ? "an image of " + std::to_string(bytes) + " bytes"
                                        : "this is no ordinary file",
                 "whole sectors of 512 bytes, at most the " + std::to_string(capacity) +
                     " bytes of the drive");
    }
}

void DriveImage::load(LiveDrive& drive, DriveExport& exported) const {
    const Descriptor file(path_, O_RDONLY);
    if (file.get() < 0) {
        if (errno == ENOENT) {
            return;
        }
        file.fail("the image cannot be read");
    }
    std::vector<std::byte> chunk(kChunk);
    for (off_t at = lseek(file.get(), 0, SEEK_DATA); at >= 0;
         at = lseek(file.get(), at, SEEK_DATA)) {
        const off_t hole = lseek(file.get(), at, SEEK_HOLE);
        while (at < hole) {
            const std::uint64_t bytes =
                std::min<std::uint64_t>(static_cast<std::uint64_t>(hole - at), kChunk);
            file.read_all(chunk.data(), bytes, static_cast<std::uint64_t>(at));
            for (std::uint64_t done = 0; done < bytes; done += kPiece) {
                exported.write(static_cast<std::uint64_t>(at) + done, chunk.data() + done,
                               static_cast<std::uint32_t>(std::min(bytes - done, kPiece)));
            }
            exported.settle();
            at += static_cast<off_t>(bytes);
        }
    }
    exported.flush();
    exported.settle();
    drive.restart_statistics();
}

void DriveImage::save(LiveDrive& drive, DriveExport& exported) const {
    exported.flush();
    exported.settle();
    OutputFile result(path_);
    const Descriptor file(result.place(), O_WRONLY);
    if (file.get() < 0 || ftruncate(file.get(), static_cast<off_t>(drive.capacity())) != 0) {
        file.fail("the image cannot be written");
    }
    const std::uint64_t page_bytes = drive.page_bytes();
    std::vector<std::byte> page(page_bytes);
    for (std::uint64_t offset = 0; offset < drive.capacity(); offset += page_bytes) {
        if (drive.read_stored(Lpn{offset / page_bytes}, page.data())) {
            file.write_all(page.data(), page_bytes, offset);
        }
    }
    if (fsync(file.get()) != 0) {
        file.fail("the image cannot be written");
    }
    result.commit();
}

} // namespace cavern
