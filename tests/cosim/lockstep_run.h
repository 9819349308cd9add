#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "core/base/error.h"
#include "cosim/cpu_lockstep.h"
#include "tests/cosim/ibex_fixture.h"
#include "tests/cosim/random_program.h"

namespace cavern {

/// Raises a random line now and then, and lowers it when its handler is entered.
class RandomInterrupts {
  public:
    explicit RandomInterrupts(std::uint64_t seed) : random_(seed) {}

    void before_tick(CpuLockstep& lockstep) {
        if (random_() % 40 == 0) {
            static constexpr std::uint32_t kLines[] = {3, 7, 11, 16, 20, 30};
            lines_ |= 1u << kLines[random_() % 6];
        }
        lockstep.core().set_interrupts(lines_);
    }
    void after_instruction(const cpu::Retired& retired, std::uint32_t vectors) {
        const std::uint32_t line = (retired.pc - vectors) / 4;
        if (retired.interrupt && line < 32) {
            taken_ += lines_ >> line & 1;
            lines_ &= ~(1u << line);
        }
    }
    [[nodiscard]] std::uint32_t taken() const { return taken_; }

  private:
    std::mt19937_64 random_;
    std::uint32_t lines_ = 0;
    std::uint32_t taken_ = 0;
};

struct LockstepResult {
    std::uint64_t compared = 0;
    std::uint64_t cycles = 0;
    std::uint32_t interrupts = 0;
    std::uint32_t traps = 0;
    std::uint64_t off_cycles = 0; ///< instructions that left the interpreter in another cycle
    std::string difference;       ///< message of the first, empty for none
};

/// A random program through the lockstep, to its end or to the first difference.
inline LockstepResult run_random(std::uint64_t seed, std::uint32_t instructions,
                                 const rv32::RandomProgram::Options& options,
                                 ExtraWaitIf* waits = nullptr) {
    ProcessorMemory memory;
    const std::uint32_t vectors = memory.memory().map().boot_address();
    for (std::uint32_t line = 1; line < 32; ++line) {
        memory.put_vector(line, rv32::Code() << rv32::kMret);
    }
    memory.put_vector(0, rv32::Code() << rv32::RandomProgram::kToHandler);
    const rv32::RandomProgram program(seed, instructions, memory.data(), options);
    memory.put_program(program.code());
    CpuLockstep lockstep(memory.memory(), cpu::IbexTiming{}, seed, waits);
    RandomInterrupts interrupts(seed);
    LockstepResult result;
    try {
        const std::uint32_t end = memory.start() + program.end();
        for (bool ended = false; !ended && lockstep.core().cycle() < 100 * instructions;) {
            if (options.interrupts) {
                interrupts.before_tick(lockstep);
            }
            if (lockstep.tick()) {
                const cpu::Retired& retired = lockstep.core().retired();
                interrupts.after_instruction(retired, vectors);
                result.traps += retired.trap;
                result.off_cycles += lockstep.interpreted().cycle != retired.cycle;
                ended = retired.pc == end;
            }
        }
    } catch (const ModelError& error) {
        result.difference = error.what();
    }
    result.compared = lockstep.compared();
    result.cycles = lockstep.core().cycle();
    result.interrupts = interrupts.taken();
    return result;
}

} // namespace cavern
