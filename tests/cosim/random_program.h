#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tests/cosim/rv32.h"

namespace cavern::rv32 {

/// Random RV32IMC code that runs once from its beginning to its end: arithmetic of all kinds, loads
/// and stores of any alignment, branches and jumps forward, compressed and not, so that code lies
/// across words. It ends with ECALL. sp, gp and s1 point into `data`, 8 KiB.
class RandomProgram {
  public:
    struct Options {
        bool interrupts = false; ///< enabled, and the program reads mip and mcycle, and waits
        bool traps = false;      ///< illegal instructions, ECALL, accesses to nothing
    };
    /// The word for the vector of exceptions, with `traps`: to a handler that skips the
    /// instruction.
    static constexpr std::uint32_t kToHandler = jal(zero, 0x84);

    RandomProgram(std::uint64_t seed, std::uint32_t instructions, std::uint32_t data)
        : RandomProgram(seed, instructions, data, Options{}) {}
    RandomProgram(std::uint64_t seed, std::uint32_t instructions, std::uint32_t data,
                  const Options& options)
        : random_(seed), options_(options) {
        code_ << jal(zero, 20) << csrr(t0, kMepc) << addi(t0, t0, 4) << csrrw(zero, kMepc, t0)
              << kMret;
        const std::uint32_t middle = data + 0x1000;
        if (options.interrupts) {
            code_ << addi(t0, zero, -1) << csrrw(zero, kMie, t0) << csrrsi(zero, kMstatus, 8);
        }
        code_ << lui(sp, middle) << lui(gp, middle) << lui(s1, middle);
        for (std::uint32_t r = 1; r < 16; ++r) {
            if (!reserved(static_cast<Reg>(r))) {
                code_ << lui(static_cast<Reg>(r), draw(0x100000) << 12)
                      << addi(static_cast<Reg>(r), static_cast<Reg>(r),
                              static_cast<std::int32_t>(draw(4096)) - 2048);
            }
        }
        std::vector<bool> small(instructions + kReach);
        for (std::uint32_t i = 0; i < instructions; ++i) {
            small[i] = draw(2) == 0;
        }
        for (std::uint32_t i = 0; i < instructions; ++i) {
            std::uint32_t offset = small[i] ? 2 : 4;
            const std::uint32_t skipped = draw(kReach);
            for (std::uint32_t k = 1; k <= skipped && i + k < instructions; ++k) {
                offset += small[i + k] ? 2 : 4;
            }
            if (small[i]) {
                code_ << compressed(offset);
            } else {
                code_ << word(static_cast<std::int32_t>(offset));
            }
        }
        end_ = code_.bytes();
        code_ << kEcall;
    }

    [[nodiscard]] const Code& code() const { return code_; }
    /// Offset of the ECALL.
    [[nodiscard]] std::uint32_t end() const { return end_; }

  private:
    static constexpr std::uint32_t kReach = 6; ///< instructions that a branch skips, at most 5

    static bool reserved(Reg reg) { return reg == sp || reg == gp || reg == s1; }
    std::uint32_t draw(std::uint32_t below) {
        return static_cast<std::uint32_t>(random_() % below);
    }
    Reg source() { return static_cast<Reg>(draw(16)); }
    Reg target() {
        Reg reg = source();
        while (reserved(reg)) {
            reg = source();
        }
        return reg;
    }
    std::int32_t immediate() { return static_cast<std::int32_t>(draw(4096)) - 2048; }
    /// x8 to x15, as three bits, none that points into the data.
    std::uint32_t small_target() {
        const std::uint32_t reg = draw(8);
        return reg == s1 - 8 ? 0 : reg;
    }

