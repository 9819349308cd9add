#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/refusal.h"
#include "core/base/scheme.h"
#include "core/base/units.h"
#include "workload/request.h"

namespace cavern {

class EventQueue;
class HostTransportIf;

/// What every host link may be told; the keys host.NAME.
struct HostParams {
    std::uint32_t generation = 2;          ///< SATA 1..3, PCIe 1..5
    std::uint32_t lanes = 4;               ///< PCIe
    std::uint32_t queues = 1;              ///< NVMe submission queues
    std::uint32_t queue_depth = 32;        ///< commands outstanding at most, NVMe: in one queue
    std::uint64_t bandwidth = 200'000'000; ///< direct: bytes per second
    bool full_duplex = false;              ///< direct: reads and writes do not share the link
    TimePs turnaround = 0; ///< host software time per command, before it reaches the link
};

/// One link that `host.interface` can name.
struct HostLinkRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    SchemeKnobs knobs;            ///< the keys host.NAME.KNOB
    /// Why the link cannot be as it is told.
    Refused (*problem)(const HostParams& host, const SchemeParams& params);
    /// The host keeps `outstanding` commands at most; several queues share them. `clock` must
    /// outlive the transport.
    std::unique_ptr<HostTransportIf> (*make_transport)(const HostParams& host,
                                                       const SchemeParams& params,
                                                       std::uint32_t outstanding,
                                                       EventQueue& clock);
    /// Whether such a command may be outstanding only alone.
    bool (*runs_alone)(const HostParams& host, const SchemeParams& params, RequestOp op);
    /// Commands that the interface keeps outstanding at most, all queues together.
    std::uint32_t (*most_outstanding)(const HostParams& host);
    /// The priority class of a queue, for reports; null: the link has one queue.
    std::string_view (*queue_priority)(const SchemeParams& params, std::size_t queue);
};

/// Every host link there is; a new one is its pair of files and a row here.
[[nodiscard]] const std::vector<HostLinkRow>& host_link_table();

/// Row of `name`, or null.
[[nodiscard]] const HostLinkRow* find_host_link(std::string_view name);

} // namespace cavern
