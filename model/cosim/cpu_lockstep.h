#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cosim/ibex_core.h"
#include "cpu/bus_if.h"
#include "cpu/hart.h"
#include "cpu/program.h"

namespace cavern {

/// Answers the interpreter's accesses with what Ibex's port has seen: memory and devices are
/// touched once, by Ibex, and both read the same.
class ReplayBus final : public cpu::BusIf {
  public:
    explicit ReplayBus(const IbexCore& core) : core_(core) {}

    cpu::BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override;
    cpu::BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                         std::uint64_t cycle) override;

    /// Whether the instruction has made another access than Ibex, or stored something else;
    /// forgotten by this call.
    [[nodiscard]] bool take_difference();

  private:
    /// Without effect where Ibex has made no such access.
    [[nodiscard]] DataAccess find(std::uint32_t address, std::uint32_t size, bool write);
    const IbexCore& core_;
    bool differs_ = false;
};

/// Ibex and the interpreter side by side, in the manner of Ibex's own co-simulation (dv/cosim).
/// Ibex goes first, alone with memory and devices; the interpreter follows instruction by
/// instruction, its loads answered from Ibex's port. Compared are pc, instruction, register
/// written, address, byte mask and data of memory accesses, traps, entries of trap handlers, and
/// the next pc. The interpreter decides by itself whether an interrupt comes first, from the lines
/// that Ibex saw when it decided (rvfi_ext_pre_mip). Reads of mcycle and mip are compared with what
/// Ibex reports of those registers (rvfi_ext_mcycle, rvfi_ext_post_mip), and Ibex's value is taken.
/// The first difference throws ModelError with what differs and the last 16 instructions of both.
///
/// Code must not be changed by others than the processor while it runs.
class CpuLockstep {
  public:
    /// `memory` is Ibex's, with its bus; code is taken from it at reset. `seed` and `extra` as for
    /// IbexCore.
    CpuLockstep(cpu::MemorySystem& memory, const cpu::IbexTiming& timing, std::uint64_t seed,
                ExtraWaitIf* extra = nullptr);

    /// Call it when the image is in memory.
    void reset();
    /// The program whose symbols name a difference; null for none.
    void set_program(const cpu::Program* program) { program_ = program; }
    /// One clock cycle of Ibex, and the interpreter's instruction if one has retired: true.
    bool tick();
    /// Ticks until an instruction has retired; false when `max_cycles` have passed without.
    bool step(std::uint64_t max_cycles);

    [[nodiscard]] IbexCore& core() { return core_; }
    [[nodiscard]] cpu::Hart& hart() { return hart_; }
    /// Instructions compared, those that trapped included.
    [[nodiscard]] std::uint64_t compared() const { return compared_; }
    /// The interpreter's record of the instruction compared last; cycles are its own.
    [[nodiscard]] const cpu::Retired& interpreted() const { return iss_; }

  private:
    static constexpr std::size_t kHistory = 16;

    void compare();
    [[nodiscard]] std::uint32_t lines_before() const;
    void take_counters();
    [[noreturn]] void report(const std::string& what) const;
    void check_equal(const char* what, std::uint64_t ibex, std::uint64_t iss) const;

    cpu::MemorySystem& memory_;
    IbexCore core_;
    ReplayBus replay_;
    cpu::MemorySystem code_; ///< the interpreter's: instruction memory alone
    cpu::Hart hart_;
    const cpu::Program* program_ = nullptr;
    cpu::Retired ibex_;
    cpu::Retired iss_;
    bool slept_ = false;
    std::uint64_t woken_at_ = 0;
    std::uint64_t compared_ = 0;
    struct Pair {
        cpu::Retired ibex;
        cpu::Retired iss;
    };
    std::array<Pair, kHistory> history_{}; ///< ring, instruction n at n % kHistory
};

} // namespace cavern
