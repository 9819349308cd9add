#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "cosim/cpu_lockstep.h"
#include "cosim/ibex_core.h"
#include "cpu/machine.h"
#include "cpu/machine_timer.h"
#include "cpu/program.h"
#include "cpu/uart.h"

namespace cavern {

/// cpu::Machine with Ibex as its processor, alone or in lockstep with the interpreter: memories,
/// machine timer and UART, no register block. A millionth of a second of Ibex takes about that of
/// the host, so it is for short runs.
class RtlMachine final : public cpu::BusIf {
  public:
    enum class Core { kIbex, kLockstep };

    struct Options {
        Core core = Core::kIbex;
        cpu::MemoryMap map{};
        cpu::IbexTiming timing{}; ///< of the interpreter
        cpu::FaultPolicy policy = cpu::FaultPolicy::kStop;
        std::uint64_t seed = 1;       ///< as for IbexCore
        ExtraWaitIf* extra = nullptr; ///< as for IbexCore
    };

    explicit RtlMachine(const Options& options, cpu::Uart::Sink log = {});
    ~RtlMachine() override;

    /// Puts the image into memory and resets the core, which starts at the reset pc of the map: the
    /// image's entry must be there (CAVERN_CHECK). The program must outlive the machine.
    void load(const cpu::Program& program);
    /// Runs until the firmware ends the run, or something else does. Each instruction is given to
    /// `observe`. With FaultPolicy::kStop the instruction at fault is the last one, and has had no
    /// effect but a trap. Throws ModelError at the first difference, with kLockstep.
    cpu::Outcome run(std::uint64_t max_instructions,
                     const std::function<void(const cpu::Retired&)>& observe = {});

    [[nodiscard]] IbexCore& core() { return lockstep_ ? lockstep_->core() : *core_; }
    /// Null with Core::kIbex.
    [[nodiscard]] CpuLockstep* lockstep() { return lockstep_.get(); }
    [[nodiscard]] cpu::MemorySystem& memory() { return memory_; }
    /// The fault that stopped the run, with Outcome kFault.
    [[nodiscard]] const cpu::Fault& fault() const { return fault_; }
    /// Instructions since load(), those that trapped included.
    [[nodiscard]] std::uint64_t executed() const { return executed_; }
    /// The same without them.
    [[nodiscard]] std::uint64_t instructions() const { return executed_ - traps_; }

    cpu::BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override;
    cpu::BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                         std::uint64_t cycle) override;

  private:
    bool tick();
    [[nodiscard]] bool sleeps_for_ever();

    Options options_;
    cpu::MemorySystem memory_;
    cpu::MachineTimer timer_;
    cpu::Uart uart_;
    std::unique_ptr<IbexCore> core_;
    std::unique_ptr<CpuLockstep> lockstep_;
    cpu::Fault fault_;
    std::uint64_t executed_ = 0;
    std::uint64_t traps_ = 0;
};

} // namespace cavern
