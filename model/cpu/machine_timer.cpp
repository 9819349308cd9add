#include "cpu/machine_timer.h"

namespace cavern::cpu {

namespace {

std::uint64_t with_word(std::uint64_t old, bool high, std::uint32_t value) {
    const unsigned shift = high ? 32 : 0;
    return (old & ~(std::uint64_t{0xFFFF'FFFF} << shift)) | std::uint64_t{value} << shift;
}

} // namespace

BusAnswer MachineTimer::load(std::uint32_t offset, std::uint32_t size, std::uint64_t cycle) const {
    if (size != 4 || offset % 4 != 0 || offset > 0xC) {
        return {0, 0, true};
    }
    const std::uint64_t value = offset < 8 ? cycle + offset_ : compare_;
    return {static_cast<std::uint32_t>(value >> (offset % 8 == 0 ? 0 : 32)), 0, false};
}

BusAnswer MachineTimer::store(std::uint32_t offset, std::uint32_t value, std::uint32_t size,
                              std::uint64_t cycle) {
    if (size != 4 || offset % 4 != 0 || offset > 0xC) {
        return {0, 0, true};
    }
    const bool high = offset % 8 != 0;
    if (offset < 8) {
        offset_ = with_word(cycle + offset_, high, value) - cycle;
    } else {
        compare_ = with_word(compare_, high, value);
    }
    return {};
}

std::uint64_t MachineTimer::rises_at(std::uint64_t cycle) const {
    const std::uint64_t now = cycle + offset_;
    if (now >= compare_) {
        return cycle;
    }
    const std::uint64_t ticks = compare_ - now;
    return compare_ == kNever || ticks > kNever - cycle ? kNever : cycle + ticks;
}

} // namespace cavern::cpu
