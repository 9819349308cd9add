#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/lazy_array.h"

namespace cavern {

/// An array of page numbers below 2^40, all 0 at first: four bytes each, and a fifth where some do
/// not fit into 32 bits. Parts never written cost no memory.
class PageNumbers {
  public:
    static constexpr std::uint64_t kMost = (std::uint64_t{1} << 40) - 1;

    /// `most`: the largest number to be stored.
    PageNumbers(std::size_t size, std::uint64_t most, Touches how = Touches::kClustered)
        : wide_(most > 0xFFFF'FFFFu), low_(size, how), high_(wide_ ? size : 0),
          written_(size / kChunk + 1) {}

    [[nodiscard]] std::size_t size() const { return low_.size(); }
    /// The largest number that fits.
    [[nodiscard]] std::uint64_t most() const { return wide_ ? kMost : 0xFFFF'FFFFu; }
    [[nodiscard]] std::uint64_t get(std::size_t i) const {
        const std::uint64_t low = low_[i];
        return wide_ ? std::uint64_t{high_[i]} << 32 | low : low;
    }
    void set(std::size_t i, std::uint64_t number) {
        low_[i] = static_cast<std::uint32_t>(number);
        written_[i / kChunk] = 1;
        if (wide_) {
            high_[i] = static_cast<std::uint8_t>(number >> 32);
        }
    }
    void prefetch(std::size_t i) const { __builtin_prefetch(&low_[i], 1); }

    /// How many are not 0. Looks at what may have been written.
    [[nodiscard]] std::uint64_t count_used() const {
        std::uint64_t used = 0;
        for (std::size_t begin = 0; begin < size(); begin += kChunk) {
            const std::size_t end =
                written_[begin / kChunk] == 0 ? begin : std::min(begin + kChunk, size());
            std::uint32_t in_chunk = 0; // as wide as a number, for several at a time
            for (std::size_t i = begin; i < end; ++i) {
                in_chunk += low_[i] != 0 ? 1 : 0;
            }
            for (std::size_t i = begin; wide_ && i < end; ++i) {
                in_chunk += low_[i] == 0 && high_[i] != 0 ? 1 : 0;
            }
            used += in_chunk;
        }
        return used;
    }

  private:
    static constexpr std::size_t kChunk = 65536;

    bool wide_;
    LazyArray<std::uint32_t> low_;
    LazyArray<std::uint8_t> high_;
    LazyArray<std::uint8_t> written_; ///< of each chunk: whether some number of it was set
};

} // namespace cavern
