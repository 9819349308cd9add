#pragma once

#include <cstdint>
#include <vector>

#include "core/base/strong_id.h"

namespace cavern {

class StateArchive;

/// Which entries left the mapping cache, as a bitmap with one hash (SHIM IV-A, the ghost mapping):
/// an entry found here would have been found in a larger cache. Bits are shared by the entries that
/// hash to them, so that sizes are counted beside the bits, and what must shrink clears bits only
/// while they are at least a share 1 / alpha of the size. Exclusive: an entry found is forgotten.
class GhostMap {
  public:
    /// `bits`: a power of two. `capacity`: entries. `hashed` false: the bit of a page is its number
    /// modulo `bits`, for examples worked by hand.
    GhostMap(std::uint64_t bits, double alpha, std::uint64_t capacity, bool hashed = true);

    /// The entry of the page has left the cache.
    void insert(Lpn lpn);
    /// Whether it is found, and if so forgotten.
    bool take(Lpn lpn);
    /// Room for so many entries from now on.
    void set_capacity(std::uint64_t capacity);
    void clear();

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
    [[nodiscard]] std::uint64_t bits_set() const { return bits_set_; }
    [[nodiscard]] bool is_set(std::uint64_t bit) const {
        return (words_[bit / 64] >> (bit % 64) & 1) != 0;
    }
    void serialize(StateArchive& archive);

  private:
    [[nodiscard]] std::uint64_t bit_of(Lpn lpn) const;
    void reset(std::uint64_t bit);
    void shrink();
    /// The first bit that is set from the cursor on, in a circle; there must be one.
    [[nodiscard]] std::uint64_t next_set() const;

    std::vector<std::uint64_t> words_;
    std::uint64_t mask_;
    unsigned shift_; ///< 64 - log2 of the bits
    double alpha_;
    std::uint64_t capacity_;
    bool hashed_;
    std::uint64_t size_ = 0;
    std::uint64_t bits_set_ = 0;
    std::uint64_t cursor_ = 0; ///< where the next bit to be cleared is looked for
};

} // namespace cavern
