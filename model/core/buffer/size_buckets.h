#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer/index_lists.h"

namespace cavern {

class StateArchive;

/// Indices 0 .. items - 1 by size, 1 .. max_size, and among those of one size in the order in which
/// they were put there: a list for each size and a bitmap of the lists that are not empty. O(1) per
/// operation (max_size / 64 words of bitmap), no allocation.
class SizeBuckets {
  public:
    static constexpr std::uint32_t kNone = IndexLists::kNone;

    SizeBuckets(std::uint32_t items, std::uint32_t max_size)
        : lists_(items, max_size + 1), occupied_(max_size / 64 + 1, 0) {}

    [[nodiscard]] bool contains(std::uint32_t item) const { return lists_.list_of(item) != kNone; }
    [[nodiscard]] std::uint32_t count() const { return count_; }

    /// `item` becomes the newest of its size; it must not be in a bucket.
    void push_newest(std::uint32_t item, std::uint32_t size);
    /// `item` must be in a bucket.
    void remove(std::uint32_t item);

    /// The oldest of the largest items that `accept` accepts, or kNone; takes a step for each one
    /// refused.
    template <typename Accept>
    [[nodiscard]] std::uint32_t largest_that(Accept accept) const {
        for (std::uint32_t size = largest_up_to(lists_end() - 1); size != 0;
             size = largest_up_to(size - 1)) {
            const std::uint32_t item = lists_.oldest_that(size, accept);
            if (item != kNone) {
                return item;
            }
        }
        return kNone;
    }
    void serialize(StateArchive& archive);

  private:
    [[nodiscard]] std::uint32_t lists_end() const {
        return static_cast<std::uint32_t>(occupied_.size()) * 64;
    }
    /// Largest size with items that is at most `size`, or 0.
    [[nodiscard]] std::uint32_t largest_up_to(std::uint32_t size) const;

    IndexLists lists_;                    ///< list n: the items of size n
    std::vector<std::uint64_t> occupied_; ///< bit n: there are items of size n
    std::uint32_t count_ = 0;
};

} // namespace cavern
