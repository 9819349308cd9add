#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace cavern {

/// Parameters of rtl/channel_allocator.sv.
struct AllocatorShape {
    std::uint32_t channels = 8; ///< 1..16
    std::uint32_t ways = 4;     ///< dies of a channel, 1..16
    std::uint32_t victims = 32; ///< of a burst at most, 1..255
};

/// Input ports of rtl/channel_allocator.sv, sampled at a rising clock edge.
struct AllocatorInputs {
    bool start = false;
    std::uint32_t victims = 0; ///< of the burst that starts
    std::uint32_t busy = 0;    ///< bit c: channel c takes nothing
};

/// Output ports after that edge.
struct AllocatorOutputs {
    bool ready = true;  ///< the next edge may start a burst
    bool valid = false; ///< a victim was handed out, to
    std::uint32_t channel = 0;
    std::uint32_t way = 0;
    bool last = false; ///< the last of its burst
};

inline bool operator==(const AllocatorOutputs& a, const AllocatorOutputs& b) {
    return a.ready == b.ready && a.valid == b.valid && a.last == b.last &&
           (!a.valid || (a.channel == b.channel && a.way == b.way));
}
inline bool operator!=(const AllocatorOutputs& a, const AllocatorOutputs& b) {
    return !(a == b);
}

/// A channel allocator seen edge by edge: the Verilated RTL, its C++ twin, or both in lockstep.
class ChannelAllocatorIf {
  public:
    virtual ~ChannelAllocatorIf() = default;
    /// One rising edge; returns the outputs after it.
    virtual AllocatorOutputs step(const AllocatorInputs& inputs) = 0;
};

/// rtl/channel_allocator.sv with its properties, compiled by Verilator, out of reset. A failing
/// property throws ModelError with the label and the property's name. Throws ModelError for a shape
/// this program has no model of. Defined by the library cavern_allocator_models, and with a line of
/// the RTL broken by cavern_allocator_models_broken; a program links one of them.
std::unique_ptr<ChannelAllocatorIf>
make_rtl_allocator(const AllocatorShape& shape, std::uint64_t seed, const std::string& label);

} // namespace cavern
