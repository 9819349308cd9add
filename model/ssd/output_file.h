#pragma once

#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace cavern {

/// A result file that appears whole or not at all: written beside its place under a temporary name and
/// renamed by commit(). Destroyed without commit, it leaves nothing. Throws UserError when the place
/// cannot be written (also on a full disk, at commit).
class OutputFile {
  public:
    explicit OutputFile(std::string path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    template <typename... Args>
    void print(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
        if (buffer_.size() > kFlushAt) {
            flush();
        }
    }
    void commit();

  private:
    static constexpr std::size_t kFlushAt = 1 << 16;

    void flush();
    [[noreturn]] void fail() const;

    std::string path_;
    std::string temporary_;
    std::FILE* file_;
    fmt::memory_buffer buffer_;
};

} // namespace cavern
