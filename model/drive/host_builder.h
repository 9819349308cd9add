#pragma once

#include <cstdint>
#include <memory>

#include "config/drive_plan.h"
#include "timed/host/host_transport.h"
#include "timed/tlm/event_queue.h"
#include "workload/request.h"

namespace cavern {

/// What carries commands and data between host and device, as the configuration describes it. The
/// host keeps `outstanding` commands at most; several queues share them. `clock` must outlive it.
[[nodiscard]] inline std::unique_ptr<HostTransportIf>
make_transport(const HostConfig& host, std::uint32_t outstanding, EventQueue& clock) {
    return host.link->make_transport(host, host.link_params[*host.link], outstanding, clock);
}

/// Whether such a command may be outstanding only alone.
[[nodiscard]] inline bool runs_alone(const HostConfig& host, RequestOp op) {
    return host.link->runs_alone(host, host.link_params[*host.link], op);
}

/// Commands that the interface keeps outstanding at most, all queues together.
[[nodiscard]] inline std::uint32_t most_outstanding(const HostConfig& host) {
    return host.link->most_outstanding(host);
}

} // namespace cavern
