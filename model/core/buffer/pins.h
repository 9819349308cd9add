#pragma once

#include <cstdint>

#include "core/base/flat_map.h"

namespace cavern {

class StateArchive;

/// Units that should not leave the buffer while others can: those that queued commands are about to
/// use (Kim & Kim 2013, section III, the virtual MRU section). A unit is a logical page or a
/// logical block, as the order policy says, and may be pinned several times.
class Pins {
  public:
    /// Room for `units` different ones without allocation.
    explicit Pins(std::uint32_t units = 0) : counts_(units) {}

    [[nodiscard]] bool any() const { return counts_.size() != 0; }
    [[nodiscard]] bool holds(std::uint64_t unit) const {
        return any() && counts_.find(unit) != FlatMap::kNone;
    }
    [[nodiscard]] std::uint32_t units() const { return static_cast<std::uint32_t>(counts_.size()); }

    void pin(std::uint64_t unit) {
        const std::uint32_t count = counts_.find(unit);
        counts_.set(unit, count == FlatMap::kNone ? 1 : count + 1);
    }
    /// Takes back one pin. A unit that is not pinned stays so: its pins went when it was evicted.
    void unpin(std::uint64_t unit) {
        const std::uint32_t count = counts_.find(unit);
        if (count == FlatMap::kNone) {
            return;
        }
        if (count == 1) {
            counts_.erase(unit);
        } else {
            counts_.set(unit, count - 1);
        }
    }
    /// All pins of the unit go: it has left the buffer.
    void drop(std::uint64_t unit) {
        if (any()) {
            counts_.erase(unit);
        }
    }
    void serialize(StateArchive& archive);

  private:
    FlatMap counts_;
};

} // namespace cavern
