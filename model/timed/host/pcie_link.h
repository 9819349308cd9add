#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace cavern {

/// How long things take on a PCI Express link, one direction; plain arithmetic.
///
/// Generations 1..5 run at 2.5, 5, 8, 16, 32 GT/s a lane; 1 and 2 code 8 bits in 10, the others 128
/// in 130 (PCI Express Base Specification, chapter 4). A transaction-layer packet costs, beside its
/// payload, 24 bytes: framing and sequence number 4, LCRC 4, header 16. Completions with data,
/// whose header is 12, are counted like the others, for the read completion boundary makes a few
/// more of them. Acknowledgements and flow-control credits (data-link packets) take 2 % of the
/// link.
class PcieLink {
  public:
    struct Params {
        std::uint32_t generation = 3; ///< 1..5
        std::uint32_t lanes = 4;
        std::uint32_t max_payload = 256;      ///< bytes of a write or completion, a power of two
        std::uint32_t max_read_request = 512; ///< bytes a read asks for, a power of two
    };
    static constexpr std::uint32_t kPacketOverhead = 24;
    static constexpr std::uint32_t kDataLinkPercent = 2;

    explicit PcieLink(const Params& params);

    /// Packets of at most `limit` bytes, aligned to it, that carry `bytes` from address `begin` on.
    [[nodiscard]] static constexpr std::uint64_t packets(std::uint64_t begin, std::uint64_t bytes,
                                                         std::uint64_t limit) {
        return bytes == 0 ? 0 : (begin + bytes - 1) / limit - begin / limit + 1;
    }
    /// Time that so many packets with so much payload together take.
    [[nodiscard]] TimePs packet_time(std::uint64_t packets, std::uint64_t payload_bytes) const;
    /// Data from address `begin` on: memory writes, or the completions of reads.
    [[nodiscard]] TimePs data_time(std::uint64_t begin, std::uint64_t bytes) const;
    /// The read requests that ask for it, in the other direction.
    [[nodiscard]] TimePs request_time(std::uint64_t begin, std::uint64_t bytes) const;

  private:
    Params params_;
    std::uint64_t rate_; ///< time of a byte is scale_ / rate_ seconds
    std::uint64_t scale_;
};

} // namespace cavern
