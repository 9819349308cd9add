#include "core/device/command_front.h"

#include <algorithm>

namespace cavern {

CommandFront::CommandFront(DriveCore& core, const Geometry& geometry, CommandSinkIf& sink)
    : core_(core), sink_(sink), page_bytes_(geometry.page_bytes),
      by_page_bytes_(geometry.page_bytes), works_ahead_(core.works_ahead()) {}

// ---- 1: in turn ---------------------------------------------------------------------------------

/// A command that finds none before it and is not held back has not waited: it pins nothing.
void CommandFront::arrive(CommandId id, const DeviceCommand& command) {
    const bool waits = !waiting_.empty() || sink_.holds_back();
    waiting_.push({id, waits ? pin(command) : NcqAware::kNoPins, command});
}

std::uint32_t CommandFront::pin(const DeviceCommand& command) {
    if (core_.queue_pins() == nullptr || !moves_data(command.op) || command.bytes == 0) {
        return NcqAware::kNoPins;
    }
    return core_.queue_pins()->on_arrival(
        Lpn{by_page_bytes_.divide(command.offset)},
        Lpn{by_page_bytes_.divide(command.offset + command.bytes - 1)});
}

void CommandFront::take_up_next() {
    const Waiting first = waiting_.pop();
    sink_.on_turn(first.id);
    take_up(first.id, first.command);
    if (core_.queue_pins() != nullptr) {
        core_.queue_pins()->on_served(first.pins);
    }
}

void CommandFront::take_up_waiting() {
    if (taking_up_) {
        return;
    }
    taking_up_ = true; // deciding may bring commands, and what they waited for
    while (!waiting_.empty() && !sink_.holds_back()) {
        take_up_next();
    }
    taking_up_ = false;
}

// ---- 2 to 4: pages, end of the request ----------------------------------------------------------

void CommandFront::take_up(CommandId id, const DeviceCommand& command) {
    switch (command.op) {
    case RequestOp::kRead:
    case RequestOp::kWrite:
        decide_pages(id, command);
        break;
    case RequestOp::kTrim:
        trim_pages(id, command);
        break;
    case RequestOp::kFlush:
        while (const Batch* batch = core_.flush_step()) {
            sink_.on_flush(id, *batch);
        }
        sink_.on_flushed(id);
        break;
    }
    if (const Batch* batch = core_.end_request()) {
        sink_.on_resize(*batch);
    }
    sink_.on_decided(id);
}

void CommandFront::decide_pages(CommandId id, const DeviceCommand& command) {
    const std::uint64_t end = command.offset + command.bytes;
    const std::uint64_t first = by_page_bytes_.divide(command.offset);
    const auto pages =
        static_cast<std::uint32_t>(by_page_bytes_.divide(end + page_bytes_ - 1) - first);
    PageAccess page{Lpn{first}, command.offset, 0};
    while (page.offset < end) {
        const std::uint64_t next = std::min(end, (raw(page.lpn) + 1) * page_bytes_);
        page.bytes = static_cast<std::uint32_t>(next - page.offset);
        if (command.op == RequestOp::kRead) {
            sink_.on_read(id, page, core_.read(page.lpn));
        } else {
            sink_.on_write(id, page,
                           command.fua ? core_.write_through(page.lpn, pages)
                                       : core_.write(page.lpn, pages));
        }
        if (works_ahead_) {
            sink_.evict_ahead();
        }
        page.lpn = Lpn{raw(page.lpn) + 1};
        page.offset = next;
    }
}

void CommandFront::trim_pages(CommandId id, const DeviceCommand& command) {
    // Only whole pages can be forgotten.
    const std::uint64_t first = by_page_bytes_.divide(command.offset + page_bytes_ - 1);
    const std::uint64_t end = by_page_bytes_.divide(command.offset + command.bytes);
    for (std::uint64_t page = first; page < end; ++page) {
        sink_.on_trim(id, core_.trim(Lpn{page}));
    }
    sink_.on_trimmed(id);
}

} // namespace cavern
