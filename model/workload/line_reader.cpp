#include "workload/line_reader.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/whole_file.h"

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
        mark_bytes_ = kByteOrderMark.size();
        begin_ = mark_bytes_;
    }
}

void LineReader::cut_into_records(std::size_t bytes) {
    CAVERN_CHECK(bytes > 0 && bytes <= kMaxLineBytes && line_number_ == 0,
                 "records are chosen before the first, and fit into the buffer");
    record_bytes_ = bytes;
    begin_ -= mark_bytes_; // they are data
    mark_bytes_ = 0;
}

bool LineReader::next_record(std::string_view& record) {
    while (end_ - begin_ < record_bytes_ && refill()) {
    }
    const std::size_t length = std::min(record_bytes_, end_ - begin_);
    if (length < record_bytes_ && defect_) {
        ++line_number_;
        fail(defect_->what(), defect_->right());
    }
    if (length == 0) {
        return false;
    }
    ++line_number_;
    record = {buffer_.get() + begin_, length};
    begin_ += length;
    return true;
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

std::string LineReader::rest() {
    std::string text;
    for (std::string_view line; next(line);) {
        text.append(line).append("\n");
        if (text.size() > kMostTextBytes) {
            fail(std::string("the file has more than ") + kMostText,
                 "a file that describes a workload; a trace is played with --trace");
        }
    }
    return text;
}

bool LineReader::refill() {
    if (ended_) {
        return false;
    }
    const std::size_t kept = line_number_ == 0 ? mark_bytes_ : 0;
    if (begin_ > kept) {
        const std::size_t gone = begin_ - kept;
        std::memmove(buffer_.get(), buffer_.get() + gone, end_ - gone);
        end_ -= gone;
        begin_ = kept;
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

std::string_view LineReader::peek_bytes() {
    while (end_ - begin_ < kPeekBytes && refill()) {
    }
    return {buffer_.get() + begin_ - mark_bytes_, end_ - begin_ + mark_bytes_};
}

std::vector<std::string_view> LineReader::peek() {
    static_cast<void>(peek_bytes());
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
    throw error_at(position(), what, right);
}

} // namespace cavern
