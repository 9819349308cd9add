#include "cosim/ibex_processor.h"

#include "cosim/rtl_fault.h"

namespace cavern {

namespace {

/// Ibex leaves its sleep in the cycle after a line that it has enabled rises.
constexpr std::uint32_t kCyclesToWake = 2;

} // namespace

IbexProcessor::IbexProcessor(Core core, const cpu::MemoryMap& map, cpu::ControllerDevices& devices,
                             cpu::BusIf& bus, std::uint64_t seed)
    : devices_(devices), clock_(bus, passed_), memory_(map, &clock_) {
    if (core == Core::kLockstep) {
        lockstep_ = std::make_unique<CpuLockstep>(memory_, cpu::IbexTiming{}, seed);
    } else {
        core_ = std::make_unique<IbexCore>(memory_, seed);
    }
}

IbexProcessor::~IbexProcessor() = default;

void IbexProcessor::reset(const cpu::Program& program) {
    CAVERN_CHECK(program.entry() == memory_.map().reset_pc(), "Ibex starts at its reset pc");
    executed_ = 0;
    if (lockstep_) {
        lockstep_->set_program(&program);
        lockstep_->reset();
    } else {
        core_->reset();
    }
}

std::uint32_t IbexProcessor::pc() const {
    return fault_.kind != cpu::FaultKind::kNone ? fault_.pc : core().retired().next_pc;
}

cpu::Pause IbexProcessor::run(std::uint64_t max_instructions) {
    IbexCore& ibex = core();
    std::uint32_t asleep = 0;
    for (std::uint64_t left = max_instructions; left != 0;) {
        ibex.set_interrupts(devices_.lines(cycle()));
        const bool retired = lockstep_ ? lockstep_->tick() : ibex.tick();
        if (!retired) {
            asleep = ibex.asleep() ? asleep + 1 : 0;
            if (asleep > kCyclesToWake) {
                return cpu::Pause::kAsleep;
            }
            continue;
        }
        --left;
        ++executed_;
        if (observer_) {
            cpu::Retired retired_now = ibex.retired();
            retired_now.cycle += passed_;
            observer_(retired_now);
        }
        fault_ = fault_of_last(ibex, memory_);
        if (fault_.kind != cpu::FaultKind::kNone) {
            return cpu::Pause::kFault;
        }
        if (devices_.exit_status()) {
            return cpu::Pause::kExit;
        }
    }
    return cpu::Pause::kInstructions;
}

} // namespace cavern
