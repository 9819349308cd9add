#pragma once

#include <string>
#include <vector>

#include "config/drive_plan.h"

namespace cavern {

/// The drive behind an NVMe controller at register level: open_config(), but the link carries data
/// alone, for doorbells, entries and lists cross the platform as themselves. Its rate is that of
/// the file's PCIe lanes with full packets. Takes the process's one drive. Throws UserError.
[[nodiscard]] DrivePlan open_nvme_config(const std::string& name,
                                         const std::vector<std::string>& overrides);

/// Bytes per second of data that such a link carries in one direction.
[[nodiscard]] std::uint64_t pcie_data_rate(std::uint32_t generation, std::uint32_t lanes);

} // namespace cavern
