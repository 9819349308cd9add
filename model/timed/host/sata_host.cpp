#include "timed/host/sata_host.h"

#include "timed/host/host_link.h"
#include "timed/host/link_transport.h"

namespace cavern {

namespace {

std::unique_ptr<const SataLink> make_link(const HostParams& host, const SchemeParams& any) {
    const auto params = params_in<SataParams>(any);
    return std::make_unique<SataLink>(host.generation, params.handshake, params.queued_trim);
}

} // namespace

Refused SataHost::problem(const HostParams& host, const SchemeParams&) {
    if (host.generation > 3) {
        return Refusal{{"host.generation", "host.interface"},
                       "host.generation = " + std::to_string(host.generation) + " with SATA",
                       "SATA has generations 1, 2 and 3"};
    }
    if (host.queue_depth > 32) {
        return Refusal{{"host.queue_depth", "host.interface"},
                       "host.queue_depth = " + std::to_string(host.queue_depth) + " with SATA",
                       "NCQ has at most 32 tags"};
    }
    return std::nullopt;
}

std::unique_ptr<HostTransportIf> SataHost::make_transport(const HostParams& host,
                                                          const SchemeParams& params, std::uint32_t,
                                                          EventQueue& clock) {
    return std::make_unique<LinkTransport>(clock, make_link(host, params), host.turnaround);
}

bool SataHost::runs_alone(const HostParams& host, const SchemeParams& params, RequestOp op) {
    return (op == RequestOp::kTrim || op == RequestOp::kFlush) &&
           make_link(host, params)->runs_alone(op);
}

} // namespace cavern
