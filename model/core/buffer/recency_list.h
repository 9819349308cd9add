#pragma once

#include <cstdint>

#include "core/buffer/index_lists.h"

namespace cavern {

class StateArchive;

/// Doubly linked list over the indices 0 .. size - 1, least recently used first; each index is on
/// the list at most once. Every operation is O(1) and allocates nothing.
class RecencyList {
  public:
    static constexpr std::uint32_t kNone = IndexLists::kNone;

    explicit RecencyList(std::uint32_t size) : list_(size, 1) {}

    [[nodiscard]] bool contains(std::uint32_t index) const { return list_.list_of(index) == 0; }
    [[nodiscard]] std::uint32_t size() const { return list_.size(0); }
    /// Index at the LRU end or the MRU end, or kNone when the list is empty.
    [[nodiscard]] std::uint32_t lru() const { return list_.oldest(0); }
    [[nodiscard]] std::uint32_t mru() const { return list_.newest(0); }
    /// Next towards the MRU end or the LRU end of an index on the list, or kNone.
    [[nodiscard]] std::uint32_t newer(std::uint32_t index) const { return list_.newer(index); }
    [[nodiscard]] std::uint32_t older(std::uint32_t index) const { return list_.older(index); }
    /// Least recently used index that `accept` accepts, or kNone; a step for each one refused.
    template <typename Accept>
    [[nodiscard]] std::uint32_t lru_that(Accept accept) const {
        return list_.oldest_that(0, accept);
    }

    /// Appends all of the list as frames, least recently used first.
    template <typename Frame>
    void append_to(std::vector<Frame>& frames) const {
        list_.append_to(0, frames);
    }

    /// `index` must not be on the list.
    void push_mru(std::uint32_t index) { list_.push_newest(0, index); }
    void push_lru(std::uint32_t index) { list_.push_oldest(0, index); }
    /// Pushes `index` next to `older` on its MRU side; kNone: at the LRU end.
    void push_newer_than(std::uint32_t older, std::uint32_t index) {
        list_.push_newer_than(0, older, index);
    }
    /// `index` must be on the list.
    void remove(std::uint32_t index) { list_.remove(index); }
    void move_to_mru(std::uint32_t index) {
        if (index != mru()) {
            remove(index);
            push_mru(index);
        }
    }
    void serialize(StateArchive& archive);

  private:
    IndexLists list_;
};

} // namespace cavern
