#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/resolved_config.h"

namespace cavern {

/// Bytes that the host can address, without the drive being built.
[[nodiscard]] std::uint64_t host_capacity(const SsdConfig& config);

/// For people: "29.76 GiB".
[[nodiscard]] std::string size_text(std::uint64_t bytes);

/// "29.76 GiB for the host, 32 GiB of NAND"
[[nodiscard]] std::string capacity_text(const SsdConfig& config);

/// Where a drive of MLC, TLC or QLC has defaults that are those of an SLC drive of 2011, because
/// its file neither extends another nor gives them: one sentence for the warnings of a run.
[[nodiscard]] std::vector<std::string> notes_on_defaults(const ResolvedConfig& resolved);

} // namespace cavern
