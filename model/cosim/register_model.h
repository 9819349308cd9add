#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cpu/drive_registers_if.h"

namespace cavern {

/// Inputs of drive_registers.sv at one clock.
struct RegisterInputs {
    std::uint64_t time = 0;
    bool req = false;
    bool we = false;
    std::uint32_t be = 0;
    std::uint32_t addr = 0; ///< from the start of the block
    std::uint32_t wdata = 0;
    bool request_push = false;
    cpu::HostRequest request;
    bool operation_take = false;
    bool dma_take = false;
    bool dma_complete = false;
    bool window_ack = false;
    cpu::WindowAnswer window;
    std::uint32_t busy_cycles = 0;
    bool host_idle = false;
    bool flash_idle = false;
    cpu::RegisterGeometry geometry;
};

/// Its outputs, before the edge.
struct RegisterOutputs {
    bool gnt = false;
    bool rvalid = false;
    std::uint32_t rdata = 0;
    bool err = false;
    bool irq = false;
    bool irq_armed = false;
    std::uint64_t irq_due = 0;
    bool ready = false;
    bool request_full = false;
    bool operation_valid = false;
    cpu::FlashOperation operation;
    bool dma_valid = false;
    cpu::DmaDescriptor dma;
    bool window_req = false;
    bool window_write = false;
    cpu::regs::Space window_space = cpu::regs::Space::kBuffer;
    std::uint64_t window_word = 0;
    std::uint32_t window_be = 0;
    std::uint32_t window_wdata = 0;
};

/// A Verilated drive_registers.sv. It hides the generated class, as VerilatedModelIf does.
class RegisterModelIf {
  public:
    virtual ~RegisterModelIf() = default;
    /// Two clocks in reset.
    virtual void reset() = 0;
    /// The outputs that follow from the inputs while the clock is low.
    virtual RegisterOutputs settle(const RegisterInputs& inputs) = 0;
    /// A clock with the inputs as last settled. False when an assertion of the design has failed.
    virtual bool clock() = 0;
    /// Text of the simulator since the last call: the failed assertion.
    virtual std::string take_messages() = 0;
};

/// `seed` decides what registers without a reset hold, and must not matter. Defined by the library
/// cavern_register_model.
std::unique_ptr<RegisterModelIf> make_register_model(std::uint64_t seed);

} // namespace cavern
