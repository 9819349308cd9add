#include "cpu/iss_processor.h"

namespace cavern::cpu {

IssProcessor::IssProcessor(const MemoryMap& map, ControllerDevices& devices, BusIf& bus,
                           const IbexTiming& timing)
    : memory_(map, this), hart_(memory_, timing), devices_(devices), bus_(bus) {}

void IssProcessor::reset(const Program& program) {
    hart_.reset(program.entry());
}

BusAnswer IssProcessor::load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) {
    return bus_.load(address, size, cycle);
}

/// A store may move a line, or the time at which one rises, or end the run.
BusAnswer IssProcessor::store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                              std::uint64_t cycle) {
    const BusAnswer answer = bus_.store(address, value, size, cycle);
    hart_.set_interrupts(devices_.lines(cycle));
    if (devices_.exit_status() || devices_.rises_after(cycle) != until_) {
        hart_.request_stop();
    }
    return answer;
}

Stop IssProcessor::go(std::uint64_t max_instructions) {
    return debugged_   ? debugged_->run(max_instructions, until_)
           : observer_ ? hart_.run(max_instructions, until_, observer_)
                       : hart_.run(max_instructions, until_);
}

void IssProcessor::tell(const DebugStop& stop) {
    if (debugged_ && !debugged_->detached()) {
        debugged_->hold(stop);
    }
}

Pause IssProcessor::run(std::uint64_t max_instructions) {
    const std::uint64_t end = hart_.executed() + max_instructions;
    while (hart_.executed() < end) {
        hart_.set_interrupts(devices_.lines(hart_.cycle()));
        until_ = devices_.rises_after(hart_.cycle());
        const Stop stop = go(end - hart_.executed());
        if (const auto status = devices_.exit_status()) {
            tell({DebugStop::Why::kExit, {}, {}, *status});
            return Pause::kExit;
        }
        if (debugged_ && debugged_->killed()) {
            return Pause::kKilled;
        }
        if (stop == Stop::kFault) {
            return Pause::kFault;
        }
        if (stop == Stop::kWaiting) {
            return Pause::kAsleep;
        }
    }
    tell({DebugStop::Why::kWatchdog, {}, {}, 0});
    return Pause::kInstructions;
}

} // namespace cavern::cpu
