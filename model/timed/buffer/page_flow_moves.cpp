// Transfers of pages over the link and to and from the SDRAM, and what follows their end.

#include "timed/buffer/page_flow.h"

#include "timed/tlm/time.h"

namespace cavern {

void PageFlow::access(PageStage stage, TaskId task, MoveDirection direction, std::uint64_t address,
                      std::uint32_t bytes) {
    const MoveTicket ticket{static_cast<std::uint32_t>(stage), raw(task)};
    await(stage, task, memory_.access(direction, address, bytes, ticket, *this));
}

void PageFlow::over_link(PageStage stage, TaskId task) {
    const PageTask& page = tasks_[task];
    const MoveTicket ticket{static_cast<std::uint32_t>(stage), raw(task)};
    const std::uint32_t before = owner_->count_link_bytes(page.command, page.bytes);
    await(stage, task,
          link_.carry(stage == PageStage::kLinkFetch ? MoveDirection::kRead : MoveDirection::kWrite,
                      page.host_offset, page.bytes, before, ticket, *this));
}

void PageFlow::moved(MoveTicket ticket, TimePs at) {
    await(static_cast<PageStage>(ticket.stage), TaskId{ticket.index}, at);
}

void PageFlow::await(PageStage stage, TaskId task, TimePs at) {
    if (at == kNever) {
        return; // moved() tells
    }
    if (at <= now_ps()) {
        arrived(stage, task);
        return;
    }
    events_.schedule(at, *this, std::uint64_t{static_cast<std::uint32_t>(stage)} << 32 | raw(task));
}

void PageFlow::on_event(std::uint64_t what) {
    arrived(static_cast<PageStage>(what >> 32), TaskId{static_cast<std::uint32_t>(what)});
}

/// A transfer has ended.
void PageFlow::arrived(PageStage stage, TaskId task) {
    const PageTask& page = tasks_[task];
    switch (stage) {
    case PageStage::kLinkFetch:
        if (data_ != nullptr) {
            data_->write(raw(task), raw(frames_[page.record].frame));
        }
        access(PageStage::kFillFrame, task, MoveDirection::kWrite,
               map_.address(frames_[page.record].frame), page.bytes);
        break;
    case PageStage::kFillFrame:
    case PageStage::kKeepPage:
        filled(task);
        break;
    case PageStage::kStageRead:
        access(PageStage::kServeStaged, task, MoveDirection::kRead, map_.staging_address(task),
               page.bytes);
        break;
    case PageStage::kServeFrame:
        stop_reading(page.record);
        grant_frames();
        over_link(PageStage::kLinkDeliver, task);
        break;
    case PageStage::kServeStaged:
        over_link(PageStage::kLinkDeliver, task);
        break;
    case PageStage::kLinkDeliver:
        if (data_ != nullptr) {
            data_->deliver(raw(task));
        }
        finish(task);
        break;
    case PageStage::kCopyFrame:
        stop_reading(page.source);
        page_is_here(task);
        grant_frames();
        break;
    }
}

} // namespace cavern
