#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/flat_map.h"
#include "core/base/statistics.h"
#include "workload/device_map.h"
#include "workload/request.h"
#include "workload/reuse_distance.h"

namespace cavern {

/// Figures of a workload for a storage engineer, from one pass over its requests. Pages are of 4
/// KiB. A request is sequential when it begins where the one before it (of the same device; for the
/// figures by operation: of the same operation) ended; the first counts as random. Trims and
/// flushes count, but belong to no footprint and no distance. Memory grows with the number of pages
/// touched up to 8 Mi pages, beyond which the footprint is an estimate from a hashed sample.
class TraceStatistics {
  public:
    static constexpr std::uint64_t kPageBytes = 4096;
    static constexpr unsigned kSizeBins = 33;     ///< [k]: sizes with k binary digits
    static constexpr std::size_t kTimeBins = 240; ///< of the map of accesses
    static constexpr std::size_t kPlaceBins = 120;
    static constexpr std::size_t kMaxExactSizes = 4096;

    struct Operation {
        std::uint64_t count = 0;
        std::uint64_t bytes = 0;
        std::uint64_t sequential = 0; ///< to the last of this operation
        std::uint64_t page_accesses = 0;
        std::uint64_t max_bytes = 0;
        Histogram sectors; ///< sizes in whole sectors, so that usual ones are exact
        std::array<std::uint64_t, kSizeBins> size_bins{};
        std::uint64_t last_end = ~std::uint64_t{0};

        [[nodiscard]] double mean_bytes() const {
            return count == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(count);
        }
        [[nodiscard]] std::uint64_t quantile_bytes(double q) const {
            return 512 * sectors.quantile(q);
        }
        [[nodiscard]] double random_share() const {
            return count == 0 ? 0
                              : 1 - static_cast<double>(sequential) / static_cast<double>(count);
        }
    };
    /// Pages touched at least once.
    struct Footprint {
        double read = 0;
        double written = 0;
        double any = 0;
        bool exact = true;
    };

    /// `duration` and `end` bound times and offsets, `devices` (may be empty) says where each lies.
    /// Without `reuse` no distances are kept, which is faster.
    TraceStatistics(TimePs duration, std::uint64_t end, const DeviceMap& devices,
                    bool reuse = true);
    void add(const HostRequest& request);

    [[nodiscard]] const Operation& of(RequestOp op) const {
        return by_op_[static_cast<std::size_t>(op)];
    }
    [[nodiscard]] std::uint64_t requests() const { return requests_; }
    [[nodiscard]] TimePs duration() const { return requests_ == 0 ? 0 : last_ - first_; }
    [[nodiscard]] double random_share() const; ///< of reads and writes, per device
    [[nodiscard]] double random_share_across_devices() const;
    [[nodiscard]] double aligned_share() const; ///< begin and end on 4 KiB
    [[nodiscard]] Footprint footprint() const;
    [[nodiscard]] const Histogram& gaps_ns() const { return gaps_ns_; }
    [[nodiscard]] double zero_gap_share() const;
    [[nodiscard]] double gap_variation() const;         ///< deviation / mean
    [[nodiscard]] std::uint64_t busiest_second() const; ///< requests in a whole second
    [[nodiscard]] const ReuseDistance& reuse() const { return reuse_; }
    [[nodiscard]] const ReuseDistance& write_reuse() const { return write_reuse_; }
    /// Exact sizes and how often; complete while there are fewer than kMaxExactSizes.
    [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& exact_sizes() const {
        return exact_sizes_;
    }
    /// Bytes moved, [op read or write][place][time].
    [[nodiscard]] std::uint64_t moved(RequestOp op, std::size_t place, std::size_t time) const {
        return map_[(static_cast<std::size_t>(op) * kPlaceBins + place) * kTimeBins + time];
    }
    [[nodiscard]] std::uint64_t end() const { return end_; }

  private:
    void add_gap(TimePs now);
    void add_order(const HostRequest& request, Operation& operation);
    void add_pages(const HostRequest& request, Operation& operation);
    void touch(std::uint64_t page, std::uint32_t mark);
    void thin_out();

    TimePs span_;
    std::uint64_t end_;
    std::vector<std::uint64_t> device_bases_;
    std::vector<std::uint64_t> device_ends_; ///< of the last request of each
    bool with_reuse_;
    std::array<Operation, kRequestOps> by_op_;
    std::uint64_t requests_ = 0;
    std::uint64_t moving_ = 0; ///< reads and writes
    std::uint64_t sequential_ = 0;
    std::uint64_t sequential_across_ = 0;
    std::uint64_t last_end_ = ~std::uint64_t{0};
    std::uint64_t aligned_ = 0;
    TimePs first_ = 0;
    TimePs last_ = 0;
    Histogram gaps_ns_;
    std::uint64_t zero_gaps_ = 0;
    double gap_squares_ = 0; ///< s^2
    std::uint64_t second_ = 0;
    std::uint64_t in_second_ = 0;
    std::uint64_t busiest_ = 0;
    FlatMap marks_; ///< page -> 1 read, 2 written
    std::vector<std::uint64_t> pages_;
    std::array<std::uint64_t, 4> marked_{}; ///< pages by mark
    unsigned halvings_ = 0;                 ///< of the sample of pages
    ReuseDistance reuse_;
    ReuseDistance write_reuse_;
    std::map<std::uint64_t, std::uint64_t> exact_sizes_;
    std::vector<std::uint64_t> map_;
};

} // namespace cavern
