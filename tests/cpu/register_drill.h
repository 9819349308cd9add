#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/drive_registers_if.h"
#include "cpu/memory_map.h"

namespace cavern::cpu {

constexpr std::uint32_t kRegisterBase = MemoryMap{}.registers.base;

/// Address of a register for the processor.
[[nodiscard]] constexpr std::uint32_t address_of(regs::RegisterId id) {
    return kRegisterBase + regs::kRegisters[static_cast<std::size_t>(id)].address;
}

/// Firmware's view: whole words, and no fault.
[[nodiscard]] std::uint32_t read(DriveRegistersIf& registers, regs::RegisterId id,
                                 std::uint64_t cycle = 0);
void write(DriveRegistersIf& registers, regs::RegisterId id, std::uint32_t value,
           std::uint64_t cycle = 0);

/// Two small memories behind the window: word w of each, up to 100 words; word w waits w % 4
/// cycles.
class DrillWindow final : public WindowIf {
  public:
    static constexpr std::uint32_t kWords = 100;
    WindowAnswer load(regs::Space space, std::uint64_t word, std::uint64_t cycle) override;
    WindowAnswer store(regs::Space space, std::uint64_t word, std::uint32_t value,
                       std::uint32_t strobes, std::uint64_t cycle) override;
    std::array<std::array<std::uint32_t, kWords>, 2> words{};
    std::uint64_t accesses = 0;
};

/// What is wrong with the values after a reset of a block whose geometry is not set: a line for
/// each field; empty when all are right. Fields without storage are known by name.
[[nodiscard]] std::string faults_of_reset_values(DriveRegistersIf& registers);

/// What is wrong with the access of a field: each is read and written with all widths and places
/// that a store can have, and bits that clear are set before by what sets them. A line for each;
/// empty when all are right.
[[nodiscard]] std::string faults_of_access(DriveRegistersIf& registers);

} // namespace cavern::cpu
