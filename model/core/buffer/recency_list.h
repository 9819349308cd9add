#pragma once

#include <cstdint>
#include <vector>

namespace cavern {

/// Doubly linked list over the indices 0 .. size - 1, least recently used first; each index is on
/// the list at most once. Every operation is O(1) and allocates nothing.
class RecencyList {
  public:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

    explicit RecencyList(std::uint32_t size) : links_(size) {}

    [[nodiscard]] bool contains(std::uint32_t index) const { return links_[index].on_list; }
    /// Index at the LRU end, or kNone when the list is empty.
    [[nodiscard]] std::uint32_t lru() const { return lru_; }

    /// `index` must not be on the list.
    void push_mru(std::uint32_t index);
    /// `index` must be on the list.
    void remove(std::uint32_t index);
    void move_to_mru(std::uint32_t index);

  private:
    struct Link {
        std::uint32_t older = kNone;
        std::uint32_t newer = kNone;
        bool on_list = false;
    };
    std::vector<Link> links_;
    std::uint32_t lru_ = kNone;
    std::uint32_t mru_ = kNone;
};

} // namespace cavern
