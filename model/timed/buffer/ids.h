#pragma once

#include <cstdint>

#include "core/device/command_front.h"
#include "timed/tlm/flash_client_if.h"
#include "timed/tlm/slab.h"

namespace cavern {

// What the rooms of the buffer manager number. CommandId and OpId come from the command front
// and the flash scheduler; FrameId is the core's number of a frame, which it reuses at once.

/// One page of a host command on its way (PageTask).
enum class TaskId : std::uint32_t {};
/// A page that has a frame or waits for one (PageRecord).
enum class RecordId : std::uint32_t {};
/// Pages evicted together, until all are programmed.
enum class BatchId : std::uint32_t {};
/// A physical frame of the write buffer.
enum class FrameSlot : std::uint32_t {};

} // namespace cavern
