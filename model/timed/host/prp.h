#pragma once

#include <cstdint>

namespace cavern {

/// Physical region pages: how an NVMe command says where its data is in host memory (NVM Express
/// Base Specification 1.4, 4.3). The command holds two entries. The first may begin inside a page;
/// data of two pages take the second; for more, the second names a list of 8-byte entries, which
/// fills pages of its own, the last entry of a full page naming the next.
struct PrpShape {
    std::uint64_t pages = 0;        ///< of host memory that the data touch
    std::uint64_t list_entries = 0; ///< that must be fetched, links between list pages among them
    std::uint64_t list_pages = 0;
};

inline constexpr std::uint32_t kPrpEntryBytes = 8;

/// Data of `bytes` that begin `offset` bytes into a page of `page_bytes`, a power of two from 4
/// KiB. Lists begin at the front of a page.
[[nodiscard]] PrpShape prp_shape(std::uint64_t offset, std::uint64_t bytes,
                                 std::uint32_t page_bytes);

} // namespace cavern
