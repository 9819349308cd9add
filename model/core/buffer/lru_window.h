#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer/recency_list.h"

namespace cavern {

class StateArchive;

/// A recency list over the indices 0 .. size - 1 that knows which of them are its `window` least
/// recently used. An index enters the window as its most recent one, whether from outside or new.
/// O(1) per call, no allocation.
class LruWindow {
  public:
    static constexpr std::uint32_t kNone = RecencyList::kNone;

    /// `window` >= 1.
    LruWindow(std::uint32_t size, std::uint32_t window)
        : list_(size), inside_(size, 0), window_(window) {}

    [[nodiscard]] const RecencyList& list() const { return list_; }
    [[nodiscard]] bool in_window(std::uint32_t index) const { return inside_[index] != 0; }
    /// Most recent index inside, or kNone.
    [[nodiscard]] std::uint32_t newest_inside() const { return newest_inside_; }

    /// `index` becomes the MRU one; returns it if it is in the window, else kNone.
    std::uint32_t push_mru(std::uint32_t index);
    /// Returns the index that enters the window in its place, or kNone.
    std::uint32_t remove(std::uint32_t index);
    void serialize(StateArchive& archive);

  private:
    RecencyList list_;
    std::vector<std::uint8_t> inside_; ///< per index
    std::uint32_t window_;
    std::uint32_t count_ = 0; ///< inside
    std::uint32_t newest_inside_ = kNone;
};

} // namespace cavern
