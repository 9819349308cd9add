#pragma once

#include <cstdint>

#include "cpu/decode.h"
#include "cpu/hart.h"

namespace cavern::cpu {

/// The state that the loop keeps in registers, out of the hart. `next` is the next instruction: its
/// entry in the table of decoded ones, or kOutside with the pc in `outside`.
struct Hart::Locals {
    static constexpr Decoded kOutside{Op::kFetchFault, Decoded::kNoRegister, 0, 0, 0, 0, 4};

    Decoded* table;
    std::uint32_t code_base;
    std::uint32_t code_size;
    const Decoded* next;
    std::uint32_t outside;
    std::uint64_t cycle;
    std::uint64_t left; ///< instructions yet to execute
    std::uint64_t mark; ///< `left` when order_ was last true
    std::uint8_t* data; ///< the data memory
    std::uint32_t data_base;
    std::uint32_t data_size;

    [[nodiscard]] std::uint32_t pc() const {
        return next == &kOutside ? outside
                                 : code_base + static_cast<std::uint32_t>(next - table) * 2;
    }
    void go_to(std::uint32_t pc) {
        const std::uint32_t offset = pc - code_base;
        outside = pc;
        next = __builtin_expect(offset < code_size, 1) ? table + (offset >> 1) : &kOutside;
    }
    void go_on(const Decoded& decoded) { next += decoded.size >> 1; }
    /// More cycles, where the target of a jump lies across two words: both are needed before it can
    /// start.
    std::uint32_t jump(Hart& hart, std::uint32_t pc) {
        go_to(pc);
        if ((pc & 2) == 0 || next == &kOutside) {
            return 0;
        }
        if (next->op == Op::kUndecoded) {
            hart.decode_entry(pc);
        }
        return next->size == 4 ? hart.timing_.unaligned_target : 0;
    }
    void put_back(Hart& hart) {
        hart.pc_ = pc();
        hart.cycle_ = cycle;
        hart.order_ += mark - left;
        mark = left;
    }
    void take_out(const Hart& hart) {
        go_to(hart.pc_);
        cycle = hart.cycle_;
    }
};

} // namespace cavern::cpu
