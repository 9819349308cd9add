#pragma once

#include <cstdint>

#include "core/base/request_op.h"

namespace cavern {

/// What a host command asks the device for. Offset and size in bytes.
struct DeviceCommand {
    RequestOp op = RequestOp::kRead;
    bool fua = false; ///< a write that is done when it is in flash
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t request = 0; ///< of the host, by number; for who listens to the core
};

/// Logical pages from `first` up to, not including, `end`.
struct CommandPages {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    [[nodiscard]] std::uint64_t count() const { return first < end ? end - first : 0; }
};

/// The pages that are decided for a command: those that a read or write touches, those that a TRIM
/// covers whole, for only they can be forgotten; none of a FLUSH. `pages_in` divides by the size of
/// a page, which is `page_bytes`.
template <typename Divide>
[[nodiscard]] CommandPages pages_of(const DeviceCommand& command, std::uint32_t page_bytes,
                                    Divide pages_in) {
    const std::uint64_t end = command.offset + command.bytes;
    switch (command.op) {
    case RequestOp::kRead:
    case RequestOp::kWrite:
        return {pages_in(command.offset), pages_in(end + page_bytes - 1)};
    case RequestOp::kTrim:
        return {pages_in(command.offset + page_bytes - 1), pages_in(end)};
    case RequestOp::kFlush:
        break;
    }
    return {};
}

[[nodiscard]] inline CommandPages pages_of(const DeviceCommand& command, std::uint32_t page_bytes) {
    return pages_of(command, page_bytes,
                    [page_bytes](std::uint64_t bytes) { return bytes / page_bytes; });
}

} // namespace cavern
