#pragma once

#include <cstddef>
#include <string>

namespace cavern {

/// Texts that people write: configurations, workloads, job files. More is no such text, and would
/// take long to read.
inline constexpr std::size_t kMostTextBytes = std::size_t{4} << 20;
inline constexpr const char* kMostText = "4 MiB";
/// What programs write: firmware images, lists of faults.
inline constexpr std::size_t kMostBinaryBytes = std::size_t{64} << 20;
inline constexpr const char* kMostBinary = "64 MiB";

/// A file that is read whole, as far as that goes.
struct WholeFile {
    bool readable = false;
    bool too_long = false; ///< then nothing of it is kept
    std::string bytes;
};

/// No more than `most` bytes, whatever the file is: /dev/zero has no end.
[[nodiscard]] WholeFile read_whole(const std::string& path, std::size_t most);

} // namespace cavern
