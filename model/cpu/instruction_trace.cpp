#include "cpu/instruction_trace.h"

#include <fmt/format.h>

#include "cpu/decode.h"
#include "cpu/disassemble.h"

namespace cavern::cpu {

namespace {

/// Two digits for each byte accessed.
std::string bytes_of(std::uint32_t data, std::uint8_t mask) {
    const int digits = 2 * __builtin_popcount(mask);
    return fmt::format("{:0{}x}", data, digits);
}

} // namespace

std::string trace_line(const Retired& retired, const Program* program) {
    std::string effect;
    if (retired.rd != 0) {
        effect += fmt::format("{}={:08x} ", register_name(retired.rd), retired.rd_value);
    }
    if (retired.read_mask != 0) {
        effect += fmt::format("[{:08x}]->{} ", retired.memory_address,
                              bytes_of(retired.read_data, retired.read_mask));
    }
    if (retired.write_mask != 0) {
        effect += fmt::format("[{:08x}]<-{} ", retired.memory_address,
                              bytes_of(retired.write_data, retired.write_mask));
    }
    if (retired.trap) {
        effect += "trap ";
    }
    if (retired.interrupt) {
        effect += "handler ";
    }
    std::string place;
    if (const Symbol* symbol = program == nullptr ? nullptr : program->symbol_at(retired.pc)) {
        place = retired.pc == symbol->address
                    ? symbol->name
                    : fmt::format("{}+0x{:x}", symbol->name, retired.pc - symbol->address);
    }
    const std::string code = is_compressed(retired.instruction)
                                 ? fmt::format("{:04x}", retired.instruction)
                                 : fmt::format("{:08x}", retired.instruction);
    std::string line =
        fmt::format("{:10} {:08x} {:8} {:26} {:30} {}", retired.cycle, retired.pc, code,
                    disassemble(retired.instruction, retired.pc), effect, place);
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

} // namespace cavern::cpu
