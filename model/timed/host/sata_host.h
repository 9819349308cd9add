#pragma once

#include "timed/host/host_link_table.h"

namespace cavern {

struct SataParams {
    /// Waiting for the other side around each frame. The default is measured against drives: with
    /// it SATA 3 carries 561 MB/s and 100,000 reads of 4 KiB a second, as data sheets say.
    TimePs handshake = 600 * kNs;
    bool queued_trim = false; ///< TRIM is SEND FPDMA QUEUED

    static constexpr auto knobs = knobs_of(
        knob<&SataParams::handshake>("handshake",
                                     "the two sides of a SATA link wait for each other "
                                     "this long around every frame")
            .time(),
        knob<&SataParams::queued_trim>("queued_trim", "a SATA host sends TRIM as a queued command, "
                                                      "SEND FPDMA QUEUED")
            .from("Serial ATA 3.1"));
};

/// host.interface = sata (see HostLinkRow).
struct SataHost {
    using Params = SataParams;

    static Refused problem(const HostParams& host, const SchemeParams& params);
    static std::unique_ptr<HostTransportIf> make_transport(const HostParams& host,
                                                           const SchemeParams& params,
                                                           std::uint32_t outstanding,
                                                           EventQueue& clock);
    static bool runs_alone(const HostParams& host, const SchemeParams& params, RequestOp op);
    static std::uint32_t most_outstanding(const HostParams& host) { return host.queue_depth; }
};

} // namespace cavern
