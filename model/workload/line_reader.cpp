#include "workload/line_reader.h"

#include <utility>

#include "core/base/error.h"

namespace cavern {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::size_t kPeekBytes = 64 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

} // namespace

LineReader::LineReader(const std::string& path)
    : LineReader(open_byte_stream(path), path == "-" ? "<stdin>" : path) {}

LineReader::LineReader(std::unique_ptr<ByteStream> bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)), buffer_(new char[kBufferBytes]) {
    while (end_ < kByteOrderMark.size() && refill()) {
    }
    if (std::string_view(buffer_.get(), end_).substr(0, kByteOrderMark.size()) == kByteOrderMark) {
        begin_ = kByteOrderMark.size();
    }
}

bool LineReader::next_after_refill(std::string_view& line) {
    while (end_ - begin_ <= kMaxLineBytes && refill()) {
        if (std::memchr(buffer_.get() + begin_, '\n', end_ - begin_) != nullptr) {
            return next(line);
        }
    }
    if (defect_ && end_ - begin_ <= kMaxLineBytes) {
        ++line_number_;
        fail(defect_->what(), defect_->right());
    }
    if (begin_ == end_) {
        return false;
    }
    unterminated_ = true;
    const char* start = buffer_.get() + begin_;
    const std::size_t length = end_ - begin_;
    begin_ = end_;
    return deliver(start, length, line);
}

bool LineReader::deliver(const char* start, std::size_t length, std::string_view& line) {
    ++line_number_;
    if (length > kMaxLineBytes) {
        fail("the line is longer than 64 KiB", "a trace line is a few dozen characters");
    }
    line = {start, length};
    if (!line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
    }
    return true;
}

bool LineReader::refill() {
    if (ended_) {
        return false;
    }
    if (begin_ > 0) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    try {
        const std::size_t count = bytes_->read(buffer_.get() + end_, kBufferBytes - end_);
        end_ += count;
        ended_ = count == 0;
    } catch (const StreamError& error) {
        defect_ = error;
        ended_ = true;
    }
    return !ended_;
}

std::vector<std::string_view> LineReader::peek() {
    while (end_ - begin_ < kPeekBytes && refill()) {
    }
    std::vector<std::string_view> lines;
    std::string_view text(buffer_.get() + begin_, end_ - begin_);
    while (!text.empty()) {
        const std::size_t newline = text.find('\n');
        if (newline == std::string_view::npos && !ended_) {
            break;
        }
        std::string_view line = text.substr(0, newline);
        text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        lines.push_back(line);
    }
    return lines;
}

void LineReader::fail(const std::string& what, const std::string& right) const {
    throw UserError(name_, line_number_, what, right);
}

} // namespace cavern
