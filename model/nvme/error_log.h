#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nvme/nvme_spec.h"

namespace cavern::nvme {

/// The error information log: the last errors, newest first (5.14.1.1).
class ErrorLog {
  public:
    static constexpr std::uint32_t kEntries = 16;
    static constexpr std::uint32_t kEntryBytes = 64;

    struct Error {
        std::uint16_t queue = 0xFFFF; ///< 0xFFFF: of no command
        std::uint16_t id = 0xFFFF;
        Status status = kSuccess;
        std::uint64_t lba = 0;
        std::uint32_t nsid = 0;
    };

    void add(const Error& error) {
        std::byte* entry = &bytes_[count_++ % kEntries * kEntryBytes];
        std::memset(entry, 0, kEntryBytes);
        put<std::uint64_t>(entry, count_);
        put<std::uint16_t>(entry + 8, error.queue);
        put<std::uint16_t>(entry + 10, error.id);
        put<std::uint16_t>(entry + 12, static_cast<std::uint16_t>(error.status << 1));
        put<std::uint16_t>(entry + 14, 0xFFFF); // no parameter is at fault
        put<std::uint64_t>(entry + 16, error.lba);
        put<std::uint32_t>(entry + 24, error.nsid);
    }
    /// Errors since the controller was made.
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::vector<std::byte> page() const {
        std::vector<std::byte> page(kEntries * kEntryBytes);
        for (std::uint32_t i = 0; i < kEntries && i < count_; ++i) {
            std::memcpy(&page[i * kEntryBytes], &bytes_[(count_ - 1 - i) % kEntries * kEntryBytes],
                        kEntryBytes);
        }
        return page;
    }

  private:
    std::vector<std::byte> bytes_ = std::vector<std::byte>(kEntries * kEntryBytes);
    std::uint64_t count_ = 0;
};

} // namespace cavern::nvme
