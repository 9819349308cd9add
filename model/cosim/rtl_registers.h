#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cosim/register_model.h"
#include "cpu/drive_registers_if.h"
#include "cpu/memory_map.h"

namespace cavern {

/// The register block as RTL: rtl/regs/drive_registers.sv, compiled by Verilator. It is clocked for
/// accesses and for calls of the drive, not while nothing happens: what depends on time has it as
/// an input. A failing assertion of the design, or an access that is never answered, throws
/// ModelError with the label.
class RtlRegisters final : public cpu::DriveRegistersIf {
  public:
    /// Takes what RegisterBlock takes. `label` names the block in errors.
    RtlRegisters(std::unique_ptr<RegisterModelIf> model, cpu::WindowIf* window, std::string label,
                 std::uint32_t base = cpu::MemoryMap{}.registers.base);
    ~RtlRegisters() override;

    cpu::BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override;
    cpu::BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                         std::uint64_t cycle) override;

    void reset() override;
    void set_geometry(const cpu::RegisterGeometry& geometry) override;
    void set_idle(bool host, bool flash) override;
    [[nodiscard]] bool ready() override;
    bool push_request(const cpu::HostRequest& request, std::uint64_t cycle) override;
    std::optional<cpu::FlashOperation> take_operation(std::uint64_t cycle) override;
    std::optional<cpu::DmaDescriptor> take_descriptor(std::uint64_t cycle) override;
    void complete_descriptor(std::uint64_t cycle) override;
    void add_busy_cycles(std::uint32_t cycles) override;
    [[nodiscard]] bool interrupt(std::uint64_t cycle) override;
    [[nodiscard]] std::optional<std::uint64_t> interrupt_due(std::uint64_t cycle) override;

    /// Clocks so far.
    [[nodiscard]] std::uint64_t clocks() const { return clocks_; }

  private:
    cpu::BusAnswer access(RegisterInputs inputs);
    /// The inputs that stay, at `cycle`.
    [[nodiscard]] RegisterInputs quiet(std::uint64_t cycle) const;
    RegisterOutputs settle(const RegisterInputs& inputs) { return model_->settle(inputs); }
    void clock();

    std::unique_ptr<RegisterModelIf> model_;
    cpu::WindowIf* window_;
    std::string label_;
    std::uint32_t base_;
    RegisterInputs still_; ///< geometry and idleness
    std::uint64_t clocks_ = 0;
};

} // namespace cavern
