#include "cpu/csr_file.h"

namespace cavern::cpu {

namespace {

constexpr std::uint32_t kMieBit = 1u << 3;
constexpr std::uint32_t kMpieBit = 1u << 7;
constexpr std::uint32_t kMppShift = 11;
constexpr std::uint32_t kMprvBit = 1u << 17;
constexpr std::uint32_t kTwBit = 1u << 21;
constexpr std::uint32_t kMachine = 3;
/// RV32, with C, I, M and U.
constexpr std::uint32_t kMisaValue = 1u << 30 | 1u << 2 | 1u << 8 | 1u << 12 | 1u << 20;
constexpr std::uint32_t kMarchidValue = 22; ///< lowRISC's Ibex
constexpr std::uint32_t kSyncExceptionSeen = 1u << 6;
constexpr std::uint32_t kDoubleFaultSeen = 1u << 7;

constexpr std::uint32_t high(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32);
}

constexpr std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}

/// Exists, reads as zero, and takes no value: the event counters that this Ibex is built without,
/// and what no part of it implements.
bool reads_zero(std::uint32_t number) {
    const auto within = [number](std::uint32_t first, std::uint32_t last) {
        return number >= first && number <= last;
    };
    switch (number) {
    case csr::kMcounteren:
    case csr::kMenvcfg:
    case csr::kMstatush:
    case csr::kMenvcfgh:
    case csr::kSecureseed:
    case csr::kMvendorid:
    case csr::kMimpid:
    case csr::kMhartid:
    case csr::kMconfigptr:
        return true;
    default:
        return within(csr::kMhpmevent3, csr::kMhpmevent31) ||
               within(csr::kMhpmcounter3, csr::kMhpmcounter31) ||
               within(csr::kMhpmcounter3h, csr::kMhpmcounter31h);
    }
}

} // namespace

