#include "cpu/disassemble.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cpu/csr_file.h"
#include "cpu/decode.h"

namespace cavern::cpu {

namespace {

constexpr std::array<const char*, 33> kNames = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "zero"};

/// Mnemonics in the order of Op, from kLui. Of an instruction with an immediate binutils prefers
/// the name without the "i" where there is one.
constexpr std::array<const char*, 57> kMnemonics = {
    "lui",   "auipc", "jal",   "jalr",  "beq",   "bne",   "blt",     "bge",   "bltu",   "bgeu",
    "lb",    "lh",    "lw",    "lbu",   "lhu",   "sb",    "sh",      "sw",    "add",    "slti",
    "sltiu", "xor",   "or",    "and",   "sll",   "srl",   "sra",     "add",   "sub",    "sll",
    "slt",   "sltu",  "xor",   "srl",   "sra",   "or",    "and",     "mul",   "mulh",   "mulhsu",
    "mulhu", "div",   "divu",  "rem",   "remu",  "fence", "fence.i", "ecall", "ebreak", "mret",
    "wfi",   "csrrw", "csrrs", "csrrc", "csrrw", "csrrs", "csrrc"};

const char* mnemonic(Op op) {
    return kMnemonics.at(static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::kLui));
}

std::string csr_name(std::uint32_t number) {
    struct Name {
        std::uint32_t number;
        const char* name;
    };
    constexpr std::array<Name, 23> kCsrNames = {{{csr::kMstatus, "mstatus"},
                                                 {csr::kMisa, "misa"},
                                                 {csr::kMie, "mie"},
                                                 {csr::kMtvec, "mtvec"},
                                                 {csr::kMcounteren, "mcounteren"},
                                                 {csr::kMenvcfg, "menvcfg"},
                                                 {csr::kMstatush, "mstatush"},
                                                 {csr::kMenvcfgh, "menvcfgh"},
                                                 {csr::kMcountinhibit, "mcountinhibit"},
                                                 {csr::kMscratch, "mscratch"},
                                                 {csr::kMepc, "mepc"},
                                                 {csr::kMcause, "mcause"},
                                                 {csr::kMtval, "mtval"},
                                                 {csr::kMip, "mip"},
                                                 {csr::kMcycle, "mcycle"},
                                                 {csr::kMinstret, "minstret"},
                                                 {csr::kMcycleh, "mcycleh"},
                                                 {csr::kMinstreth, "minstreth"},
                                                 {csr::kMvendorid, "mvendorid"},
                                                 {csr::kMarchid, "marchid"},
                                                 {csr::kMimpid, "mimpid"},
                                                 {csr::kMhartid, "mhartid"},
                                                 {csr::kMconfigptr, "mconfigptr"}}};
    for (const Name& known : kCsrNames) {
        if (known.number == number) {
            return known.name;
        }
    }
    const auto indexed = [number](const char* name, std::uint32_t first, std::uint32_t last,
                                  const char* suffix) {
        return number >= first && number <= last
                   ? fmt::format("{}{}{}", name, 3 + (number - first), suffix)
                   : std::string();
    };
    for (std::string name : {indexed("mhpmcounter", csr::kMhpmcounter3, csr::kMhpmcounter31, ""),
                             indexed("mhpmcounter", csr::kMhpmcounter3h, csr::kMhpmcounter31h, "h"),
                             indexed("mhpmevent", csr::kMhpmevent3, csr::kMhpmevent31, "")}) {
        if (!name.empty()) {
            return name;
        }
    }
    return fmt::format("0x{:x}", number);
}

struct Fields {
    const Decoded& d;
    std::uint32_t pc;
    [[nodiscard]] const char* rd() const { return kNames[d.rd]; }
    [[nodiscard]] const char* rs1() const { return kNames[d.rs1]; }
    [[nodiscard]] const char* rs2() const { return kNames[d.rs2]; }
    [[nodiscard]] bool to_zero() const { return d.rd == Decoded::kNoRegister; }
    [[nodiscard]] std::string target() const {
        return fmt::format("{:x}", pc + static_cast<std::uint32_t>(d.imm));
    }
};

std::string jump(const Fields& f) {
    if (f.d.op == Op::kJal) {
        return f.to_zero()   ? "j " + f.target()
               : f.d.rd == 1 ? "jal " + f.target()
                             : fmt::format("jal {},{}", f.rd(), f.target());
    }
    const std::string place =
        f.d.imm == 0 ? std::string(f.rs1()) : fmt::format("{}({})", f.d.imm, f.rs1());
    if (f.to_zero()) {
        return f.d.rs1 == 1 && f.d.imm == 0 ? "ret" : "jr " + place;
    }
    return f.d.rd == 1 ? "jalr " + place : fmt::format("jalr {},{}", f.rd(), place);
}

std::string branch(const Fields& f) {
    if (f.d.op == Op::kBltu || f.d.op == Op::kBgeu || (f.d.rs1 != 0 && f.d.rs2 != 0)) {
        return fmt::format("{} {},{},{}", mnemonic(f.d.op), f.rs1(), f.rs2(), f.target());
    }
    if (f.d.rs2 == 0 && !(f.d.op == Op::kBge && f.d.rs1 == 0)) {
        return fmt::format("{}z {},{}", mnemonic(f.d.op), f.rs1(), f.target());
    }
    switch (f.d.op) {
    case Op::kBlt:
        return fmt::format("bgtz {},{}", f.rs2(), f.target());
    case Op::kBge:
        return fmt::format("blez {},{}", f.rs2(), f.target());
    default:
        return fmt::format("{} {},{},{}", mnemonic(f.d.op), f.rs1(), f.rs2(), f.target());
    }
}

