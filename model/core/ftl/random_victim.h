#pragma once

#include <cstdint>
#include <optional>

#include "core/ftl/candidate_set.h"
#include "core/ftl/victim_policy.h"

namespace cavern {

class StateArchive;

/// Any candidate, all alike (Lee & Chung 2020, section III.1: victims at random, without priority).
/// Blocks without garbage are no candidates: collecting them would make no progress.
class RandomVictim final : public VictimPolicyIf {
  public:
    explicit RandomVictim(const VictimContext& context)
        : seed_(context.seed), candidates_(context.geometry) {}

    void on_garbage(PlaneId plane, BlockId block) override { candidates_.insert(plane, block); }
    void on_collect(PlaneId plane, BlockId block) override { candidates_.remove(plane, block); }
    [[nodiscard]] std::optional<BlockId> choose(PlaneId plane) override;
    void serialize(StateArchive& archive) override;

  private:
    std::uint64_t seed_;
    CandidateSet candidates_;
};

} // namespace cavern
