#pragma once

#include <cstdint>
#include <vector>

#include "core/base/counter.h"
#include "core/base/merged_periods.h"
#include "core/ftl/flash_op.h"

namespace cavern {

/// What a run asked of the flash, period by period of equally many host requests. Nobody needs to
/// know the length of the run.
class FlashPeriods {
  public:
    static constexpr std::uint64_t kFirstRequests = 100;

    struct Period {
        [[nodiscard]] std::uint64_t operations() const { return reads + programs + erases; }
        void append(const Period& next);

        std::uint64_t host_bytes = 0;
        std::uint64_t reads = 0;
        std::uint64_t programs = 0;
        std::uint64_t erases = 0;
        std::uint64_t map_bytes = 0;

        static constexpr auto declared = counters_of(
            counter(&Period::host_bytes, "host_bytes", "bytes",
                    "Bytes that the reads and writes of each period named."),
            counter(&Period::reads, "reads", "pages",
                    "Reads of pages (of mapping units, with ftl.unit) in each period."),
            counter(&Period::programs, "programs", "pages",
                    "NAND pages programmed in each period."),
            counter(&Period::erases, "erases", "blocks", "Blocks erased in each period."),
            counter(&Period::map_bytes, "map_bytes", "bytes",
                    "Memory of the map at the end of each period; 0 where the map has one size."));
    };

    explicit FlashPeriods(std::uint32_t units_per_page = 1) : units_per_page_(units_per_page) {}

    void add(const FlashOpList& ops) {
        for (const FlashOp& op : ops) {
            switch (op.kind) {
            case FlashOpKind::kRead:
                ++now_.reads;
                break;
            case FlashOpKind::kProgram:
                // By its last mapping unit.
                now_.programs += (raw(op.page) + 1) % units_per_page_ == 0 ? 1 : 0;
                break;
            case FlashOpKind::kErase:
                ++now_.erases;
                break;
            }
        }
    }
    void add_read() { ++now_.reads; }
    /// A request of the host has been carried out.
    void end_request(std::uint64_t bytes, std::uint64_t map_bytes);

    /// Requests of each period.
    [[nodiscard]] std::uint64_t requests() const { return requests_; }
    /// Those complete; at most MergedPeriods::kMost.
    [[nodiscard]] const std::vector<Period>& periods() const { return periods_.all(); }
    /// Of the whole run, its last incomplete period included.
    [[nodiscard]] Period total() const;

  private:
    std::uint32_t units_per_page_;
    MergedPeriods<Period> periods_;
    Period now_;
    std::uint64_t requests_ = kFirstRequests;
    std::uint64_t done_ = 0; ///< requests of the period that is not complete
};

} // namespace cavern
