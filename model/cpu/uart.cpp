#include "cpu/uart.h"

namespace cavern::cpu {

BusAnswer Uart::load(std::uint32_t offset) const {
    switch (offset & ~3u) {
    case 0x0:
    case 0x8:
        return {0, 0, false};
    case 0x4:
        return {offset == 4 ? 1u : 0u, 0, false};
    default:
        return {0, 0, true};
    }
}

BusAnswer Uart::store(std::uint32_t offset, std::uint32_t value, std::uint64_t cycle) {
    switch (offset) {
    case 0x0:
        if (sink_) {
            sink_(static_cast<char>(value), cycle);
        }
        return {};
    case 0x4:
        return {};
    case 0x8:
        exit_status_ = value;
        return {};
    default:
        return {0, 0, true};
    }
}

} // namespace cavern::cpu
