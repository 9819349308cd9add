#include "timed/channel/channel.h"

#include <string>

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

struct Channel::Port final : tlm::tlm_bw_transport_if<NandProtocol> {
    Port(Channel& channel, std::uint32_t index)
        : owner(channel), slot(index),
          socket(("nand_initiator_socket_" + std::to_string(index)).c_str()) {
        payload.set_extension(&command);
        socket.bind(*this);
    }
    ~Port() override { payload.clear_extension(&command); }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                                       sc_core::sc_time&) override {
        CAVERN_CHECK(phase == NAND_READY, "a die answers with ready");
        owner.ready(slot);
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    Channel& owner;
    std::uint32_t slot;
    tlm::tlm_initiator_socket<32, NandProtocol> socket;
    tlm::tlm_generic_payload payload;
    NandExtension command;
    BusClass wanted = BusClass::kCommand;
    TimePs asked_at = 0;
};

Channel::Channel(const sc_core::sc_module_name& name, EventQueue& events, ChannelId id,
                 const Geometry& geometry, const NandTiming& timing, NandClientIf& client,
                 ActivityLogIf* activity)
    : sc_module(name), events_(events), id_(id), geometry_(geometry), timing_(timing),
      client_(client), activity_(activity),
      page_time_(timing.data_time(std::uint64_t{geometry.page_bytes} + geometry.spare_bytes)) {
    for (std::uint32_t slot = 0; slot < geometry.dies_per_channel(); ++slot) {
        ports_.push_back(std::make_unique<Port>(*this, slot));
    }
}

Channel::~Channel() = default;

tlm::tlm_initiator_socket<32, NandProtocol>& Channel::nand_initiator_socket(std::uint32_t slot) {
    return ports_[slot]->socket;
}

NandExtension& Channel::command(std::uint32_t slot) {
    return ports_[slot]->command;
}

void Channel::start(std::uint32_t slot) {
    Port& port = *ports_[slot];
    ask_for_bus(port, port.command.kind == FlashOpKind::kProgram ? BusClass::kProgramData
                      : port.command.from_register               ? BusClass::kReadOut
                                                                 : BusClass::kCommand);
}

void Channel::ask_for_bus(Port& port, BusClass bus_class) {
    port.wanted = bus_class;
    port.asked_at = now_ps();
    arbiter_->request(port.slot, bus_class);
}

TimePs Channel::latch_time(const NandExtension& command) const {
    switch (command.kind) {
    case FlashOpKind::kRead:
        return timing_.read_cycles * timing_.command_cycle;
    case FlashOpKind::kProgram:
        return command.nand_pages * (timing_.program_cycles * timing_.command_cycle) +
               command.count * page_time_;
    case FlashOpKind::kErase:
        break;
    }
    return timing_.erase_cycles * timing_.command_cycle;
}

TimePs Channel::read_out_time(const NandExtension& command) const {
    const std::uint64_t bytes = command.data_bytes;
    const TimePs data =
        bytes == geometry_.page_bytes
            ? page_time_
            : timing_.data_time(bytes + bytes * geometry_.spare_bytes / geometry_.page_bytes);
    return command.from_register ? kColumnChangeCycles * timing_.command_cycle + data : data;
}

void Channel::granted(std::uint32_t slot) {
    const TimePs now = now_ps();
    CAVERN_CHECK(bus_free_at_ <= now, "the bus is granted to one die at a time");
    Port& port = *ports_[slot];
    const bool read_out = port.wanted == BusClass::kReadOut;
    const TimePs duration = read_out ? read_out_time(port.command) : latch_time(port.command);
    bus_free_at_ = now + duration;
    ++statistics_.grants;
    statistics_.busy += duration;
    statistics_.wait_ps.add(now - port.asked_at);
    if (activity_ != nullptr) {
        activity_->grant(id_, slot, now, now - port.asked_at);
        const char* phase = read_out                                     ? "data out"
                            : port.command.kind == FlashOpKind::kProgram ? "data in"
                                                                         : "command";
        activity_->bus(id_, slot, phase, now, duration, port.command);
    }
    sc_core::sc_time delay = until(bus_free_at_);
    tlm::tlm_phase phase = read_out ? NAND_DATA_OUT : NAND_LATCH;
    port.socket->nb_transport_fw(port.payload, phase, delay);
    arbiter_->release_at(slot, bus_free_at_);
    if (read_out) {
        events_.schedule(bus_free_at_, *this, slot);
    }
}

/// A read-out ends, and with it the read.
void Channel::on_event(std::uint64_t slot) {
    client_.operation_finished(geometry_.die_at(id_, static_cast<std::uint32_t>(slot)));
}

void Channel::ready(std::uint32_t slot) {
    Port& port = *ports_[slot];
    if (port.command.kind == FlashOpKind::kRead) {
        ask_for_bus(port, BusClass::kReadOut);
    } else {
        client_.operation_finished(geometry_.die_at(id_, slot));
    }
}

} // namespace cavern
