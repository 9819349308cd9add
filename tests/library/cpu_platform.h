#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "cpu/bus_if.h"
#include "cpu/hart.h"
#include "cpu/memory_system.h"
#include "cpu/program.h"
#include "cpu/uart.h"

namespace cavern::testing {

/// A machine around a device: the processor of this project at 500 MHz, with its SDRAM as the host
/// memory that the device reaches by DMA.
///
///   0x4000'0000  registers of the device (socket `device`), 56 KiB
///   0x4000'F000  vectors raised since it was last read
///   0x8000'0000  SDRAM: socket `memory`, 60 ns and 8 GB/s
class CpuPlatform final : public sc_core::sc_module, private cpu::BusIf {
  public:
    tlm_utils::simple_initiator_socket<CpuPlatform, 64> device{"device"};
    tlm_utils::simple_target_socket<CpuPlatform, 64> memory{"memory"};

    CpuPlatform(const sc_core::sc_module_name& name, const std::string& image);

    /// Flips a bit of the data of one DMA write of a block or more, the `nth`, from 1.
    void spoil(std::uint64_t nth) { spoils_ = nth; }
    /// Raises the external interrupt of the processor.
    void interrupt(unsigned vector);
    /// Of the firmware; -1: it has not ended its run.
    [[nodiscard]] int exit_status() const { return exit_status_; }
    /// What it printed, or why it stopped.
    [[nodiscard]] const std::string& log() const { return log_; }
    [[nodiscard]] std::uint64_t accesses() const { return accesses_; }
    [[nodiscard]] std::uint64_t dma_bytes() const { return dma_bytes_; }
    [[nodiscard]] std::uint64_t interrupts() const { return interrupts_; }

  private:
    void run();
    void let_time_pass();
    cpu::BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override;
    cpu::BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                         std::uint64_t cycle) override;
    bool access(tlm::tlm_command command, std::uint32_t offset, unsigned char* data,
                std::uint32_t size);
    void dma(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    cpu::MemorySystem system_;
    cpu::Hart hart_;
    cpu::Uart uart_;
    sc_core::sc_event interrupted_{"interrupted"};
    std::uint64_t synchronised_ = 0; ///< cycle of the processor that is the kernel's time
    std::uint32_t pending_ = 0;
    int exit_status_ = -1;
    std::string log_;
    std::uint64_t accesses_ = 0;
    std::uint64_t dma_bytes_ = 0;
    std::uint64_t interrupts_ = 0;
    std::uint64_t spoils_ = 0;
};

} // namespace cavern::testing
