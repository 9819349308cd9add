#include "workload/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "workload/decompress.h"

namespace cavern {
namespace {

std::string reason(int error) {
    return std::generic_category().message(error);
}

/// Plain read(2) into the caller's large buffer: as fast as a mapping, and a file that shrinks
/// while it is read gives an early end instead of a signal.
class FileStream final : public ByteStream {
  public:
    FileStream(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
    FileStream(const FileStream&) = delete;
    FileStream& operator=(const FileStream&) = delete;
    ~FileStream() override {
        if (owned_) {
            ::close(descriptor_);
        }
    }

    std::size_t read(char* buffer, std::size_t size) override {
        for (;;) {
            const ssize_t got = ::read(descriptor_, buffer, size);
            if (got >= 0) {
                return static_cast<std::size_t>(got);
            }
            if (errno != EINTR) {
                throw StreamError("the file cannot be read further: " + reason(errno),
                                  "a readable file is needed");
            }
        }
    }

  private:
    int descriptor_;
    bool owned_;
};

class MemoryStream final : public ByteStream {
  public:
    explicit MemoryStream(std::string bytes) : bytes_(std::move(bytes)) {}

    std::size_t read(char* buffer, std::size_t size) override {
        const std::size_t count = std::min(size, bytes_.size() - position_);
        std::memcpy(buffer, bytes_.data() + position_, count);
        position_ += count;
        return count;
    }

  private:
    std::string bytes_;
    std::size_t position_ = 0;
};

/// Gives back the first bytes, which were read to recognise the compression.
class PrefixedStream final : public ByteStream {
  public:
    PrefixedStream(std::string prefix, std::unique_ptr<ByteStream> rest)
        : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

    std::size_t read(char* buffer, std::size_t size) override {
        if (position_ == prefix_.size()) {
            return rest_->read(buffer, size);
        }
        const std::size_t count = std::min(size, prefix_.size() - position_);
        std::memcpy(buffer, prefix_.data() + position_, count);
        position_ += count;
        return count;
    }

  private:
    std::string prefix_;
    std::size_t position_ = 0;
    std::unique_ptr<ByteStream> rest_;
};

std::unique_ptr<ByteStream> unpack(std::unique_ptr<ByteStream> raw) {
    std::string magic(kMagicBytes, '\0');
    std::size_t count = 0;
    while (count < magic.size()) {
        const std::size_t got = raw->read(&magic[count], magic.size() - count);
        if (got == 0) {
            break;
        }
        count += got;
    }
    magic.resize(count);
    auto whole = std::make_unique<PrefixedStream>(magic, std::move(raw));
    return decompress(std::move(whole), magic);
}

} // namespace

std::unique_ptr<ByteStream> open_byte_stream(const std::string& path) {
    const bool standard_input = path == "-";
    const int descriptor =
        standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        throw UserError(path, 1, "cannot be opened: " + reason(errno),
                        "give the path of a readable file");
    }
    auto file = std::make_unique<FileStream>(descriptor, !standard_input);
    try {
        return unpack(std::move(file));
    } catch (const StreamError& error) {
        throw UserError(standard_input ? "<stdin>" : path, 1, error.what(), error.right());
    }
}

std::unique_ptr<ByteStream> byte_stream_of(std::string bytes) {
    return unpack(std::make_unique<MemoryStream>(std::move(bytes)));
}

bool can_be_read_twice(const std::string& path) {
    struct stat status {};
    return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace cavern
