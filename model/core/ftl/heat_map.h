#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/lazy_array.h"
#include "core/base/strong_id.h"

namespace cavern {

class StateArchive;

/// Which logical pages are written often: a counter of four bits a page, halved from time to time;
/// a page is hot from four on (Hsieh, Kuo, Chang, "Efficient identification of hot data for flash
/// memory storage systems", ACM TOS 2(1), 2006, with a counter for each page in place of hashed
/// ones). Half a byte a page.
class HeatMap {
  public:
    /// Counters are halved after every `period` writes, >= 1.
    HeatMap(std::uint64_t pages, std::uint64_t period)
        : period_(period), words_((pages + kPerWord - 1) / kPerWord) {}

    /// Counts a write of the page; returns whether it is hot now.
    bool on_write(Lpn lpn) {
        if (++writes_ == period_) {
            writes_ = 0;
            halve();
        }
        std::uint64_t& word = words_[raw(lpn) / kPerWord];
        const unsigned shift = static_cast<unsigned>(raw(lpn) % kPerWord) * kBits;
        word += (word >> shift & kMost) != kMost ? std::uint64_t{1} << shift : 0;
        return (word >> shift & kMost) >= kHot;
    }
    [[nodiscard]] bool is_hot(Lpn lpn) const {
        const unsigned shift = static_cast<unsigned>(raw(lpn) % kPerWord) * kBits;
        return (words_[raw(lpn) / kPerWord] >> shift & kMost) >= kHot;
    }
    void serialize(StateArchive& archive);

  private:
    static constexpr unsigned kBits = 4;
    static constexpr unsigned kPerWord = 64 / kBits;
    static constexpr std::uint64_t kMost = 15;
    static constexpr std::uint64_t kHot = 4;

    void halve();

    std::uint64_t period_;
    std::uint64_t writes_ = 0;
    LazyArray<std::uint64_t> words_;
};

} // namespace cavern
