#include "timed/buffer/buffer_manager.h"

#include <algorithm>

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

BufferManager::BufferManager(const sc_core::sc_module_name& name, EventQueue& clock,
                             const Params& params, DriveCore& core, ActivityLogIf* activity)
    : sc_module(name), clock_(clock), params_(params), page_bytes_(params.geometry.page_bytes),
      core_(core), activity_(activity), frames_(params.frames),
      works_ahead_(core.buffer() != nullptr && core.buffer()->trigger().works_ahead()),
      record_of_frame_(core.buffer() != nullptr ? core.buffer()->frames() : 0, kNil) {
    if (core.buffer() != nullptr) {
        frames_.set_limit(core.buffer()->capacity());
    }
}

BufferManager::~BufferManager() = default;

std::uint64_t BufferManager::frame_address(std::uint32_t frame) const {
    return std::uint64_t{frame} * params_.geometry.page_bytes;
}

std::uint64_t BufferManager::staging_address(std::uint32_t slot) const {
    return (std::uint64_t{params_.frames} + slot % params_.staging) * params_.geometry.page_bytes;
}

// ---- commands -----------------------------------------------------------------------------------

void BufferManager::request(tlm::tlm_generic_payload& payload) {
    HostCommandExtension* extension = HostCommandExtension::find(payload);
    const std::uint32_t index = commands_.allocate();
    Command& command = commands_[index];
    command.payload = &payload;
    command.extension = extension;
    command.op = extension != nullptr ? extension->op
                 : payload.is_write() ? RequestOp::kWrite
                                      : RequestOp::kRead;
    idle_since_ = kNever;
    if (params_.in_turn) {
        wait_in_turn(index);
        return;
    }
    take_up(index);
}

/// A command that finds none before it, and no page without a frame, is taken up as it comes.
void BufferManager::wait_in_turn(std::uint32_t index) {
    const bool waits = !in_turn_.empty() || frames_.someone_waits();
    Command& command = commands_[index];
    const tlm::tlm_generic_payload& payload = *command.payload;
    if (waits && core_.queue_pins() != nullptr && payload.get_data_length() != 0 &&
        (command.op == RequestOp::kRead || command.op == RequestOp::kWrite)) {
        const std::uint64_t begin = payload.get_address();
        command.pins = core_.queue_pins()->on_arrival(
            Lpn{page_bytes_.divide(begin)},
            Lpn{page_bytes_.divide(begin + payload.get_data_length() - 1)});
    }
    in_turn_.push(commands_, index);
    take_up_in_turn();
}

void BufferManager::take_up_in_turn() {
    if (taking_up_) {
        return;
    }
    taking_up_ = true; // deciding may grant frames and bring commands
    while (!in_turn_.empty() && !frames_.someone_waits()) {
        const std::uint32_t index = in_turn_.pop(commands_);
        const std::uint32_t pins = commands_[index].pins;
        if (auto* extension = HostCommandExtension::find(*commands_[index].payload)) {
            extension->dispatch = now_ps();
        }
        take_up(index);
        if (core_.queue_pins() != nullptr) {
            core_.queue_pins()->on_served(pins);
        }
    }
    taking_up_ = false;
}

void BufferManager::take_up(std::uint32_t index) {
    Command& command = commands_[index];
    // One reference against completion while pages are still being decided.
    command.remaining = 1;
    switch (command.op) {
    case RequestOp::kRead:
    case RequestOp::kWrite:
        decide_pages(index);
        break;
    case RequestOp::kTrim:
        trim_pages(index);
        break;
    case RequestOp::kFlush:
        flush(index);
        break;
    }
    if (const Batch* batch = core_.end_request()) {
        repartition(*batch);
    }
    note_occupancy();
    if (--commands_[index].remaining == 0) {
        finish_command(index);
    }
}

/// The core has given the buffer another size.
void BufferManager::repartition(const Batch& batch) {
    carry_out(batch);
    frames_.set_limit(core_.buffer()->capacity());
    grant_frames();
}

/// Lets units leave before the buffer is full, where the rate says so.
void BufferManager::evict_ahead() {
    if (!works_ahead_) {
        return;
    }
    bool evicted = false;
    for (;;) {
        BufferLoad load;
        load.in_flight = static_cast<std::uint32_t>(programs_outstanding_);
        load.in_flight_units = frames_.units_in_flight();
        load.idle_dies = core_.load() != nullptr ? core_.load()->idle_dies() : 0;
        load.idle_for = idle_since_ == kNever ? 0 : now_ps() - idle_since_;
        const Batch* batch = core_.evict_ahead(load);
        if (batch == nullptr) {
            break;
        }
        evicted = true;
        carry_out(*batch);
    }
    if (evicted) {
        note_occupancy();
        grant_frames(); // clean pages leave their frames at once
    }
}

