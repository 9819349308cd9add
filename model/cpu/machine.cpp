#include "cpu/machine.h"

#include <utility>

namespace cavern::cpu {

Machine::Machine(const MemoryMap& map, const IbexTiming& timing, FaultPolicy policy, Uart::Sink log)
    : memory_(map, this), hart_(memory_, timing, policy), uart_(std::move(log)) {}

void Machine::load(const Program& program) {
    program.load_into(memory_);
    memory_.empty_cache();
    timer_ = {};
    uart_.reset();
    hart_.reset(program.entry());
}

BusAnswer Machine::load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) {
    const MemoryMap& map = memory_.map();
    if (map.timer.contains(address)) {
        return timer_.load(address - map.timer.base, size, cycle);
    }
    if (map.uart.contains(address)) {
        return uart_.load(address - map.uart.base);
    }
    return {0, 0, true};
}

BusAnswer Machine::store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                         std::uint64_t cycle) {
    const MemoryMap& map = memory_.map();
    if (map.timer.contains(address)) {
        const BusAnswer answer = timer_.store(address - map.timer.base, value, size, cycle);
        // The line may be another, and so may the cycle until which the hart can run on.
        update_line();
        hart_.request_stop();
        return answer;
    }
    if (map.uart.contains(address)) {
        const BusAnswer answer = uart_.store(address - map.uart.base, value, cycle);
        if (uart_.exit_status()) {
            hart_.request_stop();
        }
        return answer;
    }
    return {0, 0, true};
}

bool Machine::ended(Stop stop, Outcome& outcome) {
    if (uart_.exit_status()) {
        outcome = {End::kExit, *uart_.exit_status()};
        return true;
    }
    if (stop == Stop::kFault) {
        outcome = {End::kFault, 0};
        return true;
    }
    if (stop == Stop::kBreakpoint || stop == Stop::kWatchpoint) {
        outcome = {stop == Stop::kBreakpoint ? End::kBreakpoint : End::kWatchpoint, 0};
        return true;
    }
    if (stop == Stop::kWaiting) {
        const std::uint64_t wakes = timer_.rises_at(hart_.cycle());
        const bool enabled = (*hart_.csr(csr::kMie) >> interrupt::kTimer & 1) != 0;
        if (!enabled || wakes == Hart::kForever) {
            outcome = {End::kDead, 0};
            return true;
        }
        hart_.advance_to(wakes);
    }
    return false;
}

Outcome Machine::run_by(std::uint64_t max_instructions, const Go& go) {
    const std::uint64_t end = hart_.executed() + max_instructions;
    Outcome outcome;
    while (hart_.executed() < end) {
        update_line();
        const std::uint64_t cycle = hart_.cycle();
        const std::uint64_t until = timer_.line(cycle) ? Hart::kForever : timer_.rises_at(cycle);
        if (ended(go(end - hart_.executed(), until), outcome)) {
            return outcome;
        }
    }
    return {End::kWatchdog, 0};
}

Outcome Machine::run(std::uint64_t max_instructions) {
    return run_by(max_instructions, [this](std::uint64_t left, std::uint64_t until) {
        return hart_.run(left, until);
    });
}

Outcome Machine::run(std::uint64_t max_instructions, const Hart::Observer& observe) {
    return run_by(max_instructions, [this, &observe](std::uint64_t left, std::uint64_t until) {
        return hart_.run(left, until, observe);
    });
}

} // namespace cavern::cpu
