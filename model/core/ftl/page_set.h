#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/lazy_array.h"

namespace cavern {

class StateArchive;

/// Which logical pages hold data: a bit a page and their number. What was never set costs no
/// memory.
class PageSet {
  public:
    explicit PageSet(std::uint64_t pages) : words_((pages + 63) / 64) {}

    [[nodiscard]] bool contains(std::uint64_t page) const {
        return (words_[page / 64] >> (page % 64) & 1) != 0;
    }
    /// Returns whether it was new.
    bool insert(std::uint64_t page) {
        const bool is_new = !contains(page);
        words_[page / 64] |= std::uint64_t{1} << (page % 64);
        count_ += is_new ? 1 : 0;
        return is_new;
    }
    /// Returns whether it was there.
    bool erase(std::uint64_t page) {
        const bool was_there = contains(page);
        words_[page / 64] &= ~(std::uint64_t{1} << (page % 64));
        count_ -= was_there ? 1 : 0;
        return was_there;
    }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    void serialize(StateArchive& archive);

  private:
    LazyArray<std::uint64_t> words_;
    std::uint64_t count_ = 0;
};

} // namespace cavern
