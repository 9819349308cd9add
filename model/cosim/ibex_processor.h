#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "cosim/cpu_lockstep.h"
#include "cosim/ibex_core.h"
#include "cosim/rtl_machine.h"
#include "cpu/controller_devices.h"
#include "cpu/processor_if.h"

namespace cavern {

/// Ibex as processor of the controller, alone or in lockstep with the interpreter, whose first
/// difference throws ModelError.
class IbexProcessor final : public cpu::ProcessorIf {
  public:
    using Core = RtlMachine::Core;

    /// Takes what cpu::IssProcessor takes; `seed` is that of IbexCore.
    IbexProcessor(Core core, const cpu::MemoryMap& map, cpu::ControllerDevices& devices,
                  cpu::BusIf& bus, std::uint64_t seed = 1);
    ~IbexProcessor() override;

    /// The image's entry must be the reset pc of the map (CAVERN_CHECK).
    void reset(const cpu::Program& program) override;
    cpu::Pause run(std::uint64_t max_instructions) override;
    void observe(cpu::Hart::Observer observer) override { observer_ = std::move(observer); }
    [[nodiscard]] const cpu::Hart::Observer& observer() const override { return observer_; }
    void pass(std::uint64_t cycles) override { passed_ += cycles; }

    [[nodiscard]] cpu::MemorySystem& memory() override { return memory_; }
    [[nodiscard]] std::uint64_t cycle() const override { return core().cycle() + passed_; }
    [[nodiscard]] std::uint64_t executed() const override { return executed_; }
    [[nodiscard]] std::uint32_t pc() const override;
    [[nodiscard]] const cpu::Fault& fault() const override { return fault_; }
    /// Null with Core::kIbex.
    [[nodiscard]] const CpuLockstep* lockstep() const { return lockstep_.get(); }

  private:
    [[nodiscard]] IbexCore& core() { return lockstep_ ? lockstep_->core() : *core_; }
    [[nodiscard]] const IbexCore& core() const { return lockstep_ ? lockstep_->core() : *core_; }

    /// Between the core, which counts the cycles that it is clocked, and the bus.
    class Clock final : public cpu::BusIf {
      public:
        Clock(cpu::BusIf& bus, const std::uint64_t& passed) : bus_(bus), passed_(passed) {}
        cpu::BusAnswer load(std::uint32_t address, std::uint32_t size,
                            std::uint64_t cycle) override {
            return bus_.load(address, size, cycle + passed_);
        }
        cpu::BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                             std::uint64_t cycle) override {
            return bus_.store(address, value, size, cycle + passed_);
        }

      private:
        cpu::BusIf& bus_;
        const std::uint64_t& passed_;
    };

    cpu::ControllerDevices& devices_;
    std::uint64_t passed_ = 0; ///< cycles that it has slept through
    Clock clock_;
    cpu::MemorySystem memory_;
    std::unique_ptr<IbexCore> core_;
    std::unique_ptr<CpuLockstep> lockstep_;
    cpu::Hart::Observer observer_;
    cpu::Fault fault_;
    std::uint64_t executed_ = 0;
};

} // namespace cavern
