#include "sampling/buffer_level.h"

#include <algorithm>
#include <utility>

#include "core/buffer/single_trigger.h"

namespace cavern {

bool BufferLevel::matters(const DriveCore& core) {
    return core.works_ahead() && core.partition() == nullptr;
}

BufferLevel::BufferLevel(DriveCore& core, std::uint32_t pages)
    : buffer_(*core.buffer()), capacity_(buffer_.capacity()),
      trigger_(buffer_.exchange(std::make_unique<SingleTrigger>())) {
    // Never fewer than there are: nobody would carry out what leaves.
    buffer_.set_capacity(std::clamp(pages, std::max(buffer_.used(), 1u), capacity_));
}

void BufferLevel::release() {
    buffer_.set_capacity(capacity_);
    (void)buffer_.exchange(std::move(trigger_));
}

} // namespace cavern
