#include "drive/age_limit.h"

#include <algorithm>

#include "core/arbiter/arbiter_rules.h"

namespace cavern {

std::uint32_t age_limit_cycles(const SsdConfig& config) {
    const ChannelConfig& channel = config.channel;
    if (channel.age_limit != 0) {
        return channel.age_limit;
    }
    // Half of what 32-bit ages can tell apart.
    constexpr std::uint64_t kMost = 0x7FFF'FFFF;
    const NandTiming& timing = config.nand.timing;
    const Geometry& geometry = config.nand.geometry;
    const TimePs page =
        timing.data_time(std::uint64_t{geometry.page_bytes} + geometry.spare_bytes) +
        timing.program_cycles * timing.command_cycle;
    const TimePs period = clock_period(channel.arbiter_hz);
    const std::uint64_t cycles = (channel.age_limit_pages * page + period - 1) / period;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(cycles, 1, kMost));
}

} // namespace cavern
