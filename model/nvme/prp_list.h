#pragma once

#include <cstdint>
#include <vector>

#include "nvme/nvme_ports.h"

namespace cavern::nvme {

/// Reads where the data of a command lie: physical region pages (4.3). The first entry may begin
/// inside a page; data of two pages take the second entry; for more the second entry names a list,
/// whose last entry in a page names the next page of it. Fills `segments` in order, neighbours
/// merged. Returns kSuccess, kInvalidPrpOffset, or kDataTransferError where a list cannot be read.
[[nodiscard]] Status read_prps(MemoryIf& memory, std::uint64_t prp1, std::uint64_t prp2,
                               std::uint64_t bytes, std::uint32_t page_bytes,
                               std::vector<Segment>& segments);

} // namespace cavern::nvme
