#pragma once

#include <array>
#include <cstdint>
#include <random>

#include "cpu/drive_registers_if.h"

namespace cavern::cpu {

/// How often a stream has reached what must not be missed.
struct StreamCoverage {
    std::uint64_t accesses = 0;
    std::uint64_t faults = 0;
    std::uint64_t narrow = 0;  ///< accesses of less than a word
    std::uint64_t refused = 0; ///< requests for a full queue
    std::uint64_t operations = 0;
    std::uint64_t descriptors = 0;
    std::uint64_t interrupts_high = 0;
    std::uint64_t interrupts_low = 0;
    std::uint64_t interrupts_due = 0;
    std::array<std::uint64_t, 4> errors{}; ///< times that each bit of control.error was seen set
    std::array<std::uint64_t, regs::kRegisters.size()> loads{};
    std::array<std::uint64_t, regs::kRegisters.size()> stores{};
};

/// Random accesses of the processor and calls of the drive, from a seed. Addresses prefer registers
/// to holes, values prefer single bits and small numbers, and phases prefer the firmware or the
/// drive, so that queues run full and empty.
class RegisterStream {
  public:
    RegisterStream(DriveRegistersIf& registers, std::uint64_t seed);
    /// One access or call.
    void step();
    [[nodiscard]] const StreamCoverage& coverage() const { return coverage_; }

  private:
    [[nodiscard]] std::uint32_t below(std::uint32_t bound);
    [[nodiscard]] std::uint32_t value();
    void access();
    void call(bool firmware_leads);

    DriveRegistersIf& registers_;
    std::mt19937_64 random_;
    std::uint64_t cycle_ = 0;
    std::uint64_t steps_ = 0;
    StreamCoverage coverage_;
};

} // namespace cavern::cpu
