#pragma once

#include <cstdint>
#include <vector>

namespace cavern {

class StateArchive;

/// Indices 0 .. items - 1 in order of a rank: a binary heap that knows where each index is. O(log
/// n) per operation, no allocation after construction.
class RankHeap {
  public:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

    /// Lower comes first; `minor` decides among equal `major`. Ranks in a heap should all differ.
    struct Rank {
        std::uint64_t major = 0;
        std::uint64_t minor = 0;
    };

    explicit RankHeap(std::uint32_t items);

    [[nodiscard]] bool contains(std::uint32_t item) const { return where_[item] != kNone; }
    [[nodiscard]] const Rank& rank(std::uint32_t item) const { return ranks_[item]; }
    /// Item of the lowest rank, or kNone.
    [[nodiscard]] std::uint32_t top() const { return heap_.empty() ? kNone : heap_.front(); }

    /// Puts the item in, or gives it another rank.
    void set(std::uint32_t item, Rank rank);
    /// Takes the item out, if it is in.
    void remove(std::uint32_t item);

    /// Shows items to `visit`, lowest rank first, until it returns true. O(log n) for each shown.
    template <typename Visit>
    void visit_in_order(Visit visit) {
        shown_.clear();
        bool done = false;
        while (!done && !heap_.empty()) {
            const std::uint32_t item = heap_.front();
            done = visit(item);
            if (!done) {
                remove(item);
                shown_.push_back(item);
            }
        }
        for (const std::uint32_t item : shown_) {
            set(item, ranks_[item]);
        }
    }
    void serialize(StateArchive& archive);

  private:
    [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
        const Rank& x = ranks_[a];
        const Rank& y = ranks_[b];
        return x.major != y.major ? x.major < y.major : x.minor < y.minor;
    }
    void put(std::uint32_t item, std::uint32_t place);
    void rise(std::uint32_t item, std::uint32_t place);
    void sink(std::uint32_t item, std::uint32_t place);

    std::vector<Rank> ranks_;          ///< per item
    std::vector<std::uint32_t> where_; ///< per item: its place in heap_, or kNone
    std::vector<std::uint32_t> heap_;
    std::vector<std::uint32_t> shown_; ///< scratch
};

} // namespace cavern
