#include "timed/buffer/frame_table.h"

namespace cavern {

FrameTable::FrameTable(std::uint32_t frames) : frames_(frames) {
    free_.reserve(frames);
    for (std::uint32_t frame = frames; frame > 0; --frame) {
        free_.push_back(frame - 1);
    }
}

std::uint32_t FrameTable::create(Lpn lpn) {
    const std::uint32_t record = records_.allocate();
    records_[record].lpn = lpn;
    return record;
}

void FrameTable::wait_for_frame(std::uint32_t record, std::uint32_t batch) {
    records_[record].needs_batch = batch;
    records_[record].withheld = withheld_;
    if (batch != kNil) {
        batches_[batch].awaited = true;
    }
    waiting_.push(records_, record);
}

std::uint32_t FrameTable::grant_next() {
    if (waiting_.empty() || free_.empty()) {
        return kNil;
    }
    PageRecord& head = records_[waiting_.front()];
    if (free_.size() <= head.withheld) {
        return kNil;
    }
    if (head.needs_batch != kNil) {
        if (batches_[head.needs_batch].remaining != 0) {
            return kNil;
        }
        batches_.release(head.needs_batch);
        head.needs_batch = kNil;
    }
    const std::uint32_t record = waiting_.pop(records_);
    records_[record].frame = free_.back();
    free_.pop_back();
    return record;
}

std::uint32_t FrameTable::create_batch(std::uint32_t pages, std::uint32_t units) {
    const std::uint32_t batch = batches_.allocate();
    batches_[batch].remaining = pages;
    batches_[batch].units = units;
    units_in_flight_ += units;
    return batch;
}

void FrameTable::page_programmed(std::uint32_t batch) {
    if (--batches_[batch].remaining != 0) {
        return;
    }
    units_in_flight_ -= batches_[batch].units;
    if (!batches_[batch].awaited) {
        batches_.release(batch);
    }
}

void FrameTable::retire_if_unused(std::uint32_t record) {
    const PageRecord& page = records_[record];
    if (page.resident || page.in_flight || page.inbound != 0 || page.readers != 0) {
        return;
    }
    if (page.frame != kNil) {
        free_.push_back(page.frame);
    }
    records_.release(record);
}

} // namespace cavern
