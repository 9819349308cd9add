#include "timed/buffer/programs.h"

#include <algorithm>

#include "core/base/check.h"
#include "timed/buffer/stages.h"

namespace cavern {
namespace {

MoveTicket ticket_of(ProgramStage stage, OpId op) {
    return {static_cast<std::uint32_t>(stage), raw(op)};
}

} // namespace

// ---- 1: evicted ---------------------------------------------------------------------------------

Programs::CarriedOut Programs::carry_out_all(const Batch& decided, RecordId through, bool look_up) {
    const std::vector<Victim>& victims = decided.victims;
    if (counts_work_) {
        add_work(decided);
    }
    for (const FrameId frame : decided.dropped) {
        frames_.drop(frame);
    }
    const auto pages = static_cast<std::uint32_t>(std::count_if(
        victims.begin(), victims.end(), [](const Victim& victim) { return !victim.padding; }));
    const BatchId batch = pages != 0 ? frames_.create_batch(pages, decided.units) : kNil<BatchId>;
    const auto record_of = [&](FrameId frame) {
        return frame == kNoFrame ? through : frames_.record_of(frame);
    };
    for (const Victim& victim : victims) {
        if (victim.padding) {
            continue;
        }
        const RecordId page = record_of(victim.frame);
        PageRecord& record = frames_[victim.stays ? frames_.create_drain(page) : page];
        CAVERN_CHECK(record.lpn == victim.lpn, "a victim's frame holds the victim");
        record.resident = false;
        record.in_flight = true;
        record.in_batch = batch;
        record.eviction = evictions_++;
        ++outstanding_;
    }
    entries_.carry_out(decided.ops);
    contexts_.clear();
    for (const FlashOp& op : decided.ops) {
        const bool host = op.kind == FlashOpKind::kProgram && op.origin == Origin::kHost;
        const RecordId page = host ? record_of(FrameId{op.frame}) : RecordId{};
        // The data of a page that stays are those of its latest program.
        const bool stays = host && frames_[page].resident;
        contexts_.push_back(raw(stays ? frames_[page].latest_drain : page));
    }
    return {batch, scheduler_->queues().submit(decided.ops, contexts_, look_up)};
}

void Programs::add_work(const Batch& batch) {
    work_.evictions += batch.dropped.size();
    for (const Victim& victim : batch.victims) {
        work_.evictions += victim.padding || victim.stays ? 0 : 1;
    }
    for (const FlashOp& op : batch.ops) {
        const bool program = op.kind == FlashOpKind::kProgram;
        work_.allocations += program ? 1 : 0;
        const bool erase = op.kind == FlashOpKind::kErase;
        work_.map_operations += op.origin == Origin::kMapping && !erase ? 1 : 0;
        work_.collected += erase || (program && is_collection(op.origin)) ? 1 : 0;
    }
}

void Programs::carry_out_for(std::uint32_t awaited_by, const Batch& batch) {
    CAVERN_CHECK(!batch.evicts(), "what a command waits for evicts nothing");
    if (counts_work_) {
        add_work(batch);
    }
    contexts_.clear();
    scheduler_->queues().submit(batch.ops, contexts_, false, awaited_by);
}

// ---- 2: data to the die -------------------------------------------------------------------------

TimePs Programs::fetch_data(OpId op, RecordId index) {
    PageRecord& record = frames_[index];
    record.fetch_op = op;
    const RecordId page = frames_.holder(index);
    if (frames_[page].inbound == 0) {
        return fetch_frame(index);
    }
    if (page == index) {
        record.fetch_wanted = true;
    } else {
        frames_.await_data(page, index);
    }
    return kNever;
}

TimePs Programs::fetch_frame(RecordId index) {
    const FrameSlot frame = frames_[frames_.holder(index)].frame;
    const OpId op = frames_[index].fetch_op;
    if (data_ != nullptr) {
        data_->fetch_frame(raw(op), raw(frame));
    }
    return memory_.access(MoveDirection::kRead, map_.address(frame), map_.page_bytes,
                          ticket_of(ProgramStage::kProgramFrame, op), *this);
}

void Programs::data_complete(RecordId index) {
    for (RecordId drain = frames_.pop_drain(index); drain != kNil<RecordId>;
         drain = frames_.pop_drain(index)) {
        fetch_awaited(drain);
    }
    if (frames_[index].fetch_wanted) {
        frames_[index].fetch_wanted = false;
        fetch_awaited(index);
    }
}

void Programs::fetch_awaited(RecordId index) {
    const OpId op = frames_[index].fetch_op;
    const TimePs at = fetch_frame(index);
    if (at != kNever) {
        scheduler_->data_ready(op, at);
    }
}

TimePs Programs::fetch_copy(OpId op, std::uint32_t copy_page) {
    if (data_ != nullptr) {
        data_->fetch_copy(raw(op), copy_page);
    }
    return memory_.access(MoveDirection::kRead, map_.copy_address(copy_page), map_.page_bytes,
                          ticket_of(ProgramStage::kProgramCopy, op), *this);
}

TimePs Programs::store_copy(OpId op, std::uint32_t copy_page) {
    if (data_ != nullptr) {
        data_->store_copy(raw(op), copy_page);
    }
    return memory_.access(MoveDirection::kWrite, map_.copy_address(copy_page), map_.page_bytes,
                          ticket_of(ProgramStage::kStageCopy, op), *this);
}

TimePs Programs::store_rest(OpId op, RecordId record, SectorSpan read) {
    const RecordId page = frames_.holder(record);
    const FrameSlot frame = frames_[page].frame;
    if (data_ != nullptr) {
        frame != kNil<FrameSlot> ? data_->store_rest(raw(op), raw(frame))
                                 : data_->hold_rest(raw(op), raw(page));
    }
    const std::uint64_t page_at =
        frame != kNil<FrameSlot> ? map_.address(frame) : map_.staging_address(op);
    return memory_.access(MoveDirection::kWrite, page_at + read.begin(),
                          read.bytes(map_.page_bytes), ticket_of(ProgramStage::kStageCopy, op),
                          *this);
}

void Programs::moved(MoveTicket ticket, TimePs at) {
    const OpId op{ticket.index};
    if (static_cast<ProgramStage>(ticket.stage) == ProgramStage::kStageCopy) {
        scheduler_->data_stored(op, at);
    } else {
        scheduler_->data_ready(op, at);
    }
}

// ---- 3: programmed ------------------------------------------------------------------------------

Programs::Programmed Programs::programmed(RecordId index) {
    PageRecord& record = frames_[index];
    const Programmed result{record.eviction, record.through_task};
    record.in_flight = false;
    --outstanding_;
    if (record.in_batch != kNil<BatchId>) {
        frames_.page_programmed(record.in_batch);
    }
    const RecordId keeper = record.keeper;
    frames_.retire_if_unused(index);
    if (keeper != kNil<RecordId>) {
        --frames_[keeper].readers;
        frames_.retire_if_unused(keeper);
    }
    return result;
}

} // namespace cavern
