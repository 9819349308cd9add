#include "timed/host/nvme_host.h"

#include <algorithm>
#include <utility>

#include "timed/host/nvme_transport.h"

namespace cavern {

namespace {

QueueClass class_of(const NvmeParams& params, std::size_t queue) {
    return params.priorities[queue % params.priorities.size()];
}

} // namespace

Refused NvmeHost::problem(const HostParams& host, const SchemeParams& any) {
    const auto params = params_in<NvmeParams>(any);
    if (!is_power_of_two(host.lanes)) {
        return Refusal{{"host.lanes", "host.interface"},
                       "host.lanes = " + std::to_string(host.lanes),
                       "1, 2, 4, 8 or 16"};
    }
    if (host.queue_depth > 65535) {
        return Refusal{{"host.queue_depth", "host.interface"},
                       "host.queue_depth = " + std::to_string(host.queue_depth) + " with NVMe",
                       "at most 65535: a queue has 65536 entries"};
    }
    if (std::uint64_t{host.queues} * host.queue_depth > 1'000'000) {
        return Refusal{{"host.queues", "host.queue_depth"},
                       std::to_string(host.queues) + " queues of " +
                           std::to_string(host.queue_depth) + " commands",
                       "at most 1000000 commands in all queues together"};
    }
    for (const auto& [key, bytes] :
         {std::pair{"host.nvme.max_payload", params.max_payload},
          std::pair{"host.nvme.max_read_request", params.max_read_request},
          std::pair{"host.nvme.memory_page", params.memory_page}}) {
        if (!is_power_of_two(bytes)) {
            return Refusal{{key},
                           std::string(key) + " = " + std::to_string(bytes) + " bytes",
                           "a power of two"};
        }
    }
    return std::nullopt;
}

std::unique_ptr<HostTransportIf> NvmeHost::make_transport(const HostParams& host,
                                                          const SchemeParams& any,
                                                          std::uint32_t outstanding,
                                                          EventQueue& clock) {
    const auto nvme = params_in<NvmeParams>(any);
    NvmeTransport::Params params;
    params.link = {host.generation, host.lanes, nvme.max_payload, nvme.max_read_request};
    params.arbiter.weighted = nvme.weighted;
    params.arbiter.burst = nvme.burst;
    params.arbiter.weights = {nvme.high_weight, nvme.medium_weight, nvme.low_weight};
    params.arbiter.classes.clear();
    for (std::size_t queue = 0; queue < host.queues; ++queue) {
        params.arbiter.classes.push_back(class_of(nvme, queue));
    }
    params.queue_depth = std::min(host.queue_depth, (outstanding + host.queues - 1) / host.queues);
    params.slots = nvme.slots;
    params.fetch_limit = nvme.fetch_limit;
    params.memory_page = nvme.memory_page;
    params.memory_latency = nvme.memory_latency;
    params.turnaround = host.turnaround;
    params.interrupt_threshold = nvme.interrupt_threshold;
    params.interrupt_time = nvme.interrupt_time;
    if (nvme.by_flow) {
        params.queue_depth = host.queue_depth;
        return std::make_unique<FlowQueues>(clock, params);
    }
    return std::make_unique<NvmeTransport>(clock, params);
}

bool NvmeHost::runs_alone(const HostParams&, const SchemeParams&, RequestOp) {
    return false;
}

std::string_view NvmeHost::queue_priority(const SchemeParams& params, std::size_t queue) {
    return kQueueClasses[static_cast<std::size_t>(class_of(params_in<NvmeParams>(params), queue))];
}

} // namespace cavern
