#include "timed/channel/channel.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"
#include "timed/channel/channel_port.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

bool has_data_in(const NandExtension& command) {
    return command.kind == FlashOpKind::kProgram && command.source == kNoPpn;
}

} // namespace

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

TimePs Channel::still_held() const {
    return std::max(bus_free_at_, now_ps()) - now_ps();
}

Channel::Statistics Channel::statistics() const {
    Statistics past = statistics_;
    past.busy -= still_held();
    return past;
}

void Channel::reset_statistics() {
    statistics_ = {};
    statistics_.busy = still_held();
}

void Channel::start(std::uint32_t slot) {
    Port& port = *ports_[slot];
    port.command().out = 0;
    port.command().ends = 0;
    port.command().from_cache = false;
    if (port.resetting) {
        port.started = true;
    } else {
        begin(port);
    }
}

void Channel::begin(Port& port) {
    ask_for_bus(port, port.command().from_register      ? Phase::kReadOut
                      : port.command().source != kNoPpn ? Phase::kCopyRead
                                                        : Phase::kLatch);
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
    } else if (port.wanted == Phase::kLatch && has_data_in(port.command())) {
        bus_class = BusClass::kProgramData;
    }
    arbiter_->request(port.slot, bus_class);
}

TimePs Channel::phase_time(const Port& port) const {
    switch (port.wanted) {
    case Phase::kLatch:
        return latch_time(port.command());
    case Phase::kReadOut:
        return read_out_time(port);
    case Phase::kCacheRead:
    case Phase::kCacheEnd:
        return cache_phase_time(port);
    case Phase::kCopyRead:
        return timing_.read_cycles * timing_.command_cycle;
    case Phase::kStatus:
        return timing_.status_time();
    case Phase::kReset:
        return timing_.command_cycle; // FFh
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
        if (command.source != kNoPpn) {
            return timing_.program_cycles * timing_.command_cycle; // 85h-10h
        }
        return timing_.multi_plane_time(command.nand_pages, timing_.program_cycles) +
               command.nand_pages * timing_.t_adl + command.count * page_time_;
    case FlashOpKind::kErase:
        break;
    }
    return timing_.multi_plane_time(command.count, timing_.erase_cycles);
}

TimePs Channel::read_out_time(const Port& port) const {
    const NandExtension& command = port.command();
    const std::uint64_t bytes = command.data_bytes[command.out];
    const TimePs data =
        bytes == geometry_.page_bytes ? page_time_ : timing_.data_time(with_spare(bytes));
    if (command.changes_column(geometry_)) {
        return kColumnChangeCycles * timing_.command_cycle + timing_.t_ccs + data;
    }
    if (command.nand_pages > 1) {
        return kPlaneChangeCycles * timing_.command_cycle + timing_.t_ccs + data;
    }
    return timing_.polls.on ? timing_.command_cycle + data : data; // 00h: no more status
}

/// What timelines call the phase.
const char* Channel::name_of(const Port& port) const {
    static constexpr std::array<const char*, 9> kNames{"command",   "data out",   "suspend",
                                                       "resume",    "cache read", "cache end",
                                                       "copy read", "status",     "reset"};
    const NandExtension& command = port.command();
    if (port.wanted != Phase::kLatch || command.kind != FlashOpKind::kProgram) {
        return kNames[static_cast<std::size_t>(port.wanted)];
    }
    if (command.source != kNoPpn) {
        return "copy program";
    }
    if (timing_.one_shot.on && !geometry_.is_slc(command.pages[0])) {
        return command.cached ? "cache word line in" : "word line in";
    }
    return command.cached ? "cache data in" : "data in";
}

void Channel::granted(std::uint32_t slot) {
    const TimePs now = now_ps();
    CAVERN_CHECK(bus_free_at_ <= now, "the bus is granted to one die at a time");
    Port& port = *ports_[slot];
    const bool read_out = port.wanted == Phase::kReadOut || port.wanted == Phase::kStatus;
    const TimePs duration = phase_time(port);
    bus_free_at_ = now + duration + (read_out ? timing_.t_rhw : 0);
    port.released_at = bus_free_at_;
    ++statistics_.grants;
    statistics_.busy += bus_free_at_ - now;
    statistics_.wait_ps.add(now - port.asked_at);
    if (activity_ != nullptr) {
        activity_->grant(id_, slot, now, now - port.asked_at);
        activity_->bus(id_, slot, name_of(port), now, duration,
                       port.wanted == Phase::kCacheRead || port.resetting ? port.other()
                                                                          : port.command());
    }
    sc_core::sc_time delay = until(now + duration);
    switch (port.wanted) {
    case Phase::kLatch: {
        if (port.command().kind == FlashOpKind::kProgram && port.command().source == kNoPpn) {
            statistics_.bytes += port.command().count * page_bytes();
        }
        tlm::tlm_phase phase = NAND_LATCH;
        port.socket->nb_transport_fw(port.payloads[port.active], phase, delay);
        if (timing_.polls.on) {
            poll_after(port, duration + timing_.first_poll());
        }
        break;
    }
    case Phase::kReadOut: {
        statistics_.bytes += with_spare(port.command().data_bytes[port.command().out]);
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
    case Phase::kCacheRead:
    case Phase::kCacheEnd:
        send_cache_phase(port, delay);
        break;
    case Phase::kCopyRead: {
        tlm::tlm_phase phase = NAND_COPY_READ;
        port.socket->nb_transport_fw(port.payloads[port.active], phase, delay);
        break;
    }
    case Phase::kStatus: {
        tlm::tlm_phase phase = NAND_STATUS;
        port.socket->nb_transport_fw(port.payloads[port.active ^ (port.resetting ? 1 : 0)], phase,
                                     delay);
        break;
    }
    case Phase::kReset:
        send_reset(port, delay);
        break;
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
    case kPoll:
        ask_for_bus(port, Phase::kStatus);
        break;
    case kReset:
        ask_for_bus(port, Phase::kReset);
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
        if (port.reads_on) {
            cached_read_is_out(port);
        } else {
            client_.operation_finished(die);
        }
        return;
    }
    ask_for_bus(port, Phase::kReadOut);
    client_.page_out(die, command.out - 1);
}

void Channel::ready(std::uint32_t slot, const tlm::tlm_generic_payload& payload) {
    Port& port = *ports_[slot];
    const DieId die = geometry_.die_at(id_, slot);
    if (&payload != &port.payloads[port.active]) {
        if (port.resetting) {
            reset_ends(port);
        } else {
            client_.program_finished(die); // the one ahead
        }
        return;
    }
    if (port.command().suspended) {
        port.active ^= 1;
        client_.operation_suspended(die);
    } else if (port.wanted == Phase::kSuspend) {
        port.too_late = true; // it ends with the command
    } else if (port.command().kind == FlashOpKind::kRead) {
        if (!timing_.cache.reads || !read_on(port)) {
            ask_for_bus(port, Phase::kReadOut);
        }
    } else if (port.wanted == Phase::kCopyRead) {
        ask_for_bus(port, Phase::kLatch);
    } else {
        client_.operation_finished(die);
    }
}

} // namespace cavern
