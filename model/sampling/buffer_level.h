#pragma once

#include <cstdint>
#include <memory>

#include "core/buffer/eviction_trigger.h"
#include "core/drive/drive_core.h"

namespace cavern {

/// A buffer whose pages leave ahead of need is, in time, as full as its dies are slow. Without time
/// they leave at once, and it is nearly empty. So before a window begins, its process lets pages
/// stay until the buffer is as full as it is in time, as the windows before have seen it.
class BufferLevel {
  public:
    /// Whether this drive needs it.
    [[nodiscard]] static bool matters(const DriveCore& core);

    /// From now on pages leave for want of room alone, of which there is enough for `pages`.
    BufferLevel(DriveCore& core, std::uint32_t pages);
    /// As before.
    void release();

  private:
    WriteBuffer& buffer_;
    std::uint32_t capacity_;
    std::unique_ptr<EvictionTriggerIf> trigger_;
};

} // namespace cavern
