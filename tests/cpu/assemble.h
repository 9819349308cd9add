#pragma once

#include <cstdint>

/// Just enough of an assembler for tests: instructions by their formats (unprivileged ISA, 2.2).
namespace cavern::cpu::assemble {

constexpr std::uint32_t u32(std::int32_t value) {
    return static_cast<std::uint32_t>(value);
}
constexpr std::uint32_t i_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rd,
                               std::uint32_t rs1, std::int32_t imm) {
    return u32(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t addi(std::uint32_t rd, std::uint32_t rs1, std::int32_t imm) {
    return i_type(0x13, 0, rd, rs1, imm);
}
constexpr std::uint32_t nop() {
    return addi(0, 0, 0);
}
constexpr std::uint32_t lui(std::uint32_t rd, std::uint32_t value) {
    return (value & 0xFFFF'F000) | rd << 7 | 0x37;
}
constexpr std::uint32_t r_type(std::uint32_t funct7, std::uint32_t funct3, std::uint32_t rd,
                               std::uint32_t rs1, std::uint32_t rs2) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33;
}
constexpr std::uint32_t mul(std::uint32_t rd, std::uint32_t rs1, std::uint32_t rs2) {
    return r_type(1, 0, rd, rs1, rs2);
}
constexpr std::uint32_t mulh(std::uint32_t rd, std::uint32_t rs1, std::uint32_t rs2) {
    return r_type(1, 1, rd, rs1, rs2);
}
constexpr std::uint32_t div(std::uint32_t rd, std::uint32_t rs1, std::uint32_t rs2) {
    return r_type(1, 4, rd, rs1, rs2);
}
constexpr std::uint32_t lw(std::uint32_t rd, std::uint32_t rs1, std::int32_t imm) {
    return i_type(0x03, 2, rd, rs1, imm);
}
constexpr std::uint32_t lh(std::uint32_t rd, std::uint32_t rs1, std::int32_t imm) {
    return i_type(0x03, 1, rd, rs1, imm);
}
constexpr std::uint32_t store(std::uint32_t funct3, std::uint32_t rs2, std::uint32_t rs1,
                              std::int32_t imm) {
    return (u32(imm) >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
           (u32(imm) & 0x1F) << 7 | 0x23;
}
constexpr std::uint32_t sw(std::uint32_t rs2, std::uint32_t rs1, std::int32_t imm) {
    return store(2, rs2, rs1, imm);
}
constexpr std::uint32_t jal(std::uint32_t rd, std::int32_t offset) {
    const std::uint32_t o = u32(offset);
    return (o >> 20 & 1) << 31 | (o >> 1 & 0x3FF) << 21 | (o >> 11 & 1) << 20 |
           (o >> 12 & 0xFF) << 12 | rd << 7 | 0x6F;
}
constexpr std::uint32_t jalr(std::uint32_t rd, std::uint32_t rs1, std::int32_t imm) {
    return i_type(0x67, 0, rd, rs1, imm);
}
constexpr std::uint32_t branch(std::uint32_t funct3, std::uint32_t rs1, std::uint32_t rs2,
                               std::int32_t offset) {
    const std::uint32_t o = u32(offset);
    return (o >> 12 & 1) << 31 | (o >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
           (o >> 1 & 0xF) << 8 | (o >> 11 & 1) << 7 | 0x63;
}
constexpr std::uint32_t beq(std::uint32_t rs1, std::uint32_t rs2, std::int32_t offset) {
    return branch(0, rs1, rs2, offset);
}
constexpr std::uint32_t bne(std::uint32_t rs1, std::uint32_t rs2, std::int32_t offset) {
    return branch(1, rs1, rs2, offset);
}
constexpr std::uint32_t csrrw(std::uint32_t rd, std::uint32_t csr, std::uint32_t rs1) {
    return csr << 20 | rs1 << 15 | 1u << 12 | rd << 7 | 0x73;
}
constexpr std::uint32_t csrrs(std::uint32_t rd, std::uint32_t csr, std::uint32_t rs1) {
    return csr << 20 | rs1 << 15 | 2u << 12 | rd << 7 | 0x73;
}
constexpr std::uint32_t csrrc(std::uint32_t rd, std::uint32_t csr, std::uint32_t rs1) {
    return csr << 20 | rs1 << 15 | 3u << 12 | rd << 7 | 0x73;
}
inline constexpr std::uint32_t kEcall = 0x0000'0073;
inline constexpr std::uint32_t kEbreak = 0x0010'0073;
inline constexpr std::uint32_t kMret = 0x3020'0073;
inline constexpr std::uint32_t kWfi = 0x1050'0073;
inline constexpr std::uint32_t kFenceI = 0x0000'100F;
/// C.NOP in both halves.
inline constexpr std::uint32_t kTwoCompressedNops = 0x0001'0001;

} // namespace cavern::cpu::assemble