/// The last command has been answered.
void BufferManager::host_is_silent() {
    idle_since_ = now_ps();
    set_idle_alarm();
}

/// For the next thing that wants a longer silence than there has been.
void BufferManager::set_idle_alarm() {
    const TimePs to_evict = works_ahead_ && core_.buffer()->used() != 0
                                ? core_.buffer()->trigger().idle_after()
                                : kNever;
    TimePs next = kNever;
    for (const TimePs after : {to_evict, params_.collect_after}) {
        if (after != kNever && idle_since_ + after > now_ps()) {
            next = std::min(next, idle_since_ + after);
        }
    }
    if (next != kNever && !idle_alarm_set_) {
        idle_alarm_set_ = true;
        due_at(next, Stage::kIdle, 0);
    }
}

/// The silence, or one before it, that was noticed has lasted long enough.
void BufferManager::idle_alarm() {
    idle_alarm_set_ = false;
    if (idle_since_ == kNever) {
        return;
    }
    // Each looks itself whether the silence has been long enough for it.
    evict_ahead();
    collect_ahead();
    set_idle_alarm();
}

void BufferManager::die_idle() {
    evict_ahead();
    collect_ahead();
}

/// Lets every idle die collect one victim, so that a command never finds more than one under way.
void BufferManager::collect_ahead() {
    if (params_.collect_after == kNever || idle_since_ == kNever ||
        now_ps() - idle_since_ < params_.collect_after) {
        return;
    }
    const Geometry& geometry = params_.geometry;
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        for (std::uint32_t i = 0; i < geometry.planes_per_die && core_.load()->is_idle(DieId{die});
             ++i) {
            if (const Batch* batch = core_.collect_ahead(geometry.plane(DieId{die}, i))) {
                carry_out(*batch);
            }
        }
    }
}

void BufferManager::decide_pages(std::uint32_t command) {
    const tlm::tlm_generic_payload& payload = *commands_[command].payload;
    const std::uint64_t page_bytes = params_.geometry.page_bytes;
    const std::uint64_t end = payload.get_address() + payload.get_data_length();
    const bool write = commands_[command].op == RequestOp::kWrite;
    const std::uint64_t first = page_bytes_.divide(payload.get_address());
    const auto pages = static_cast<std::uint32_t>(page_bytes_.divide(end + page_bytes - 1) - first);
    for (std::uint64_t at = payload.get_address(), page = first; at < end; ++page) {
        const std::uint64_t next = std::min(end, (page + 1) * page_bytes);
        const std::uint32_t index = tasks_.allocate();
        PageTask& task = tasks_[index];
        task.command = command;
        task.host_offset = at;
        task.bytes = static_cast<std::uint32_t>(next - at);
        ++commands_[command].remaining;
        ++commands_[command].pages;
        if (write) {
            write_page(index, Lpn{page}, pages);
        } else {
            read_page(index, Lpn{page});
        }
        if (works_ahead_) {
            evict_ahead();
        }
        at = next;
    }
}

void BufferManager::write_page(std::uint32_t task, Lpn lpn, std::uint32_t pages_in_command) {
    const HostCommandExtension* extension = commands_[tasks_[task].command].extension;
    const bool fua = extension != nullptr && extension->fua;
    const WriteDecision decision =
        fua ? core_.write_through(lpn, pages_in_command) : core_.write(lpn, pages_in_command);
    std::uint32_t record = kNil;
    if (decision.hit) {
        ++commands_[tasks_[task].command].hits;
        record = record_of_frame_[raw(decision.frame)];
        ++frames_[record].inbound;
        if (decision.batch.evicts()) { // it leaves, with what is on its way into its frame
            frames_[record].through_task = task;
            carry_out(decision.batch);
        }
    } else {
        const bool through = decision.frame == kNoFrame;
        record = frames_.create(lpn);
        ++frames_[record].inbound;
        if (through) {
            frames_[record].through_task = task;
        }
        const std::uint32_t batch = carry_out(decision.batch, record).batch;
        if (!through) {
            frames_[record].resident = true;
            record_of_frame_[raw(decision.frame)] = record;
        }
        frames_.wait_for_frame(record, params_.insert_awaits_batch && !through ? batch : kNil);
    }
    tasks_[task].record = record;
    tasks_[task].since = now_ps();
    if (frames_[record].frame != kNil) {
        start_fill(task);
    } else {
        frames_[record].writers.push(tasks_, task);
        grant_frames();
    }
}

