#include "timed/channel/channel.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "timed/channel/channel_port.h"
#include "timed/tlm/time.h"

namespace cavern {

Channel::Channel(const sc_core::sc_module_name& name, EventQueue& events, ChannelId id,
                 const Geometry& geometry, const NandTiming& timing, NandClientIf& client,
                 ActivityLogIf* activity)
    : sc_module(name), events_(events), id_(id), geometry_(geometry), timing_(timing),
      client_(client), activity_(activity),
      page_time_(timing.data_time(std::uint64_t{geometry.page_bytes} + geometry.spare_bytes)) {
    for (std::size_t i = 0; i < cycles_.size(); ++i) {
        cycles_[i] = kNandSteps[i].cycles(timing) * timing.command_cycle;
    }
    const auto then = [this](NandStep step) -> Then& {
        return then_[static_cast<std::size_t>(step)];
    };
    const Then latched = timing.suspend.any() ? Then::kTell
                         : timing.polls.on    ? Then::kPoll
                                              : Then::kNothing;
    for (const NandStep step : {NandStep::kRead, NandStep::kProgram, NandStep::kErase,
                                NandStep::kCopyProgram, NandStep::kResume}) {
        then(step) = latched;
    }
    for (std::size_t i = 0; i < kNandCommands.size(); ++i) {
        const NandBeginning& beginning = kNandCommands[i].beginning;
        if (beginning.given != nullptr && beginning.given(timing)) {
            beginning_.push_back(NandCommand{static_cast<std::uint8_t>(i)});
            then(kNandCommands[i].step[0]) = timing.polls.on ? Then::kPoll : Then::kNothing;
        }
    }
    then(NandStep::kDataOut) = Then::kReadOutEnds;
    then(NandStep::kSuspend) = Then::kSuspendEnds;
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

// ---- what is asked for --------------------------------------------------------------------------

void Channel::start(std::uint32_t slot) {
    Port& port = *ports_[slot];
    port.command().out = 0;
    port.command().ends = 0;
    port.command().from_cache = false;
    if (port.beginning) {
        port.started = true;
    } else {
        begin(port);
    }
}

void Channel::begin(Port& port) {
    port.steps_begun = 1;
    ask_for_bus(port, row_of(port.command().what).step[0]);
}

void Channel::suspend(std::uint32_t slot) {
    ask_for_bus(*ports_[slot], NandStep::kSuspend);
}

void Channel::resume(std::uint32_t slot) {
    Port& port = *ports_[slot];
    port.active ^= 1;
    port.command().ends = 0;
    port.steps_begun = 1;
    ask_for_bus(port, NandStep::kResume);
}

void Channel::ask_for_bus(Port& port, NandStep step) {
    ask_for_bus(port, step, port.active);
}

void Channel::ask_for_bus(Port& port, NandStep step, std::size_t names) {
    port.step = step;
    port.names = names;
    port.asked_at = now_ps();
    if (port.released_at > now_ps()) {
        events_.schedule(port.released_at, *this, kTurnedRound | port.slot);
    } else {
        request(port);
    }
}

void Channel::request(const Port& port) {
    static constexpr std::array<BusClass, 4> kClasses{BusClass::kCommand, BusClass::kProgramData,
                                                      BusClass::kReadOut, BusClass::kCommand};
    arbiter_->request(port.slot, kClasses[static_cast<std::size_t>(row_of(port.step).data)]);
}

// ---- the bus ------------------------------------------------------------------------------------

TimePs Channel::time_of(const Port& port) const {
    const NandExtension& command = port.commands[port.names];
    const NandStepRow& row = row_of(port.step);
    const TimePs cycles = row.each_plane && command.nand_pages != 1
                              ? timing_.multi_plane_time(command.nand_pages, row.cycles(timing_))
                              : cycles_[static_cast<std::size_t>(port.step)];
    switch (row.data) {
    case NandData::kNone:
        return cycles;
    case NandData::kIn:
        return cycles + command.nand_pages * timing_.t_adl + command.count * page_time_;
    case NandData::kOut:
        return data_out_time(command);
    case NandData::kStatus:
        break;
    }
    return timing_.status_time();
}

TimePs Channel::data_out_time(const NandExtension& command) const {
    const std::uint64_t bytes = command.data_bytes[command.out];
    const TimePs data =
        bytes == geometry_.page_bytes ? page_time_ : timing_.data_time(with_spare(bytes));
    if (command.changes_column(geometry_)) {
        return kColumnChangeCycles * timing_.command_cycle + timing_.t_ccs + data;
    }
    if (command.nand_pages > 1) {
        return kPlaneChangeCycles * timing_.command_cycle + timing_.t_ccs + data;
    }
    return cycles_[static_cast<std::size_t>(NandStep::kDataOut)] + data;
}

const char* Channel::name_of(const Port& port) const {
    const NandExtension& command = port.commands[port.names];
    if (port.step != NandStep::kProgram) {
        return row_of(port.step).name;
    }
    const bool cached = command.what == NandCommand::kCacheProgram;
    if (timing_.one_shot.on && !geometry_.is_slc(command.pages[0])) {
        return cached ? "cache word line in" : "word line in";
    }
    return cached ? "cache data in" : row_of(port.step).name;
}

void Channel::granted(std::uint32_t slot) {
    const TimePs now = now_ps();
    CAVERN_CHECK(bus_free_at_ <= now, "the bus is granted to one die at a time");
    Port& port = *ports_[slot];
    NandExtension& command = port.commands[port.names];
    const NandData data = row_of(port.step).data;
    const bool comes_out = data == NandData::kOut || data == NandData::kStatus;
    const TimePs duration = time_of(port);
    bus_free_at_ = now + duration + (comes_out ? timing_.t_rhw : 0);
    port.released_at = bus_free_at_;
    ++statistics_.grants;
    statistics_.busy += bus_free_at_ - now;
    statistics_.wait_ps.add(now - port.asked_at);
    if (activity_ != nullptr) {
        activity_->grant(id_, slot, now, now - port.asked_at);
        activity_->bus(id_, slot, name_of(port), now, duration, command);
    }
    if (data == NandData::kIn) {
        statistics_.bytes += command.count * page_bytes();
    } else if (data == NandData::kOut) {
        statistics_.bytes += with_spare(command.data_bytes[command.out]);
    }
    if (port.step != NandStep::kSuspend || !port.too_late) {
        command.step = port.step;
        tlm::tlm_phase phase = port.step == NandStep::kSuspend ? NAND_SUSPEND : NAND_LATCH;
        sc_core::sc_time delay = until(now + duration);
        port.socket->nb_transport_fw(port.payloads[port.names], phase, delay);
    }
    const Then then = then_[static_cast<std::size_t>(port.step)];
    if (then == Then::kPoll) {
        poll_after(port, duration + timing_.first_poll());
    } else if (then != Then::kNothing && then != Then::kTell) {
        events_.schedule(now + duration, *this,
                         (then == Then::kReadOutEnds ? kReadOutEnds : kSuspendEnds) | slot);
    }
    arbiter_->release_at(slot, bus_free_at_);
    if (then == Then::kTell) {
        client_.operation_latched(port.die);
    }
}

void Channel::on_event(std::uint64_t what) {
    const auto slot = static_cast<std::uint32_t>(what);
    Port& port = *ports_[slot];
    switch (what - slot) {
    case kReadOutEnds:
        read_out_ends(port);
        break;
    case kTurnedRound:
        request(port);
        break;
    case kPoll:
        ask_for_bus(port, NandStep::kStatus, port.active ^ (port.beginning ? 1 : 0));
        break;
    case kBeginning:
        give_next(port);
        break;
    default:
        if (std::exchange(port.too_late, false)) {
            client_.operation_finished(port.die);
        }
    }
}

/// With the last one the read ends.
void Channel::read_out_ends(Port& port) {
    NandExtension& command = port.command();
    if (++command.out == command.count) {
        if (port.reads_on) {
            cached_read_is_out(port);
        } else {
            client_.operation_finished(port.die);
        }
        return;
    }
    ask_for_bus(port, NandStep::kDataOut);
    client_.page_out(port.die, command.out - 1);
}

void Channel::poll_after(const Port& port, TimePs delay) {
    events_.schedule(now_ps() + delay, *this, kPoll | port.slot);
}

// ---- what dies answer ---------------------------------------------------------------------------

/// R/B# is high: the next step of the command follows, or it is finished.
void Channel::ready(Port& port, const tlm::tlm_generic_payload& payload) {
    if (&payload != &port.payloads[port.active]) {
        if (port.beginning) {
            give_next(port);
        } else {
            client_.program_finished(port.die); // the one ahead
        }
        return;
    }
    const NandExtension& command = port.command();
    if (port.step == NandStep::kSuspend) {
        if (command.suspended) {
            port.active ^= 1;
            client_.operation_suspended(port.die);
        } else {
            port.too_late = true; // it ends with the command
        }
        return;
    }
    const NandCommandRow& row = row_of(command.what);
    if (port.steps_begun == row.steps) {
        client_.operation_finished(port.die);
    } else if (port.step != NandStep::kRead || !timing_.cache.reads || !read_on(port)) {
        ask_for_bus(port, row.step[port.steps_begun++]);
    }
}

/// The array is: a poll has found that out, or it has taken the data of a cached program.
void Channel::busy(const Port& port) {
    if (timing_.polls.on) {
        poll_after(port, timing_.polls.interval);
    } else {
        client_.cache_free(port.die);
    }
}

void Channel::start_of_simulation() {
    for (const auto& port : ports_) {
        if (port->beginning) {
            events_.schedule(0, *this, kBeginning | port->slot);
        }
    }
}

/// Of what the die is given at the beginning; behind the last one its operations begin.
void Channel::give_next(Port& port) {
    if (port.given < beginning_.size()) {
        // The first operation may already be in command().
        port.other().what = beginning_[port.given++];
        ask_for_bus(port, row_of(port.other().what).step[0], port.active ^ 1);
        return;
    }
    port.beginning = false;
    if (std::exchange(port.started, false)) {
        begin(port);
    }
}

// ---- data on the bus while the array works ------------------------------------------------------

NandExtension& Channel::next_command(std::uint32_t slot) {
    return ports_[slot]->other();
}

void Channel::start_next(std::uint32_t slot) {
    ports_[slot]->active ^= 1;
    start(slot);
}

/// The pages of a read are in the page register. Returns whether they are not moved out yet,
/// because the array goes on with the next ones first.
bool Channel::read_on(Port& port) {
    if (!client_.next_read(port.die)) {
        return false;
    }
    port.command().from_cache = true;
    port.reads_on = true;
    ask_for_next_read(port);
    return true;
}

/// The array reads the other command, or has done so.
void Channel::cached_read_is_out(Port& port) {
    port.active ^= 1;
    port.steps_begun = 1;
    port.command().from_cache = true;
    port.reads_on = client_.cached_read_out(port.die);
    if (port.reads_on) {
        ask_for_next_read(port);
    } else {
        port.other().out = 0;
        ask_for_bus(port, NandStep::kCacheEnd);
    }
}

/// 31h alone goes on with the next page of the block; else each page is named.
void Channel::ask_for_next_read(Port& port) {
    NandExtension& next = port.other();
    next.out = 0;
    const NandExtension& ahead = port.command();
    const auto nand_page = [this](Ppn page) { return raw(page) / geometry_.units_per_page; };
    const bool follows = ahead.nand_pages == 1 && next.nand_pages == 1 &&
                         nand_page(next.pages[0]) == nand_page(ahead.pages[0]) + 1;
    ask_for_bus(port, follows ? NandStep::kCacheNext : NandStep::kCacheRead, port.active ^ 1);
}

} // namespace cavern
