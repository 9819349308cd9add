#pragma once

#include <optional>

#include "core/base/strong_id.h"

namespace cavern {

/// Which block of a plane is collected next. Candidates are closed blocks with at least one invalid
/// page; the FTL reports them and owns their BlockState, which implementations read.
class VictimPolicyIf {
  public:
    virtual ~VictimPolicyIf() = default;
    /// A closed block has one invalid page more than at the last call for it, or has just been
    /// closed with invalid pages in it.
    virtual void on_garbage(PlaneId plane, BlockId block) = 0;
    /// A candidate is about to be emptied and erased.
    virtual void on_collect(PlaneId plane, BlockId block) = 0;
    /// The next victim, which stays a candidate; none if the plane has no candidate.
    [[nodiscard]] virtual std::optional<BlockId> choose(PlaneId plane) = 0;
};

} // namespace cavern
