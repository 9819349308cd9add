#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "core/base/packer.h"

namespace cavern {

/// A result file that appears whole or not at all: written beside its place under a temporary name
/// and renamed by commit(). Destroyed without commit, it leaves nothing. What is no ordinary file
/// (a pipe, /dev/stdout) is written as it stands. A name that ends in .gz or .zst packs it. Throws
/// UserError when the place cannot be written (also on a full disk, at finish).
class OutputFile {
  public:
    /// With `packs` = false the name of the file says nothing.
    explicit OutputFile(std::string path, bool packs = true);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    template <typename... Args>
    void print(fmt::format_string<Args...> format, Args&&... args) {
        print_all(format, fmt::make_format_args(args...));
    }
    void add(const void* bytes, std::size_t size);
    /// Everything printed is in the file; nothing can go wrong afterwards but the rename.
    void finish();
    void commit();
    /// The file that a chain of symbolic links stands for, whether it is there or not.
    [[nodiscard]] static std::string target_of(const std::string& path);
    /// Where the data is until commit(), for a writer that opens its file by name.
    [[nodiscard]] const std::string& place() const { return place_; }
    /// The same of the file that this process is writing to `path`.
    [[nodiscard]] static std::string place_of(const std::string& path);
    /// As given.
    [[nodiscard]] const std::string& name() const { return path_; }

  private:
    static constexpr std::size_t kFlushAt = 1 << 16;

    /// What formats is a large template: every caller would have it compiled anew.
    void print_all(fmt::string_view format, fmt::format_args args);
    void flush();
    void write(const char* bytes, std::size_t size);
    [[noreturn]] void fail() const;

    std::string path_;   ///< as given, for messages
    std::string target_; ///< the file a symbolic link stands for
    std::string place_;
    std::FILE* file_ = nullptr;
    std::unique_ptr<Packer> packer_; ///< null: as it is
    bool done_ = false;              ///< nothing to remove
    fmt::memory_buffer buffer_;
};

} // namespace cavern
