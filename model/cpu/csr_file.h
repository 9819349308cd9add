#pragma once

#include <cstdint>
#include <optional>

namespace cavern::cpu {

/// Interrupt lines of Ibex by their bit in mip; the fast ones are bits 16 to 30.
namespace interrupt {
inline constexpr std::uint32_t kTimer = 7;
inline constexpr std::uint32_t kExternal = 11;
inline constexpr std::uint32_t kLines = 0x7FFF'0888; ///< all bits that are lines
} // namespace interrupt

/// Numbers of control and status registers (RISC-V privileged ISA, chapter 2).
namespace csr {
inline constexpr std::uint32_t kMstatus = 0x300;
inline constexpr std::uint32_t kMisa = 0x301;
inline constexpr std::uint32_t kMie = 0x304;
inline constexpr std::uint32_t kMtvec = 0x305;
inline constexpr std::uint32_t kMcounteren = 0x306;
inline constexpr std::uint32_t kMenvcfg = 0x30A;
inline constexpr std::uint32_t kMstatush = 0x310;
inline constexpr std::uint32_t kMenvcfgh = 0x31A;
inline constexpr std::uint32_t kMcountinhibit = 0x320;
inline constexpr std::uint32_t kMhpmevent3 = 0x323;
inline constexpr std::uint32_t kMhpmevent31 = 0x33F;
inline constexpr std::uint32_t kMscratch = 0x340;
inline constexpr std::uint32_t kMepc = 0x341;
inline constexpr std::uint32_t kMcause = 0x342;
inline constexpr std::uint32_t kMtval = 0x343;
inline constexpr std::uint32_t kMip = 0x344;
inline constexpr std::uint32_t kCpuctrlsts = 0x7C0; ///< of Ibex
inline constexpr std::uint32_t kSecureseed = 0x7C1; ///< of Ibex
inline constexpr std::uint32_t kMcycle = 0xB00;
inline constexpr std::uint32_t kMinstret = 0xB02;
inline constexpr std::uint32_t kMhpmcounter3 = 0xB03;
inline constexpr std::uint32_t kMhpmcounter31 = 0xB1F;
inline constexpr std::uint32_t kMcycleh = 0xB80;
inline constexpr std::uint32_t kMinstreth = 0xB82;
inline constexpr std::uint32_t kMhpmcounter3h = 0xB83;
inline constexpr std::uint32_t kMhpmcounter31h = 0xB9F;
inline constexpr std::uint32_t kMvendorid = 0xF11;
inline constexpr std::uint32_t kMarchid = 0xF12;
inline constexpr std::uint32_t kMimpid = 0xF13;
inline constexpr std::uint32_t kMhartid = 0xF14;
inline constexpr std::uint32_t kMconfigptr = 0xF15;
} // namespace csr

/// Values of mcause for exceptions (interrupts: the number of the line, with bit 31).
namespace cause {
inline constexpr std::uint32_t kFetchFault = 1;
inline constexpr std::uint32_t kIllegal = 2;
inline constexpr std::uint32_t kBreakpoint = 3;
inline constexpr std::uint32_t kLoadFault = 5;
inline constexpr std::uint32_t kStoreFault = 7;
inline constexpr std::uint32_t kEcallUser = 8;
inline constexpr std::uint32_t kEcallMachine = 11;
inline constexpr std::uint32_t kInterrupt = 0x8000'0000;
} // namespace cause

/// The privileged state of the hart as Ibex has it: values and legal bits are those of
/// rtl/ibex_cs_registers.sv, which differs from its documentation in mip (lines, enabled or not)
/// and mstatus.MPP (an unsupported value becomes user mode).
class CsrFile {
  public:
    /// Values of the counters at the moment of an access.
    struct Now {
        std::uint64_t cycle = 0;
        std::uint64_t instructions = 0;
    };

    void reset(std::uint32_t boot_address);

    /// Nothing where Ibex has no such register.
    [[nodiscard]] std::optional<std::uint32_t> read(std::uint32_t number, Now now) const;
    /// False, and no effect, where there is none or it is read-only.
    bool write(std::uint32_t number, std::uint32_t value, Now now);
    /// Whether the current mode may access it at all.
    [[nodiscard]] bool accessible(std::uint32_t number) const {
        return !user_mode_ || ((number >> 8) & 3) == 0;
    }

    /// Enters machine mode; returns the address of the handler.
    std::uint32_t enter_trap(std::uint32_t pc, std::uint32_t cause, std::uint32_t value);
    /// MRET; returns where it goes.
    std::uint32_t leave_trap();

    void set_lines(std::uint32_t lines) { lines_ = lines; }
    [[nodiscard]] std::uint32_t lines() const { return lines_; }
    /// Lines that are high and enabled in mie: these end a WFI.
    [[nodiscard]] std::uint32_t pending() const { return lines_ & mie_; }
    /// Whether one of them is to be taken now.
    [[nodiscard]] bool interrupted() const { return pending() != 0 && (mie_bit_ || user_mode_); }
    /// The one that is taken first: fast ones by number, then external, software, timer.
    [[nodiscard]] std::uint32_t first_pending() const;

    [[nodiscard]] bool user_mode() const { return user_mode_; }
    /// mstatus.TW: WFI is illegal in user mode.
    [[nodiscard]] bool timeout_wait() const { return tw_; }

  private:
    /// A counter of 64 bits that follows another one while it is not inhibited.
    struct Counter {
        std::uint64_t value = 0; ///< when it was last written, enabled or disabled
        std::uint64_t since = 0; ///< of what it follows, then
        bool inhibited = false;
        [[nodiscard]] std::uint64_t at(std::uint64_t now) const {
            return inhibited ? value : value + (now - since);
        }
        void set(std::uint64_t to, std::uint64_t now) {
            value = to;
            since = now;
        }
    };
    [[nodiscard]] std::uint32_t mstatus() const;
    bool write_counter(std::uint32_t number, std::uint32_t value, Now now);

    bool user_mode_ = false;
    bool mie_bit_ = false;
    bool mpie_ = true;
    bool mprv_ = false;
    bool tw_ = false;
    std::uint32_t mpp_ = 0;
    std::uint32_t mie_ = 0;
    std::uint32_t lines_ = 0;
    std::uint32_t mtvec_ = 1;
    std::uint32_t mscratch_ = 0;
    std::uint32_t mepc_ = 0;
    std::uint32_t mcause_ = 0;
    std::uint32_t mtval_ = 0;
    std::uint32_t cpuctrlsts_ = 0;
    Counter cycles_;
    Counter instructions_;
};

} // namespace cavern::cpu
