#include "cpu/gdb_session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cpu/gdb_description.h"

namespace cavern::cpu {

namespace {

// Numbers of errors and signals are those of GDB (include/gdb/fileio.h, gdb/signals.def).
constexpr const char* kInvalid = "E16";
constexpr const char* kNoMemory = "E0e";
constexpr const char* kOk = "OK";

const char* signal_of(const Fault& fault) {
    switch (fault.kind) {
    case FaultKind::kIllegal:
        return "S04"; // SIGILL
    case FaultKind::kMisaligned:
        return "S0a"; // SIGBUS
    default:
        return "S0b"; // SIGSEGV
    }
}

std::string reply_of(const DebugStop& stop) {
    using Why = DebugStop::Why;
    switch (stop.why) {
    case Why::kStart:
    case Why::kStep:
    case Why::kBreakpoint:
        return "S05"; // SIGTRAP
    case Why::kWatchpoint: {
        const Watchpoint& watched = stop.hit.watchpoint;
        const char* kind = !watched.on_load ? "watch" : watched.on_store ? "awatch" : "rwatch";
        return fmt::format("T05{}:{:x};", kind, stop.hit.address);
    }
    case Why::kInterrupt:
    case Why::kWaiting:
        return "S02"; // SIGINT
    case Why::kFault:
        return signal_of(stop.fault);
    case Why::kExit:
        return fmt::format("W{:02x}", stop.status);
    case Why::kWatchdog:
        return "X18"; // SIGXCPU
    }
    return "S05";
}

/// For the debugger's console; nothing where the reply says it all.
std::string explanation_of(const DebugStop& stop) {
    switch (stop.why) {
    case DebugStop::Why::kFault:
        return fmt::format("0x{:08x} {} (0x{:08x})\n", stop.fault.pc, name_of(stop.fault.kind),
                           stop.fault.address);
    case DebugStop::Why::kWaiting:
        return "waits for an interrupt that never comes\n";
    case DebugStop::Why::kWatchdog:
        return "may execute no more instructions (watchdog)\n";
    default:
        return {};
    }
}

} // namespace

void GdbSession::receive(std::string_view bytes) {
    reader_.add(bytes);
    process();
}

std::string GdbSession::take_output() {
    return std::exchange(output_, {});
}

std::optional<Resume> GdbSession::take_resume() {
    return std::exchange(resume_, std::nullopt);
}

bool GdbSession::take_interrupt() {
    return std::exchange(interrupt_, false);
}

void GdbSession::stopped(const DebugStop& stop) {
    stop_reply_ = reply_of(stop);
    if (!running_) {
        return;
    }
    running_ = false;
    interrupt_ = false;
    if (const std::string why = explanation_of(stop); !why.empty()) {
        send('O' + hex_of(why));
    }
    send(stop_reply_);
    process();
}

void GdbSession::forget_breakpoints() {
    for (const auto& [pc, kinds] : breakpoints_) {
        target_.remove_breakpoint(pc);
    }
    for (const Watchpoint& watchpoint : watchpoints_) {
        target_.remove_watchpoint(watchpoint);
    }
    breakpoints_.clear();
    watchpoints_.clear();
}

void GdbSession::process() {
    using Kind = GdbPacketReader::Kind;
    while (const auto item = reader_.next(running_)) {
        switch (item->kind) {
        case Kind::kAck:
            break;
        case Kind::kNack:
            output_ += last_sent_;
            break;
        case Kind::kInterrupt:
            interrupt_ = running_;
            break;
        case Kind::kBad:
            if (acknowledges_) {
                output_ += '-'; // it comes again
            } else {
                send(kInvalid);
            }
            break;
        case Kind::kLong:
        case Kind::kPacket:
            if (acknowledges_) {
                output_ += '+';
            }
            if (item->kind == Kind::kLong) {
                send(kInvalid);
            } else if (const auto reply = reply_to(item->data)) {
                send(*reply);
            }
            if (item->data == "QStartNoAckMode") {
                acknowledges_ = false;
            }
            break;
        }
    }
}

void GdbSession::send(std::string_view data) {
    last_sent_ = gdb_packet(data);
    output_ += last_sent_;
}

std::optional<std::string> GdbSession::reply_to(std::string_view packet) {
    const char first = packet.empty() ? '\0' : packet.front();
    const std::string_view rest = packet.substr(packet.empty() ? 0 : 1);
    switch (first) {
    case '?':
        return stop_reply_;
    case 'g':
        return registers();
    case 'G':
        return set_registers(rest) ? kOk : kInvalid;
    case 'p':
        return read_register(rest);
    case 'P':
        return write_register(rest);
    case 'm':
        return read_memory(rest);
    case 'M':
        return write_memory(rest, false);
    case 'X':
        return write_memory(rest, true);
    case 'Z':
        return change_point(rest, true);
    case 'z':
        return change_point(rest, false);
    case 'H': // there is one thread
    case 'T':
        return kOk;
    case 'q':
    case 'Q':
        return query(packet);
    case 'c':
    case 's':
    case 'C':
    case 'S':
        return resume_at(first, rest);
    case 'v':
        if (std::string_view actions = rest; take(actions, "Cont;")) {
            return resume_by_actions(actions);
        }
        if (rest == "Cont?") {
            return "vCont;c;C;s;S";
        }
        return leave_with(packet);
    default:
        return leave_with(packet);
    }
}

std::optional<std::string> GdbSession::leave_with(std::string_view packet) {
    if (packet == "k") {
        resume_ = Resume::kKill;
        return std::nullopt;
    }
    const bool kills = packet.substr(0, 6) == "vKill;";
    if (!kills && packet.substr(0, 1) != "D") {
        return std::string();
    }
    forget_breakpoints();
    resume_ = kills ? Resume::kKill : Resume::kDetach;
    return kOk;
}

std::string GdbSession::query(std::string_view packet) {
    if (take(packet, "qSupported")) {
        return fmt::format("PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;vContSupported+",
                           GdbPacketReader::kLongest);
    }
    if (packet == "QStartNoAckMode" || packet.substr(0, 8) == "qSymbol:") {
        return kOk;
    }
    if (packet == "qAttached") {
        return "1"; // a debugger that ends lets it run
    }
    if (take(packet, "qRcmd,")) {
        return command(packet);
    }
    if (take(packet, "qXfer:features:read:")) {
        if (!take(packet, "target.xml:")) {
            return "E00";
        }
        const auto offset = take_number(packet);
        const auto length = take_number_after(packet, ",");
        if (!offset || !length || !packet.empty()) {
            return kInvalid;
        }
        const std::string& text = gdb_target_description();
        const std::size_t from = std::min<std::size_t>(*offset, text.size());
        const std::size_t most = std::min<std::size_t>(*length, GdbPacketReader::kLongest / 2);
        const std::string part = text.substr(from, most);
        return (from + part.size() < text.size() ? 'm' : 'l') + part;
    }
    return {};
}

std::string GdbSession::command(std::string_view hex) {
    const std::string words = bytes_of_hex(hex).value_or("");
    if (words == "cycles") {
        return hex_of(
            fmt::format("{} cycles, {} instructions\n", target_.cycle(), target_.instructions()));
    }
    if (words == "reset") {
        if (!target_.reset()) {
            return hex_of("it cannot be reset by itself\n");
        }
        has_changed_ = true;
        stop_reply_ = reply_of({});
        return hex_of("reset; \"maintenance flush register-cache\" shows it\n");
    }
    return hex_of("monitor cycles: cycles and instructions since reset\n"
                  "monitor reset: loads the image again and starts from its entry\n");
}

std::optional<std::uint32_t> GdbSession::reg(std::uint32_t number) const {
    if (number < kGdbPc) {
        return target_.read_register(number);
    }
    if (number == kGdbPc) {
        return target_.read_pc();
    }
    return number < kGdbFirstCsr ? std::nullopt : target_.read_csr(number - kGdbFirstCsr);
}

bool GdbSession::set_reg(std::uint32_t number, std::uint32_t value) {
    bool written = true;
    if (number < kGdbPc) {
        target_.write_register(number, value);
    } else if (number == kGdbPc) {
        target_.write_pc(value);
    } else {
        written = number >= kGdbFirstCsr && target_.write_csr(number - kGdbFirstCsr, value);
    }
    has_changed_ |= written;
    return written;
}

std::string GdbSession::registers() const {
    std::string text;
    for (std::uint32_t i = 0; i <= kGdbPc; ++i) {
        text += hex_of_word(reg(i).value_or(0));
    }
    return text;
}

bool GdbSession::set_registers(std::string_view values) {
    constexpr std::size_t kDigits = 8;
    if (values.size() != (kGdbPc + 1) * kDigits || !bytes_of_hex(values)) {
        return false;
    }
    for (std::uint32_t i = 0; i <= kGdbPc; ++i) {
        set_reg(i, word_of_hex(values.substr(i * kDigits, kDigits)).value_or(0));
    }
    return true;
}

std::string GdbSession::read_register(std::string_view packet) const {
    const auto number = take_number(packet);
    const auto value = number && packet.empty() ? reg(*number) : std::nullopt;
    return value ? hex_of_word(*value) : kInvalid;
}

std::string GdbSession::write_register(std::string_view packet) {
    const auto number = take_number(packet);
    const auto value = take(packet, "=") ? word_of_hex(packet) : std::nullopt;
    return number && value && set_reg(*number, *value) ? kOk : kInvalid;
}

std::string GdbSession::read_memory(std::string_view packet) {
    const auto address = take_number(packet);
    const auto length = take_number_after(packet, ",");
    if (!address || !length || !packet.empty()) {
        return kInvalid;
    }
    const std::uint32_t most = GdbPacketReader::kLongest / 2;
    const std::string bytes = target_.read_memory(*address, std::min(*length, most));
    return bytes.empty() ? kNoMemory : hex_of(bytes);
}

std::string GdbSession::write_memory(std::string_view packet, bool binary) {
    const auto address = take_number(packet);
    const auto length = take_number_after(packet, ",");
    if (!address || !length || !take(packet, ":")) {
        return kInvalid;
    }
    const auto bytes = binary ? std::optional(std::string(packet)) : bytes_of_hex(packet);
    if (!bytes || bytes->size() != *length) {
        return kInvalid;
    }
    const bool written = target_.write_memory(*address, *bytes);
    has_changed_ |= written;
    return written ? kOk : kNoMemory;
}

std::string GdbSession::change_point(std::string_view packet, bool insert) {
    const auto type = take_number(packet);
    const auto address = take_number_after(packet, ",");
    const auto size = take_number_after(packet, ",");
    if (!type || !address || !size || !packet.empty() || *size == 0) {
        return kInvalid;
    }
    if (*type <= 1) { // software and hardware breakpoints
        return change_breakpoint(*address, 1u << *type, insert);
    }
    if (*type > 4) {
        return {};
    }
    return change_watchpoint({*address, *size, *type != 2, *type != 3}, insert);
}

std::string GdbSession::change_breakpoint(std::uint32_t pc, unsigned kind, bool insert) {
    if (insert) {
        if (!target_.add_breakpoint(pc)) {
            return kNoMemory;
        }
        breakpoints_[pc] |= kind;
    } else if (const auto found = breakpoints_.find(pc); found != breakpoints_.end()) {
        found->second &= ~kind;
        if (found->second == 0) {
            target_.remove_breakpoint(pc);
            breakpoints_.erase(found);
        }
    }
    return kOk;
}

std::string GdbSession::change_watchpoint(const Watchpoint& watchpoint, bool insert) {
    const auto found = std::find(watchpoints_.begin(), watchpoints_.end(), watchpoint);
    if (insert && found == watchpoints_.end()) {
        if (watchpoint.address + (watchpoint.bytes - 1) < watchpoint.address) {
            return kNoMemory;
        }
        target_.add_watchpoint(watchpoint);
        watchpoints_.push_back(watchpoint);
    } else if (!insert && found != watchpoints_.end()) {
        target_.remove_watchpoint(watchpoint);
        watchpoints_.erase(found);
    }
    return kOk;
}

void GdbSession::run(Resume resume) {
    resume_ = resume;
    running_ = true;
}

/// "c", "C05", "s:1;c": the first action is for the only thread.
std::optional<std::string> GdbSession::resume_by_actions(std::string_view actions) {
    const std::string_view first = actions.substr(0, actions.find_first_of(":;"));
    const char action = first.empty() ? '\0' : first.front();
    std::string_view rest = first.substr(first.empty() ? 0 : 1);
    const bool with_signal = action == 'C' || action == 'S';
    if ((with_signal && !take_number(rest)) || !rest.empty() ||
        !(with_signal || action == 'c' || action == 's')) {
        return kInvalid;
    }
    run(action == 's' || action == 'S' ? Resume::kStep : Resume::kContinue);
    return std::nullopt;
}

/// "c", "c100080", "C05;100080". There is nothing that a signal could be given to.
std::optional<std::string> GdbSession::resume_at(char action, std::string_view rest) {
    if (action == 'C' || action == 'S') {
        if (!take_number(rest) || (!rest.empty() && (!take(rest, ";") || rest.empty()))) {
            return kInvalid;
        }
    }
    if (!rest.empty()) {
        const auto address = take_number(rest);
        if (!address || !rest.empty()) {
            return kInvalid;
        }
        has_changed_ = true;
        target_.write_pc(*address);
    }
    run(action == 's' || action == 'S' ? Resume::kStep : Resume::kContinue);
    return std::nullopt;
}

} // namespace cavern::cpu