/// Frames of pages that left go, or become pages in flight; operations go to the scheduler, with a
/// note whose data each program writes: of a page without a frame, that of `through_record`.
BufferManager::CarriedOut BufferManager::carry_out(const Batch& decided,
                                                   std::uint32_t through_record) {
    if (decided.empty()) {
        return {};
    }
    const std::vector<Victim>& victims = decided.victims;
    for (const FrameId frame : decided.dropped) {
        const std::uint32_t record = record_of_frame_[raw(frame)];
        frames_[record].resident = false;
        frames_.retire_if_unused(record);
    }
    const auto pages = static_cast<std::uint32_t>(std::count_if(
        victims.begin(), victims.end(), [](const Victim& victim) { return !victim.padding; }));
    const std::uint32_t batch = pages != 0 ? frames_.create_batch(pages, decided.units) : kNil;
    const auto record_of = [&](std::uint32_t frame) {
        return frame == raw(kNoFrame) ? through_record : record_of_frame_[frame];
    };
    for (const Victim& victim : victims) {
        if (victim.padding) {
            continue;
        }
        PageRecord& record = frames_[record_of(raw(victim.frame))];
        CAVERN_CHECK(record.lpn == victim.lpn, "a victim's frame holds the victim");
        record.resident = false;
        record.in_flight = true;
        record.in_batch = batch;
        record.eviction = evictions_++;
        ++programs_outstanding_;
    }
    contexts_.clear();
    for (const FlashOp& op : decided.ops) {
        const bool host = op.kind == FlashOpKind::kProgram && op.origin == Origin::kHost;
        contexts_.push_back(host ? record_of(op.frame) : 0);
    }
    return {batch, scheduler_->submit(decided.ops, contexts_)};
}

void BufferManager::trim_pages(std::uint32_t command) {
    const tlm::tlm_generic_payload& payload = *commands_[command].payload;
    // Only whole pages can be forgotten.
    const std::uint64_t first =
        page_bytes_.divide(payload.get_address() + params_.geometry.page_bytes - 1);
    const std::uint64_t last =
        page_bytes_.divide(payload.get_address() + payload.get_data_length());
    for (std::uint64_t page = first; page < last; ++page) {
        ++commands_[command].pages;
        const TrimDecision decision = core_.trim(Lpn{page});
        if (decision.frame != kNoFrame) {
            const std::uint32_t record = record_of_frame_[raw(decision.frame)];
            record_of_frame_[raw(decision.frame)] = kNil;
            frames_[record].resident = false;
            frames_.retire_if_unused(record);
        }
        carry_out(decision.batch);
    }
    grant_frames();
}

void BufferManager::flush(std::uint32_t command) {
    while (const Batch* batch = core_.flush_step()) {
        carry_out(*batch);
    }
    if (programs_outstanding_ != 0) {
        Command& waiting = commands_[command];
        waiting.flush_until = evictions_;
        waiting.remaining += static_cast<std::uint32_t>(programs_outstanding_);
        flushes_.push_back(command);
    }
}

// ---- writes: frame, link, SDRAM -----------------------------------------------------------------

void BufferManager::grant_waiting() {
    for (std::uint32_t record = frames_.grant_next(); record != kNil;
         record = frames_.grant_next()) {
        while (!frames_[record].writers.empty()) {
            start_fill(frames_[record].writers.pop(tasks_));
        }
    }
    if (!in_turn_.empty()) {
        take_up_in_turn();
    }
}

void BufferManager::start_fill(std::uint32_t task) {
    PageTask& page = tasks_[task];
    page.frame_wait = now_ps() - page.since;
    statistics_.stall += page.frame_wait;
    if (page.keeps) {
        if (page.data_here) {
            keep_page(task);
        }
        return;
    }
    move_over_link(task, Stage::kLinkFetch);
}

