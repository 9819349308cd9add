#include "cpu/controller_devices.h"

#include <algorithm>
#include <utility>

namespace cavern::cpu {

namespace {

constexpr bool pushes(std::uint32_t offset) {
    const std::uint32_t word = offset & ~3u;
    return word == offset_of(regs::RegisterId::kOperationCommand) ||
           word == offset_of(regs::RegisterId::kControlDoorbell);
}

} // namespace

ControllerDevices::ControllerDevices(const MemoryMap& map, DriveRegistersIf& registers, Taker taker,
                                     Uart::Sink log, std::uint64_t cycles_per_entry)
    : map_(map), registers_(registers), taker_(std::move(taker)), uart_(std::move(log)),
      cycles_per_entry_(cycles_per_entry) {}

BusAnswer ControllerDevices::load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) {
    if (map_.registers.contains(address)) {
        if (cycles_per_entry_ != 0 && cycle >= taken_ + cycles_per_entry_) {
            take_one(cycle);
        }
        return registers_.load(address, size, cycle);
    }
    if (map_.timer.contains(address)) {
        return timer_.load(address - map_.timer.base, size, cycle);
    }
    if (map_.uart.contains(address)) {
        return uart_.load(address - map_.uart.base);
    }
    return {0, 0, true};
}

BusAnswer ControllerDevices::store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                                   std::uint64_t cycle) {
    if (map_.registers.contains(address)) {
        const BusAnswer answer = registers_.store(address, value, size, cycle);
        if (cycles_per_entry_ == 0 && pushes(address - map_.registers.base)) {
            take_entries(cycle);
        }
        look_at_line(cycle);
        return answer;
    }
    if (map_.timer.contains(address)) {
        return timer_.store(address - map_.timer.base, value, size, cycle);
    }
    if (map_.uart.contains(address)) {
        return uart_.store(address - map_.uart.base, value, cycle);
    }
    return {0, 0, true};
}

bool ControllerDevices::push_request(const HostRequest& request, std::uint64_t cycle) {
    const bool pushed = registers_.push_request(request, cycle);
    look_at_line(cycle);
    return pushed;
}

void ControllerDevices::take_one(std::uint64_t cycle) {
    if (const std::optional<FlashOperation> entry = registers_.take_operation(cycle)) {
        taken_ = cycle;
        taker_(*entry, cycle);
        look_at_line(cycle);
    }
}

void ControllerDevices::take_entries(std::uint64_t cycle) {
    while (const std::optional<FlashOperation> entry = registers_.take_operation(cycle)) {
        taker_(*entry, cycle);
    }
}

void ControllerDevices::look_at_line(std::uint64_t cycle) {
    external_ = registers_.interrupt(cycle);
    external_due_ =
        external_ ? Hart::kForever : registers_.interrupt_due(cycle).value_or(Hart::kForever);
}

std::uint64_t ControllerDevices::rises_after(std::uint64_t cycle) {
    const std::uint64_t timer = timer_.line(cycle) ? Hart::kForever : timer_.rises_at(cycle);
    return std::min(timer, external_due_ > cycle ? external_due_ : Hart::kForever);
}

} // namespace cavern::cpu
