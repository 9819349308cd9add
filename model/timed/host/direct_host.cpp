#include "timed/host/direct_host.h"

#include "timed/host/host_link.h"
#include "timed/host/link_transport.h"

namespace cavern {

Refused DirectHost::problem(const HostParams&, const SchemeParams&) {
    return std::nullopt;
}

std::unique_ptr<HostTransportIf> DirectHost::make_transport(const HostParams& host,
                                                            const SchemeParams&, std::uint32_t,
                                                            EventQueue& clock) {
    return std::make_unique<LinkTransport>(
        clock, std::make_unique<DirectLink>(host.bandwidth, host.full_duplex), host.turnaround);
}

} // namespace cavern