void BufferManager::filled(std::uint32_t task) {
    const std::uint32_t index = tasks_[task].record;
    const bool through = frames_[index].through_task == task;
    ++frames_[index].readers; // holds the record while those who wait for it are served
    if (--frames_[index].inbound == 0) {
        data_complete(index);
    }
    if (tasks_[task].keeps) { // as the reader that was just counted
        if (frames_[index].inbound != 0) {
            frames_[index].waiting_readers.push(tasks_, task); // a later write is on its way
        } else {
            serve_from_frame(task);
        }
        return;
    }
    --frames_[index].readers;
    if (through) {
        tasks_[task].since = now_ps();
        return;
    }
    frames_.retire_if_unused(index);
    grant_frames();
    finish_task(task); // last: an answer may bring the next command
}

/// Nothing is on its way into the frame of the record any more.
void BufferManager::data_complete(std::uint32_t record) {
    while (!frames_[record].waiting_readers.empty()) {
        serve_from_frame(frames_[record].waiting_readers.pop(tasks_));
    }
    if (frames_[record].fetch_wanted) {
        fetch_record(record);
    }
}

void BufferManager::serve_from_frame(std::uint32_t task) {
    move(sdram_initiator, Stage::kServeFrame, task, tlm::TLM_READ_COMMAND,
         frame_address(frames_[tasks_[task].record].frame), tasks_[task].bytes);
}

// ---- reads --------------------------------------------------------------------------------------

void BufferManager::read_page(std::uint32_t task, Lpn lpn) {
    const ReadDecision decision = core_.read(lpn);
    if (decision.hit) {
        ++commands_[tasks_[task].command].hits;
        serve_from_record(task, record_of_frame_[raw(decision.frame)]);
        return;
    }
    if (decision.frame != kNoFrame) {
        read_into_buffer(task, lpn, decision);
        return;
    }
    const OpHandle last = carry_out(decision.batch).last;
    if (decision.page == kNoPpn) {
        ++statistics_.zero_reads;
        move_over_link(task, Stage::kLinkDeliver);
        return;
    }
    const FlashScheduler::Pending pending = scheduler_->pending_program(decision.page);
    if (pending.found && pending.host) {
        ++statistics_.in_flight_read_hits;
        serve_from_record(task, pending.context);
        return;
    }
    tasks_[task].since = now_ps();
    read_from_flash(task, lpn, decision, last);
}

/// The page, behind the last operation of its look-up if that takes any.
void BufferManager::read_from_flash(std::uint32_t task, Lpn lpn, const ReadDecision& decision,
                                    OpHandle last) {
    scheduler_->submit_read(decision.page, lpn, task, decision.looked_up ? last : kNoOp);
}

/// The page gets a frame, where the data go before the host has them: from the die, or from the
/// frame that an older stay of it in the buffer has not left yet.
void BufferManager::read_into_buffer(std::uint32_t task, Lpn lpn, const ReadDecision& decision) {
    const std::uint32_t record = frames_.create(lpn);
    PageRecord& page = frames_[record];
    ++page.inbound;
    const CarriedOut carried_out = carry_out(decision.batch);
    page.resident = true;
    record_of_frame_[raw(decision.frame)] = record;
    tasks_[task].record = record;
    tasks_[task].since = now_ps();
    tasks_[task].keeps = true;
    frames_.wait_for_frame(record, params_.insert_awaits_batch ? carried_out.batch : kNil);
    frames_[record].writers.push(tasks_, task);
    if (decision.page == kNoPpn) {
        ++statistics_.zero_reads;
        tasks_[task].data_here = true;
    } else {
        const FlashScheduler::Pending pending = scheduler_->pending_program(decision.page);
        if (pending.found && pending.host && frames_[pending.context].inbound == 0) {
            ++statistics_.in_flight_read_hits;
            ++frames_[pending.context].readers;
            tasks_[task].source = pending.context;
            move(sdram_initiator, Stage::kCopyFrame, task, tlm::TLM_READ_COMMAND,
                 frame_address(frames_[pending.context].frame), params_.geometry.page_bytes);
        } else {
            read_from_flash(task, lpn, decision, carried_out.last);
        }
    }
    grant_frames();
}

void BufferManager::page_is_here(std::uint32_t task) {
    tasks_[task].data_here = true;
    if (frames_[tasks_[task].record].frame != kNil) {
        keep_page(task);
    }
}

/// The page read is in the controller and its frame is granted. Sectors that were written meanwhile
/// stay as they are.
void BufferManager::keep_page(std::uint32_t task) {
    move(sdram_initiator, Stage::kKeepPage, task, tlm::TLM_WRITE_COMMAND,
         frame_address(frames_[tasks_[task].record].frame), params_.geometry.page_bytes);
}

