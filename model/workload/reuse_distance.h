#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/flat_map.h"

namespace cavern {

/// LRU stack distances of a stream of page accesses (Mattson, Gecsei, Slutz, Traiger, "Evaluation
/// techniques for storage hierarchies", IBM Systems Journal 9(2), 1970): how many other pages were
/// touched since the last access to the same one. O(log n) a step with a Fenwick tree over the
/// times of the last accesses. Exact while at most `limit` pages are followed; beyond that only
/// pages of an ever smaller hashed sample are, and counts and distances scaled (SHARDS:
/// Waldspurger, Park, Garthwaite, Ahmad, FAST 2015), with their correction of counts: what a sample
/// has too few or too many of are accesses to the most popular pages, hence short distances.
class ReuseDistance {
  public:
    explicit ReuseDistance(std::size_t limit = std::size_t{1} << 22);

    void access(std::uint64_t page);

    /// 1 while exact.
    [[nodiscard]] double sample_rate() const;
    [[nodiscard]] double accesses() const { return static_cast<double>(seen_); }
    /// First accesses to a page.
    [[nodiscard]] double cold() const { return cold_; }
    /// Share of all accesses that an LRU cache of 2^`k` pages finds, k below 48.
    [[nodiscard]] double hit_ratio(unsigned k) const;

  private:
    [[nodiscard]] static std::uint64_t hash(std::uint64_t page);
    void add(std::size_t position, std::uint32_t change);
    [[nodiscard]] std::uint64_t live_up_to(std::size_t position) const;
    void record(std::uint64_t distance);
    void append(std::uint64_t page);
    void compact();
    void thin_out();

    std::size_t limit_;
    std::uint64_t threshold_ = ~std::uint64_t{0}; ///< pages whose hash is at most this are followed
    FlatMap last_;                                ///< page -> position
    std::vector<std::uint64_t> page_at_;          ///< by position; its last access was then
    std::vector<bool> live_;
    std::vector<std::uint32_t> tree_; ///< Fenwick: live positions
    std::size_t next_ = 0;
    std::array<double, 64> warm_by_log_{}; ///< [k]: distances with k binary digits
    std::uint64_t seen_ = 0;
    double cold_ = 0;
    double warm_ = 0;
};

} // namespace cavern
