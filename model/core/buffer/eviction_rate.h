#pragma once

#include <cstdint>

namespace cavern {

/// When and how many victims: orthogonal to the order. The buffer asks once when an insert finds no
/// free frame and takes that many units (fewer if fewer exist).
class EvictionRateIf {
  public:
    virtual ~EvictionRateIf() = default;
    /// Units to evict when the buffer is full; at least 1.
    [[nodiscard]] virtual std::uint32_t units_on_full() const = 0;
};

} // namespace cavern
