#pragma once

#include <cstdint>
#include <string_view>

namespace cavern::cpu::regs {

/// Effect of a store on a field.
enum class FieldAccess : std::uint8_t {
    kReadOnly,  ///< nothing
    kReadWrite, ///< the field holds it
    kWriteOnly, ///< the same, but reads give 0
    kOneClears, ///< bits written 1 are cleared
    kAnyClears, ///< all bits are cleared, whatever is written
    kPulse,     ///< starts something where 1 is written; holds nothing
};

struct FieldInfo {
    std::string_view name;
    std::uint8_t lowest_bit;
    std::uint8_t bits;
    FieldAccess access;
    bool from_drive; ///< shows what the drive says, and has no reset value
    std::uint32_t reset;
    [[nodiscard]] constexpr std::uint32_t mask() const {
        return (bits == 32 ? 0xFFFF'FFFFu : (1u << bits) - 1) << lowest_bit;
    }
};

/// A register of 32 bits; its fields are rows of kFields. Masks of the bits by access.
struct RegisterInfo {
    std::string_view name; ///< irq.pending
    std::uint16_t first_field;
    std::uint16_t fields;
    std::uint32_t address; ///< from the start of the block
    std::uint32_t reset;
    std::uint32_t read; ///< bits that a load shows
    std::uint32_t hold; ///< kReadWrite, kWriteOnly
    std::uint32_t one_clears;
    std::uint32_t any_clears;
    std::uint32_t pulse;
    [[nodiscard]] constexpr bool readable() const { return read != 0; }
    [[nodiscard]] constexpr bool writable() const {
        return (hold | one_clears | any_clears | pulse) != 0;
    }
};

/// Where a field stands in its register.
struct FieldPlace {
    std::uint8_t lowest_bit;
    std::uint8_t bits;
    [[nodiscard]] constexpr std::uint32_t mask() const {
        return (bits == 32 ? 0xFFFF'FFFFu : (1u << bits) - 1) << lowest_bit;
    }
    [[nodiscard]] constexpr std::uint32_t of(std::uint32_t word) const {
        return (word & mask()) >> lowest_bit;
    }
    [[nodiscard]] constexpr std::uint32_t place(std::uint32_t value) const {
        return (value << lowest_bit) & mask();
    }
};

} // namespace cavern::cpu::regs
