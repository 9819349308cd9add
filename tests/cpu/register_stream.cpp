#include "tests/cpu/register_stream.h"

#include "tests/cpu/register_drill.h"

namespace cavern::cpu {

using regs::RegisterId;

RegisterStream::RegisterStream(DriveRegistersIf& registers, std::uint64_t seed)
    : registers_(registers), random_(seed) {}

std::uint32_t RegisterStream::below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(random_() % bound);
}

std::uint32_t RegisterStream::value() {
    switch (below(5)) {
    case 0:
        return 1u << below(32);
    case 1:
        return below(16);
    case 2:
        return 0xFFFF'FFFF;
    default:
        return static_cast<std::uint32_t>(random_());
    }
}

void RegisterStream::step() {
    ++steps_;
    cycle_ += below(8) == 0 ? below(2000) : below(8);
    // By turns the firmware and the drive have the upper hand: queues run full, and empty.
    const bool firmware_leads = steps_ / 2048 % 2 == 0;
    if (below(8) < (firmware_leads ? 7u : 3u)) {
        access();
    } else {
        call(firmware_leads);
    }
    if (below(4) == 0) {
        const std::uint64_t when = cycle_ + below(3000);
        ++(registers_.interrupt(when) ? coverage_.interrupts_high : coverage_.interrupts_low);
        if (const auto due = registers_.interrupt_due(when)) { // the edge itself
            ++coverage_.interrupts_due;
            for (const std::uint64_t edge : {*due - 1, *due}) {
                static_cast<void>(registers_.interrupt(edge));
            }
        }
    }
    if (steps_ % 16 == 0) {
        const std::uint32_t errors = read(registers_, RegisterId::kControlError, cycle_);
        for (std::uint32_t bit = 0; bit < 4; ++bit) {
            coverage_.errors[bit] += (errors >> bit) & 1;
        }
    }
    if (steps_ % 20'000 == 0) {
        registers_.reset();
    }
}

void RegisterStream::access() {
    const std::uint32_t number = below(regs::kRegisters.size());
    std::uint32_t offset = regs::kRegisters[number].address;
    bool of_register = true;
    if (const std::uint32_t kind = below(16); kind == 0) {
        offset = 4 * below(regs::kBytes / 4);
        of_register = false;
    } else if (kind == 1) {
        offset = regs::kMemoryAddress + 4 * below(64);
        of_register = false;
    } else if (kind <= 6) { // what fills and empties queues
        const RegisterId moves[] = {RegisterId::kOperationCommand, RegisterId::kDmaCommand,
                                    RegisterId::kControlDoorbell, RegisterId::kRequestPop,
                                    RegisterId::kRequestPop};
        offset = address_of(moves[below(5)]) - kRegisterBase;
        of_register = false;
    } else if (number == static_cast<std::uint32_t>(RegisterId::kWindowOffset) && below(4) != 0) {
        registers_.store(kRegisterBase + offset, below(100), 4, cycle_);
        return;
    }
    const std::uint32_t size = below(4) != 0 ? 4 : 1 + below(4);
    offset += below(5 - size);
    const bool is_store = below(2) == 0;
    const BusAnswer answer = is_store
                                 ? registers_.store(kRegisterBase + offset, value(), size, cycle_)
                                 : registers_.load(kRegisterBase + offset, size, cycle_);
    ++coverage_.accesses;
    coverage_.faults += answer.fault ? 1 : 0;
    coverage_.narrow += size < 4 ? 1 : 0;
    if (of_register) {
        ++(is_store ? coverage_.stores : coverage_.loads)[number];
    }
}

void RegisterStream::call(bool firmware_leads) {
    switch (below(8)) {
    case 0:
    case 1:
    case 2: {
        const HostRequest request{static_cast<regs::Opcode>(below(6)),
                                  below(2) == 0,
                                  static_cast<std::uint16_t>(below(65536)),
                                  value(),
                                  value(),
                                  random_()};
        if (!firmware_leads || below(4) == 0) {
            coverage_.refused += registers_.push_request(request, cycle_) ? 0 : 1;
        }
        break;
    }
    case 3:
    case 4:
        coverage_.operations += registers_.take_operation(cycle_) ? 1 : 0;
        break;
    case 5:
        coverage_.descriptors += registers_.take_descriptor(cycle_) ? 1 : 0;
        break;
    case 6:
        registers_.complete_descriptor(cycle_);
        break;
    default:
        if (below(2) == 0) {
            registers_.add_busy_cycles(value());
        } else {
            registers_.set_idle(below(2) == 0, below(2) == 0);
        }
    }
}

} // namespace cavern::cpu