void BufferManager::serve_from_record(std::uint32_t task, std::uint32_t record) {
    PageRecord& page = frames_[record];
    tasks_[task].record = record;
    ++page.readers;
    if (page.inbound != 0) {
        page.waiting_readers.push(tasks_, task);
        return;
    }
    serve_from_frame(task);
}

void BufferManager::host_page_read(std::uint32_t task) {
    tasks_[task].flash = now_ps() - tasks_[task].since;
    if (tasks_[task].keeps) {
        page_is_here(task);
        return;
    }
    move(sdram_initiator, Stage::kStageRead, task, tlm::TLM_WRITE_COMMAND, staging_address(task),
         params_.geometry.page_bytes);
}

// ---- programs -----------------------------------------------------------------------------------

void BufferManager::fetch_program_data(OpHandle op, std::uint32_t context, bool copies) {
    if (copies) {
        move(sdram_initiator, Stage::kProgramCopy, raw(op), tlm::TLM_READ_COMMAND,
             staging_address(raw(op)), params_.geometry.page_bytes);
        return;
    }
    PageRecord& record = frames_[context];
    record.fetch_op = op;
    if (record.inbound != 0) {
        record.fetch_wanted = true;
        return;
    }
    fetch_record(context);
}

void BufferManager::fetch_record(std::uint32_t record) {
    frames_[record].fetch_wanted = false;
    move(sdram_initiator, Stage::kProgramFrame, raw(frames_[record].fetch_op),
         tlm::TLM_READ_COMMAND, frame_address(frames_[record].frame), params_.geometry.page_bytes);
}

void BufferManager::store_copied_page(OpHandle op) {
    move(sdram_initiator, Stage::kStageCopy, raw(op), tlm::TLM_WRITE_COMMAND,
         staging_address(raw(op)), params_.geometry.page_bytes);
}

void BufferManager::host_page_programmed(std::uint32_t index) {
    PageRecord& record = frames_[index];
    const std::uint64_t eviction = record.eviction;
    const std::uint32_t through_task = record.through_task;
    record.in_flight = false;
    --programs_outstanding_;
    if (record.in_batch != kNil) {
        frames_.page_programmed(record.in_batch);
    }
    frames_.retire_if_unused(index);
    for (std::size_t i = 0; i < flushes_.size();) {
        const std::uint32_t command = flushes_[i];
        if (eviction < commands_[command].flush_until && --commands_[command].remaining == 0) {
            flushes_.erase(flushes_.begin() + static_cast<std::ptrdiff_t>(i));
            flushed_.push_back(command);
        } else {
            ++i;
        }
    }
    grant_frames();
    // Last: an answer may bring the next command.
    while (!flushed_.empty()) {
        const std::uint32_t command = flushed_.back();
        flushed_.pop_back();
        finish_command(command);
    }
    if (through_task != kNil) {
        tasks_[through_task].flash = now_ps() - tasks_[through_task].since;
        finish_task(through_task);
    }
    evict_ahead();
}

// ---- data in motion -----------------------------------------------------------------------------

void BufferManager::move(AtInitiator& over, Stage stage, std::uint32_t index,
                         tlm::tlm_command direction, std::uint64_t address, std::uint32_t bytes,
                         std::uint32_t moved_before) {
    tlm::tlm_generic_payload* payload = pool_.acquire();
    TransferExtension& extension = Pool::extension_of(*payload);
    extension.stage = static_cast<std::uint32_t>(stage);
    extension.index = index;
    extension.moved_before = moved_before;
    payload->set_command(direction);
    payload->set_address(address);
    payload->set_data_length(bytes);
    payload->set_streaming_width(bytes);
    over.send(*payload);
}

void BufferManager::move_over_link(std::uint32_t task, Stage stage) {
    const PageTask& page = tasks_[task];
    Command& command = commands_[page.command];
    const std::uint32_t before = command.moved;
    command.moved += page.bytes;
    move(link_initiator, stage, task,
         stage == Stage::kLinkFetch ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
         page.host_offset, page.bytes, before);
}

void BufferManager::response(tlm::tlm_generic_payload& payload, TimePs ahead) {
    CAVERN_CHECK(payload.is_response_ok(), "link and SDRAM carry out what the buffer manager asks");
    const TransferExtension& extension = Pool::extension_of(payload);
    const std::uint32_t index = extension.index;
    const auto stage = static_cast<Stage>(extension.stage);
    payload.release();
    if (ahead == 0) {
        arrived(stage, index);
    } else if (stage == Stage::kProgramFrame || stage == Stage::kProgramCopy) {
        scheduler_->data_coming(OpHandle{index}, now_ps() + ahead);
    } else {
        due_at(now_ps() + ahead, stage, index);
    }
}

