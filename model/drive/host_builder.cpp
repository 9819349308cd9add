#include "drive/host_builder.h"

namespace cavern {

std::unique_ptr<HostTransportIf> make_transport(const HostConfig& host, std::uint32_t outstanding,
                                                EventQueue& clock) {
    return host.link->make_transport(host, host.link_params[*host.link], outstanding, clock);
}

bool runs_alone(const HostConfig& host, RequestOp op) {
    return host.link->runs_alone(host, host.link_params[*host.link], op);
}

std::uint32_t most_outstanding(const HostConfig& host) {
    return host.link->most_outstanding(host);
}

} // namespace cavern
