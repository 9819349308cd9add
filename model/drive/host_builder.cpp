#include "drive/host_builder.h"

#include <algorithm>
#include <cstddef>

#include "timed/host/host_link.h"
#include "timed/host/link_transport.h"
#include "timed/host/nvme_transport.h"

namespace cavern {
namespace {

std::unique_ptr<const HostLinkIf> make_link(const HostConfig& host) {
    if (host.interface == "sata") {
        return std::make_unique<SataLink>(host.generation, host.sata.handshake,
                                          host.sata.queued_trim);
    }
    return std::make_unique<DirectLink>(host.bandwidth, host.full_duplex);
}

NvmeTransport::Params nvme_params(const HostConfig& host, std::uint32_t outstanding) {
    const NvmeConfig& nvme = host.nvme;
    NvmeTransport::Params params;
    params.link = {host.generation, host.lanes, nvme.max_payload, nvme.max_read_request};
    params.arbiter.weighted = nvme.weighted;
    params.arbiter.burst = nvme.burst;
    params.arbiter.weights = {nvme.high_weight, nvme.medium_weight, nvme.low_weight};
    params.arbiter.classes.clear();
    for (std::size_t queue = 0; queue < host.queues; ++queue) {
        params.arbiter.classes.push_back(nvme.priorities[queue % nvme.priorities.size()]);
    }
    params.queue_depth = std::min(host.queue_depth, (outstanding + host.queues - 1) / host.queues);
    params.slots = nvme.slots;
    params.memory_page = nvme.memory_page;
    params.memory_latency = nvme.memory_latency;
    params.turnaround = host.turnaround;
    params.interrupt_threshold = nvme.interrupt_threshold;
    params.interrupt_time = nvme.interrupt_time;
    return params;
}

} // namespace

std::unique_ptr<HostTransportIf> make_transport(const HostConfig& host, std::uint32_t outstanding,
                                                EventQueue& clock) {
    if (host.interface == "nvme") {
        return std::make_unique<NvmeTransport>(clock, nvme_params(host, outstanding));
    }
    return std::make_unique<LinkTransport>(clock, make_link(host), host.turnaround);
}

bool runs_alone(const HostConfig& host, RequestOp op) {
    return (op == RequestOp::kTrim || op == RequestOp::kFlush) && host.interface != "nvme" &&
           make_link(host)->runs_alone(op);
}

std::uint32_t most_outstanding(const HostConfig& host) {
    return host.interface == "nvme" ? host.queue_depth * host.queues : host.queue_depth;
}

} // namespace cavern
