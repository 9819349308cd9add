#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cavern {

/// SHA-256 (FIPS 180-4), to say which bytes a file has.
class Sha256 {
  public:
    void add(const void* bytes, std::size_t size);
    void add(std::string_view text) { add(text.data(), text.size()); }
    /// 64 digits, as sha256sum prints them. Nothing may be added afterwards.
    [[nodiscard]] std::string digest();

  private:
    static constexpr std::size_t kBlock = 64;

    void block(const unsigned char* bytes);

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, kBlock> rest_{}; ///< of the last block, which is not whole
    std::uint64_t size_ = 0;                   ///< bytes added
};

[[nodiscard]] std::string sha256(std::string_view text);

/// Of the bytes of a file, as they lie there. Empty where it cannot be read to its end.
[[nodiscard]] std::string sha256_of_file(const std::string& path);

} // namespace cavern
