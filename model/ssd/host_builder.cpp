#include "ssd/host_builder.h"

namespace cavern {

std::unique_ptr<HostLinkIf> make_link(const HostConfig& host) {
    if (host.interface == "sata") {
        return std::make_unique<SataLink>(host.generation);
    }
    return std::make_unique<DirectLink>(host.bandwidth, host.full_duplex);
}

bool runs_alone(const HostConfig& host, RequestOp op) {
    return (op == RequestOp::kTrim || op == RequestOp::kFlush) && make_link(host)->runs_alone(op);
}

} // namespace cavern
