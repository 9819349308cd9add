#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "core/base/units.h"
#include "cpu/bus_if.h"
#include "cpu/memory_system.h"

namespace cavern {

/// The cycle of the processor's clock in which it makes an access. Without it a target counts from
/// the time of the transaction.
struct CycleExtension final : tlm::tlm_extension<CycleExtension> {
    std::uint64_t cycle = 0;

    [[nodiscard]] tlm::tlm_extension_base* clone() const override {
        return new CycleExtension(*this);
    }
    void copy_from(const tlm::tlm_extension_base& other) override {
        cycle = static_cast<const CycleExtension&>(other).cycle;
    }
};

/// The processor of the controller as TLM-2.0 initiator of the base protocol, loosely timed.
///
/// DMI: instruction and data memory, and the lines of the SDRAM that the line cache has; the
/// processor's own memory system is asked for those.
/// Transactions (b_transport): each access to registers, timer and UART, at most 4 bytes; each line
/// that the cache fetches or writes back, whole.
///
/// It is temporally decoupled for as long as a request takes: begin() sets the cycle that is now;
/// the delay of a transaction is the time since. It never yields: whoever asked for the decision
/// waits for as long as it took. Before the sockets are bound, at the end of elaboration, accesses
/// go straight to `devices`, and lines cost what the memory map says: a drive is filled before
/// there is time.
class ProcessorBus final : public sc_core::sc_module, public cpu::BusIf, public cpu::LineCostIf {
  public:
    /// `period`: of the processor's clock.
    ProcessorBus(const sc_core::sc_module_name& name, cpu::BusIf& devices, TimePs period);
    ~ProcessorBus() override;

    tlm_utils::simple_initiator_socket<ProcessorBus, 32> socket{"socket"};

    /// The processor's memory, of which lines are moved from now on.
    void connect(cpu::MemorySystem& memory);
    /// `cycle` is now.
    void begin(std::uint64_t cycle) { now_ = cycle; }
    /// Transactions so far.
    [[nodiscard]] std::uint64_t transactions() const { return transactions_; }

    cpu::BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override;
    cpu::BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                         std::uint64_t cycle) override;
    std::uint32_t fill(std::uint32_t address, std::uint32_t bytes, std::uint64_t cycle) override;
    std::uint32_t write_back(std::uint32_t address, std::uint32_t bytes,
                             std::uint64_t cycle) override;

  private:
    void end_of_elaboration() override;
    /// Wait cycles; the response is in the payload.
    std::uint32_t transport(tlm::tlm_command command, std::uint32_t address, std::uint8_t* data,
                            std::uint32_t bytes, std::uint64_t cycle);

    cpu::BusIf& devices_;
    TimePs period_;
    cpu::MemorySystem* memory_ = nullptr;
    std::vector<std::uint8_t> line_;
    CycleExtension stamp_;
    tlm::tlm_generic_payload payload_;
    std::uint64_t now_ = 0;
    std::uint64_t transactions_ = 0;
    bool bound_ = false;
};

/// What answers it: devices and SDRAM. It grants DMI to the tightly coupled memories.
class ControllerTarget final : public sc_core::sc_module {
  public:
    ControllerTarget(const sc_core::sc_module_name& name, cpu::BusIf& devices,
                     cpu::MemorySystem& memory, TimePs period);

    tlm_utils::simple_target_socket<ControllerTarget, 32> socket{"socket"};

  private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    [[nodiscard]] bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
    /// Wait cycles.
    std::uint32_t access_line(tlm::tlm_generic_payload& payload);
    std::uint32_t access_device(tlm::tlm_generic_payload& payload, std::uint64_t cycle);

    cpu::BusIf& devices_;
    cpu::MemorySystem& memory_;
    TimePs period_;
};

} // namespace cavern
