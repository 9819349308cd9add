#pragma once

#include <cstdint>

namespace cavern::cpu {

/// Clock cycles of each kind of instruction in lowRISC's Ibex with two stages: RV32MFast, no branch
/// target ALU, no writeback stage, no instruction cache. Each figure is the cycles from the
/// instruction's start in ID/EX to that of the next: 1 plus the stall cycles of Ibex's
/// documentation (doc/03_reference/pipeline_details.rst). Wait cycles of the memory system add up.
struct IbexTiming {
    std::uint32_t alu = 1;
    std::uint32_t csr = 1;
    std::uint32_t load = 2;
    std::uint32_t store = 2;
    /// More, for the second access of a load or store that crosses a word. Both are under way
    /// together: of their wait cycles the longer count.
    std::uint32_t crossing = 1;
    std::uint32_t mul = 3;
    std::uint32_t mulh = 4; ///< MULH, MULHSU, MULHU
    std::uint32_t divide = 37;
    std::uint32_t divide_by_zero = 2;
    std::uint32_t jump = 2; ///< JAL, JALR, FENCE.I
    std::uint32_t branch_not_taken = 1;
    std::uint32_t branch_taken = 3;
    /// More, where control goes to a 32-bit instruction that lies across two words.
    std::uint32_t unaligned_target = 1;
    std::uint32_t mret = 3;
    std::uint32_t wfi = 5;       ///< where a pending line wakes it at once
    std::uint32_t wake = 2;      ///< from the cycle in which a line rises while it sleeps
    std::uint32_t exception = 3; ///< of the instruction that traps, to the first of the handler
    /// More than load or store, from one that finds nothing to the first of the handler.
    std::uint32_t access_fault = 2;
    std::uint32_t interrupt = 3; ///< more, before the first instruction of the handler
    /// More, after CSRRW[I] or CSRRS[I] has written mstatus or mie (CSRRC does not flush).
    std::uint32_t csr_flush = 2;
    /// Cycle in which the first instruction after reset starts.
    std::uint32_t reset = 3;
};

} // namespace cavern::cpu
