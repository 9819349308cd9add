#include "timed/buffer/mover.h"

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

TimePs Mover::send(AtInitiator& over, const Transfer& transfer, MoveTicket ticket,
                   MoveDoneIf& owner) {
    tlm::tlm_generic_payload* payload = pool_.acquire();
    TransferExtension& extension = Pool::extension_of(*payload);
    extension.ticket = ticket;
    extension.moved_before = transfer.bytes_before;
    extension.owner = &owner;
    payload->set_command(transfer.direction == MoveDirection::kRead ? tlm::TLM_READ_COMMAND
                                                                    : tlm::TLM_WRITE_COMMAND);
    payload->set_address(transfer.address);
    data_.attach(*payload, transfer.bytes);
    Call call{payload, kNever};
    Call* const outer = call_;
    call_ = &call;
    over.send(*payload);
    call_ = outer;
    return call.ends;
}

void Mover::response(tlm::tlm_generic_payload& payload, TimePs ahead) {
    CAVERN_CHECK(payload.is_response_ok(),
                 "link and SDRAM carry out what the buffer manager asks, and do "
                 "not answer " +
                     payload.get_response_string());
    const TransferExtension& extension = Pool::extension_of(payload);
    const MoveTicket ticket = extension.ticket;
    MoveDoneIf& owner = *extension.owner;
    payload.release();
    const TimePs ends = now_ps() + ahead;
    if (call_ != nullptr && call_->payload == &payload) {
        call_->payload = nullptr; // it may be used again before the call returns
        call_->ends = ends;
        return;
    }
    owner.moved(ticket, ends);
}

} // namespace cavern
