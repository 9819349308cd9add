#include "timed/host/link_transport.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace cavern {

LinkTransport::LinkTransport(EventQueue& events, std::unique_ptr<const HostLinkIf> link,
                             TimePs turnaround)
    : events_(events), link_(std::move(link)),
      turnaround_(turnaround), lines_{LinkDirection(link_->longest_frame()),
                                      LinkDirection(link_->longest_frame())} {}

LinkDirection& LinkTransport::direction(bool to_host) {
    return lines_[to_host && !link_->half_duplex() ? 1 : 0];
}

bool LinkTransport::may_issue(const HostRequest& next) {
    return !alone_ && (outstanding_ == 0 || !link_->runs_alone(next.op));
}

void LinkTransport::issue(tlm::tlm_generic_payload& command, HostCommandExtension& extension) {
    alone_ = link_->runs_alone(extension.op);
    ++outstanding_;
    const TimePs now = now_ps();
    const TimePs duration = link_->command_time(extension.op, extension.bytes);
    const TimePs here = duration == 0 ? now : direction(false).control(now, now, duration);
    schedule(here + turnaround_, command, Step::kCommandHere);
}

TimePs LinkTransport::move_data(const Transfer& transfer) {
    const bool to_host = transfer.direction == MoveDirection::kWrite;
    const std::uint64_t bytes = transfer.bytes;
    const bool follows = transfer.bytes_before != 0 && transfer.address == stretch_end_ &&
                         to_host == stretch_to_host_;
    stretch_bytes_ = follows ? stretch_bytes_ : 0;
    const TimePs duration =
        link_->data_time(to_host ? RequestOp::kRead : RequestOp::kWrite, stretch_bytes_, bytes);
    stretch_to_host_ = to_host;
    stretch_end_ = transfer.address + bytes;
    stretch_bytes_ += bytes;
    const TimePs now = now_ps();
    return direction(to_host).data(now, now, duration);
}

void LinkTransport::answered(tlm::tlm_generic_payload& command, HostCommandExtension& extension) {
    const TimePs now = now_ps();
    const TimePs duration = link_->status_time(extension.op);
    if (duration == 0) {
        schedule(now, command, Step::kDone);
        return;
    }
    if (!link_->reports_several(extension.op)) {
        schedule(direction(true).control(now, now, duration), command, Step::kDone);
        return;
    }
    if (status_end_ == 0 || status_begin_ < now) {
        status_end_ = direction(true).control(now, now, duration);
        status_begin_ = status_end_ - duration;
    }
    schedule(status_end_, command, Step::kDone);
}

void LinkTransport::schedule(TimePs at, tlm::tlm_generic_payload& command, Step step) {
    if (at == now_ps()) {
        perform(command, step);
        return;
    }
    events_.schedule(
        at, *this, reinterpret_cast<std::uintptr_t>(&command) | static_cast<std::uintptr_t>(step));
}

void LinkTransport::on_event(std::uint64_t what) {
    constexpr std::uint64_t kSteps = 1;
    auto* command = reinterpret_cast<tlm::tlm_generic_payload*>(what & ~kSteps);
    perform(*command, static_cast<Step>(what & kSteps));
}

void LinkTransport::perform(tlm::tlm_generic_payload& command, Step step) {
    if (step == Step::kCommandHere) {
        client_->command_here(command);
        return;
    }
    --outstanding_;
    alone_ = false;
    client_->command_done(command);
}

std::uint64_t LinkTransport::check_idle() const {
    CAVERN_CHECK(outstanding_ == 0, "the link carries nothing any more");
    return 1;
}

} // namespace cavern
