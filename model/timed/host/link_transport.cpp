#include "timed/host/link_transport.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

LinkTransport::LinkTransport(AlarmClock& clock, std::unique_ptr<const HostLinkIf> link,
                             TimePs turnaround)
    : clock_(clock), link_(std::move(link)), turnaround_(turnaround) {}

bool LinkTransport::may_issue(RequestOp op) const {
    return !alone_ && (outstanding_ == 0 || !link_->runs_alone(op));
}

void LinkTransport::issue(tlm::tlm_generic_payload& command, HostCommandExtension& extension) {
    alone_ = link_->runs_alone(extension.op);
    ++outstanding_;
    const TimePs duration = link_->command_time(extension.op);
    const TimePs here = duration == 0 ? now_ps() : occupy_link(false, duration);
    schedule(here + turnaround_, command, Step::kCommandHere);
}

TimePs LinkTransport::occupy_link(bool to_host, TimePs duration) {
    TimePs& free_at = free_at_[to_host && !link_->half_duplex() ? 1 : 0];
    free_at = std::max(free_at, now_ps()) + duration;
    busy_ += duration;
    return free_at;
}

TimePs LinkTransport::move_data(const tlm::tlm_generic_payload& transfer) {
    const bool to_host = transfer.is_write();
    const TransferExtension* extension = TransferExtension::find(transfer);
    const std::uint64_t before = extension != nullptr ? extension->moved_before : 0;
    const TimePs duration = link_->data_time(to_host ? RequestOp::kRead : RequestOp::kWrite, before,
                                             transfer.get_data_length());
    return occupy_link(to_host, duration) - now_ps();
}

void LinkTransport::answered(tlm::tlm_generic_payload& command, HostCommandExtension& extension) {
    const TimePs duration = link_->status_time(extension.op);
    schedule(duration == 0 ? now_ps() : occupy_link(true, duration), command, Step::kDone);
}

void LinkTransport::schedule(TimePs at, tlm::tlm_generic_payload& command, Step step) {
    if (at == now_ps()) {
        perform(command, step);
        return;
    }
    clock_.set(at, *this,
               reinterpret_cast<std::uintptr_t>(&command) | static_cast<std::uintptr_t>(step));
}

void LinkTransport::alarm(std::uint64_t what) {
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
