#pragma once

#include "timed/host/host_link_table.h"

namespace cavern {

/// host.interface = direct (see HostLinkRow).
struct DirectHost {
    static Refused problem(const HostParams& host, const SchemeParams& params);
    static std::unique_ptr<HostTransportIf> make_transport(const HostParams& host,
                                                           const SchemeParams& params,
                                                           std::uint32_t outstanding,
                                                           EventQueue& clock);
    static bool runs_alone(const HostParams&, const SchemeParams&, RequestOp) { return false; }
    static std::uint32_t most_outstanding(const HostParams& host) { return host.queue_depth; }
};

} // namespace cavern
