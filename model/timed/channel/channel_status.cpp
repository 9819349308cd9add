// Status polls, and the reset that dies begin with.

#include <utility>

#include "timed/channel/channel_port.h"
#include "timed/tlm/time.h"

namespace cavern {

void Channel::poll_after(const Port& port, TimePs delay) {
    events_.schedule(now_ps() + delay, *this, kPoll | port.slot);
}

void Channel::not_ready(std::uint32_t slot, const tlm::tlm_phase& phase) {
    if (phase == NAND_BUSY) {
        poll_after(*ports_[slot], timing_.polls.interval);
        return;
    }
    CAVERN_CHECK(phase == NAND_CACHE_FREE, "a die answers with ready, busy, or cache free");
    client_.cache_free(geometry_.die_at(id_, slot));
}

void Channel::start_of_simulation() {
    for (const auto& port : ports_) {
        if (port->resetting) {
            events_.schedule(0, *this, kReset | port->slot);
        }
    }
}

/// The first operation may already be in command(): the reset takes the other one.
void Channel::send_reset(Port& port, sc_core::sc_time& delay) {
    tlm::tlm_phase phase = NAND_RESET;
    port.socket->nb_transport_fw(port.payloads[port.active ^ 1], phase, delay);
    if (timing_.polls.on) {
        poll_after(port, timing_.command_cycle + timing_.first_poll());
    }
}

void Channel::reset_ends(Port& port) {
    port.resetting = false;
    port.other().reset = false;
    if (std::exchange(port.started, false)) {
        begin(port);
    }
}

} // namespace cavern
