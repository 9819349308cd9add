#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/knob.h"
#include "core/ftl/candidate_set.h"
#include "core/ftl/victim_policy.h"

namespace cavern {

class StateArchive;

struct DChoicesParams {
    static constexpr std::uint32_t kMost = 64;

    std::uint32_t d = 0; ///< 0: log2 of the blocks of a plane

    /// "what; what would be right", if the value is out of range.
    [[nodiscard]] std::optional<std::string> why_not() const;

    static constexpr auto knobs =
        knobs_of(knob<&DChoicesParams::d>(
                     "d", "the policy d-choices draws this many blocks and collects the "
                          "best of them; 0: log2 of the blocks per plane")
                     .range(0, kMost)
                     .from("MQSim, source: the logarithm"));
};

/// The best of d distinct candidates drawn at random: fewest valid pages, ties as in Greedy (Van
/// Houdt, SIGMETRICS 2013; Li, Lee, Lui, "randomized greedy", SIGMETRICS 2013). All of them where
/// there are no more than d. O(d) per victim, O(1) per page.
class DChoices final : public VictimPolicyIf {
  public:
    using Params = DChoicesParams;

    /// `params` must satisfy their why_not().
    DChoices(const VictimContext& context, const Params& params);

    void on_garbage(PlaneId plane, BlockId block) override { candidates_.insert(plane, block); }
    void on_collect(PlaneId plane, BlockId block) override { candidates_.remove(plane, block); }
    [[nodiscard]] std::optional<BlockId> choose(PlaneId plane) override;

    [[nodiscard]] std::uint32_t d() const { return d_; }
    void serialize(StateArchive& archive) override;

  private:
    [[nodiscard]] bool better(BlockId a, BlockId b) const;

    std::uint64_t seed_;
    std::uint32_t d_;
    const BlockStates& blocks_;
    CandidateSet candidates_;
};

} // namespace cavern
