#pragma once

#include <cstdint>
#include <vector>

#include "core/ftl/flash_op.h"

namespace cavern {

/// What a run asked of the flash, period by period of equally many host requests. Nobody needs to
/// know the length of the run: when there are too many periods, each two become one.
class FlashPeriods {
  public:
    static constexpr std::size_t kMost = 128;
    static constexpr std::uint64_t kFirstRequests = 100;

    struct Period {
        std::uint64_t host_bytes = 0;
        std::uint64_t reads = 0; ///< pages
        std::uint64_t programs = 0;
        std::uint64_t erases = 0;    ///< blocks
        std::uint64_t map_bytes = 0; ///< of the map's memory at its end; 0: the map has one size
    };

    FlashPeriods() { periods_.reserve(kMost); }

    void add(const FlashOpList& ops);
    void add_read() { ++now_.reads; }
    /// A request of the host has been carried out.
    void end_request(std::uint64_t bytes, std::uint64_t map_bytes);

    /// Requests of each period.
    [[nodiscard]] std::uint64_t requests() const { return requests_; }
    /// Those complete; at most kMost.
    [[nodiscard]] const std::vector<Period>& periods() const { return periods_; }
    /// Of the whole run, its last incomplete period included.
    [[nodiscard]] Period total() const;

  private:
    std::vector<Period> periods_;
    Period now_;
    std::uint64_t requests_ = kFirstRequests;
    std::uint64_t done_ = 0; ///< requests of the period that is not complete
};

} // namespace cavern
