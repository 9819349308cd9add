#include "core/partition/ghost_map.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

GhostMap::GhostMap(std::uint64_t bits, double alpha, std::uint64_t capacity, bool hashed)
    : words_((bits + 63) / 64, 0), mask_(bits - 1), shift_(64), alpha_(alpha), capacity_(capacity),
      hashed_(hashed) {
    CAVERN_CHECK(bits >= 2 && (bits & (bits - 1)) == 0, "a ghost mapping of 2^n bits, n >= 1");
    for (std::uint64_t i = bits; i > 1; i /= 2) {
        --shift_;
    }
}

// Fibonacci hashing: neighbouring pages go to bits far apart.
std::uint64_t GhostMap::bit_of(Lpn lpn) const {
    return hashed_ ? raw(lpn) * 0x9E3779B97F4A7C15u >> shift_ : raw(lpn) & mask_;
}

void GhostMap::insert(Lpn lpn) {
    const std::uint64_t bit = bit_of(lpn);
    if (!is_set(bit)) {
        words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
        ++bits_set_;
    }
    ++size_;
    while (size_ > capacity_) {
        shrink();
    }
}

bool GhostMap::take(Lpn lpn) {
    const std::uint64_t bit = bit_of(lpn);
    if (!is_set(bit)) {
        return false;
    }
    reset(bit);
    size_ -= size_ > 0 ? 1 : 0;
    return true;
}

void GhostMap::set_capacity(std::uint64_t capacity) {
    capacity_ = capacity;
    while (size_ > capacity_) {
        shrink();
    }
}

void GhostMap::clear() {
    std::fill(words_.begin(), words_.end(), 0);
    size_ = bits_set_ = cursor_ = 0;
}

void GhostMap::reset(std::uint64_t bit) {
    words_[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
    --bits_set_;
}

void GhostMap::shrink() {
    if (bits_set_ > 0 &&
        static_cast<double>(bits_set_) * alpha_ >= static_cast<double>(size_ - 1)) {
        const std::uint64_t bit = next_set();
        reset(bit);
        cursor_ = (bit + 1) & mask_;
    }
    --size_;
}

std::uint64_t GhostMap::next_set() const {
    for (std::uint64_t bit = cursor_;;) {
        const std::uint64_t rest = words_[bit / 64] >> (bit % 64);
        if (rest != 0) {
            return bit + static_cast<std::uint64_t>(__builtin_ctzll(rest));
        }
        bit = (bit / 64 + 1) * 64 & mask_;
    }
}

} // namespace cavern
