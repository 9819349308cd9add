#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "cavern/command.h"
#include "cavern/export.h"

namespace cavern {
inline namespace v1 {

/// A modelled SSD, as a module of your platform.
///
///     cavern::Ssd ssd("ssd", "tlc-nvme.toml", {"buffer.size=8MiB"});
///     master.socket.bind(ssd.commands);
///     ssd.dma.bind(bus.target);
///
/// `commands` takes reads and writes by b_transport or nb_transport (base protocol of TLM-2.0, IEEE
/// 1666-2011, 15.2), in whole sectors of 512 bytes; the address is an offset into the drive. Any
/// number may be outstanding. A payload may have a CommandExtension. A command is answered when its
/// data are where they belong:
///
///   TLM_OK_RESPONSE             done
///   TLM_ADDRESS_ERROR_RESPONSE  beyond the end of the drive, or not at a sector
///   TLM_BURST_ERROR_RESPONSE    no whole sectors, or a streaming width below the length
///   TLM_BYTE_ENABLE_ERROR_RESPONSE
///   TLM_GENERIC_ERROR_RESPONSE  data could not be corrected, host memory answered with an error
///
/// `dma` reads and writes host memory, at most 4 KiB in one payload, aligned to that, several at a
/// time by nb_transport. Left unbound, it answers with an error. The time of the host link
/// (`host.*` of the file) comes on top of what the platform takes. Bytes are the drive's own: what
/// is written is read back.
///
/// One drive per process. The constructor throws std::runtime_error where the file or a setting is
/// wrong: "FILE:LINE: what; what would be right".
class CAVERN_API Ssd final : public sc_core::sc_module {
  public:
    tlm::tlm_target_socket<64> commands{"commands"};
    tlm::tlm_initiator_socket<64> dma{"dma"};

    /// `config`: a TOML file; a name without a slash that is no file here is one of those installed
    /// with the library. `overrides`: "KEY=VALUE".
    Ssd(const sc_core::sc_module_name& name, const std::string& config,
        const std::vector<std::string>& overrides = {});
    ~Ssd() override;

    /// Bytes that the drive exports.
    [[nodiscard]] std::uint64_t capacity() const;
    /// Commands that are not answered.
    [[nodiscard]] std::uint32_t outstanding() const;
    /// With nothing under way: compares the drive's map with its flash array, and all that should
    /// have come to rest. Throws std::logic_error; returns the number of facts compared.
    std::uint64_t check() const;

  private:
    void before_end_of_elaboration() override;

    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace v1
} // namespace cavern
