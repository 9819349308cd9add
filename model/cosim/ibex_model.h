#pragma once

#include <cstdint>
#include <memory>

namespace cavern {

/// Inputs of rtl/cpu/ibex_wrapper.sv in one clock cycle. Interrupt lines are those of the CSR mip:
/// bit 3 software, 7 timer, 11 external, 16 to 30 fast (Ibex documentation,
/// exception_interrupts.rst).
struct IbexInputs {
    bool fetch_valid = false;
    bool fetch_error = false;
    std::uint32_t fetch_data = 0;
    bool data_valid = false;
    bool data_error = false;
    std::uint32_t data_in = 0;
    std::uint32_t interrupts = 0;
};

/// Outputs of the wrapper in that cycle. Requests are granted at once. Fields of RVFI are those of
/// the instruction that retired in the cycle before, and undefined unless `retired`.
struct IbexOutputs {
    bool fetch_request = false;
    std::uint32_t fetch_address = 0;
    bool data_request = false;
    bool data_write = false;
    std::uint8_t data_bytes = 0; ///< byte lanes
    std::uint32_t data_address = 0;
    std::uint32_t data_out = 0;
    bool asleep = false;
    bool interrupt_jump = false; ///< chooses among the interrupt lines and jumps to a vector

    bool retired = false;
    bool trap = false;
    bool handler_entry = false; ///< rvfi_intr: first instruction of a trap handler
    std::uint8_t rd = 0;
    std::uint32_t instruction = 0;
    std::uint32_t rd_value = 0;
    std::uint32_t pc = 0;
    std::uint32_t next_pc = 0; ///< not that of a trap or MRET
    std::uint32_t memory_address = 0;
    std::uint32_t mip_before =
        0;                       ///< what decided whether an interrupt comes before the instruction
    std::uint32_t mip_after = 0; ///< what the instruction saw, if it read mip
    std::uint64_t mcycle = 0;    ///< what the instruction saw, if it read mcycle
    std::uint64_t order = 0;
};

/// The Verilated core. It hides the generated class: a Verilated header and <systemc> do not
/// compile in one unit.
class IbexModelIf {
  public:
    virtual ~IbexModelIf() = default;
    /// Puts the core into reset and takes it out again.
    virtual void reset(std::uint32_t boot_address) = 0;
    /// The clock low, inputs as given: the outputs of this cycle.
    virtual void settle(const IbexInputs& inputs, IbexOutputs& outputs) = 0;
    /// The edge that ends this cycle.
    virtual void rise() = 0;
};

/// `seed` decides what registers without a reset hold at first. Defined by the library
/// cavern_ibex_model, and with a line of the core broken by each
/// cavern_ibex_model_broken_<variant>; a program links one of them.
std::unique_ptr<IbexModelIf> make_ibex_model(std::uint64_t seed);

} // namespace cavern