    std::uint32_t word(std::int32_t offset) {
        static constexpr std::uint32_t kLoads[] = {0, 1, 2, 4, 5};
        static constexpr std::uint32_t kBranches[] = {0, 1, 4, 5, 6, 7};
        switch (draw(options_.interrupts || options_.traps ? 13 : 12)) {
        case 0:
        case 1: { // OP-IMM, shifts apart
            const std::uint32_t funct3 = draw(8);
            const bool shift = funct3 == 1 || funct3 == 5;
            const auto by =
                static_cast<std::int32_t>(draw(32) | (funct3 == 5 && draw(2) == 0 ? 0x400 : 0));
            return i_type(shift ? by : immediate(), source(), funct3, target(), 0x13);
        }
        case 2:
        case 3: { // OP
            const std::uint32_t funct3 = draw(8);
            const bool second = (funct3 == 0 || funct3 == 5) && draw(2) == 0;
            return r_type(second ? 0x20 : 0, source(), source(), funct3, target(), 0x33);
        }
        case 4: // M
            return r_type(1, source(), source(), draw(8), target(), 0x33);
        case 5:
        case 6:
            return i_type(immediate(), gp, kLoads[draw(5)], target(), 0x03);
        case 7:
        case 8:
            return s_type(immediate(), source(), gp, draw(3));
        case 9:
            return b_type(offset, source(), source(), kBranches[draw(6)]);
        case 10:
            return draw(3) == 0 ? jal(target(), offset) : lui(target(), draw(0x100000) << 12);
        case 12:
            return rare();
        default: // mscratch, with all six kinds of access; minstret
            return draw(4) == 0 ? csrr(target(), kMinstret)
                                : 0x340u << 20 | source() << 15 |
                                      (1 + draw(3) + 4 * draw(2)) << 12 | target() << 7 | 0x73;
        }
    }

    std::uint32_t rare() {
        switch (draw(8)) {
        case 0:
            return options_.interrupts ? kWfi : nop();
        case 1:
            return options_.interrupts ? csrr(target(), kMip) : nop();
        case 2:
            return options_.interrupts ? csrr(target(), kMcycle) : nop();
        case 3:
            return options_.traps ? kIllegal : kFenceI;
        case 4:
            return options_.traps ? lw(target(), zero, immediate()) : kFenceI;
        case 5:
            return options_.traps ? sh(source(), zero, immediate()) : kFenceI;
        case 6:
            return options_.traps ? kEcall : kFenceI;
        default:
            return csrr(target(), kMstatus);
        }
    }

    std::uint16_t compressed(std::uint32_t offset) {
        const std::uint32_t imm6 = (draw(2) << 12) | (draw(31) + 1) << 2;
        switch (draw(10)) {
        case 0: // c.addi
            return half(0x0001 | imm6 | std::uint32_t{target()} << 7);
        case 1: // c.li
            return half(0x4001 | imm6 | std::uint32_t{target()} << 7);
        case 2: { // c.mv, c.add: no register is x0
            const auto rd = static_cast<Reg>(10 + draw(6));
            return half(0x8002 | draw(2) << 12 | std::uint32_t{rd} << 7 | (1 + draw(15)) << 2);
        }
        case 3: // c.slli
            return half(0x0002 | (1 + draw(31)) << 2 | (10 + draw(6)) << 7);
        case 4: { // c.srli, c.srai, c.andi
            const std::uint32_t kind = draw(3);
            return half(0x8001 | kind << 10 | small_target() << 7 | (1 + draw(31)) << 2 |
                        (kind == 2 ? draw(2) << 12 : 0));
        }
        case 5: // c.sub, c.xor, c.or, c.and
            return half(0x8C01 | draw(4) << 5 | small_target() << 7 | draw(8) << 2);
        case 6: // c.lw, c.sw from s1
            return half((draw(2) == 0 ? 0x4000u | small_target() << 2 : 0xC000u | draw(8) << 2) |
                        draw(8) << 10 | draw(4) << 5 | (s1 - 8) << 7);
        case 7: // c.lwsp, c.swsp
            return half(draw(2) == 0 ? 0x4002u | (10 + draw(6)) << 7 | draw(8) << 4 | draw(2) << 12
                                     : 0xC002u | draw(16) << 2 | draw(16) << 9);
        case 8: // c.beqz, c.bnez: offset below 32
            return half(0xC001u | draw(2) << 13 | draw(8) << 7 | (offset >> 1 & 3) << 3 |
                        (offset >> 3 & 3) << 10);
        default: // c.j: offset below 32
            return half(0xA001u | (offset >> 1 & 7) << 3 | (offset >> 4 & 1) << 11);
        }
    }
    static std::uint16_t half(std::uint32_t bits) { return static_cast<std::uint16_t>(bits); }

    std::mt19937_64 random_;
    Options options_;
    Code code_;
    std::uint32_t end_ = 0;
};

} // namespace cavern::rv32
