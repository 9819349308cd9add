#pragma once

#include <cstdint>
#include <vector>

/// Words of RV32IMC for programs of a few lines (RISC-V Unprivileged ISA, chapters 2, 13 and 27).
namespace cavern::rv32 {

enum Reg : std::uint32_t { zero, ra, sp, gp, tp, t0, t1, t2, s0, s1, a0, a1, a2, a3, a4, a5 };

constexpr std::uint32_t r_type(std::uint32_t funct7, Reg rs2, Reg rs1, std::uint32_t funct3, Reg rd,
                               std::uint32_t opcode) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t i_type(std::int32_t imm, Reg rs1, std::uint32_t funct3, Reg rd,
                               std::uint32_t opcode) {
    return static_cast<std::uint32_t>(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t s_type(std::int32_t imm, Reg rs2, Reg rs1, std::uint32_t funct3) {
    const auto bits = static_cast<std::uint32_t>(imm);
    return (bits >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (bits & 0x1F) << 7 |
           0x23;
}
constexpr std::uint32_t b_type(std::int32_t offset, Reg rs2, Reg rs1, std::uint32_t funct3) {
    const auto bits = static_cast<std::uint32_t>(offset);
    return (bits >> 12 & 1) << 31 | (bits >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 |
           funct3 << 12 | (bits >> 1 & 0xF) << 8 | (bits >> 11 & 1) << 7 | 0x63;
}

constexpr std::uint32_t addi(Reg rd, Reg rs1, std::int32_t imm) {
    return i_type(imm, rs1, 0, rd, 0x13);
}
constexpr std::uint32_t nop() {
    return addi(zero, zero, 0);
}
constexpr std::uint32_t lui(Reg rd, std::uint32_t value) {
    return (value & 0xFFFFF000u) | rd << 7 | 0x37;
}
constexpr std::uint32_t add(Reg rd, Reg rs1, Reg rs2) {
    return r_type(0, rs2, rs1, 0, rd, 0x33);
}
constexpr std::uint32_t sub(Reg rd, Reg rs1, Reg rs2) {
    return r_type(0x20, rs2, rs1, 0, rd, 0x33);
}
constexpr std::uint32_t srai(Reg rd, Reg rs1, std::uint32_t by) {
    return i_type(static_cast<std::int32_t>(0x400 | by), rs1, 5, rd, 0x13);
}
constexpr std::uint32_t mul(Reg rd, Reg rs1, Reg rs2) {
    return r_type(1, rs2, rs1, 0, rd, 0x33);
}
constexpr std::uint32_t mulh(Reg rd, Reg rs1, Reg rs2) {
    return r_type(1, rs2, rs1, 1, rd, 0x33);
}
constexpr std::uint32_t div(Reg rd, Reg rs1, Reg rs2) {
    return r_type(1, rs2, rs1, 4, rd, 0x33);
}
constexpr std::uint32_t remu(Reg rd, Reg rs1, Reg rs2) {
    return r_type(1, rs2, rs1, 7, rd, 0x33);
}
constexpr std::uint32_t lb(Reg rd, Reg base, std::int32_t imm) {
    return i_type(imm, base, 0, rd, 0x03);
}
constexpr std::uint32_t lh(Reg rd, Reg base, std::int32_t imm) {
    return i_type(imm, base, 1, rd, 0x03);
}
constexpr std::uint32_t lw(Reg rd, Reg base, std::int32_t imm) {
    return i_type(imm, base, 2, rd, 0x03);
}
constexpr std::uint32_t sb(Reg value, Reg base, std::int32_t imm) {
    return s_type(imm, value, base, 0);
}
constexpr std::uint32_t sh(Reg value, Reg base, std::int32_t imm) {
    return s_type(imm, value, base, 1);
}
constexpr std::uint32_t sw(Reg value, Reg base, std::int32_t imm) {
    return s_type(imm, value, base, 2);
}
constexpr std::uint32_t beq(Reg rs1, Reg rs2, std::int32_t offset) {
    return b_type(offset, rs2, rs1, 0);
}
constexpr std::uint32_t bne(Reg rs1, Reg rs2, std::int32_t offset) {
    return b_type(offset, rs2, rs1, 1);
}
constexpr std::uint32_t jal(Reg rd, std::int32_t offset) {
    const auto bits = static_cast<std::uint32_t>(offset);
    return (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3FF) << 21 | (bits >> 11 & 1) << 20 |
           (bits >> 12 & 0xFF) << 12 | rd << 7 | 0x6F;
}
constexpr std::uint32_t jalr(Reg rd, Reg base, std::int32_t imm) {
    return i_type(imm, base, 0, rd, 0x67);
}
constexpr std::uint32_t csrrw(Reg rd, std::uint32_t csr, Reg rs1) {
    return csr << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x73;
}
constexpr std::uint32_t csrrs(Reg rd, std::uint32_t csr, Reg rs1) {
    return csr << 20 | rs1 << 15 | 2 << 12 | rd << 7 | 0x73;
}
constexpr std::uint32_t csrrsi(Reg rd, std::uint32_t csr, std::uint32_t bits) {
    return csr << 20 | bits << 15 | 6 << 12 | rd << 7 | 0x73;
}
constexpr std::uint32_t csrr(Reg rd, std::uint32_t csr) {
    return csrrs(rd, csr, zero);
}
inline constexpr std::uint32_t kEcall = 0x00000073;
inline constexpr std::uint32_t kEbreak = 0x00100073;
inline constexpr std::uint32_t kMret = 0x30200073;
inline constexpr std::uint32_t kWfi = 0x10500073;
inline constexpr std::uint32_t kFenceI = 0x0000100F;
inline constexpr std::uint32_t kIllegal = 0xFFFFFFFF;

inline constexpr std::uint32_t kMstatus = 0x300;
inline constexpr std::uint32_t kMie = 0x304;
inline constexpr std::uint32_t kMtvec = 0x305;
inline constexpr std::uint32_t kMepc = 0x341;
inline constexpr std::uint32_t kMcause = 0x342;
inline constexpr std::uint32_t kMip = 0x344;
inline constexpr std::uint32_t kMcycle = 0xB00;
inline constexpr std::uint32_t kMinstret = 0xB02;

// Compressed.
constexpr std::uint16_t c_addi(Reg rd, std::int32_t imm) {
    const auto bits = static_cast<std::uint32_t>(imm);
    return static_cast<std::uint16_t>((bits >> 5 & 1) << 12 | rd << 7 | (bits & 0x1F) << 2 | 1);
}
inline constexpr std::uint16_t kCNop = 0x0001;

/// Code halfword by halfword, for targets that are not aligned to words.
class Code {
  public:
    Code& operator<<(std::uint32_t word) {
        halves_.push_back(static_cast<std::uint16_t>(word));
        halves_.push_back(static_cast<std::uint16_t>(word >> 16));
        return *this;
    }
    Code& operator<<(std::uint16_t half) {
        halves_.push_back(half);
        return *this;
    }
    [[nodiscard]] std::uint32_t bytes() const {
        return static_cast<std::uint32_t>(2 * halves_.size());
    }
    [[nodiscard]] const std::uint16_t* data() const { return halves_.data(); }

  private:
    std::vector<std::uint16_t> halves_;
};

} // namespace cavern::rv32
