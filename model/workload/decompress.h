#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "workload/byte_stream.h"

namespace cavern {

/// The number of first bytes that tells the compressed formats apart.
inline constexpr std::size_t kMagicBytes = 6;

/// Wraps `packed`, positioned at its first byte, in the decoder that `magic` (its first bytes)
/// calls for: gzip (RFC 1952), xz, zstd (RFC 8878), each with any number of members. Anything else
/// passes as it is. A stream that breaks off or is damaged ends in StreamError.
[[nodiscard]] std::unique_ptr<ByteStream> decompress(std::unique_ptr<ByteStream> packed,
                                                     std::string_view magic);

} // namespace cavern
