#pragma once

#include <cstdint>
#include <optional>

#include "core/ftl/candidate_set.h"
#include "core/ftl/victim_policy.h"

namespace cavern {

/// The best of d distinct candidates drawn at random: fewest valid pages, ties as in Greedy (Van
/// Houdt, SIGMETRICS 2013; Li, Lee, Lui, "randomized greedy", SIGMETRICS 2013). All of them where
/// there are no more than d. O(d) per victim, O(1) per page.
class DChoices final : public VictimPolicyIf {
  public:
    static constexpr std::uint32_t kMaxChoices = 64;

    /// `context.d` at most kMaxChoices.
    explicit DChoices(const VictimContext& context);

    void on_garbage(PlaneId plane, BlockId block) override { candidates_.insert(plane, block); }
    void on_collect(PlaneId plane, BlockId block) override { candidates_.remove(plane, block); }
    [[nodiscard]] std::optional<BlockId> choose(PlaneId plane) override;

    [[nodiscard]] std::uint32_t d() const { return d_; }

  private:
    [[nodiscard]] bool better(BlockId a, BlockId b) const;

    std::uint64_t seed_;
    std::uint32_t d_;
    const BlockStates& blocks_;
    CandidateSet candidates_;
};

} // namespace cavern