void CsrFile::reset(std::uint32_t boot_address) {
    const std::uint32_t lines = lines_;
    *this = CsrFile{};
    lines_ = lines;
    mtvec_ = (boot_address & 0xFFFF'FF00) | 1;
}

std::uint32_t CsrFile::mstatus() const {
    return (mie_bit_ ? kMieBit : 0) | (mpie_ ? kMpieBit : 0) | mpp_ << kMppShift |
           (mprv_ ? kMprvBit : 0) | (tw_ ? kTwBit : 0);
}

std::optional<std::uint32_t> CsrFile::read(std::uint32_t number, Now now) const {
    switch (number) {
    case csr::kMstatus:
        return mstatus();
    case csr::kMisa:
        return kMisaValue;
    case csr::kMie:
        return mie_;
    case csr::kMtvec:
        return mtvec_;
    case csr::kMcountinhibit:
        return (cycles_.inhibited ? 1u : 0u) | (instructions_.inhibited ? 4u : 0u);
    case csr::kMscratch:
        return mscratch_;
    case csr::kMepc:
        return mepc_;
    case csr::kMcause:
        return mcause_;
    case csr::kMtval:
        return mtval_;
    case csr::kMip:
        return lines_;
    case csr::kCpuctrlsts:
        return cpuctrlsts_;
    case csr::kMarchid:
        return kMarchidValue;
    case csr::kMcycle:
        return low(cycles_.at(now.cycle));
    case csr::kMcycleh:
        return high(cycles_.at(now.cycle));
    case csr::kMinstret:
        return low(instructions_.at(now.instructions));
    case csr::kMinstreth:
        return high(instructions_.at(now.instructions));
    default:
        return reads_zero(number) ? std::optional<std::uint32_t>(0) : std::nullopt;
    }
}

bool CsrFile::write(std::uint32_t number, std::uint32_t value, Now now) {
    if ((number >> 10) == 3) {
        return false;
    }
    switch (number) {
    case csr::kMstatus:
        mie_bit_ = (value & kMieBit) != 0;
        mpie_ = (value & kMpieBit) != 0;
        mpp_ = ((value >> kMppShift) & 3) == kMachine ? kMachine : 0;
        mprv_ = (value & kMprvBit) != 0;
        tw_ = (value & kTwBit) != 0;
        return true;
    case csr::kMie:
        mie_ = value & interrupt::kLines;
        return true;
    case csr::kMtvec:
        mtvec_ = (value & 0xFFFF'FF00) | 1;
        return true;
    case csr::kMscratch:
        mscratch_ = value;
        return true;
    case csr::kMepc:
        mepc_ = value & ~1u;
        return true;
    case csr::kMcause: {
        // Ibex keeps five bits of the code, and whether it came from outside or (bit 30) inside.
        const bool internal = (value >> 30) == 3;
        const bool any = (value >> 31) != 0;
        mcause_ = (any ? cause::kInterrupt : 0) | (internal ? 0x7FFF'FFE0u : 0) | (value & 0x1F);
        return true;
    }
    case csr::kMtval:
        mtval_ = value;
        return true;
    case csr::kCpuctrlsts:
        cpuctrlsts_ = value & (kSyncExceptionSeen | kDoubleFaultSeen);
        return true;
    case csr::kMisa:
    case csr::kMip:
        return true;
    default:
        return write_counter(number, value, now) || reads_zero(number);
    }
}

bool CsrFile::write_counter(std::uint32_t number, std::uint32_t value, Now now) {
    const auto with_low = [value](std::uint64_t old) {
        return (old & 0xFFFF'FFFF'0000'0000) | value;
    };
    const auto with_high = [value](std::uint64_t old) {
        return (old & 0xFFFF'FFFF) | static_cast<std::uint64_t>(value) << 32;
    };
    switch (number) {
    case csr::kMcountinhibit:
        cycles_.set(cycles_.at(now.cycle), now.cycle);
        cycles_.inhibited = (value & 1) != 0;
        instructions_.set(instructions_.at(now.instructions), now.instructions);
        instructions_.inhibited = (value & 4) != 0;
        return true;
    case csr::kMcycle:
        cycles_.set(with_low(cycles_.at(now.cycle)), now.cycle);
        return true;
    case csr::kMcycleh:
        cycles_.set(with_high(cycles_.at(now.cycle)), now.cycle);
        return true;
    case csr::kMinstret:
        instructions_.set(with_low(instructions_.at(now.instructions)), now.instructions);
        return true;
    case csr::kMinstreth:
        instructions_.set(with_high(instructions_.at(now.instructions)), now.instructions);
        return true;
    default:
        return false;
    }
}

std::uint32_t CsrFile::enter_trap(std::uint32_t pc, std::uint32_t cause, std::uint32_t value) {
    mpie_ = mie_bit_;
    mie_bit_ = false;
    mpp_ = user_mode_ ? 0 : kMachine;
    user_mode_ = false;
    mepc_ = pc;
    mcause_ = cause;
    mtval_ = value;
    const std::uint32_t base = mtvec_ & 0xFFFF'FF00;
    if ((cause & cause::kInterrupt) != 0) {
        return base + 4 * (cause & 0x1F);
    }
    if ((cpuctrlsts_ & kSyncExceptionSeen) != 0) {
        cpuctrlsts_ |= kDoubleFaultSeen;
    }
    cpuctrlsts_ |= kSyncExceptionSeen;
    return base;
}

std::uint32_t CsrFile::leave_trap() {
    user_mode_ = mpp_ != kMachine;
    mie_bit_ = mpie_;
    mpie_ = true;
    if (mpp_ != kMachine) {
        mprv_ = false;
    }
    mpp_ = 0;
    cpuctrlsts_ &= ~kSyncExceptionSeen;
    return mepc_;
}

std::uint32_t CsrFile::first_pending() const {
    const std::uint32_t pending_lines = pending();
    if (const std::uint32_t fast = pending_lines >> 16; fast != 0) {
        return 16 + static_cast<std::uint32_t>(__builtin_ctz(fast));
    }
    for (const std::uint32_t line : {11u, 3u}) {
        if ((pending_lines >> line & 1) != 0) {
            return line;
        }
    }
    return 7;
}

} // namespace cavern::cpu
