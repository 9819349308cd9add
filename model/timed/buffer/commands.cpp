#include "timed/buffer/commands.h"

#include <utility>

#include "timed/tlm/time.h"

namespace cavern {

Commands::Commands(const Geometry& geometry, bool in_turn, DriveCore& core, const Parts& parts,
                   AtTarget& host, ActivityLogIf* activity)
    : core_(core), parts_(parts), host_(host), capacity_(core.host_pages() * geometry.page_bytes),
      activity_(activity), in_turn_(in_turn), front_(core, geometry, *this) {}

// ---- 1: taken up --------------------------------------------------------------------------------

void Commands::request(tlm::tlm_generic_payload& payload) {
    HostCommandExtension* extension = HostCommandExtension::find(payload);
    DeviceCommand command{payload.is_write() ? RequestOp::kWrite : RequestOp::kRead, false,
                          payload.get_address(), payload.get_data_length()};
    if (extension != nullptr) {
        command.op = extension->op;
        command.fua = extension->fua;
        command.bytes = extension->bytes;
        command.request = extension->id;
        command.stream = extension->stream;
        command.zone = extension->zone;
    } else if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        host_.respond(payload);
        return;
    }
    const tlm::tlm_response_status status = check(payload, command);
    if (status != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(status);
        host_.respond(payload);
        return;
    }
    const CommandId id = commands_.allocate();
    commands_[id].payload = &payload;
    commands_[id].extension = extension;
    parts_.ahead.host_is_active();
    if (processors_ != nullptr) {
        processors_->take(id, command);
    } else {
        begin(id, command);
    }
}

DecisionWork Commands::processed(CommandId id, const DeviceCommand& command, TimePs time) {
    if (auto* extension = commands_[id].extension) {
        extension->processor = time;
        extension->dispatch = now_ps();
    }
    const std::uint64_t before = parts_.programs.operations();
    begin(id, command);
    DecisionWork brought = parts_.programs.take_work();
    brought.operations = parts_.programs.operations() - before;
    return brought;
}

void Commands::begin(CommandId id, const DeviceCommand& command) {
    if (gathers_ == nullptr) {
        decide(id, command);
        return;
    }
    gathers_->gather();
    decide(id, command);
    gathers_->start_gathered();
}

void Commands::decide(CommandId id, const DeviceCommand& command) {
    if (in_turn_) {
        front_.arrive(id, command);
        take_up_waiting();
    } else {
        // What is decided may answer commands, and that may bring this one.
        const std::uint64_t outer = std::exchange(
            deciding_, commands_[id].extension != nullptr ? command.request : kNoRequest);
        front_.take_up(id, command);
        deciding_ = outer;
    }
}

