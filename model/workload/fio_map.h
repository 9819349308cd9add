#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace cavern {

/// Which blocks a random job has done: fio's axmap. Levels of 64-bit words, each bit of a level
/// being whether a word below it is full.
class FioMap {
  public:
    /// `blocks` is at least 1; all are free.
    explicit FioMap(std::uint64_t blocks);
    [[nodiscard]] bool is_free(std::uint64_t block) const {
        return block >= blocks_ || (levels_[0][block / 64] >> (block % 64) & 1) == 0;
    }
    /// The first free block from `block` on, and from the first on behind the last; absent: none is
    /// free.
    [[nodiscard]] std::optional<std::uint64_t> next_free(std::uint64_t block) const;
    /// Takes up to `count` free blocks from `block` on, up to the first that is taken; returns how
    /// many. What lies behind the last is free and is not remembered.
    std::uint64_t take(std::uint64_t block, std::uint64_t count);
    void clear();

  private:
    [[nodiscard]] std::optional<std::uint64_t> free_from(std::uint64_t block) const;
    void set(std::uint64_t block);

    std::uint64_t blocks_;
    std::vector<std::vector<std::uint64_t>> levels_;
};

} // namespace cavern
