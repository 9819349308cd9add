#include "timed/buffer/page_flow.h"

#include "timed/tlm/time.h"

namespace cavern {

PageFlow::PageFlow(EventQueue& events, const Params& params, const ControllerMemory& map,
                   FrameTable& frames, MemoryIf& memory, LinkIf& link, Programs& programs,
                   MapTraffic& entries)
    : events_(events), params_(params), map_(map), frames_(frames), memory_(memory), link_(link),
      programs_(programs), entries_(entries) {}

TaskId PageFlow::start(CommandId command, const PageAccess& page) {
    const TaskId task = tasks_.allocate();
    tasks_[task].command = command;
    tasks_[task].host_offset = page.offset;
    tasks_[task].bytes = page.bytes;
    return task;
}

void PageFlow::finish(TaskId task) {
    const PageTask& page = tasks_[task];
    const CommandId command = page.command;
    const TimePs frame_wait = page.frame_wait;
    const TimePs flash = page.flash;
    tasks_.release(task);
    owner_->page_done(command, frame_wait, flash);
}

// ---- writes: frame, link, SDRAM -----------------------------------------------------------------

void PageFlow::write(CommandId command, const PageAccess& page, const WriteDecision& decision) {
    const TaskId task = start(command, page);
    if (data_ != nullptr) {
        data_->begin_write(raw(task), page.request, page.offset - page.begins, page.offset,
                           page.bytes);
    }
    RecordId record = kNil<RecordId>;
    if (decision.hit) {
        record = frames_.record_of(decision.frame);
        add_inbound(record, task);
        if (decision.batch.evicts()) { // it leaves, with what is on its way into its frame
            frames_[record].through_task = task;
            programs_.carry_out(decision.batch);
        }
    } else {
        record = insert(task, page, decision);
    }
    tasks_[task].record = record;
    tasks_[task].since = now_ps();
    if (frames_[record].frame != kNil<FrameSlot> && frames_[record].writers.empty()) {
        start_fill(task);
    } else {
        frames_[record].writers.push(tasks_, task); // behind those that are being started
        grant_frames();
    }
}

RecordId PageFlow::insert(TaskId task, const PageAccess& page, const WriteDecision& decision) {
    const bool through = decision.frame == kNoFrame;
    const RecordId record = frames_.create(page.lpn);
    add_inbound(record, task);
    if (through) {
        frames_[record].through_task = task;
    }
    const BatchId batch = programs_.carry_out(decision.batch, record).batch;
    if (!through) {
        frames_.settle(record, decision.frame);
    }
    if (through) {
        frames_.wait_to_pass(record);
    } else {
        frames_.wait_for_frame(record, params_.insert_awaits_batch ? batch : kNil<BatchId>);
    }
    return record;
}

void PageFlow::grant_waiting() {
    for (RecordId record = frames_.grant_next(); record != kNil<RecordId>;
         record = frames_.grant_next()) {
        if (data_ != nullptr) {
            data_->grant(raw(frames_[record].frame), raw(record));
        }
        ++frames_[record].readers; // holds it: the last writer may be done inside the call
        while (!frames_[record].writers.empty()) {
            start_fill(frames_[record].writers.pop(tasks_));
        }
        stop_reading(record);
    }
}

void PageFlow::start_fill(TaskId task) {
    PageTask& page = tasks_[task];
    if (page.keeps && !page.data_here) {
        return; // while it waits for its data, it does not wait for the frame
    }
    page.frame_wait = now_ps() - page.since;
    statistics_.stall += page.frame_wait;
    if (page.keeps) {
        keep_page(task);
    } else {
        over_link(PageStage::kLinkFetch, task);
    }
}

void PageFlow::filled(TaskId task) {
    const RecordId index = tasks_[task].record;
    const bool through = frames_[index].through_task == task;
    ++frames_[index].readers; // holds the record while those who wait for it are served
    if (params_.may_lose) {
        note_loss(index, tasks_[task]);
    }
    remove_inbound(index, task);
    serve_readers(index);
    if (frames_[index].inbound == 0) {
        programs_.data_complete(index);
    }
    if (tasks_[task].keeps) {
        serve_kept(task); // as the reader that was just counted
        return;
    }
    --frames_[index].readers;
    if (through) {
        tasks_[task].since = now_ps();
        return;
    }
    frames_.retire_if_unused(index);
    grant_frames();
    finish(task); // last: an answer may bring the next command
}

/// A frame has lost data until all of it is written.
void PageFlow::note_loss(RecordId index, const PageTask& page) {
    PageRecord& record = frames_[index];
    if (page.keeps) {
        record.lost = record.lost || (page.lost && page.number > record.whole);
    } else if (page.bytes == map_.page_bytes) {
        record.lost = false;
        record.whole = page.number;
    }
}

/// The rest of a page may be there before what the host wrote of it.
void PageFlow::serve_kept(TaskId task) {
    PageRecord& record = frames_[tasks_[task].record];
    const std::uint64_t number = tasks_[task].number;
    if (record.oldest_inbound != kNil<TaskId> && tasks_[record.oldest_inbound].number < number) {
        record.waiting_readers.insert(
            tasks_, task, [number](const PageTask& reader) { return reader.number > number; });
        return;
    }
    serve_from_frame(task);
}

void PageFlow::add_inbound(RecordId index, TaskId task) {
    PageRecord& record = frames_[index];
    ++record.inbound;
    tasks_[task].number = ++record.numbered;
    tasks_[task].older = record.newest_inbound;
    (record.newest_inbound == kNil<TaskId> ? record.oldest_inbound
                                           : tasks_[record.newest_inbound].newer) = task;
    record.newest_inbound = task;
}

void PageFlow::remove_inbound(RecordId index, TaskId task) {
    PageRecord& record = frames_[index];
    const PageTask& page = tasks_[task];
    --record.inbound;
    (page.older == kNil<TaskId> ? record.oldest_inbound : tasks_[page.older].newer) = page.newer;
    (page.newer == kNil<TaskId> ? record.newest_inbound : tasks_[page.newer].older) = page.older;
}

/// Those for whom everything has arrived that was decided before them. What was decided since may
/// have arrived as well, or may arrive while they are served: a read gets newer data then, never
/// older.
void PageFlow::serve_readers(RecordId index) {
    while (!frames_[index].waiting_readers.empty()) {
        const TaskId oldest = frames_[index].oldest_inbound;
        const TaskId reader = frames_[index].waiting_readers.front();
        if (oldest != kNil<TaskId> && tasks_[oldest].number <= tasks_[reader].number) {
            return;
        }
        serve_from_frame(frames_[index].waiting_readers.pop(tasks_));
    }
}

void PageFlow::page_written_through(TaskId task) {
    tasks_[task].flash = now_ps() - tasks_[task].since;
    finish(task);
}

// ---- reads --------------------------------------------------------------------------------------

void PageFlow::read(CommandId command, const PageAccess& page, const ReadDecision& decision) {
    const TaskId task = start(command, page);
    if (data_ != nullptr) {
        data_->begin_read(raw(task), page.request, page.offset - page.begins, page.offset,
                          page.bytes);
    }
    if (decision.hit) {
        serve_from_record(task, frames_.record_of(decision.frame));
        return;
    }
    entries_.look_up(page.lpn);
    if (decision.completes) {
        complete(task, page, decision);
        return;
    }
    if (decision.frame != kNoFrame) {
        read_into_buffer(task, page, decision);
        return;
    }
    const OpId look_up =
        programs_.carry_out(decision.batch, kNil<RecordId>, decision.looked_up).last;
    if (decision.page == kNoPpn) {
        ++statistics_.zero_reads;
        over_link(PageStage::kLinkDeliver, task);
        return;
    }
    const OpGraph::Pending pending = flash_->graph().pending_program(decision.page);
    if (pending.found && pending.host) {
        ++statistics_.in_flight_read_hits;
        serve_from_record(task, frames_.holder(RecordId{pending.context}));
        return;
    }
    tasks_[task].since = now_ps();
    read_from_flash(task, page.lpn, decision, look_up);
}

/// Behind the last operation of its look-up, if that takes any.
void PageFlow::read_from_flash(TaskId task, Lpn lpn, const ReadDecision& decision, OpId look_up) {
    flash_->submit_read(decision.page, lpn, raw(task), decision.looked_up ? look_up : kNoOp,
                        decision.version, bytes_read(tasks_[task]), first_read(tasks_[task]));
}

std::uint32_t PageFlow::bytes_read(const PageTask& page) const {
    const std::uint64_t grain = params_.read_grain;
    if (grain == 0) {
        return map_.page_bytes;
    }
    if (page.keeps) {
        return page.wanted.bytes(map_.page_bytes);
    }
    const std::uint64_t first = page.host_offset / grain;
    const std::uint64_t end = (page.host_offset + page.bytes + grain - 1) / grain;
    return static_cast<std::uint32_t>((end - first) * grain);
}

std::uint32_t PageFlow::first_read(const PageTask& page) const {
    const std::uint64_t grain = params_.read_grain;
    if (grain == 0) {
        return 0;
    }
    return page.keeps
               ? page.wanted.begin()
               : static_cast<std::uint32_t>(page.host_offset / grain * grain % map_.page_bytes);
}

void PageFlow::serve_from_record(TaskId task, RecordId record) {
    PageRecord& page = frames_[record];
    tasks_[task].record = record;
    ++page.readers;
    if (page.inbound != 0) {
        tasks_[task].number = page.numbered;
        page.waiting_readers.push(tasks_, task);
        return;
    }
    serve_from_frame(task);
}

void PageFlow::serve_from_frame(TaskId task) {
    const PageRecord& record = frames_[tasks_[task].record];
    if (data_ != nullptr) {
        data_->take(raw(task), raw(record.frame));
    }
    if (record.lost) {
        fail(task);
    }
    access(PageStage::kServeFrame, task, MoveDirection::kRead, map_.address(record.frame),
           tasks_[task].bytes);
}

/// The host gets no data of the page.
void PageFlow::fail(TaskId task) {
    if (data_ != nullptr) {
        data_->lose(raw(task));
    }
    owner_->page_failed(tasks_[task].command);
}

void PageFlow::stop_reading(RecordId record) {
    --frames_[record].readers;
    frames_.retire_if_unused(record);
}

void PageFlow::page_read(TaskId task) {
    tasks_[task].flash = now_ps() - tasks_[task].since;
    if (tasks_[task].keeps) {
        page_is_here(task);
        return;
    }
    access(PageStage::kStageRead, task, MoveDirection::kWrite, map_.staging_address(task),
           bytes_read(tasks_[task]));
}

void PageFlow::page_lost(TaskId task) {
    if (tasks_[task].keeps) {
        tasks_[task].lost = true; // its command fails if nothing writes the page whole meanwhile
    } else {
        fail(task);
    }
    page_read(task);
}

// ---- reads that stay in the buffer --------------------------------------------------------------

/// The page gets a frame, where the data go before the host has them: from the die, or from the
/// frame that an older stay of it in the buffer has not left yet.
void PageFlow::read_into_buffer(TaskId task, const PageAccess& access_of,
                                const ReadDecision& decision) {
    const RecordId record = frames_.create(access_of.lpn);
    add_inbound(record, task);
    const Programs::CarriedOut carried_out =
        programs_.carry_out(decision.batch, kNil<RecordId>, decision.looked_up);
    frames_.settle(record, decision.frame);
    tasks_[task].record = record;
    tasks_[task].since = now_ps();
    tasks_[task].keeps = true;
    frames_.wait_for_frame(record, params_.insert_awaits_batch ? carried_out.batch : kNil<BatchId>);
    frames_[record].writers.push(tasks_, task);
    if (decision.page == kNoPpn) {
        ++statistics_.zero_reads;
        tasks_[task].data_here = true;
    } else {
        read_to_keep(task, access_of.lpn, decision, carried_out.last);
    }
    grant_frames();
}

void PageFlow::read_to_keep(TaskId task, Lpn lpn, const ReadDecision& decision, OpId look_up) {
    const OpGraph::Pending pending = flash_->graph().pending_program(decision.page);
    const RecordId source =
        pending.found && pending.host ? frames_.holder(RecordId{pending.context}) : kNil<RecordId>;
    if (source != kNil<RecordId> && frames_[source].inbound == 0) {
        ++statistics_.in_flight_read_hits;
        ++frames_[source].readers;
        tasks_[task].source = source;
        tasks_[task].lost = frames_[source].lost;
        if (data_ != nullptr) {
            data_->take(raw(task), raw(frames_[source].frame));
        }
        const PageTask& page = tasks_[task];
        access(PageStage::kCopyFrame, task, MoveDirection::kRead,
               map_.address(frames_[source].frame) + first_read(page), bytes_read(page));
    } else {
        read_from_flash(task, lpn, decision, look_up);
    }
}

/// The frame has, or will have, a part of the page: the rest joins it there.
void PageFlow::complete(TaskId task, const PageAccess& page, const ReadDecision& decision) {
    const RecordId record = frames_.record_of(decision.frame);
    add_inbound(record, task);
    tasks_[task].record = record;
    tasks_[task].since = now_ps();
    tasks_[task].keeps = true;
    tasks_[task].wanted = decision.wanted;
    if (frames_[record].frame == kNil<FrameSlot>) {
        frames_[record].writers.push(tasks_, task);
    }
    const OpId look_up =
        programs_.carry_out(decision.batch, kNil<RecordId>, decision.looked_up).last;
    read_to_keep(task, page.lpn, decision, look_up);
}

void PageFlow::page_is_here(TaskId task) {
    tasks_[task].data_here = true;
    tasks_[task].since = now_ps(); // it may wait for its frame
    if (frames_[tasks_[task].record].frame != kNil<FrameSlot>) {
        keep_page(task);
    }
}

/// The page read is in the controller and its frame is granted. Sectors that were written meanwhile
/// stay as they are.
void PageFlow::keep_page(TaskId task) {
    if (data_ != nullptr) {
        data_->keep(raw(task), raw(frames_[tasks_[task].record].frame));
    }
    const PageTask& page = tasks_[task];
    access(PageStage::kKeepPage, task, MoveDirection::kWrite,
           map_.address(frames_[page.record].frame) + first_read(page), bytes_read(page));
}

} // namespace cavern
