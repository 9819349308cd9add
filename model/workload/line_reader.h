#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/byte_stream.h"
#include "workload/position.h"

namespace cavern {

/// The lines of a text input, numbered from 1, in constant memory. A line loses its "\n" or "\r\n";
/// a byte order mark before the first is dropped. Example:
///
///     LineReader lines("trace.csv.xz");
///     for (std::string_view line; lines.next(line);) { use(line, lines.line_number()); }
///
/// A binary file has records of one size in the place of lines (cut_into_records).
class LineReader {
  public:
    static constexpr std::size_t kMaxLineBytes = 64 * 1024;

    /// `path` as for open_byte_stream; "-" is called "<stdin>" in messages.
    explicit LineReader(const std::string& path);
    LineReader(std::unique_ptr<ByteStream> bytes, std::string name);

    /// The next line, valid until the next call; false at the end. Throws UserError naming the line
    /// when it is longer than kMaxLineBytes or the input breaks off in it.
    bool next(std::string_view& line) {
        if (record_bytes_ != 0) {
            return next_record(line);
        }
        const char* start = buffer_.get() + begin_;
        const void* newline = std::memchr(start, '\n', end_ - begin_);
        if (newline == nullptr) {
            return next_after_refill(line);
        }
        const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - start);
        begin_ += length + 1;
        return deliver(start, length, line);
    }

    /// The lines to come, each with "\n": of a text that people write. Throws UserError where they
    /// are more than that.
    [[nodiscard]] std::string rest();

    /// From now on next() delivers pieces of `bytes` as they stand; what is left at the end
    /// comes as a shorter one. To be called before the first next().
    void cut_into_records(std::size_t bytes);
    [[nodiscard]] bool has_records() const { return record_bytes_ != 0; }

    /// Number of the line or record last delivered, 0 before the first.
    [[nodiscard]] std::size_t line_number() const { return line_number_; }
    /// The place of the line last delivered; the first line before it.
    [[nodiscard]] SourcePosition position() const {
        return {name_, line_number_ == 0 ? 1 : line_number_, has_records()};
    }
    /// Whether the line last delivered had no newline, as the last of a cut file.
    [[nodiscard]] bool line_is_unterminated() const { return unterminated_; }
    [[nodiscard]] const std::string& name() const { return name_; }

    /// The lines to come that lie in the first 64 KiB, for recognising the content; nothing is
    /// consumed. To be called before the first next().
    [[nodiscard]] std::vector<std::string_view> peek();
    /// Those 64 KiB as they stand.
    [[nodiscard]] std::string_view peek_bytes();

  private:
    bool next_after_refill(std::string_view& line);
    bool next_record(std::string_view& record);
    bool deliver(const char* start, std::size_t length, std::string_view& line);
    bool refill();
    [[noreturn]] void fail(const std::string& what, const std::string& right) const;

    std::unique_ptr<ByteStream> bytes_;
    std::string name_;
    std::unique_ptr<char[]> buffer_;
    std::size_t mark_bytes_ = 0; ///< a byte order mark, kept in the buffer until the first next()
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t line_number_ = 0;
    std::size_t record_bytes_ = 0; ///< 0: the input has lines
    bool ended_ = false;
    bool unterminated_ = false;
    std::optional<StreamError> defect_;
};

} // namespace cavern
