#include "workload/fio_map.h"

#include <algorithm>

namespace cavern {
namespace {

constexpr std::uint64_t kFull = ~std::uint64_t{0};

} // namespace

FioMap::FioMap(std::uint64_t blocks) : blocks_(blocks) {
    std::uint64_t words = blocks;
    do {
        words = (words + 63) / 64;
        levels_.emplace_back(words);
    } while (words > 1);
    clear();
}

/// Places behind the last one are taken, so that nobody looks for them.
void FioMap::clear() {
    std::uint64_t bits = blocks_;
    for (std::vector<std::uint64_t>& level : levels_) {
        std::fill(level.begin(), level.end(), 0);
        if (bits % 64 != 0) {
            level.back() = kFull << (bits % 64);
        }
        bits = level.size();
    }
}

std::optional<std::uint64_t> FioMap::next_free(std::uint64_t block) const {
    const std::optional<std::uint64_t> behind =
        block < blocks_ ? free_from(block) : std::optional<std::uint64_t>();
    return behind ? behind : free_from(0);
}

/// Up where the rest of a word is full, then down to the first free bit.
std::optional<std::uint64_t> FioMap::free_from(std::uint64_t block) const {
    std::uint64_t bit = block;
    std::size_t level = 0;
    for (;; ++level) {
        if (level == levels_.size() || bit / 64 >= levels_[level].size()) {
            return std::nullopt;
        }
        const std::uint64_t free = ~levels_[level][bit / 64] & kFull << (bit % 64);
        if (free != 0) {
            bit = bit / 64 * 64 + static_cast<std::uint64_t>(__builtin_ctzll(free));
            break;
        }
        bit = bit / 64 + 1;
    }
    for (; level > 0; --level) {
        bit = bit * 64 + static_cast<std::uint64_t>(__builtin_ctzll(~levels_[level - 1][bit]));
    }
    return bit;
}

std::uint64_t FioMap::take(std::uint64_t block, std::uint64_t count) {
    std::uint64_t taken = 0;
    for (; taken < count && is_free(block + taken); ++taken) {
        if (block + taken < blocks_) {
            set(block + taken);
        }
    }
    return taken;
}

void FioMap::set(std::uint64_t block) {
    for (std::vector<std::uint64_t>& level : levels_) {
        std::uint64_t& word = level[block / 64];
        word |= std::uint64_t{1} << (block % 64);
        if (word != kFull) {
            return;
        }
        block /= 64;
    }
}

} // namespace cavern
