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
std::unique_ptr<HostTransportIf> make_transport(const HostConfig& host, std::uint32_t outstanding,
                                                EventQueue& clock);

/// Whether such a command may be outstanding only alone.
[[nodiscard]] bool runs_alone(const HostConfig& host, RequestOp op);

/// Commands that the interface keeps outstanding at most, all queues together.
[[nodiscard]] std::uint32_t most_outstanding(const HostConfig& host);

} // namespace cavern
