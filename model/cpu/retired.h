#pragma once

#include <cstdint>

namespace cavern::cpu {

/// The effect of one instruction, in the terms of the RISC-V Formal Interface (riscv-formal,
/// docs/rvfi.md). An instruction that traps is reported as well, with `trap` set, no register and
/// no memory effect.
struct Retired {
    std::uint64_t order = 0; ///< 0 for the first instruction after reset, one more for each
    std::uint64_t cycle = 0; ///< clock cycle in which it left the pipeline, counted from reset
    std::uint32_t pc = 0;
    std::uint32_t next_pc = 0;
    std::uint32_t instruction = 0; ///< as fetched: the upper half of a compressed one is 0
    std::uint8_t rd = 0;           ///< register written, 0 for none
    std::uint32_t rd_value = 0;    ///< 0 where rd is 0
    /// Address of the first byte accessed, aligned or not. Masks are relative to it: bit 0 is the
    /// byte at memory_address. Of the data only the bytes of the mask count; the others are 0.
    std::uint32_t memory_address = 0;
    std::uint8_t read_mask = 0;
    std::uint8_t write_mask = 0;
    std::uint32_t read_data = 0; ///< as memory has it, before sign extension
    std::uint32_t write_data = 0;
    bool trap = false;      ///< raised an exception
    bool interrupt = false; ///< the first instruction of a trap handler (rvfi_intr)
};

} // namespace cavern::cpu
