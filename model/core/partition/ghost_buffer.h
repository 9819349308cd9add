#pragma once

#include <cstdint>
#include <vector>

#include "core/base/flat_map.h"
#include "core/base/strong_id.h"

namespace cavern {

class StateArchive;

/// Which pages left the write buffer last, least recently evicted first (SHIM III-B, the ghost
/// buffer): a page found here would have been found in a buffer larger by as much. Exclusive: a
/// page that comes back into the buffer is forgotten. O(1) per call, no allocation after
/// construction.
class GhostBuffer {
  public:
    /// Never more than `most` pages; `capacity` at the start.
    GhostBuffer(std::uint32_t most, std::uint32_t capacity);

    /// The page has left the buffer.
    void insert(Lpn lpn);
    [[nodiscard]] bool contains(Lpn lpn) const { return index_.find(raw(lpn)) != FlatMap::kNone; }
    /// The page is in the buffer again, or trimmed; it may be unknown.
    void erase(Lpn lpn);
    /// Room for so many pages from now on; those too many are forgotten, the oldest first.
    void set_capacity(std::uint32_t capacity);
    void clear();

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(index_.size()); }
    [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
    /// Oldest first.
    [[nodiscard]] std::vector<Lpn> pages() const;
    void serialize(StateArchive& archive);

  private:
    static constexpr std::uint32_t kNone = FlatMap::kNone;

    struct Node {
        Lpn lpn;
        std::uint32_t older;
        std::uint32_t newer; ///< of an unused node: the next unused one
    };

    void remove(std::uint32_t node);

    std::uint32_t capacity_;
    std::vector<Node> nodes_;
    FlatMap index_;
    std::uint32_t unused_ = kNone;
    std::uint32_t oldest_ = kNone;
    std::uint32_t newest_ = kNone;
};

} // namespace cavern
