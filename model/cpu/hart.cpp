#include "cpu/hart.h"

#include <algorithm>

#include "cpu/hart_locals.h"

namespace cavern::cpu {

const char* name_of(FaultKind kind) {
    switch (kind) {
    case FaultKind::kFetch:
        return "fetches from where no instruction memory is";
    case FaultKind::kIllegal:
        return "is an illegal instruction";
    case FaultKind::kLoad:
        return "loads from where nothing is";
    case FaultKind::kStore:
        return "stores to where nothing is";
    case FaultKind::kMisaligned:
        return "makes a misaligned access";
    case FaultKind::kNone:
        break;
    }
    return "has no fault";
}

Hart::Hart(MemorySystem& memory, const IbexTiming& timing, FaultPolicy policy)
    : memory_(memory), timing_(timing), policy_(policy),
      decoded_(memory.map().instruction.size / 2 + 1) {
    decoded_.back().op = Op::kFetchFault;
    reset(memory.map().reset_pc());
}

void Hart::reset(std::uint32_t pc) {
    x_ = {};
    pc_ = pc & ~1u;
    cycle_ = timing_.reset;
    order_ = 0;
    traps_ = 0;
    handler_order_ = ~std::uint64_t{0};
    broken_at_ = {};
    watched_at_ = {};
    waiting_ = false;
    slept_ = 0;
    stop_requested_ = false;
    fault_ = {};
    csrs_.reset(memory_.map().boot_address());
}

void Hart::request_stop() {
    stop_requested_ = true;
}

void Hart::set_interrupt(std::uint32_t line, bool level) {
    const std::uint32_t bit = 1u << line & interrupt::kLines;
    csrs_.set_lines(level ? csrs_.lines() | bit : csrs_.lines() & ~bit);
}

void Hart::set_interrupts(std::uint32_t lines) {
    csrs_.set_lines(lines & interrupt::kLines);
}

void Hart::set_reg(std::uint32_t number, std::uint32_t value) {
    if (number != 0) {
        x_[number] = value;
    }
}

std::optional<std::uint32_t> Hart::csr(std::uint32_t number) const {
    return csrs_.read(number, now());
}

bool Hart::set_csr(std::uint32_t number, std::uint32_t value) {
    return csrs_.write(number, value, now());
}

void Hart::advance_to(std::uint64_t cycle) {
    cycle_ = std::max(cycle_, cycle);
}

void Hart::add_breakpoint(std::uint32_t pc) {
    if (!has_breakpoint(pc)) {
        breakpoints_.push_back(pc);
        forget_decoded(pc, 1);
    }
}

void Hart::remove_breakpoint(std::uint32_t pc) {
    breakpoints_.erase(std::remove(breakpoints_.begin(), breakpoints_.end(), pc),
                       breakpoints_.end());
    forget_decoded(pc, 1);
}

bool Hart::has_breakpoint(std::uint32_t pc) const {
    return std::find(breakpoints_.begin(), breakpoints_.end(), pc) != breakpoints_.end();
}

void Hart::add_watchpoint(const Watchpoint& watchpoint) {
    if (std::find(watchpoints_.begin(), watchpoints_.end(), watchpoint) == watchpoints_.end()) {
        watchpoints_.push_back(watchpoint);
    }
}

void Hart::remove_watchpoint(const Watchpoint& watchpoint) {
    watchpoints_.erase(std::remove(watchpoints_.begin(), watchpoints_.end(), watchpoint),
                       watchpoints_.end());
}

bool Hart::watched(std::uint32_t address, std::uint32_t size, bool store, Locals& locals) {
    for (const Watchpoint& watchpoint : watchpoints_) {
        const std::uint32_t into = address - watchpoint.address; // watched bytes before the access
        const std::uint32_t before = watchpoint.address - address;
        if (!(store ? watchpoint.on_store : watchpoint.on_load) ||
            (into >= watchpoint.bytes && before >= size)) {
            continue;
        }
        locals.put_back(*this);
        const Held here{order_, pc_};
        if (watched_at_ == here) {
            return false;
        }
        watched_at_ = here;
        watch_hit_ = {watchpoint, into < watchpoint.bytes ? address : watchpoint.address, store};
        watch_holds_ = true;
        return true;
    }
    return false;
}

Decoded Hart::decode_at(std::uint32_t pc) const {
    const BusAnswer first = memory_.fetch(pc & ~3u);
    Decoded fault;
    fault.op = Op::kFetchFault;
    if (first.fault) {
        return fault;
    }
    if ((pc & 2) == 0) {
        return decode(first.data);
    }
    const std::uint32_t low = first.data >> 16;
    if (is_compressed(low)) {
        return decode(low);
    }
    const BusAnswer second = memory_.fetch(pc + 2);
    if (second.fault) {
        fault.imm = 2; // it is the second part that is missing
        return fault;
    }
    return decode(second.data << 16 | low);
}

void Hart::decode_entry(std::uint32_t pc) {
    Decoded& entry = decoded_[(pc - memory_.map().instruction.base) / 2];
    entry = decode_at(pc);
    if (has_breakpoint(pc)) {
        entry.op = Op::kBreakpoint;
    }
}

// An instruction of 32 bits may begin in the halfword before.
void Hart::forget_decoded(std::uint32_t address, std::uint32_t bytes) {
    const std::uint32_t offset = address - memory_.map().instruction.base;
    if (offset >= memory_.map().instruction.size) {
        return;
    }
    const std::uint32_t last = std::min<std::uint32_t>(
        (offset + bytes - 1) / 2, static_cast<std::uint32_t>(decoded_.size()) - 2);
    for (std::uint32_t i = offset < 2 ? 0 : offset / 2 - 1; i <= last; ++i) {
        decoded_[i].op = Op::kUndecoded;
    }
}

// A target across two words needs both of them before it can start.
std::uint32_t Hart::target_penalty(std::uint32_t pc) const {
    if ((pc & 2) == 0) {
        return 0;
    }
    const BusAnswer word = memory_.fetch(pc & ~3u);
    return word.fault || is_compressed(word.data >> 16) ? 0 : timing_.unaligned_target;
}

std::uint64_t Hart::refill(const Decoded& decoded, std::uint64_t cycles) const {
    const std::uint64_t target = target_penalty(pc_);
    if (trapped_) {
        return (decoded.op >= Op::kLb && decoded.op <= Op::kSw ? timing_.access_fault
                                                               : timing_.exception - 1) +
               target;
    }
    switch (decoded.op) {
    case Op::kJal:
    case Op::kJalr:
    case Op::kFenceI:
        return target;
    case Op::kBeq:
    case Op::kBne:
    case Op::kBlt:
    case Op::kBge:
    case Op::kBltu:
    case Op::kBgeu:
        // The condition takes one cycle, the target a second.
        return cycles == timing_.branch_not_taken ? 0 : cycles - 2;
    case Op::kMret:
    case Op::kWfi:
        return cycles - 1;
    case Op::kCsrrw:
    case Op::kCsrrs:
    case Op::kCsrrwi:
    case Op::kCsrrsi:
        return cycles - timing_.csr;
    default:
        return 0;
    }
}

void Hart::go_to_handler(std::uint32_t cause, std::uint32_t value, std::uint32_t cycles) {
    pc_ = csrs_.enter_trap(pc_, cause, value);
    cycle_ += cycles + target_penalty(pc_);
}

void Hart::take_interrupt() {
    waiting_ = false;
    handler_order_ = order_;
    go_to_handler(cause::kInterrupt | csrs_.first_pending(), 0, timing_.interrupt);
}

bool Hart::raise(std::uint32_t cause, std::uint32_t value, FaultKind kind, std::uint32_t cycles) {
    if (kind != FaultKind::kNone && policy_ == FaultPolicy::kStop) {
        const bool at_pc = kind == FaultKind::kFetch || kind == FaultKind::kIllegal;
        const Decoded here = decode_at(pc_);
        fault_ = {kind, pc_, here.instruction, at_pc ? pc_ : value};
        return false;
    }
    trapped_ = true;
    ++traps_;
    handler_order_ = order_ + 1;
    go_to_handler(cause, value, cycles);
    return true;
}

Hart::SlowAccess Hart::load_slow(std::uint32_t address, std::uint32_t size) {
    if (address % size != 0 && policy_ == FaultPolicy::kStop) {
        raise(0, address, FaultKind::kMisaligned, 0);
        return {0, 0, false};
    }
    const std::uint32_t first_size = std::min(size, 4 - address % 4);
    BusAnswer first = memory_.load(address, first_size, cycle_);
    SlowAccess result{first.data, first.wait_cycles, true};
    std::uint32_t fault_address = address;
    if (first_size < size) {
        // The second part is read whether the first one failed or not.
        const std::uint32_t rest = address + first_size;
        const BusAnswer second = memory_.load(rest, size - first_size, cycle_);
        result.data |= second.data << (8 * first_size);
        result.cycles = std::max(result.cycles, second.wait_cycles) + timing_.crossing;
        if (!first.fault) {
            fault_address = rest;
            first.fault = second.fault;
        }
    }
    if (first.fault) {
        result.done = false;
        raise(cause::kLoadFault, fault_address, FaultKind::kLoad,
              timing_.load + result.cycles + timing_.access_fault);
    }
    return result;
}

Hart::SlowAccess Hart::store_slow(std::uint32_t address, std::uint32_t value, std::uint32_t size) {
    if (address % size != 0 && policy_ == FaultPolicy::kStop) {
        raise(0, address, FaultKind::kMisaligned, 0);
        return {0, 0, false};
    }
    const std::uint32_t first_size = std::min(size, 4 - address % 4);
    BusAnswer first = memory_.store(address, value, first_size, cycle_);
    SlowAccess result{0, first.wait_cycles, true};
    std::uint32_t fault_address = address;
    if (first_size < size) {
        const std::uint32_t rest = address + first_size;
        const BusAnswer second =
            memory_.store(rest, value >> (8 * first_size), size - first_size, cycle_);
        result.cycles = std::max(result.cycles, second.wait_cycles) + timing_.crossing;
        if (!first.fault) {
            fault_address = rest;
            first.fault = second.fault;
        }
    }
    if (decoded_version_ != memory_.code_version()) {
        forget_decoded(address, size);
        decoded_version_ = memory_.code_version();
    }
    if (first.fault) {
        result.done = false;
        raise(cause::kStoreFault, fault_address, FaultKind::kStore,
              timing_.store + result.cycles + timing_.access_fault);
    }
    return result;
}

bool Hart::access_csr(const Decoded& decoded) {
    const auto number = static_cast<std::uint32_t>(decoded.imm);
    const auto illegal = [&] {
        return raise(cause::kIllegal, decoded.instruction, FaultKind::kIllegal, timing_.exception);
    };
    const std::optional<std::uint32_t> old = csrs_.read(number, now());
    if (!old || !csrs_.accessible(number)) {
        return illegal();
    }
    const bool by_register =
        decoded.op == Op::kCsrrw || decoded.op == Op::kCsrrs || decoded.op == Op::kCsrrc;
    const std::uint32_t operand = by_register ? x_[decoded.rs1] : decoded.rs1;
    const bool sets = decoded.op == Op::kCsrrs || decoded.op == Op::kCsrrsi;
    const bool clears = decoded.op == Op::kCsrrc || decoded.op == Op::kCsrrci;
    std::uint32_t cycles = timing_.csr;
    if (!(sets || clears) || decoded.rs1 != 0) {
        const std::uint32_t value = sets ? *old | operand : clears ? *old & ~operand : operand;
        if (!csrs_.write(number, value, now())) {
            return illegal();
        }
        if (!clears && (number == csr::kMstatus || number == csr::kMie)) {
            cycles += timing_.csr_flush;
        }
    }
    x_[decoded.rd] = *old;
    pc_ += decoded.size;
    cycle_ += cycles;
    return true;
}

bool Hart::execute_rare(const Decoded& decoded) {
    switch (decoded.op) {
    case Op::kFetchFault:
        return raise(cause::kFetchFault, pc_ + static_cast<std::uint32_t>(decoded.imm),
                     FaultKind::kFetch, timing_.exception);
    case Op::kEcall:
        return raise(csrs_.user_mode() ? cause::kEcallUser : cause::kEcallMachine, 0,
                     FaultKind::kNone, timing_.exception);
    case Op::kEbreak:
        return raise(cause::kBreakpoint, 0, FaultKind::kNone, timing_.exception);
    case Op::kMret:
        if (!csrs_.user_mode()) {
            pc_ = csrs_.leave_trap();
            cycle_ += timing_.mret + target_penalty(pc_);
            return true;
        }
        break;
    case Op::kWfi:
        if (!(csrs_.user_mode() && csrs_.timeout_wait())) {
            pc_ += decoded.size;
            cycle_ += timing_.wfi;
            waiting_ = csrs_.pending() == 0;
            slept_from_ = cycle_;
            return true;
        }
        break;
    case Op::kFenceI:
        pc_ += decoded.size;
        cycle_ += timing_.jump + target_penalty(pc_);
        return true;
    case Op::kCsrrw:
    case Op::kCsrrs:
    case Op::kCsrrc:
    case Op::kCsrrwi:
    case Op::kCsrrsi:
    case Op::kCsrrci:
        return access_csr(decoded);
    default:
        break;
    }
    return raise(cause::kIllegal, decoded.instruction, FaultKind::kIllegal, timing_.exception);
}

} // namespace cavern::cpu