std::string immediate(const Fields& f) {
    const std::int32_t imm = f.d.imm;
    switch (f.d.op) {
    case Op::kAddi:
        if (f.d.rs1 == 0) {
            return imm == 0 && f.to_zero() ? "nop" : fmt::format("li {},{}", f.rd(), imm);
        }
        if (imm == 0) {
            return fmt::format("mv {},{}", f.rd(), f.rs1());
        }
        break;
    case Op::kSltiu:
        if (imm == 1) {
            return fmt::format("seqz {},{}", f.rd(), f.rs1());
        }
        break;
    case Op::kXori:
        if (imm == -1) {
            return fmt::format("not {},{}", f.rd(), f.rs1());
        }
        break;
    case Op::kAndi:
        if (imm == 255) {
            return fmt::format("zext.b {},{}", f.rd(), f.rs1());
        }
        break;
    case Op::kSlli:
    case Op::kSrli:
    case Op::kSrai:
        return fmt::format("{} {},{},0x{:x}", mnemonic(f.d.op), f.rd(), f.rs1(), imm);
    default:
        break;
    }
    return fmt::format("{} {},{},{}", mnemonic(f.d.op), f.rd(), f.rs1(), imm);
}

std::string two_registers(const Fields& f) {
    const auto one = [&f](const char* name, const char* source) {
        return fmt::format("{} {},{}", name, f.rd(), source);
    };
    const bool compressed = f.d.size == 2;
    if (f.d.op == Op::kAdd && f.d.rs1 == 0 && compressed) {
        return one("mv", f.rs2());
    }
    if (f.d.op == Op::kSub && f.d.rs1 == 0) {
        return one("neg", f.rs2());
    }
    if (f.d.op == Op::kSltu && f.d.rs1 == 0) {
        return one("snez", f.rs2());
    }
    if (f.d.op == Op::kSlt && f.d.rs2 == 0) {
        return one("sltz", f.rs1());
    }
    if (f.d.op == Op::kSlt && f.d.rs1 == 0) {
        return one("sgtz", f.rs2());
    }
    return fmt::format("{} {},{},{}", mnemonic(f.d.op), f.rd(), f.rs1(), f.rs2());
}

std::string csr_access(const Fields& f) {
    const bool by_register = f.d.op == Op::kCsrrw || f.d.op == Op::kCsrrs || f.d.op == Op::kCsrrc;
    const std::string name = csr_name(static_cast<std::uint32_t>(f.d.imm));
    const std::string operand = by_register ? f.rs1() : std::to_string(f.d.rs1);
    if (f.d.op == Op::kCsrrs && f.d.rs1 == 0) {
        return fmt::format("csrr {},{}", f.rd(), name);
    }
    if (f.to_zero()) { // csrw, csrs, csrc
        return fmt::format("csr{} {},{}", mnemonic(f.d.op)[4], name, operand);
    }
    return fmt::format("{} {},{},{}", mnemonic(f.d.op), f.rd(), name, operand);
}

std::string fence(std::uint32_t instruction) {
    const auto set = [](std::uint32_t bits) {
        std::string text;
        for (const auto& [bit, letter] :
             {std::pair{8u, 'i'}, std::pair{4u, 'o'}, std::pair{2u, 'r'}, std::pair{1u, 'w'}}) {
            if ((bits & bit) != 0) {
                text += letter;
            }
        }
        return text.empty() ? std::string("unknown") : text;
    };
    const std::uint32_t before = instruction >> 24 & 15;
    const std::uint32_t after = instruction >> 20 & 15;
    return before == 15 && after == 15 ? "fence"
                                       : fmt::format("fence {},{}", set(before), set(after));
}

} // namespace

const char* register_name(std::uint32_t number) {
    return kNames.at(number);
}

std::string disassemble(std::uint32_t instruction, std::uint32_t pc) {
    const Decoded d = decode(instruction);
    const Fields f{d, pc};
    const auto between = [&d](Op first, Op last) { return d.op >= first && d.op <= last; };
    if (d.op == Op::kIllegal) {
        return d.size == 2 ? fmt::format(".2byte 0x{:04x}", d.instruction)
                           : fmt::format(".4byte 0x{:08x}", d.instruction);
    }
    if (d.op == Op::kLui || d.op == Op::kAuipc) {
        return fmt::format("{} {},0x{:x}", mnemonic(d.op), f.rd(),
                           static_cast<std::uint32_t>(d.imm) >> 12);
    }
    if (d.op == Op::kJal || d.op == Op::kJalr) {
        return jump(f);
    }
    if (between(Op::kBeq, Op::kBgeu)) {
        return branch(f);
    }
    if (between(Op::kLb, Op::kLhu)) {
        return fmt::format("{} {},{}({})", mnemonic(d.op), f.rd(), d.imm, f.rs1());
    }
    if (between(Op::kSb, Op::kSw)) {
        return fmt::format("{} {},{}({})", mnemonic(d.op), f.rs2(), d.imm, f.rs1());
    }
    if (between(Op::kAddi, Op::kSrai)) {
        return immediate(f);
    }
    if (between(Op::kAdd, Op::kRemu)) {
        return two_registers(f);
    }
    if (between(Op::kCsrrw, Op::kCsrrci)) {
        return csr_access(f);
    }
    return d.op == Op::kFence ? fence(instruction) : mnemonic(d.op);
}

} // namespace cavern::cpu
