#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "cavern/export.h"

namespace cavern {
inline namespace v1 {

/// A modelled SSD behind the registers of an NVMe controller (NVM Express Base Specification 1.4),
/// for a driver: Linux', or your own.
///
///   registers  BAR0: reads and writes of 4 or 8 bytes, little endian; doorbells from 0x1000 on
///   dma        queues, PRP lists and data in host memory
///   interrupt  MSI-X: called with the number of the vector, as the message would be sent
///
/// One namespace of 512-byte blocks, up to 16 pairs of I/O queues, data of up to 1 MiB in one
/// command. Queue entries and lists are fetched one at a time; data move as those of Ssd do. The
/// link is that of the file (`host.generation`, `host.lanes`) for data. One drive per process;
/// mistakes in the file as with Ssd.
class CAVERN_API NvmeSsd final : public sc_core::sc_module {
  public:
    using Interrupt = std::function<void(unsigned vector)>;

    tlm::tlm_target_socket<64> registers{"registers"};
    tlm::tlm_initiator_socket<64> dma{"dma"};

    NvmeSsd(const sc_core::sc_module_name& name, const std::string& config,
            const std::vector<std::string>& overrides, Interrupt interrupt);
    ~NvmeSsd() override;

    /// Bytes of the namespace.
    [[nodiscard]] std::uint64_t capacity() const;
    /// Checks the drive like Ssd::check().
    std::uint64_t check() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace v1
} // namespace cavern
