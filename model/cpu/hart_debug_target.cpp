#include "cpu/hart_debug_target.h"

#include <algorithm>

namespace cavern::cpu {

std::string HartDebugTarget::read_memory(std::uint32_t address, std::uint32_t bytes) {
    const MemoryMap& map = hart_.memory().map();
    for (const MemoryRegion& region : {map.instruction, map.data, map.sdram}) {
        if (bytes != 0 && region.contains(address)) {
            const std::uint32_t rest = region.size - (address - region.base);
            std::string content(std::min(bytes, rest), '\0');
            const auto size = static_cast<std::uint32_t>(content.size());
            return hart_.memory().read(address, content.data(), size) ? content : std::string();
        }
    }
    return {};
}

bool HartDebugTarget::write_memory(std::uint32_t address, const std::string& bytes) {
    return bytes.empty() ||
           hart_.memory().write(address, bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}

bool HartDebugTarget::add_breakpoint(std::uint32_t pc) {
    if (pc % 2 != 0 || !hart_.memory().map().instruction.contains(pc)) {
        return false;
    }
    hart_.add_breakpoint(pc);
    return true;
}

} // namespace cavern::cpu
