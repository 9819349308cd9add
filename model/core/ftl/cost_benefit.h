#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/lazy_array.h"
#include "core/ftl/victim_policy.h"

namespace cavern {

class StateArchive;

/// The candidate with the largest age * (1 - u) / (2 u), u the share of valid pages, age the host
/// pages written since the block was last filled or had a page invalidated (Kawaguchi, Nishioka,
/// Motoda, USENIX 1995, section 4.2, after Rosenblum & Ousterhout's LFS). u = 0 is infinite. Ties
/// go to the lower erase count, then the lower id. Scores are compared exactly, as fractions.
///
/// Candidates with the same number of valid pages are a list in the order of their latest change,
/// whose head is the best of them: O(1) per page, O(pages of a block) per victim, and one step for
/// each block that ties.
class CostBenefit final : public VictimPolicyIf {
  public:
    explicit CostBenefit(const VictimContext& context);

    void on_garbage(PlaneId plane, BlockId block) override;
    void on_collect(PlaneId plane, BlockId block) override;
    [[nodiscard]] std::optional<BlockId> choose(PlaneId plane) override;
    void serialize(StateArchive& archive) override;

  private:
    /// BlockIds + 1; 0 is none.
    struct Link {
        std::uint32_t older;
        std::uint32_t newer;
        std::uint64_t changed; ///< the time + 1; 0: no candidate
    };
    struct Ends {
        std::uint32_t oldest;
        std::uint32_t newest;
    };

    [[nodiscard]] Ends& list(PlaneId plane, std::uint32_t valid) {
        return lists_[std::size_t{raw(plane)} * pages_per_block_ + valid];
    }
    void unlink(Ends& ends, std::uint32_t entry);
    /// Of the blocks of one list that changed first, the one that wins a tie.
    [[nodiscard]] std::uint32_t head(const Ends& ends, bool whatever_its_age) const;
    /// Both have valid pages.
    [[nodiscard]] bool better(std::uint32_t a, std::uint32_t b) const;
    [[nodiscard]] bool wins_tie(std::uint32_t a, std::uint32_t b) const;

    std::uint32_t pages_per_block_;
    const BlockStates& blocks_;
    const WriteClock& clock_;
    LazyArray<Link> links_;
    LazyArray<Ends> lists_; ///< by plane and number of valid pages
};

} // namespace cavern
