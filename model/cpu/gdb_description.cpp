#include "cpu/gdb_description.h"

#include <array>

#include <fmt/format.h>

#include "cpu/csr_file.h"
#include "cpu/disassemble.h"

namespace cavern::cpu {

namespace {

struct NamedCsr {
    const char* name;
    std::uint32_t number;
};
constexpr std::array<NamedCsr, 22> kCsrs = {{
    {"mstatus", csr::kMstatus},
    {"misa", csr::kMisa},
    {"mie", csr::kMie},
    {"mtvec", csr::kMtvec},
    {"mcounteren", csr::kMcounteren},
    {"mstatush", csr::kMstatush},
    {"mcountinhibit", csr::kMcountinhibit},
    {"mscratch", csr::kMscratch},
    {"mepc", csr::kMepc},
    {"mcause", csr::kMcause},
    {"mtval", csr::kMtval},
    {"mip", csr::kMip},
    {"cpuctrlsts", csr::kCpuctrlsts},
    {"mcycle", csr::kMcycle},
    {"minstret", csr::kMinstret},
    {"mcycleh", csr::kMcycleh},
    {"minstreth", csr::kMinstreth},
    {"mvendorid", csr::kMvendorid},
    {"marchid", csr::kMarchid},
    {"mimpid", csr::kMimpid},
    {"mhartid", csr::kMhartid},
    {"mconfigptr", csr::kMconfigptr},
}};

std::string description() {
    std::string text =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
        "<target version=\"1.0\">\n<architecture>riscv:rv32</architecture>\n<osabi>none</osabi>\n"
        "<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
    for (std::uint32_t i = 0; i < 32; ++i) {
        const char* type = i == 1 ? "code_ptr" : i >= 2 && i <= 4 ? "data_ptr" : "int";
        // GDB knows s0 as fp.
        text += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"{}\" regnum=\"{}\"/>\n",
                            i == 8 ? "fp" : register_name(i), type, i);
    }
    text += fmt::format("<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"{}\"/>\n"
                        "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n",
                        kGdbPc);
    for (const NamedCsr& csr : kCsrs) {
        text += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"int\" regnum=\"{}\" "
                            "group=\"csr\" save-restore=\"no\"/>\n",
                            csr.name, kGdbFirstCsr + csr.number);
    }
    return text + "</feature>\n</target>\n";
}

} // namespace

const std::string& gdb_target_description() {
    static const std::string text = description();
    return text;
}

} // namespace cavern::cpu
