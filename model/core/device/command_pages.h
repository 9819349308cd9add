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
    std::uint16_t stream = 0;  ///< of a write: its placement identifier
    ZoneAction zone = ZoneAction::kNone;
};

/// Logical pages from `first` up to, not including, `end`.
struct CommandPages {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    [[nodiscard]] std::uint64_t count() const { return first < end ? end - first : 0; }
};

/// The pages that a read or write touches. `pages_in` divides by the size of a page, which is
/// `page_bytes`.
template <typename Divide>
[[nodiscard]] CommandPages touched_pages(const DeviceCommand& command, std::uint32_t page_bytes,
                                         Divide pages_in) {
    return {pages_in(command.offset), pages_in(command.offset + command.bytes + page_bytes - 1)};
}

/// The pages that a TRIM covers whole: only they can be forgotten.
template <typename Divide>
[[nodiscard]] CommandPages whole_pages(const DeviceCommand& command, std::uint32_t page_bytes,
                                       Divide pages_in) {
    return {pages_in(command.offset + page_bytes - 1), pages_in(command.offset + command.bytes)};
}

/// The pages that are decided for a command: none of a FLUSH or of a command on a zone.
[[nodiscard]] inline CommandPages pages_of(const DeviceCommand& command, std::uint32_t page_bytes) {
    const auto pages_in = [page_bytes](std::uint64_t bytes) { return bytes / page_bytes; };
    switch (command.op) {
    case RequestOp::kRead:
    case RequestOp::kWrite:
        return touched_pages(command, page_bytes, pages_in);
    case RequestOp::kTrim:
        return whole_pages(command, page_bytes, pages_in);
    case RequestOp::kFlush:
    case RequestOp::kZone:
        break;
    }
    return {};
}

} // namespace cavern
