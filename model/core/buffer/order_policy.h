#pragma once

#include <cstdint>
#include <vector>

#include "core/base/strong_id.h"

namespace cavern {

/// Index of a page frame of the write buffer, 0 .. capacity - 1.
enum class FrameId : std::uint32_t {};

inline constexpr FrameId kNoFrame{0xFFFF'FFFFu};

enum class Access : std::uint8_t { kRead, kWrite };

/// Which page or logical block leaves the buffer next. The policy keeps only order; residency, dirty
/// flags and capacity are WriteBuffer's. Every frame handed to on_insert is on the policy's lists until
/// it comes back from pop_victim or is taken out by remove. No call allocates after construction.
class OrderPolicyIf {
  public:
    virtual ~OrderPolicyIf() = default;

    /// True when a unit is a logical block (all its resident pages leave together), false for a page.
    [[nodiscard]] virtual bool evicts_blocks() const = 0;

    /// A page became resident in `frame`.
    virtual void on_insert(FrameId frame, Lpn lpn, Access access) = 0;
    /// A resident page was accessed. Reads reach the policy only with buffer.read_touch.
    virtual void on_hit(FrameId frame, Lpn lpn, Access access) = 0;
    /// A resident page left without eviction (TRIM).
    virtual void remove(FrameId frame, Lpn lpn) = 0;

    /// Takes the next victim unit off the lists and appends its frames, ascending by logical page.
    /// Returns false when nothing is resident.
    virtual bool pop_victim(std::vector<FrameId>& frames) = 0;
};

} // namespace cavern
