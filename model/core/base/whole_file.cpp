#include "core/base/whole_file.h"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace cavern {
namespace {

constexpr std::size_t kPiece = 1 << 16;

} // namespace

WholeFile read_whole(const std::string& path, std::size_t most) {
    WholeFile whole;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    if (file == nullptr) {
        return whole;
    }
    std::string& bytes = whole.bytes;
    for (std::size_t got = 1; got != 0 && bytes.size() <= most;) {
        const std::size_t before = bytes.size();
        bytes.resize(before + std::min(kPiece, most + 1 - before));
        got = std::fread(&bytes[before], 1, bytes.size() - before, file.get());
        bytes.resize(before + got);
    }
    whole.readable = std::ferror(file.get()) == 0;
    whole.too_long = bytes.size() > most;
    if (whole.too_long) {
        bytes.clear();
    }
    return whole;
}

} // namespace cavern
