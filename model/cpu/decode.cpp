#include "cpu/decode.h"

#include <array>

namespace cavern::cpu {

namespace {

constexpr std::uint32_t kLoad = 0x03;
constexpr std::uint32_t kMiscMem = 0x0F;
constexpr std::uint32_t kOpImm = 0x13;
constexpr std::uint32_t kAuipcCode = 0x17;
constexpr std::uint32_t kStoreCode = 0x23;
constexpr std::uint32_t kOpCode = 0x33;
constexpr std::uint32_t kLuiCode = 0x37;
constexpr std::uint32_t kBranch = 0x63;
constexpr std::uint32_t kJalrCode = 0x67;
constexpr std::uint32_t kJalCode = 0x6F;
constexpr std::uint32_t kSystem = 0x73;

/// Bits high..low of `value`, moved to bit 0.
constexpr std::uint32_t bits(std::uint32_t value, unsigned high, unsigned low) {
    return (value >> low) & ((1u << (high - low + 1)) - 1);
}

/// The lowest `width` bits as a signed number.
constexpr std::int32_t sign_extend(std::uint32_t value, unsigned width) {
    return static_cast<std::int32_t>(value << (32 - width)) >> (32 - width);
}

// The formats of the unprivileged ISA, chapter 2.
constexpr std::uint32_t i_type(std::int32_t imm, std::uint32_t rs1, std::uint32_t funct3,
                               std::uint32_t rd, std::uint32_t opcode) {
    return static_cast<std::uint32_t>(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

constexpr std::uint32_t r_type(std::uint32_t funct7, std::uint32_t rs2, std::uint32_t rs1,
                               std::uint32_t funct3, std::uint32_t rd) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | kOpCode;
}

constexpr std::uint32_t store_word(std::uint32_t imm, std::uint32_t rs2, std::uint32_t rs1) {
    return bits(imm, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | 2u << 12 | bits(imm, 4, 0) << 7 |
           kStoreCode;
}

constexpr std::uint32_t jal(std::int32_t offset, std::uint32_t rd) {
    const auto imm = static_cast<std::uint32_t>(offset);
    return bits(imm, 20, 20) << 31 | bits(imm, 10, 1) << 21 | bits(imm, 11, 11) << 20 |
           bits(imm, 19, 12) << 12 | rd << 7 | kJalCode;
}

constexpr std::uint32_t branch_zero(std::int32_t offset, std::uint32_t rs1, std::uint32_t funct3) {
    const auto imm = static_cast<std::uint32_t>(offset);
    return bits(imm, 12, 12) << 31 | bits(imm, 10, 5) << 25 | rs1 << 15 | funct3 << 12 |
           bits(imm, 4, 1) << 8 | bits(imm, 11, 11) << 7 | kBranch;
}

std::uint32_t expand_quadrant0(std::uint32_t c) {
    const std::uint32_t rs1 = 8 + bits(c, 9, 7);
    const std::uint32_t rd = 8 + bits(c, 4, 2);
    const std::uint32_t word_offset =
        bits(c, 5, 5) << 6 | bits(c, 12, 10) << 3 | bits(c, 6, 6) << 2;
    switch (bits(c, 15, 13)) {
    case 0: { // C.ADDI4SPN; of 0 it is reserved, and all zeros are illegal
        const std::uint32_t imm =
            bits(c, 10, 7) << 6 | bits(c, 12, 11) << 4 | bits(c, 5, 5) << 3 | bits(c, 6, 6) << 2;
        return imm == 0 ? 0 : i_type(static_cast<std::int32_t>(imm), 2, 0, rd, kOpImm);
    }
    case 2: // C.LW
        return i_type(static_cast<std::int32_t>(word_offset), rs1, 2, rd, kLoad);
    case 6: // C.SW
        return store_word(word_offset, rd, rs1);
    default:
        return 0;
    }
}

std::uint32_t expand_arithmetic(std::uint32_t c, std::int32_t imm) {
    const std::uint32_t rd = 8 + bits(c, 9, 7);
    const std::uint32_t rs2 = 8 + bits(c, 4, 2);
    switch (bits(c, 11, 10)) {
    case 0: // C.SRLI
    case 1: // C.SRAI
        // Shift amounts of 32 and more are for custom extensions on RV32.
        return bits(c, 12, 12) != 0
                   ? 0
                   : i_type(static_cast<std::int32_t>(bits(c, 10, 10) << 10 | bits(c, 6, 2)), rd, 5,
                            rd, kOpImm);
    case 2: // C.ANDI
        return i_type(imm, rd, 7, rd, kOpImm);
    default:
        break;
    }
    if (bits(c, 12, 12) != 0) { // of RV64
        return 0;
    }
    switch (bits(c, 6, 5)) {
    case 0: // C.SUB
        return r_type(0x20, rs2, rd, 0, rd);
    case 1: // C.XOR
        return r_type(0, rs2, rd, 4, rd);
    case 2: // C.OR
        return r_type(0, rs2, rd, 6, rd);
    default: // C.AND
        return r_type(0, rs2, rd, 7, rd);
    }
}

std::uint32_t expand_quadrant1(std::uint32_t c) {
    const std::uint32_t rd = bits(c, 11, 7);
    const std::int32_t imm = sign_extend(bits(c, 12, 12) << 5 | bits(c, 6, 2), 6);
    switch (bits(c, 15, 13)) {
    case 0: // C.NOP, C.ADDI
        return i_type(imm, rd, 0, rd, kOpImm);
    case 1:   // C.JAL
    case 5: { // C.J
        const std::uint32_t offset = bits(c, 12, 12) << 11 | bits(c, 8, 8) << 10 |
                                     bits(c, 10, 9) << 8 | bits(c, 6, 6) << 7 | bits(c, 7, 7) << 6 |
                                     bits(c, 2, 2) << 5 | bits(c, 11, 11) << 4 | bits(c, 5, 3) << 1;
        return jal(sign_extend(offset, 12), bits(c, 15, 15) != 0 ? 0 : 1);
    }
    case 2: // C.LI
        return i_type(imm, 0, 0, rd, kOpImm);
    case 3: // C.LUI, C.ADDI16SP; of 0 both are reserved
        if (imm == 0) {
            return 0;
        }
        if (rd == 2) {
            const std::uint32_t step = bits(c, 12, 12) << 9 | bits(c, 4, 3) << 7 |
                                       bits(c, 5, 5) << 6 | bits(c, 2, 2) << 5 | bits(c, 6, 6) << 4;
            return i_type(sign_extend(step, 10), 2, 0, 2, kOpImm);
        }
        return static_cast<std::uint32_t>(imm) << 12 | rd << 7 | kLuiCode;
    case 4:
        return expand_arithmetic(c, imm);
    default: { // C.BEQZ, C.BNEZ
        const std::uint32_t offset = bits(c, 12, 12) << 8 | bits(c, 6, 5) << 6 |
                                     bits(c, 2, 2) << 5 | bits(c, 11, 10) << 3 | bits(c, 4, 3) << 1;
        return branch_zero(sign_extend(offset, 9), 8 + bits(c, 9, 7), bits(c, 13, 13));
    }
    }
}

std::uint32_t expand_quadrant2(std::uint32_t c) {
    const std::uint32_t rd = bits(c, 11, 7);
    const std::uint32_t rs2 = bits(c, 6, 2);
    switch (bits(c, 15, 13)) {
    case 0: // C.SLLI
        return bits(c, 12, 12) != 0 ? 0 : i_type(static_cast<std::int32_t>(rs2), rd, 1, rd, kOpImm);
    case 2: { // C.LWSP; to x0 it is reserved
        const std::uint32_t offset = bits(c, 3, 2) << 6 | bits(c, 12, 12) << 5 | bits(c, 6, 4) << 2;
        return rd == 0 ? 0 : i_type(static_cast<std::int32_t>(offset), 2, 2, rd, kLoad);
    }
    case 4:
        if (bits(c, 12, 12) == 0) {
            if (rs2 != 0) { // C.MV
                return r_type(0, rs2, 0, 0, rd);
            }
            return rd == 0 ? 0 : i_type(0, rd, 0, 0, kJalrCode); // C.JR
        }
        if (rs2 != 0) { // C.ADD
            return r_type(0, rs2, rd, 0, rd);
        }
        return rd == 0 ? 0x0010'0073 : i_type(0, rd, 0, 1, kJalrCode); // C.EBREAK, C.JALR
    case 6: {                                                          // C.SWSP
        const std::uint32_t offset = bits(c, 8, 7) << 6 | bits(c, 12, 9) << 2;
        return store_word(offset, rs2, 2);
    }
    default:
        return 0;
    }
}

Op op_imm(std::uint32_t funct3, std::uint32_t funct7) {
    constexpr std::array<Op, 8> kOps = {Op::kAddi, Op::kSlli, Op::kSlti, Op::kSltiu,
                                        Op::kXori, Op::kSrli, Op::kOri,  Op::kAndi};
    if (funct3 == 1 && funct7 != 0) {
        return Op::kIllegal;
    }
    if (funct3 == 5) {
        return funct7 == 0 ? Op::kSrli : funct7 == 0x20 ? Op::kSrai : Op::kIllegal;
    }
    return kOps[funct3];
}

Op op_op(std::uint32_t funct3, std::uint32_t funct7) {
    constexpr std::array<Op, 8> kBase = {Op::kAdd, Op::kSll, Op::kSlt, Op::kSltu,
                                         Op::kXor, Op::kSrl, Op::kOr,  Op::kAnd};
    constexpr std::array<Op, 8> kMulDiv = {Op::kMul, Op::kMulh, Op::kMulhsu, Op::kMulhu,
                                           Op::kDiv, Op::kDivu, Op::kRem,    Op::kRemu};
    switch (funct7) {
    case 0:
        return kBase[funct3];
    case 1:
        return kMulDiv[funct3];
    case 0x20:
        return funct3 == 0 ? Op::kSub : funct3 == 5 ? Op::kSra : Op::kIllegal;
    default:
        return Op::kIllegal;
    }
}

Op op_system(std::uint32_t instruction) {
    constexpr std::array<Op, 8> kCsr = {Op::kIllegal, Op::kCsrrw,  Op::kCsrrs,  Op::kCsrrc,
                                        Op::kIllegal, Op::kCsrrwi, Op::kCsrrsi, Op::kCsrrci};
    switch (instruction) {
    case 0x0000'0073:
        return Op::kEcall;
    case 0x0010'0073:
        return Op::kEbreak;
    case 0x3020'0073:
        return Op::kMret;
    case 0x1050'0073:
        return Op::kWfi;
    default:
        return kCsr[bits(instruction, 14, 12)];
    }
}

Op op_of(std::uint32_t instruction) {
    constexpr std::array<Op, 8> kLoads = {Op::kLb,  Op::kLh,  Op::kLw,      Op::kIllegal,
                                          Op::kLbu, Op::kLhu, Op::kIllegal, Op::kIllegal};
    constexpr std::array<Op, 8> kStores = {Op::kSb,      Op::kSh,      Op::kSw,      Op::kIllegal,
                                           Op::kIllegal, Op::kIllegal, Op::kIllegal, Op::kIllegal};
    constexpr std::array<Op, 8> kBranches = {Op::kBeq, Op::kBne, Op::kIllegal, Op::kIllegal,
                                             Op::kBlt, Op::kBge, Op::kBltu,    Op::kBgeu};
    const std::uint32_t funct3 = bits(instruction, 14, 12);
    const std::uint32_t funct7 = bits(instruction, 31, 25);
    switch (bits(instruction, 6, 0)) {
    case kLoad:
        return kLoads[funct3];
    case kMiscMem:
        return funct3 == 0 ? Op::kFence : funct3 == 1 ? Op::kFenceI : Op::kIllegal;
    case kOpImm:
        return op_imm(funct3, funct7);
    case kAuipcCode:
        return Op::kAuipc;
    case kStoreCode:
        return kStores[funct3];
    case kOpCode:
        return op_op(funct3, funct7);
    case kLuiCode:
        return Op::kLui;
    case kBranch:
        return kBranches[funct3];
    case kJalrCode:
        return funct3 == 0 ? Op::kJalr : Op::kIllegal;
    case kJalCode:
        return Op::kJal;
    case kSystem:
        return op_system(instruction);
    default:
        return Op::kIllegal;
    }
}

std::int32_t immediate(std::uint32_t i) {
    switch (bits(i, 6, 0)) {
    case kOpImm:
        return bits(i, 13, 12) == 1 ? static_cast<std::int32_t>(bits(i, 24, 20)) // shifts
                                    : sign_extend(bits(i, 31, 20), 12);
    case kLoad:
    case kJalrCode:
        return sign_extend(bits(i, 31, 20), 12);
    case kSystem:
        return static_cast<std::int32_t>(bits(i, 31, 20));
    case kStoreCode:
        return sign_extend(bits(i, 31, 25) << 5 | bits(i, 11, 7), 12);
    case kAuipcCode:
    case kLuiCode:
        return static_cast<std::int32_t>(i & 0xFFFF'F000);
    case kBranch:
        return sign_extend(bits(i, 31, 31) << 12 | bits(i, 7, 7) << 11 | bits(i, 30, 25) << 5 |
                               bits(i, 11, 8) << 1,
                           13);
    case kJalCode:
        return sign_extend(bits(i, 31, 31) << 20 | bits(i, 19, 12) << 12 | bits(i, 20, 20) << 11 |
                               bits(i, 30, 21) << 1,
                           21);
    default:
        return 0;
    }
}

bool writes_register(std::uint32_t opcode) {
    return opcode != kBranch && opcode != kStoreCode && opcode != kMiscMem;
}

} // namespace

std::uint32_t expand_compressed(std::uint16_t instruction) {
    switch (instruction & 3) {
    case 0:
        return expand_quadrant0(instruction);
    case 1:
        return expand_quadrant1(instruction);
    case 2:
        return expand_quadrant2(instruction);
    default:
        return 0;
    }
}

Decoded decode(std::uint32_t instruction) {
    Decoded decoded;
    std::uint32_t full = instruction;
    if (is_compressed(instruction)) {
        decoded.size = 2;
        instruction &= 0xFFFF;
        full = expand_compressed(static_cast<std::uint16_t>(instruction));
    }
    decoded.instruction = instruction;
    decoded.op = op_of(full);
    if (decoded.op == Op::kIllegal) {
        return decoded;
    }
    decoded.rs1 = static_cast<std::uint8_t>(bits(full, 19, 15));
    decoded.rs2 = static_cast<std::uint8_t>(bits(full, 24, 20));
    if (const std::uint32_t rd = bits(full, 11, 7); rd != 0 && writes_register(full & 0x7F)) {
        decoded.rd = static_cast<std::uint8_t>(rd);
    }
    decoded.imm = immediate(full);
    return decoded;
}

} // namespace cavern::cpu
