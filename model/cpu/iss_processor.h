#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "cpu/controller_devices.h"
#include "cpu/debugged_hart.h"
#include "cpu/hart.h"
#include "cpu/processor_if.h"

namespace cavern::cpu {

/// The interpreter as processor of the controller.
class IssProcessor final : public ProcessorIf, private BusIf {
  public:
    /// `bus` leads to `devices`: they themselves, or what carries the accesses there. Both outlive
    /// it.
    IssProcessor(const MemoryMap& map, ControllerDevices& devices, BusIf& bus,
                 const IbexTiming& timing = {});
    IssProcessor(const IssProcessor&) = delete;
    IssProcessor& operator=(const IssProcessor&) = delete;

    void reset(const Program& program) override;
    Pause run(std::uint64_t max_instructions) override;
    void observe(Hart::Observer observer) override { observer_ = std::move(observer); }
    [[nodiscard]] const Hart::Observer& observer() const override { return observer_; }
    /// From now on run() does what a debugger wants, which is asked before the next instruction,
    /// and nobody observes. Faults do not come back while it is there. It must outlive the
    /// processor.
    void debug(DebuggerIf& debugger) { debugged_.emplace(hart_, debugger); }
    void pass(std::uint64_t cycles) override { hart_.advance_to(hart_.cycle() + cycles); }

    [[nodiscard]] MemorySystem& memory() override { return memory_; }
    [[nodiscard]] std::uint64_t cycle() const override { return hart_.cycle(); }
    [[nodiscard]] std::uint64_t executed() const override { return hart_.executed(); }
    [[nodiscard]] std::uint32_t pc() const override { return hart_.pc(); }
    [[nodiscard]] const Fault& fault() const override { return hart_.fault(); }
    [[nodiscard]] Hart& hart() { return hart_; }

  private:
    Stop go(std::uint64_t max_instructions);
    /// Tells a debugger, if there is one, what ends the run.
    void tell(const DebugStop& stop);
    BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override;
    BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                    std::uint64_t cycle) override;

    MemorySystem memory_;
    Hart hart_;
    ControllerDevices& devices_;
    BusIf& bus_;
    Hart::Observer observer_;
    std::optional<DebuggedHart> debugged_;
    std::uint64_t until_ = 0; ///< cycle at which a line rises by time
};

} // namespace cavern::cpu
