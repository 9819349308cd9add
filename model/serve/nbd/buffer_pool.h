#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cavern::nbd {

/// Memory for the data of a request.
struct Buffer {
    std::unique_ptr<std::byte[]> data;
    std::uint32_t size_class = 0;
};

/// Buffers of requests, used again: after the first requests none allocates. What is given back
/// beyond a bound is freed.
class BufferPool {
  public:
    /// A buffer of at least `bytes`, at most 64 MiB, with its old contents.
    [[nodiscard]] Buffer take(std::uint32_t bytes);
    void give_back(Buffer buffer);
    /// Bytes that are kept for the next.
    [[nodiscard]] std::size_t kept() const { return kept_; }
    /// Buffers taken and not given back.
    [[nodiscard]] std::size_t in_use() const { return in_use_; }

    static constexpr std::size_t kMostKept = std::size_t{64} << 20;

  private:
    static constexpr std::uint32_t kLeastBits = 12;
    static constexpr std::uint32_t kClasses = 15; ///< 4 KiB .. 64 MiB
    [[nodiscard]] static constexpr std::size_t bytes_of(std::uint32_t size_class) {
        return std::size_t{1} << (kLeastBits + size_class);
    }

    std::array<std::vector<std::unique_ptr<std::byte[]>>, kClasses> free_;
    std::size_t kept_ = 0;
    std::size_t in_use_ = 0;
};

} // namespace cavern::nbd
