#pragma once

#include <cstdint>

namespace cavern {

/// Input ports of rtl/channel_arbiter.sv, sampled at a rising clock edge.
struct ArbiterInputs {
    std::uint32_t request = 0; ///< bit w: slot w wants the bus (dropped when it is granted)
    std::uint32_t classes = 0; ///< two bits a slot: BusClass
    bool release = false;      ///< the holder gives the bus back at this edge
    std::uint32_t time = 0;    ///< number of this clock edge, modulo 2^32
};

/// Output ports after that edge.
struct ArbiterOutputs {
    bool valid = false;      ///< the bus is held
    std::uint32_t grant = 0; ///< one-hot holder, 0 when none
    std::uint32_t index = 0; ///< holder's slot, meaningful while valid
};

inline bool operator==(const ArbiterOutputs& a, const ArbiterOutputs& b) {
    return a.valid == b.valid && a.grant == b.grant && (!a.valid || a.index == b.index);
}
inline bool operator!=(const ArbiterOutputs& a, const ArbiterOutputs& b) {
    return !(a == b);
}

/// An arbiter seen edge by edge: the Verilated RTL, its C++ twin, or both in lockstep. Edges at
/// which nothing can change may be left out: the state depends on `time`, not on the number of
/// steps.
class ClockedArbiterIf {
  public:
    virtual ~ClockedArbiterIf() = default;
    /// One rising edge; returns the outputs after it.
    virtual ArbiterOutputs step(const ArbiterInputs& inputs) = 0;
    /// Grants compared against a second model, and how many of them differed (0 where nothing is
    /// compared).
    [[nodiscard]] virtual std::uint64_t compared() const { return 0; }
    [[nodiscard]] virtual std::uint64_t mismatches() const { return 0; }
};

} // namespace cavern
