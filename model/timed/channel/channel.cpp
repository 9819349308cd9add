#include "timed/channel/channel.h"

#include <array>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

// What an event is about.
constexpr std::uint64_t kReadOutEnds = 0;
constexpr std::uint64_t kSuspendEnds = std::uint64_t{1} << 32;
constexpr std::uint64_t kTurnedRound = std::uint64_t{2} << 32;

} // namespace

struct Channel::Port final : tlm::tlm_bw_transport_if<NandProtocol> {
    Port(Channel& channel, std::uint32_t index)
        : owner(channel), slot(index),
          socket(("nand_initiator_socket_" + std::to_string(index)).c_str()) {
        for (std::size_t i = 0; i < payloads.size(); ++i) {
            payloads[i].set_extension(&commands[i]);
        }
        socket.bind(*this);
    }
    ~Port() override {
        for (std::size_t i = 0; i < payloads.size(); ++i) {
            payloads[i].clear_extension(&commands[i]);
        }
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                                       sc_core::sc_time&) override {
        CAVERN_CHECK(phase == NAND_READY, "a die answers with ready");
        owner.ready(slot);
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    [[nodiscard]] NandExtension& command() { return commands[active]; }
    [[nodiscard]] const NandExtension& command() const { return commands[active]; }

    Channel& owner;
    std::uint32_t slot;
    tlm::tlm_initiator_socket<32, NandProtocol> socket;
    /// Of the operation under way, and of one that is suspended beside it.
    std::array<tlm::tlm_generic_payload, 2> payloads;
    std::array<NandExtension, 2> commands;
    std::size_t active = 0;
    Phase wanted = Phase::kLatch; ///< or on the bus
    bool too_late = false;        ///< what was to be suspended has ended
    TimePs released_at = 0;       ///< the slot has the bus until then
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
    return ports_[slot]->command();
}

void Channel::start(std::uint32_t slot) {
    Port& port = *ports_[slot];
    port.command().out = 0;
    port.command().ends = 0;
    ask_for_bus(port, port.command().from_register ? Phase::kReadOut : Phase::kLatch);
}

void Channel::suspend(std::uint32_t slot) {
    ask_for_bus(*ports_[slot], Phase::kSuspend);
}

void Channel::resume(std::uint32_t slot) {
    Port& port = *ports_[slot];
    port.active ^= 1;
    port.command().ends = 0;
    ask_for_bus(port, Phase::kResume);
}

void Channel::ask_for_bus(Port& port, Phase phase) {
    port.wanted = phase;
    port.asked_at = now_ps();
    if (port.released_at > now_ps()) {
        events_.schedule(port.released_at, *this, kTurnedRound | port.slot);
    } else {
        request(port);
    }
}

void Channel::request(const Port& port) {
    BusClass bus_class = BusClass::kCommand;
    if (port.wanted == Phase::kReadOut) {
        bus_class = BusClass::kReadOut;
    } else if (port.wanted == Phase::kLatch && port.command().kind == FlashOpKind::kProgram) {
        bus_class = BusClass::kProgramData;
    }
    arbiter_->request(port.slot, bus_class);
}

TimePs Channel::phase_time(const Port& port) const {
    switch (port.wanted) {
    case Phase::kLatch:
        return latch_time(port.command());
    case Phase::kReadOut:
        return read_out_time(port.command());
    case Phase::kSuspend:
    case Phase::kResume:
        break;
    }
    return timing_.suspend.cycles * timing_.command_cycle;
}

TimePs Channel::latch_time(const NandExtension& command) const {
    switch (command.kind) {
    case FlashOpKind::kRead:
        return timing_.multi_plane_time(command.count, timing_.read_cycles);
    case FlashOpKind::kProgram:
        return timing_.multi_plane_time(command.nand_pages, timing_.program_cycles) +
               command.nand_pages * timing_.t_adl + command.count * page_time_;
    case FlashOpKind::kErase:
        break;
    }
    return timing_.multi_plane_time(command.count, timing_.erase_cycles);
}

TimePs Channel::read_out_time(const NandExtension& command) const {
    const std::uint64_t bytes = command.data_bytes[command.out];
    const TimePs data =
        bytes == geometry_.page_bytes
            ? page_time_
            : timing_.data_time(bytes + bytes * geometry_.spare_bytes / geometry_.page_bytes);
    if (command.from_register) {
        return kColumnChangeCycles * timing_.command_cycle + timing_.t_ccs + data;
    }
    return command.count > 1 ? kPlaneChangeCycles * timing_.command_cycle + timing_.t_ccs + data
                             : data;
}

void Channel::granted(std::uint32_t slot) {
    static constexpr std::array<const char*, 4> kNames{"command", "data out", "suspend", "resume"};
    const TimePs now = now_ps();
    CAVERN_CHECK(bus_free_at_ <= now, "the bus is granted to one die at a time");
    Port& port = *ports_[slot];
    const bool read_out = port.wanted == Phase::kReadOut;
    const TimePs duration = phase_time(port);
    bus_free_at_ = now + duration + (read_out ? timing_.t_rhw : 0);
    port.released_at = bus_free_at_;
    ++statistics_.grants;
    statistics_.busy += bus_free_at_ - now;
    statistics_.wait_ps.add(now - port.asked_at);
    if (activity_ != nullptr) {
        activity_->grant(id_, slot, now, now - port.asked_at);
        const bool data_in =
            port.wanted == Phase::kLatch && port.command().kind == FlashOpKind::kProgram;
        const char* name = data_in ? "data in" : kNames[static_cast<std::size_t>(port.wanted)];
        activity_->bus(id_, slot, name, now, duration, port.command());
    }
    sc_core::sc_time delay = until(now + duration);
    switch (port.wanted) {
    case Phase::kLatch: {
        tlm::tlm_phase phase = NAND_LATCH;
        port.socket->nb_transport_fw(port.payloads[port.active], phase, delay);
        break;
    }
    case Phase::kReadOut: {
        tlm::tlm_phase phase = NAND_DATA_OUT;
        port.socket->nb_transport_fw(port.payloads[port.active], phase, delay);
        events_.schedule(now + duration, *this, kReadOutEnds | slot);
        break;
    }
    case Phase::kSuspend: {
        tlm::tlm_phase phase = NAND_SUSPEND;
        if (!port.too_late) {
            port.socket->nb_transport_fw(port.payloads[port.active], phase, delay);
        }
        events_.schedule(now + duration, *this, kSuspendEnds | slot);
        break;
    }
    case Phase::kResume: {
        tlm::tlm_phase phase = NAND_RESUME;
        port.socket->nb_transport_fw(port.payloads[port.active], phase, delay);
        break;
    }
    }
    arbiter_->release_at(slot, bus_free_at_);
    if (timing_.suspend.any() && (port.wanted == Phase::kLatch || port.wanted == Phase::kResume)) {
        client_.operation_latched(geometry_.die_at(id_, slot));
    }
}

void Channel::on_event(std::uint64_t what) {
    const auto slot = static_cast<std::uint32_t>(what);
    Port& port = *ports_[slot];
    switch (what - slot) {
    case kReadOutEnds:
        read_out_ends(slot);
        break;
    case kTurnedRound:
        request(port);
        break;
    default:
        if (std::exchange(port.too_late, false)) {
            client_.operation_finished(geometry_.die_at(id_, slot));
        }
    }
}

/// With the last one the read ends.
void Channel::read_out_ends(std::uint32_t slot) {
    Port& port = *ports_[slot];
    NandExtension& command = port.command();
    const DieId die = geometry_.die_at(id_, slot);
    if (++command.out == command.count) {
        client_.operation_finished(die);
        return;
    }
    ask_for_bus(port, Phase::kReadOut);
    client_.page_out(die, command.out - 1);
}

void Channel::ready(std::uint32_t slot) {
    Port& port = *ports_[slot];
    const DieId die = geometry_.die_at(id_, slot);
    if (port.command().suspended) {
        port.active ^= 1;
        client_.operation_suspended(die);
    } else if (port.wanted == Phase::kSuspend) {
        port.too_late = true; // it ends with the command
    } else if (port.command().kind == FlashOpKind::kRead) {
        ask_for_bus(port, Phase::kReadOut);
    } else {
        client_.operation_finished(die);
    }
}

} // namespace cavern
