#include "cosim/rtl_machine.h"

#include <utility>

#include "cosim/rtl_fault.h"

namespace cavern {

RtlMachine::RtlMachine(const Options& options, cpu::Uart::Sink log)
    : options_(options), memory_(options.map, this), uart_(std::move(log)) {
    if (options.core == Core::kLockstep) {
        lockstep_ =
            std::make_unique<CpuLockstep>(memory_, options.timing, options.seed, options.extra);
    } else {
        core_ = std::make_unique<IbexCore>(memory_, options.seed, options.extra);
    }
}

RtlMachine::~RtlMachine() = default;

void RtlMachine::load(const cpu::Program& program) {
    CAVERN_CHECK(program.entry() == memory_.map().reset_pc(), "Ibex starts at its reset pc");
    program.load_into(memory_);
    executed_ = 0;
    traps_ = 0;
    if (lockstep_) {
        lockstep_->set_program(&program);
        lockstep_->reset();
    } else {
        core_->reset();
    }
}

cpu::BusAnswer RtlMachine::load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) {
    const cpu::MemoryMap& map = memory_.map();
    if (map.timer.contains(address)) {
        return timer_.load(address - map.timer.base, size, cycle);
    }
    if (map.uart.contains(address)) {
        return uart_.load(address - map.uart.base);
    }
    return {0, 0, true};
}

cpu::BusAnswer RtlMachine::store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                                 std::uint64_t cycle) {
    const cpu::MemoryMap& map = memory_.map();
    if (map.timer.contains(address)) {
        return timer_.store(address - map.timer.base, value, size, cycle);
    }
    if (map.uart.contains(address)) {
        return uart_.store(address - map.uart.base, value, cycle);
    }
    return {0, 0, true};
}

bool RtlMachine::tick() {
    IbexCore& ibex = core();
    ibex.set_interrupt(cpu::interrupt::kTimer, timer_.line(ibex.cycle()));
    return lockstep_ ? lockstep_->tick() : ibex.tick();
}

bool RtlMachine::sleeps_for_ever() {
    // A line that is up and has not woken it is not enabled.
    const std::uint64_t cycle = core().cycle();
    return core().asleep() &&
           (timer_.line(cycle - 1) || timer_.rises_at(cycle) == cpu::Hart::kForever);
}

cpu::Outcome RtlMachine::run(std::uint64_t max_instructions,
                             const std::function<void(const cpu::Retired&)>& observe) {
    for (std::uint64_t left = max_instructions; left != 0;) {
        if (!tick()) {
            if (sleeps_for_ever()) {
                return {cpu::End::kDead, 0};
            }
            continue;
        }
        --left;
        ++executed_;
        traps_ += core().retired().trap;
        if (observe) {
            observe(core().retired());
        }
        if (options_.policy == cpu::FaultPolicy::kStop) {
            fault_ = fault_of_last(core(), memory_);
            if (fault_.kind != cpu::FaultKind::kNone) {
                return {cpu::End::kFault, 0};
            }
        }
        // The store is on the bus in the cycle in which the instruction before it is seen to
        // retire.
        if (uart_.exit_status() && core().accesses() != 0 &&
            memory_.map().uart.contains(core().access(0).address)) {
            return {cpu::End::kExit, *uart_.exit_status()};
        }
    }
    return {cpu::End::kWatchdog, 0};
}

} // namespace cavern
