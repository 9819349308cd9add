#include "library/platform_drive.h"

#include <algorithm>
#include <cstring>

#include "core/base/check.h"
#include "drive/controller.h"
#include "drive/core_builder.h"
#include "drive/live_drive.h"
#include "timed/tlm/time.h"

namespace cavern {

PlatformDrive::PlatformDrive(const sc_core::sc_module_name& name, const DrivePlan& config,
                             PlatformClientIf& client)
    : sc_module(name), client_(client) {
    SsdProbes probes;
    const DriveController controller = make_controller(config);
    probes.decision_cost = controller.cost;
    probes.requests = &bell_;
    probes.data = this;
    live_ = std::make_unique<LiveDrive>(config, build_core(config, nullptr, controller.parts.get()),
                                        probes);
    capacity_ = live_->capacity();
    SC_HAS_PROCESS(PlatformDrive);
    SC_METHOD(take_completions);
    sensitive << bell_.rings;
    dont_initialize();
}

PlatformDrive::~PlatformDrive() = default;

void PlatformDrive::Bell::completed(const CompletedRequest&) {
    notify_at(now_ps(), rings);
}

void PlatformDrive::submit(const LiveRequest& request, std::byte* data) {
    const CommandId id = commands_.allocate();
    commands_[id].request = request;
    commands_[id].tag = request.tag;
    commands_[id].buffer = kNone;
    begin(id, data);
}

void PlatformDrive::submit(const LiveRequest& request, const std::vector<nvme::Segment>& host) {
    const CommandId id = commands_.allocate();
    if (free_buffers_.empty()) {
        free_buffers_.push_back(static_cast<std::int32_t>(buffers_.size()));
        buffers_.emplace_back();
    }
    Command& command = commands_[id];
    command.request = request;
    command.tag = request.tag;
    command.buffer = free_buffers_.back();
    free_buffers_.pop_back();
    Buffer& buffer = buffer_of(command);
    buffer.host = host;
    buffer.bytes.resize(request.bytes);
    if (request.op == LiveOp::kWrite) {
        dma.move(tlm::TLM_READ_COMMAND, buffer.host, buffer.bytes.data(), raw(id), *this);
    } else {
        begin(id, buffer.bytes.data());
    }
}

/// The command enters the drive.
void PlatformDrive::begin(CommandId id, std::byte* data) {
    LiveRequest request = commands_[id].request;
    request.tag = raw(id);
    commands_[id].data = data;
    static_cast<void>(live_->submit(request));
}

void PlatformDrive::take(std::uint64_t tag, std::uint64_t offset, std::byte* to,
                         std::uint32_t bytes) {
    std::memcpy(to, commands_[CommandId{static_cast<std::uint32_t>(tag)}].data + offset, bytes);
}

/// A page that was read has crossed the link.
void PlatformDrive::give(std::uint64_t tag, std::uint64_t offset, const std::byte* from,
                         std::uint32_t bytes) {
    const CommandId id{static_cast<std::uint32_t>(tag)};
    Command& command = commands_[id];
    std::memcpy(command.data + offset, from, bytes);
    if (command.buffer != kNone) {
        ++command.moves;
        find_segments(buffer_of(command), offset, bytes);
        dma.move(tlm::TLM_WRITE_COMMAND, segments_, command.data + offset, raw(id), *this);
    }
}

/// Where a part of the data lies in host memory.
void PlatformDrive::find_segments(const Buffer& buffer, std::uint64_t offset, std::uint32_t bytes) {
    segments_.clear();
    for (const nvme::Segment& segment : buffer.host) {
        if (offset >= segment.bytes) {
            offset -= segment.bytes;
            continue;
        }
        const std::uint32_t here =
            std::min(bytes, segment.bytes - static_cast<std::uint32_t>(offset));
        segments_.push_back({segment.address + offset, here});
        offset = 0;
        bytes -= here;
        if (bytes == 0) {
            return;
        }
    }
}

void PlatformDrive::moved(std::uint32_t ticket, bool ok) {
    const CommandId id{ticket};
    Command& command = commands_[id];
    if (!ok) {
        command.status = PlatformStatus::kMemoryError;
    }
    if (command.request.op != LiveOp::kWrite) {
        if (--command.moves == 0 && command.completed) {
            finish(id);
        }
    } else if (ok) {
        begin(id, buffer_of(command).bytes.data());
    } else {
        finish(id);
    }
}

void PlatformDrive::take_completions() {
    for (LiveCompletion done; live_->poll(done);) {
        const CommandId id{static_cast<std::uint32_t>(done.tag)};
        Command& command = commands_[id];
        command.completed = true;
        if (done.status == LiveStatus::kLost) {
            command.status = PlatformStatus::kLost;
        } else if (done.status == LiveStatus::kRefused) {
            command.status = PlatformStatus::kRefused;
        }
        if (command.moves == 0) {
            finish(id);
        }
    }
}

void PlatformDrive::finish(CommandId id) {
    const Command command = commands_[id];
    if (command.buffer != kNone) {
        free_buffers_.push_back(command.buffer);
    }
    commands_.release(id);
    client_.finished(command.tag, command.status);
}

std::uint64_t PlatformDrive::check() const {
    CAVERN_CHECK(commands_.used() == 0 && dma.in_flight() == 0, "every command is finished");
    return 1 + live_->ssd().check_end_of_run();
}

} // namespace cavern
