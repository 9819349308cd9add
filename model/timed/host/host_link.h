#pragma once

#include <cstdint>

#include "core/base/units.h"
#include "core/workload/request.h"

namespace cavern {

/// How long things take on the host link, per command. Plain arithmetic, no state: who holds the
/// link when is the host interface's business.
class HostLinkIf {
  public:
    virtual ~HostLinkIf() = default;
    /// From the host's issue to the device having the command.
    [[nodiscard]] virtual TimePs command_time(RequestOp op) const = 0;
    /// Moving `bytes` of a command's data of which `before` have moved already.
    [[nodiscard]] virtual TimePs data_time(RequestOp op, std::uint64_t before,
                                           std::uint64_t bytes) const = 0;
    /// Reporting completion.
    [[nodiscard]] virtual TimePs status_time(RequestOp op) const = 0;
    /// True when data to and from the device share the link.
    [[nodiscard]] virtual bool half_duplex() const = 0;
    /// True when this command may only be outstanding alone.
    [[nodiscard]] virtual bool runs_alone(RequestOp op) const = 0;
};

/// A link of a given bandwidth without protocol: commands and completions take no time.
class DirectLink final : public HostLinkIf {
  public:
    DirectLink(std::uint64_t bytes_per_second, bool full_duplex);
    [[nodiscard]] TimePs command_time(RequestOp op) const override;
    [[nodiscard]] TimePs data_time(RequestOp op, std::uint64_t before,
                                   std::uint64_t bytes) const override;
    [[nodiscard]] TimePs status_time(RequestOp op) const override;
    [[nodiscard]] bool half_duplex() const override { return !full_duplex_; }
    [[nodiscard]] bool runs_alone(RequestOp op) const override;

  private:
    std::uint64_t bytes_per_second_;
    bool full_duplex_;
};

/// Serial ATA, generations 1..3: 150, 300, 600 MB/s after 8b/10b. Every frame (FIS) costs its
/// dwords plus SOF, CRC, EOF and six handshake primitives; ALIGN pairs take 2 dwords in 256 (Serial
/// ATA 3.x, link and transport layers). Queued read or write: register FIS and its answer, DMA
/// Setup, data FISes of at most 8 KiB (each further write FIS after a DMA Activate), Set Device
/// Bits. FLUSH and TRIM are the non-queued commands FLUSH CACHE EXT and DATA SET MANAGEMENT:
/// outstanding only alone, answered with a register FIS. A data FIS in progress may be held (HOLD
/// primitive) until its next page is at hand.
class SataLink final : public HostLinkIf {
  public:
    explicit SataLink(std::uint32_t generation);
    [[nodiscard]] TimePs command_time(RequestOp op) const override;
    [[nodiscard]] TimePs data_time(RequestOp op, std::uint64_t before,
                                   std::uint64_t bytes) const override;
    [[nodiscard]] TimePs status_time(RequestOp op) const override;
    [[nodiscard]] bool half_duplex() const override { return true; }
    [[nodiscard]] bool runs_alone(RequestOp op) const override;

  private:
    [[nodiscard]] TimePs dword_time(std::uint64_t dwords) const;
    [[nodiscard]] TimePs frame_time(std::uint64_t dwords) const;

    std::uint64_t bytes_per_second_;
};

} // namespace cavern