void BufferManager::await_program_data(OpHandle op, TimePs at) {
    if (at <= now_ps()) {
        scheduler_->data_ready(op);
    } else {
        due_at(at, Stage::kAwaitData, raw(op));
    }
}

void BufferManager::due_at(TimePs at, Stage stage, std::uint32_t index) {
    clock_.schedule(at, *this, std::uint64_t{static_cast<std::uint32_t>(stage)} << 32 | index);
}

void BufferManager::on_event(std::uint64_t what) {
    arrived(static_cast<Stage>(what >> 32), static_cast<std::uint32_t>(what));
}

/// A transfer has ended.
void BufferManager::arrived(Stage stage, std::uint32_t index) {
    switch (stage) {
    case Stage::kLinkFetch:
        move(sdram_initiator, Stage::kFillFrame, index, tlm::TLM_WRITE_COMMAND,
             frame_address(frames_[tasks_[index].record].frame), tasks_[index].bytes);
        break;
    case Stage::kFillFrame:
    case Stage::kKeepPage:
        filled(index);
        break;
    case Stage::kStageRead:
        move(sdram_initiator, Stage::kServeStaged, index, tlm::TLM_READ_COMMAND,
             staging_address(index), tasks_[index].bytes);
        break;
    case Stage::kServeFrame: {
        const std::uint32_t record = tasks_[index].record;
        --frames_[record].readers;
        frames_.retire_if_unused(record);
        grant_frames();
        move_over_link(index, Stage::kLinkDeliver);
        break;
    }
    case Stage::kServeStaged:
        move_over_link(index, Stage::kLinkDeliver);
        break;
    case Stage::kLinkDeliver:
        finish_task(index);
        break;
    case Stage::kCopyFrame: {
        const std::uint32_t source = tasks_[index].source;
        --frames_[source].readers;
        frames_.retire_if_unused(source);
        page_is_here(index);
        grant_frames();
        break;
    }
    case Stage::kIdle:
        idle_alarm();
        break;
    case Stage::kProgramFrame:
    case Stage::kProgramCopy:
    case Stage::kAwaitData:
        scheduler_->data_ready(OpHandle{index});
        break;
    case Stage::kStageCopy:
        scheduler_->data_stored(OpHandle{index});
        break;
    }
}

// ---- completion ---------------------------------------------------------------------------------

void BufferManager::finish_task(std::uint32_t task) {
    const PageTask done = tasks_[task];
    tasks_.release(task);
    if (--commands_[done.command].remaining != 0) {
        return;
    }
    if (auto* extension = commands_[done.command].extension) {
        extension->frame_wait = done.frame_wait;
        extension->flash = done.flash;
    }
    finish_command(done.command);
}

void BufferManager::finish_command(std::uint32_t command) {
    tlm::tlm_generic_payload& payload = *commands_[command].payload;
    if (auto* extension = commands_[command].extension) {
        extension->pages = commands_[command].pages;
        extension->hits = commands_[command].hits;
    }
    commands_.release(command);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    host_target.respond(payload);
    if (commands_.used() == 0) {
        host_is_silent();
    }
}

void BufferManager::note_occupancy() {
    if (activity_ != nullptr && core_.buffer() != nullptr) {
        activity_->buffer_pages(now_ps(), core_.buffer()->used());
    }
}

std::uint64_t BufferManager::check_idle() const {
    CAVERN_CHECK(tasks_.used() == 0 && commands_.used() == 0,
                 "every host page and command has been answered");
    CAVERN_CHECK(in_turn_.empty(), "no command waits to be taken up");
    CAVERN_CHECK(pool_.in_flight() == 0, "every transfer has ended");
    CAVERN_CHECK(!frames_.someone_waits(), "no page waits for a frame");
    CAVERN_CHECK(programs_outstanding_ == 0, "no page is being programmed");
    const std::uint32_t resident = core_.buffer() != nullptr ? core_.buffer()->used() : 0;
    CAVERN_CHECK(frames_.records_in_use() == resident,
                 "the pages with a frame are those resident in the buffer");
    return 6 + (core_.queue_pins() != nullptr ? core_.queue_pins()->check_invariants(true) : 0);
}

} // namespace cavern
