#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

#include "core/base/counter.h"
#include "core/base/units.h"
#include "timed/tlm/extensions.h"
#include "timed/tlm/prompt_target.h"
#include "workload/request.h"

namespace cavern {

/// Told by a HostTransportIf what has reached the other side.
class TransportClientIf {
  public:
    virtual ~TransportClientIf() = default;
    /// The device has the command.
    virtual void command_here(tlm::tlm_generic_payload& command) = 0;
    /// The host knows that the command is done.
    virtual void command_done(tlm::tlm_generic_payload& command) = 0;
};

/// What one of several queues has carried since the statistics began.
struct QueueStatistics {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;

    static constexpr auto declared =
        counters_of(counter(&QueueStatistics::requests, "count", "requests",
                            "Requests that came through the queue pair."),
                    counter(&QueueStatistics::bytes, "bytes", "bytes",
                            "Bytes that reads and writes of the queue pair named."));
};

/// Carries commands, data and completions between host and device, each at its time. The host
/// interface calls it and gives tags; a command is carried back to the host under the tag it came
/// with.
class HostTransportIf {
  public:
    virtual ~HostTransportIf() = default;
    /// Once, before the simulation starts.
    virtual void connect(TransportClientIf& client) = 0;
    /// Whether `next` may be issued now, which it is then, or asked for again; a free tag is the
    /// caller's business.
    [[nodiscard]] virtual bool may_issue(const HostRequest& next) = 0;
    /// Takes a command; its extension names tag and operation.
    virtual void issue(tlm::tlm_generic_payload& command, HostCommandExtension& extension) = 0;
    /// No further command comes at this instant.
    virtual void issued() = 0;
    /// The device moves data of a command from now on; returns when they have moved.
    virtual TimePs move_data(const Transfer& transfer) = 0;
    /// The device has finished the command.
    virtual void answered(tlm::tlm_generic_payload& command, HostCommandExtension& extension) = 0;

    /// Of each queue, where there are several; else empty.
    [[nodiscard]] virtual const std::vector<QueueStatistics>& queues() const = 0;
    virtual void reset_statistics() = 0;
    /// Time that the link was in use, both directions added up.
    [[nodiscard]] virtual TimePs link_busy() const = 0;
    /// Throws ModelError unless nothing is under way. Returns facts compared.
    [[nodiscard]] virtual std::uint64_t check_idle() const = 0;
};

} // namespace cavern
