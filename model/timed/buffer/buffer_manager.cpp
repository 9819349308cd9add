#include "timed/buffer/buffer_manager.h"

#include <utility>

#include "core/base/check.h"

namespace cavern {

BufferManager::BufferManager(const sc_core::sc_module_name& name, EventQueue& events,
                             const Params& params, DriveCore& core, ActivityLogIf* activity)
    : sc_module(name), core_(core), map_{params.geometry.page_bytes, params.frames, params.staging},
      frames_(params.frames, core.buffer() != nullptr ? core.buffer()->frames() : 0,
              core.buffer() != nullptr ? params.staging : 0),
      map_traffic_(params.map_traffic, mover_), programs_(frames_, mover_, map_, map_traffic_),
      pages_(events,
             {params.insert_awaits_batch, params.in_turn, params.read_grain, params.may_lose}, map_,
             frames_, mover_, mover_, programs_, map_traffic_),
      ahead_(events, params.geometry, params.collect_after, core, frames_, programs_, pages_,
             activity),
      commands_(params.geometry, params.in_turn, core, {frames_, programs_, pages_, ahead_},
                host_target, activity) {
    if (const WriteBuffer* buffer = std::as_const(core).buffer()) {
        frames_.set_limit(buffer->capacity());
        for (FrameId frame{0}; buffer->used() != 0 && raw(frame) < buffer->frames();
             frame = FrameId{raw(frame) + 1}) {
            if (buffer->page_in(frame) != kNoLpn) {
                frames_.adopt(buffer->page_in(frame), frame);
            }
        }
    }
    if (params.data != nullptr) {
        programs_.use(*params.data);
        pages_.use(*params.data);
        commands_.use(*params.data);
    }
    if (params.cost != nullptr) {
        processors_ =
            std::make_unique<Processors>(events, params.processors, *params.cost, commands_);
        commands_.connect(*processors_);
    }
}

BufferManager::~BufferManager() = default;

void BufferManager::connect(FlashScheduler& scheduler) {
    programs_.connect(scheduler);
    FlashQueues& queues = scheduler.queues();
    pages_.connect(queues, commands_);
    if (queues.gathers()) {
        commands_.gather_reads(queues);
    }
    queues.attribute_to(commands_.deciding());
}

void BufferManager::reset_statistics() {
    pages_.reset_statistics();
    map_traffic_.reset_statistics();
    if (processors_ != nullptr) {
        processors_->reset_statistics();
    }
}

TimePs BufferManager::fetch_program_data(OpId op, std::uint32_t context) {
    return programs_.fetch_data(op, RecordId{context});
}

bool BufferManager::data_is_coming(std::uint32_t context) const {
    return programs_.data_is_coming(RecordId{context});
}

TimePs BufferManager::fetch_copied_page(OpId op, std::uint32_t copy_page) {
    return programs_.fetch_copy(op, copy_page);
}

TimePs BufferManager::store_copied_page(OpId op, std::uint32_t copy_page) {
    return programs_.store_copy(op, copy_page);
}

TimePs BufferManager::store_rest(OpId op, std::uint32_t context, SectorSpan read) {
    return programs_.store_rest(op, RecordId{context}, read);
}

void BufferManager::host_page_read(std::uint32_t context) {
    pages_.page_read(TaskId{context});
}

void BufferManager::host_page_lost(std::uint32_t context) {
    pages_.page_lost(TaskId{context});
}

void BufferManager::page_is_stale(Ppn page) {
    core_.refresh(page);
}

bool BufferManager::holds_lost_page(std::uint32_t context) const {
    return frames_[frames_.holder(RecordId{context})].lost;
}

void BufferManager::host_page_programmed(std::uint32_t context) {
    const Programs::Programmed page = programs_.programmed(RecordId{context});
    commands_.page_programmed(page.eviction);
    pages_.grant_frames();
    // Last: an answer may bring the next command.
    commands_.answer_flushed();
    if (page.through_task != kNil<TaskId>) {
        pages_.page_written_through(page.through_task);
    }
    ahead_.evict();
}

void BufferManager::operation_done(std::uint32_t awaited_by) {
    commands_.operation_done(CommandId{awaited_by});
}

void BufferManager::die_idle() {
    ahead_.die_idle();
}

std::uint64_t BufferManager::check_idle() const {
    CAVERN_CHECK(pages_.tasks_in_use() == 0 && commands_.in_use() == 0,
                 "every host page and command has been answered");
    CAVERN_CHECK(!commands_.someone_waits(), "no command waits to be taken up");
    CAVERN_CHECK(processors_ == nullptr || processors_->idle(), "no processor has work");
    CAVERN_CHECK(mover_.in_flight() == map_traffic_.in_flight(), "every transfer has ended");
    CAVERN_CHECK(!frames_.someone_waits(), "no page waits for a frame");
    CAVERN_CHECK(programs_.outstanding() == 0, "no page is being programmed");
    const std::uint32_t resident = core_.buffer() != nullptr ? core_.buffer()->used() : 0;
    CAVERN_CHECK(frames_.records_in_use() == resident,
                 "the pages with a frame are those resident in the buffer");
    return 7 + (core_.queue_pins() != nullptr ? core_.queue_pins()->check_invariants(true) : 0);
}

} // namespace cavern
