#include "timed/buffer/frame_table.h"

namespace cavern {

FrameTable::FrameTable(std::uint32_t frames, std::uint32_t core_frames, std::uint32_t passing)
    : record_of_(core_frames, kNil<RecordId>), has_passing_(passing != 0), frames_(frames) {
    free_passing_.reserve(passing);
    for (std::uint32_t slot = passing; slot > 0; --slot) {
        free_passing_.push_back(FrameSlot{frames + slot - 1});
    }
    free_.reserve(frames);
    for (std::uint32_t frame = frames; frame > 0; --frame) {
        free_.push_back(FrameSlot{frame - 1});
    }
}

RecordId FrameTable::create(Lpn lpn) {
    const RecordId record = records_.allocate();
    records_[record].lpn = lpn;
    return record;
}

void FrameTable::adopt(Lpn lpn, FrameId frame) {
    const RecordId record = create(lpn);
    settle(record, frame);
    records_[record].frame = free_.back();
    free_.pop_back();
}

RecordId FrameTable::create_drain(RecordId page) {
    const RecordId drain = create(records_[page].lpn);
    records_[drain].keeper = page;
    records_[page].latest_drain = drain;
    ++records_[page].readers;
    return drain;
}

void FrameTable::drop(FrameId frame) {
    const RecordId record = record_of(frame);
    records_[record].resident = false;
    retire_if_unused(record);
}

void FrameTable::wait_for_frame(RecordId record, BatchId batch) {
    records_[record].needs_batch = batch;
    records_[record].withheld = withheld_;
    if (batch != kNil<BatchId>) {
        batches_[batch].awaited = true;
    }
    waiting_.push(records_, record);
}

void FrameTable::wait_to_pass(RecordId record) {
    if (has_passing_) {
        passing_.push(records_, record);
    } else {
        wait_for_frame(record, kNil<BatchId>);
    }
}

RecordId FrameTable::grant_passing() {
    if (passing_.empty() || free_passing_.empty()) {
        return kNil<RecordId>;
    }
    const RecordId record = passing_.pop(records_);
    records_[record].frame = free_passing_.back();
    free_passing_.pop_back();
    return record;
}

RecordId FrameTable::grant_next() {
    if (const RecordId record = grant_passing(); record != kNil<RecordId>) {
        return record;
    }
    if (waiting_.empty() || free_.empty()) {
        return kNil<RecordId>;
    }
    PageRecord& head = records_[waiting_.front()];
    if (free_.size() <= head.withheld) {
        return kNil<RecordId>;
    }
    if (head.needs_batch != kNil<BatchId>) {
        if (batches_[head.needs_batch].remaining != 0) {
            return kNil<RecordId>;
        }
        batches_.release(head.needs_batch);
        head.needs_batch = kNil<BatchId>;
    }
    const RecordId record = waiting_.pop(records_);
    records_[record].frame = free_.back();
    free_.pop_back();
    return record;
}

BatchId FrameTable::create_batch(std::uint32_t pages, std::uint32_t units) {
    const BatchId batch = batches_.allocate();
    batches_[batch].remaining = pages;
    batches_[batch].units = units;
    units_in_flight_ += units;
    return batch;
}

void FrameTable::page_programmed(BatchId batch) {
    if (--batches_[batch].remaining != 0) {
        return;
    }
    units_in_flight_ -= batches_[batch].units;
    if (!batches_[batch].awaited) {
        batches_.release(batch);
    }
}

void FrameTable::retire_if_unused(RecordId record) {
    const PageRecord& page = records_[record];
    if (page.resident || page.in_flight || page.inbound != 0 || page.readers != 0) {
        return;
    }
    if (page.frame != kNil<FrameSlot>) {
        (raw(page.frame) < frames_ ? free_ : free_passing_).push_back(page.frame);
    }
    records_.release(record);
}

} // namespace cavern
