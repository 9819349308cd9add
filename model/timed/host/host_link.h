#pragma once

#include <cstdint>

#include "core/base/divisor.h"
#include "core/base/units.h"
#include "workload/request.h"

namespace cavern {

/// How long things take on the host link, per command. Plain arithmetic, no state: who holds the
/// link when is the host interface's business.
class HostLinkIf {
  public:
    virtual ~HostLinkIf() = default;
    /// From the host's issue to the device having the command.
    [[nodiscard]] virtual TimePs command_time(RequestOp op, std::uint64_t bytes) const = 0;
    /// Moving `bytes` of data, `before` of the same stretch having moved just before: one
    /// command's, one behind the other.
    [[nodiscard]] virtual TimePs data_time(RequestOp op, std::uint64_t before,
                                           std::uint64_t bytes) const = 0;
    /// Reporting completion.
    [[nodiscard]] virtual TimePs status_time(RequestOp op) const = 0;
    /// How long a command or completion waits for data at most: what moves in one piece.
    [[nodiscard]] virtual TimePs longest_frame() const = 0;
    /// True when one frame can report such a command's completion together with others.
    [[nodiscard]] virtual bool reports_several(RequestOp op) const = 0;
    /// True when data to and from the device share the link.
    [[nodiscard]] virtual bool half_duplex() const = 0;
    /// True when this command may only be outstanding alone.
    [[nodiscard]] virtual bool runs_alone(RequestOp op) const = 0;
};

/// A link of a given bandwidth without protocol: commands and completions take no time.
class DirectLink final : public HostLinkIf {
  public:
    DirectLink(std::uint64_t bytes_per_second, bool full_duplex);
    [[nodiscard]] TimePs command_time(RequestOp op, std::uint64_t bytes) const override;
    [[nodiscard]] TimePs data_time(RequestOp op, std::uint64_t before,
                                   std::uint64_t bytes) const override;
    [[nodiscard]] TimePs status_time(RequestOp op) const override;
    [[nodiscard]] TimePs longest_frame() const override { return 0; }
    [[nodiscard]] bool reports_several(RequestOp) const override { return false; }
    [[nodiscard]] bool half_duplex() const override { return !full_duplex_; }
    [[nodiscard]] bool runs_alone(RequestOp op) const override;

  private:
    WideDivisor bytes_per_second_;
    bool full_duplex_;
};

/// Serial ATA, generations 1..3: 150, 300, 600 MB/s after 8b/10b. Every frame (FIS) costs its
/// dwords plus SOF, CRC, EOF and six handshake primitives; ALIGN pairs take 2 dwords in 256 (Serial
/// ATA 3.x, link and transport layers). `handshake` is time besides, in which the two sides wait
/// for each other's primitives around a frame.
///   READ, WRITE FPDMA QUEUED  register FIS, register FIS back (BSY off); for each stretch of data
///   a
///     DMA Setup (which activates the first frame of a write), data FISes of at most 8 KiB, each
///     further one of a write after a DMA Activate; Set Device Bits, one for all done by then
///   FLUSH CACHE EXT           register FIS, register FIS back; not queued: outstanding only alone
///   DATA SET MANAGEMENT       register FIS, DMA Activate, a data FIS of 512-byte blocks, each of
///   64
///     ranges of at most 65535 sectors; register FIS back; not queued
///   SEND FPDMA QUEUED         the same with `queued_trim`: register FIS both ways, DMA Setup,
///   data,
///     Set Device Bits; queued
/// A data FIS in progress may be held (HOLD primitive) until its next page is at hand.
class SataLink final : public HostLinkIf {
  public:
    explicit SataLink(std::uint32_t generation, TimePs handshake = 0, bool queued_trim = false);
    [[nodiscard]] TimePs command_time(RequestOp op, std::uint64_t bytes) const override;
    [[nodiscard]] TimePs data_time(RequestOp op, std::uint64_t before,
                                   std::uint64_t bytes) const override;
    [[nodiscard]] TimePs status_time(RequestOp op) const override;
    [[nodiscard]] TimePs longest_frame() const override;
    [[nodiscard]] bool reports_several(RequestOp op) const override { return is_queued(op); }
    [[nodiscard]] bool half_duplex() const override { return true; }
    [[nodiscard]] bool runs_alone(RequestOp op) const override { return !is_queued(op); }

  private:
    [[nodiscard]] bool is_queued(RequestOp op) const;
    [[nodiscard]] TimePs dword_time(std::uint64_t dwords) const;
    [[nodiscard]] TimePs frame_time(std::uint64_t dwords) const;

    WideDivisor dword_rate_; ///< bytes a second, times 254
    TimePs handshake_;
    bool queued_trim_;
};

} // namespace cavern
