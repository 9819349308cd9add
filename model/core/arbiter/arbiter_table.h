#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cavern {

/// Who grants the bus of a channel.
enum class ArbiterKind : std::uint8_t { kTlm, kRtl, kLockstep };

/// One arbiter that `channel.arbiter` can name.
struct ArbiterRow {
    std::string_view name;
    ArbiterKind kind;
    std::string_view description; ///< one sentence
    bool has_rtl;                 ///< its signals can be written as waves
};

/// In the order of ArbiterKind; the drive makes them.
inline constexpr std::array<ArbiterRow, 3> kArbiters{{
    {"tlm", ArbiterKind::kTlm, "A transaction-level model grants the bus.", false},
    {"rtl", ArbiterKind::kRtl, "The SystemVerilog arbiter grants the bus, clock by clock.", true},
    {"lockstep", ArbiterKind::kLockstep,
     "The SystemVerilog arbiter grants the bus, and every clock is compared with a C++ model.",
     true},
}};

[[nodiscard]] constexpr const ArbiterRow& row_of(ArbiterKind kind) {
    return kArbiters[static_cast<std::size_t>(kind)];
}

} // namespace cavern
