#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/byte_stream.h"

namespace cavern {

/// The lines of a text input, numbered from 1, in constant memory. A line loses its "\n" or "\r\n";
/// a byte order mark before the first is dropped. Example:
///
///     LineReader lines("trace.csv.xz");
///     for (std::string_view line; lines.next(line);) { use(line, lines.line_number()); }
class LineReader {
  public:
    static constexpr std::size_t kMaxLineBytes = 64 * 1024;

    /// `path` as for open_byte_stream; "-" is called "<stdin>" in messages.
    explicit LineReader(const std::string& path);
    LineReader(std::unique_ptr<ByteStream> bytes, std::string name);

    /// The next line, valid until the next call; false at the end. Throws UserError naming the line
    /// when it is longer than kMaxLineBytes or the input breaks off in it.
    bool next(std::string_view& line) {
        const char* start = buffer_.get() + begin_;
        const void* newline = std::memchr(start, '\n', end_ - begin_);
        if (newline == nullptr) {
            return next_after_refill(line);
        }
        const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - start);
        begin_ += length + 1;
        return deliver(start, length, line);
    }

    /// Number of the line last delivered, 0 before the first.
    [[nodiscard]] std::size_t line_number() const { return line_number_; }
    /// Whether the line last delivered had no newline, as the last of a cut file.
    [[nodiscard]] bool line_is_unterminated() const { return unterminated_; }
    [[nodiscard]] const std::string& name() const { return name_; }

    /// The lines to come that lie in the first 64 KiB, for recognising the content; nothing is
    /// consumed. To be called before the first next().
    [[nodiscard]] std::vector<std::string_view> peek();

  private:
    bool next_after_refill(std::string_view& line);
    bool deliver(const char* start, std::size_t length, std::string_view& line);
    bool refill();
    [[noreturn]] void fail(const std::string& what, const std::string& right) const;

    std::unique_ptr<ByteStream> bytes_;
    std::string name_;
    std::unique_ptr<char[]> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t line_number_ = 0;
    bool ended_ = false;
    bool unterminated_ = false;
    std::optional<StreamError> defect_;
};

} // namespace cavern
