#pragma once

#include <cstdint>
#include <vector>

#include "core/data/host_data_if.h"
#include "workload/request.h"

namespace cavern::testing {

/// The memory of a host that writes data of its own, and knows byte by byte what its drive has to
/// return: a flat array for each request, in the order of the workload, which is that in which the
/// drive decides. Where others are outstanding, a read may find what a later request has written.
class ReferenceHost final : public HostDataIf {
  public:
    /// TRIM takes whole pages of so many bytes; with `trims` they read as zeros, without as before.
    ReferenceHost(std::vector<HostRequest> requests, std::uint64_t capacity,
                  std::uint32_t page_bytes, bool trims = true);

    void take(std::uint64_t request, std::uint64_t offset, std::byte* to,
              std::uint32_t bytes) override;
    void give(std::uint64_t request, std::uint64_t offset, const std::byte* from,
              std::uint32_t bytes) override;

    [[nodiscard]] std::uint64_t taken() const { return taken_; }
    [[nodiscard]] std::uint64_t given() const { return given_; }
    /// Of `given`: bytes of sectors that a later request had written already.
    [[nodiscard]] std::uint64_t newer() const { return newer_; }
    /// Bytes of all reads and writes.
    [[nodiscard]] std::uint64_t bytes_of(RequestOp op) const;

  private:
    /// Requests that changed the sector, in order.
    [[nodiscard]] const std::vector<std::uint32_t>& changes(std::uint64_t lba) const {
        return changes_[lba];
    }
    /// What request `number` left in the sector; kNobody: zeros.
    void make(std::uint64_t number, std::uint64_t lba, std::byte* to) const;

    static constexpr std::uint64_t kNobody = ~std::uint64_t{0};
    std::vector<HostRequest> requests_;
    std::vector<std::vector<std::uint32_t>> changes_; ///< by sector
    std::uint64_t taken_ = 0;
    std::uint64_t given_ = 0;
    std::uint64_t newer_ = 0;
};

} // namespace cavern::testing
