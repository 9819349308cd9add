// Dies that are asked whether they are ready, and the reset.

#include <utility>

#include "core/base/check.h"
#include "timed/nand/nand_die.h"
#include "timed/tlm/time.h"

namespace cavern {

/// R/B# rises, but the controller does not look at it.
void NandDie::wait_for_poll(tlm::tlm_generic_payload& payload) {
    ended_ = &payload;
    ended_at_ = now_ps();
}

/// 70h or 78h, whose status byte is out at `at`.
void NandDie::status(const tlm::tlm_generic_payload& payload, TimePs at) {
    CAVERN_CHECK(timing_.polls.on, "a die whose R/B# tells is not polled");
    CAVERN_CHECK(&payload == payload_ || &payload == ended_, "what is polled is under way");
    ++statistics_.polls;
    events_.schedule(at, *this, kStatusOut);
}

/// The byte tells what was true when it began.
void NandDie::tell_status() {
    const bool ready = ended_ != nullptr && ended_at_ + timing_.data_time(1) <= now_ps();
    tlm::tlm_generic_payload& payload = ended_ != nullptr ? *ended_ : *payload_;
    if (ready) {
        ended_ = nullptr;
    }
    tlm::tlm_phase phase = ready ? NAND_READY : NAND_BUSY;
    sc_core::sc_time delay = LocalTime::annotation();
    channel_target_socket->nb_transport_bw(payload, phase, delay);
}

/// FFh.
void NandDie::reset(tlm::tlm_generic_payload& payload, TimePs at) {
    CAVERN_CHECK(timing_.reset.on, "the dies are reset");
    CAVERN_CHECK(payload_ == nullptr && ended_ == nullptr && suspended_ == nullptr,
                 "a die that is reset is idle");
    const TimePs duration = timing_.t_wb + timing_.reset.t_rst;
    if (activity_ != nullptr) {
        activity_->array(id_, at, duration, NandExtension::get(payload));
    }
    ++statistics_.resets;
    payload_ = &payload;
    events_.schedule(at + duration, *this, kResetEnds);
}

void NandDie::reset_ends() {
    tlm::tlm_generic_payload& payload = *std::exchange(payload_, nullptr);
    in_register_ = nullptr;
    if (timing_.polls.on) {
        wait_for_poll(payload);
        return;
    }
    tlm::tlm_phase phase = NAND_READY;
    sc_core::sc_time delay = LocalTime::annotation();
    channel_target_socket->nb_transport_bw(payload, phase, delay);
}

} // namespace cavern
