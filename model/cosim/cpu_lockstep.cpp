#include "cosim/cpu_lockstep.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "cpu/instruction_trace.h"

namespace cavern {

namespace {

constexpr std::uint32_t kMret = 0x30200073;
constexpr std::uint32_t kMip = 0x344;
constexpr std::uint32_t kMcycle = 0xB00;
constexpr std::uint32_t kMcycleh = 0xB80;

/// The interpreter has the code, and reaches all else over its bus. Wait cycles come with Ibex's
/// answers.
cpu::MemoryMap code_alone(cpu::MemoryMap map) {
    map.data.size = 0;
    map.sdram.size = 0;
    map.bus_wait_cycles = 0;
    return map;
}

/// CSR that the instruction reads, 0 for none.
std::uint32_t csr_read(std::uint32_t instruction) {
    const bool system = (instruction & 0x7F) == 0x73 && (instruction >> 12 & 3) != 0;
    return system ? instruction >> 20 : 0;
}

} // namespace

DataAccess ReplayBus::find(std::uint32_t address, std::uint32_t size, bool write) {
    for (std::size_t i = 0; i < core_.accesses(); ++i) {
        const DataAccess& access = core_.access(i);
        if (access.address == address && access.size == size && access.write == write) {
            return access;
        }
    }
    differs_ = true;
    return {};
}

cpu::BusAnswer ReplayBus::load(std::uint32_t address, std::uint32_t size, std::uint64_t) {
    const DataAccess access = find(address, size, false);
    return {access.data, access.wait_cycles, access.fault};
}

cpu::BusAnswer ReplayBus::store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                                std::uint64_t) {
    const DataAccess access = find(address, size, true);
    differs_ |= access.data != value;
    return {0, access.wait_cycles, access.fault};
}

bool ReplayBus::take_difference() {
    return std::exchange(differs_, false);
}

CpuLockstep::CpuLockstep(cpu::MemorySystem& memory, const cpu::IbexTiming& timing,
                         std::uint64_t seed, ExtraWaitIf* extra)
    : memory_(memory), core_(memory, seed, extra), replay_(core_),
      code_(code_alone(memory.map()), &replay_), hart_(code_, timing, cpu::FaultPolicy::kTrap) {
    reset();
}

void CpuLockstep::reset() {
    const cpu::MemoryRegion& code = memory_.map().instruction;
    const std::uint8_t* bytes = memory_.direct(code.base, code.size);
    CAVERN_CHECK(bytes != nullptr && code_.write(code.base, bytes, code.size),
                 "both have an instruction memory");
    core_.reset();
    hart_.reset(memory_.map().reset_pc());
    slept_ = false;
    iss_ = {};
    compared_ = 0;
}

bool CpuLockstep::step(std::uint64_t max_cycles) {
    for (std::uint64_t i = 0; i < max_cycles; ++i) {
        if (tick()) {
            return true;
        }
    }
    return false;
}

bool CpuLockstep::tick() {
    const bool retired = core_.tick();
    if (core_.asleep()) {
        slept_ = true;
        woken_at_ = core_.cycle(); // the next cycle, as far as is known
    }
    if (retired) {
        compare();
    }
    return retired;
}

void CpuLockstep::compare() {
    ibex_ = core_.retired();
    if (slept_) {
        hart_.advance_to(woken_at_);
        slept_ = false;
    }
    hart_.set_interrupts(lines_before());
    const cpu::Stop stop = hart_.step(&iss_);
    Pair& pair = history_[compared_ % kHistory];
    pair = {ibex_, iss_};
    ++compared_;
    if (stop != cpu::Stop::kInstructions) {
        report(fmt::format("Ibex has retired an instruction, the ISS stopped ({})",
                           stop == cpu::Stop::kWaiting ? "waits for an interrupt" : "fault"));
    }
    check_equal("pc", ibex_.pc, iss_.pc);
    check_equal("entry of a trap handler", ibex_.interrupt, iss_.interrupt);
    check_equal("trap", ibex_.trap, iss_.trap);
    // Where a fetch faults there is no instruction, and Ibex reports what the bus happened to have.
    if (!ibex_.trap || iss_.instruction != 0) {
        check_equal("instruction", ibex_.instruction, iss_.instruction);
    }
    take_counters();
    pair.iss = iss_;
    check_equal("register written", ibex_.rd, iss_.rd);
    check_equal("value written", ibex_.rd_value, iss_.rd_value);
    check_equal("bytes read", ibex_.read_mask, iss_.read_mask);
    check_equal("bytes written", ibex_.write_mask, iss_.write_mask);
    if ((ibex_.read_mask | ibex_.write_mask) != 0) {
        check_equal("address", ibex_.memory_address, iss_.memory_address);
        check_equal("data read", ibex_.read_data, iss_.read_data);
        check_equal("data written", ibex_.write_data, iss_.write_data);
    }
    if (replay_.take_difference()) {
        report("the ISS accessed the bus otherwise");
    }
    // RVFI has the pc of the prefetcher there; the next instruction's pc is compared in any case.
    if (!ibex_.trap && ibex_.instruction != kMret) {
        check_equal("next pc", ibex_.next_pc, iss_.next_pc);
    }
}

std::uint32_t CpuLockstep::lines_before() const {
    // An entry of a handler without a trap before it is that of an interrupt.
    const std::uint32_t decided = core_.rvfi().mip_before;
    const bool chosen = ibex_.interrupt && !iss_.trap && decided != 0;
    return chosen ? core_.lines_at_jump() : decided;
}

void CpuLockstep::take_counters() {
    if (iss_.trap || iss_.rd == 0) {
        return;
    }
    const IbexOutputs& rvfi = core_.rvfi();
    std::uint32_t expected = 0;
    switch (csr_read(iss_.instruction)) {
    case kMcycle:
        expected = static_cast<std::uint32_t>(rvfi.mcycle);
        break;
    case kMcycleh:
        expected = static_cast<std::uint32_t>(rvfi.mcycle >> 32);
        break;
    case kMip:
        expected = rvfi.mip_after;
        break;
    default:
        return;
    }
    iss_.rd_value = expected;
    hart_.set_reg(iss_.rd, expected);
}

void CpuLockstep::check_equal(const char* what, std::uint64_t ibex, std::uint64_t iss) const {
    if (ibex != iss) {
        report(fmt::format("{}: Ibex 0x{:x}, ISS 0x{:x}", what, ibex, iss));
    }
}

void CpuLockstep::report(const std::string& what) const {
    std::string text =
        fmt::format("processor lockstep: instruction {} at pc 0x{:08x}, cycle {}: {}; last "
                    "instructions:",
                    compared_ - 1, ibex_.pc, ibex_.cycle, what);
    for (std::uint64_t n = compared_ - std::min<std::uint64_t>(compared_, kHistory); n < compared_;
         ++n) {
        text += "\n  Ibex " + cpu::trace_line(history_[n % kHistory].ibex, program_);
        text += "\n  ISS  " + cpu::trace_line(history_[n % kHistory].iss, program_);
    }
    throw ModelError(text);
}

} // namespace cavern
