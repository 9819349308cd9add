#pragma once

#include <cstdint>

namespace cavern::cpu {

/// Operations of instructions: RV32I, M, Zicsr, Zifencei, and the machine mode's own. A compressed
/// instruction has the operation of its 32-bit form.
enum class Op : std::uint8_t {
    kUndecoded,  ///< nothing decoded here yet
    kBreakpoint, ///< somebody wants to stop here
    kFetchFault, ///< no memory, or not for all of it
    kIllegal,
    kLui,
    kAuipc,
    kJal,
    kJalr,
    kBeq,
    kBne,
    kBlt,
    kBge,
    kBltu,
    kBgeu,
    kLb,
    kLh,
    kLw,
    kLbu,
    kLhu,
    kSb,
    kSh,
    kSw,
    kAddi,
    kSlti,
    kSltiu,
    kXori,
    kOri,
    kAndi,
    kSlli,
    kSrli,
    kSrai,
    kAdd,
    kSub,
    kSll,
    kSlt,
    kSltu,
    kXor,
    kSrl,
    kSra,
    kOr,
    kAnd,
    kMul,
    kMulh,
    kMulhsu,
    kMulhu,
    kDiv,
    kDivu,
    kRem,
    kRemu,
    kFence,
    kFenceI,
    kEcall,
    kEbreak,
    kMret,
    kWfi,
    kCsrrw,
    kCsrrs,
    kCsrrc,
    kCsrrwi,
    kCsrrsi,
    kCsrrci,
};

/// One instruction, ready to execute.
struct Decoded {
    static constexpr std::uint8_t kNoRegister = 32; ///< where a result goes that nobody sees

    Op op = Op::kUndecoded;
    std::uint8_t rd = kNoRegister; ///< kNoRegister for x0, and where there is none
    std::uint8_t rs1 = 0;          ///< or the immediate of CSRRWI, CSRRSI, CSRRCI
    std::uint8_t rs2 = 0;
    std::int32_t imm = 0;          ///< sign-extended; shift amount; number of a CSR
    std::uint32_t instruction = 0; ///< as fetched; the upper half of a compressed one is 0
    std::uint32_t size = 4;        ///< bytes: 2 or 4
};

[[nodiscard]] constexpr bool is_compressed(std::uint32_t instruction) {
    return (instruction & 3) != 3;
}

/// The 32-bit form of an instruction of the C extension (RISC-V unprivileged ISA, chapter "C");
/// 0, which is illegal, for what RV32C without floating point does not have.
[[nodiscard]] std::uint32_t expand_compressed(std::uint16_t instruction);

/// Decodes what Ibex decodes: what it takes for illegal is Op::kIllegal here. Of a compressed
/// instruction the upper half of `instruction` does not count.
[[nodiscard]] Decoded decode(std::uint32_t instruction);

} // namespace cavern::cpu
