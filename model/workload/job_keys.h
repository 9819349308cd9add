#pragma once

#include "keys/config_key.h"

namespace cavern {

/// The keys of a table [[job]] of a workload file: "job.rw" ...
[[nodiscard]] const Keys& job_keys();

/// The keys of the table [target] that jobs are fitted to: "target.requests" ...
[[nodiscard]] const Keys& target_keys();

} // namespace cavern
