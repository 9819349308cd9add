#pragma once

#include <memory>

#include "core/workload/request.h"
#include "ssd/config.h"
#include "timed/host/host_link.h"

namespace cavern {

/// The link to the host that a configuration describes.
std::unique_ptr<HostLinkIf> make_link(const HostConfig& host);

/// Whether such a command may be outstanding on it only alone.
[[nodiscard]] bool runs_alone(const HostConfig& host, RequestOp op);

} // namespace cavern
