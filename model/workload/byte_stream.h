#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace cavern {

/// The bytes of an input broke off or cannot be read. A reader that knows where in the text it
/// stands turns this into a UserError with a line number.
class StreamError : public std::runtime_error {
  public:
    StreamError(const std::string& what, std::string right)
        : std::runtime_error(what), right_(std::move(right)) {}
    [[nodiscard]] const std::string& right() const { return right_; }

  private:
    std::string right_;
};

/// A forward-only source of bytes in constant memory.
class ByteStream {
  public:
    virtual ~ByteStream() = default;
    /// Copies up to `size` (> 0) bytes to `buffer` and returns how many; 0 only at the end. All
    /// bytes before a defect are delivered first; then every call throws StreamError.
    virtual std::size_t read(char* buffer, std::size_t size) = 0;
};

/// Opens a file, or standard input where `path` is "-", and unpacks gzip, bzip2, xz and zstd by
/// their first bytes, whatever the name says. Throws UserError (line 1) when it cannot be opened.
[[nodiscard]] std::unique_ptr<ByteStream> open_byte_stream(const std::string& path);

/// A stream of bytes in memory.
[[nodiscard]] std::unique_ptr<ByteStream> byte_stream_of(std::string bytes);

/// Whether a second pass over `path` reads the same again: a regular file, no pipe, not "-".
[[nodiscard]] bool can_be_read_twice(const std::string& path);

} // namespace cavern
