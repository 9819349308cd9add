#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/lazy_array.h"

namespace cavern {

class StateArchive;

/// An array of page numbers below 2^40, all 0 at first: four bytes each, and a fifth where some do
/// not fit into 32 bits. Parts never written cost no memory.
class PageNumbers {
  public:
    static constexpr std::uint64_t kMost = (std::uint64_t{1} << 40) - 1;

    /// `most`: the largest number to be stored.
    PageNumbers(std::size_t size, std::uint64_t most, Touches how = Touches::kClustered)
        : wide_(most > 0xFFFF'FFFFu), low_(size, how), high_(wide_ ? size : 0) {}

    [[nodiscard]] std::size_t size() const { return low_.size(); }
    /// The largest number that fits.
    [[nodiscard]] std::uint64_t most() const { return wide_ ? kMost : 0xFFFF'FFFFu; }
    [[nodiscard]] std::uint64_t get(std::size_t i) const {
        const std::uint64_t low = low_[i];
        return wide_ ? std::uint64_t{high_[i]} << 32 | low : low;
    }
    void set(std::size_t i, std::uint64_t number) {
        low_[i] = static_cast<std::uint32_t>(number);
        if (wide_) {
            high_[i] = static_cast<std::uint8_t>(number >> 32);
        }
    }
    void prefetch(std::size_t i) const { __builtin_prefetch(&low_[i], 1); }
    void serialize(StateArchive& archive);

  protected:
    /// How many from `begin` up to, not including, `end` are not 0; at most 2^32 - 1 numbers.
    [[nodiscard]] std::uint32_t count_used(std::size_t begin, std::size_t end) const {
        std::uint32_t used = 0; // as wide as a number, for several at a time
        for (std::size_t i = begin; i < end; ++i) {
            used += low_[i] != 0 ? 1 : 0;
        }
        for (std::size_t i = begin; wide_ && i < end; ++i) {
            used += low_[i] == 0 && high_[i] != 0 ? 1 : 0;
        }
        return used;
    }

  private:
    bool wide_;
    LazyArray<std::uint32_t> low_;
    LazyArray<std::uint8_t> high_;
};

/// The same, which knows where some may have been set: counting them looks nowhere else.
class CountedPageNumbers : public PageNumbers {
  public:
    CountedPageNumbers(std::size_t size, std::uint64_t most, Touches how = Touches::kClustered)
        : PageNumbers(size, most, how), set_(size / kChunk + 1) {}

    void set(std::size_t i, std::uint64_t number) {
        PageNumbers::set(i, number);
        set_[i / kChunk] = 1;
    }
    /// How many are not 0.
    [[nodiscard]] std::uint64_t count_used() const {
        std::uint64_t used = 0;
        for (std::size_t begin = 0; begin < size(); begin += kChunk) {
            if (set_[begin / kChunk] != 0) {
                used += PageNumbers::count_used(begin, std::min(begin + kChunk, size()));
            }
        }
        return used;
    }
    void serialize(StateArchive& archive);

  private:
    static constexpr std::size_t kChunk = 65536;

    LazyArray<std::uint8_t> set_; ///< of each chunk: whether some number of it was
};

} // namespace cavern