tlm::tlm_response_status Commands::check(const tlm::tlm_generic_payload& payload,
                                         const DeviceCommand& command) const {
    if (payload.get_byte_enable_ptr() != nullptr) {
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
    if (moves_data(command.op) &&
        (command.bytes == 0 || payload.get_streaming_width() < command.bytes)) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    const bool anywhere = command.op == RequestOp::kFlush;
    return anywhere || (command.offset <= capacity_ && command.bytes <= capacity_ - command.offset)
               ? tlm::TLM_OK_RESPONSE
               : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

void Commands::on_turn(CommandId command) {
    if (auto* extension = commands_[command].extension) {
        extension->dispatch = now_ps();
        deciding_ = extension->id;
    }
}

void Commands::take_up_waiting() {
    const std::uint64_t outer = deciding_;
    front_.take_up_waiting();
    deciding_ = outer;
}

void Commands::frames_granted() {
    if (front_.someone_waits()) {
        take_up_waiting();
    }
}

// ---- 2: decided ---------------------------------------------------------------------------------

void Commands::on_trim(CommandId command, const TrimDecision& decision) {
    commands_[command].pages += static_cast<std::uint32_t>(decision.pages);
    if (!decision.batch.ops.empty() && commands_[command].trim == 0) {
        commands_[command].trim = ++trims_;
        ++trims_under_way_;
    }
    commands_[command].remaining += static_cast<std::uint32_t>(decision.batch.ops.size());
    for (const FrameId frame : decision.frames) {
        parts_.frames.drop(frame);
    }
    if (data_ != nullptr) {
        const HostCommandExtension* extension = commands_[command].extension;
        data_->trim(extension != nullptr ? extension->id : 0, decision.first, decision.pages);
    }
    parts_.programs.carry_out_for(raw(command), decision.batch);
}

void Commands::on_trimmed(CommandId) {
    parts_.pages.grant_frames();
}

void Commands::on_refused(CommandId command) {
    if (auto* extension = commands_[command].extension) {
        extension->refused = true;
    }
}

void Commands::on_flush(CommandId, const Batch& batch) {
    parts_.programs.carry_out(batch);
}

/// A TRIM takes pages out of the buffer that a flush would write: what it records in their place
/// has to be in flash as they would.
void Commands::on_flushed(CommandId command) {
    const std::uint64_t waits = parts_.programs.outstanding() + trims_under_way_;
    if (waits == 0) {
        return;
    }
    commands_[command].flush_until = parts_.programs.evictions();
    commands_[command].trim_until = trims_ + 1;
    commands_[command].remaining += static_cast<std::uint32_t>(waits);
    flushes_.push_back(command);
}

template <std::uint64_t Commands::Command::*WaitsBelow>
void Commands::one_done(std::uint64_t number) {
    for (std::size_t i = 0; i < flushes_.size();) {
        Command& flush = commands_[flushes_[i]];
        if (number < flush.*WaitsBelow && --flush.remaining == 0) {
            flushed_.push_back(flushes_[i]);
            flushes_.erase(flushes_.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
            ++i;
        }
    }
}

void Commands::trim_recorded(std::uint64_t trim) {
    --trims_under_way_;
    one_done<&Command::trim_until>(trim);
    answer_flushed();
}

/// The last of its operations waits for every program before it.
void Commands::on_sealed(CommandId command, const Batch& batch) {
    commands_[command].remaining += static_cast<std::uint32_t>(batch.ops.size());
    parts_.programs.carry_out_for(raw(command), batch);
}

void Commands::on_completion(const Batch& batch) {
    parts_.programs.carry_out(batch);
}

void Commands::on_resize(const Batch& batch) {
    parts_.programs.carry_out(batch);
    parts_.frames.set_limit(core_.buffer()->capacity());
    parts_.pages.grant_frames();
}

// ---- 3: answered --------------------------------------------------------------------------------

std::uint32_t Commands::count_link_bytes(CommandId command, std::uint32_t bytes) {
    const std::uint32_t before = commands_[command].link_bytes;
    commands_[command].link_bytes += bytes;
    return before;
}

void Commands::page_done(CommandId id, TimePs frame_wait, TimePs flash) {
    Command& command = commands_[id];
    if (--command.remaining != 0) {
        return;
    }
    if (command.extension != nullptr) {
        command.extension->frame_wait = frame_wait;
        command.extension->flash = flash;
    }
    finish(id);
}

void Commands::operation_done(CommandId id) {
    Command& command = commands_[id];
    if (--command.remaining != 0) {
        return;
    }
    if (command.extension != nullptr) {
        command.extension->flash = now_ps() - command.extension->dispatch;
    }
    finish(id);
}

void Commands::page_programmed(std::uint64_t eviction) {
    one_done<&Command::flush_until>(eviction);
}

void Commands::answer_flushed() {
    while (!flushed_.empty()) {
        const CommandId command = flushed_.back();
        flushed_.pop_back();
        finish(command);
    }
}

void Commands::finish(CommandId command) {
    tlm::tlm_generic_payload& payload = *commands_[command].payload;
    if (auto* extension = commands_[command].extension) {
        extension->pages = commands_[command].pages;
        extension->hits = commands_[command].hits;
        extension->failed = commands_[command].failed;
    }
    payload.set_response_status(commands_[command].failed ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                                          : tlm::TLM_OK_RESPONSE);
    const std::uint64_t trim = commands_[command].trim;
    commands_.release(command);
    host_.respond(payload);
    if (trim != 0) {
        trim_recorded(trim);
    }
    if (commands_.used() == 0) {
        parts_.ahead.host_is_silent();
    }
}

} // namespace cavern
