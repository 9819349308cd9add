#include "timed/buffer/programs.h"

#include <algorithm>

#include "core/base/check.h"
#include "timed/buffer/stages.h"

namespace cavern {
namespace {

MoveTicket ticket_of(ProgramStage stage, OpHandle op) {
    return {static_cast<std::uint32_t>(stage), raw(op)};
}

} // namespace

// ---- 1: evicted ---------------------------------------------------------------------------------

Programs::CarriedOut Programs::carry_out_all(const Batch& decided, RecordId through, bool look_up) {
    const std::vector<Victim>& victims = decided.victims;
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
        PageRecord& record = frames_[record_of(victim.frame)];
        CAVERN_CHECK(record.lpn == victim.lpn, "a victim's frame holds the victim");
        record.resident = false;
        record.in_flight = true;
        record.in_batch = batch;
        record.eviction = evictions_++;
        ++outstanding_;
    }
    contexts_.clear();
    for (const FlashOp& op : decided.ops) {
        const bool host = op.kind == FlashOpKind::kProgram && op.origin == Origin::kHost;
        contexts_.push_back(host ? raw(record_of(FrameId{op.frame})) : 0);
    }
    return {batch, scheduler_->submit(decided.ops, contexts_, look_up)};
}

// ---- 2: data to the die -------------------------------------------------------------------------

TimePs Programs::fetch_data(OpHandle op, RecordId index) {
    PageRecord& record = frames_[index];
    record.fetch_op = op;
    record.fetch_wanted = record.inbound != 0;
    return record.fetch_wanted ? kNever : fetch_frame(index);
}

TimePs Programs::fetch_frame(RecordId index) {
    const PageRecord& record = frames_[index];
    return memory_.access(MoveDirection::kRead, map_.address(record.frame), map_.page_bytes,
                          ticket_of(ProgramStage::kProgramFrame, record.fetch_op), *this);
}

void Programs::data_complete(RecordId index) {
    PageRecord& record = frames_[index];
    if (!record.fetch_wanted) {
        return;
    }
    record.fetch_wanted = false;
    const OpHandle op = record.fetch_op;
    const TimePs at = fetch_frame(index);
    if (at != kNever) {
        scheduler_->data_ready(op, at);
    }
}

TimePs Programs::fetch_copy(OpHandle op) {
    return memory_.access(MoveDirection::kRead, map_.staging_address(op), map_.page_bytes,
                          ticket_of(ProgramStage::kProgramCopy, op), *this);
}

TimePs Programs::store_copy(OpHandle op) {
    return memory_.access(MoveDirection::kWrite, map_.staging_address(op), map_.page_bytes,
                          ticket_of(ProgramStage::kStageCopy, op), *this);
}

void Programs::moved(MoveTicket ticket, TimePs at) {
    const OpHandle op{ticket.index};
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
    frames_.retire_if_unused(index);
    return result;
}

} // namespace cavern
