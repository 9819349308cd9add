#pragma once

#include <cstddef>

namespace cavern {

/// Whether a compressor would hardly make bytes shorter: a sample of them has an entropy of more
/// than 6.75 bits a byte. So have data that are encrypted, compressed or random, of which such a
/// sample has 7.6. Some repetitions go unseen. At least kSampled bytes.
[[nodiscard]] bool is_dense(const std::byte* bytes, std::size_t count);

/// Bytes that is_dense() looks at.
constexpr std::size_t kSampled = 512;

} // namespace cavern
