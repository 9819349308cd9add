#pragma once

#include <cstdint>
#include <optional>

#include "core/base/geometry.h"
#include "core/base/serialize.h"
#include "core/base/strong_id.h"
#include "core/ftl/block_state.h"
#include "core/ftl/ftl.h"

namespace cavern {

/// Host pages written since the beginning: what ages are counted in where nothing knows time.
/// Follows counters that may be reset, so that writing costs nothing more.
class WriteClock {
  public:
    /// `counters` must outlive the clock.
    explicit WriteClock(const FtlCounters& counters) : counters_(counters) {}
    [[nodiscard]] std::uint64_t now() const {
        return before_ + counters_.host_pages + counters_.padding_pages;
    }
    /// The counters are about to be set to zero.
    void on_reset() { before_ = now(); }
    void serialize(StateArchive& archive);

  private:
    const FtlCounters& counters_;
    std::uint64_t before_ = 0;
};

/// What a victim policy is built for.
struct VictimContext {
    Geometry geometry;
    const BlockStates& blocks; ///< must outlive the policy, as `clock`
    const WriteClock& clock;
    std::uint64_t seed = 1; ///< of random choices
};

/// Which block of a plane is collected next. Candidates are closed blocks with at least one invalid
/// page; the FTL reports them and owns their BlockState, which implementations read.
class VictimPolicyIf {
  public:
    virtual ~VictimPolicyIf() = default;
    /// An erased block begins to be filled: fill order.
    virtual void on_open(PlaneId, BlockId) {}
    /// A closed block has one invalid page more than at the last call for it, or has just been
    /// closed with invalid pages in it.
    virtual void on_garbage(PlaneId plane, BlockId block) = 0;
    /// A candidate is about to be emptied and erased; it need not be the one last chosen.
    virtual void on_collect(PlaneId plane, BlockId block) = 0;
    /// The next victim, which stays a candidate; none if the plane has no candidate. Asking twice
    /// gives the same answer, and asking changes nothing that happens later.
    [[nodiscard]] virtual std::optional<BlockId> choose(PlaneId plane) = 0;
    /// Saves or loads all that changes once it is built (StateArchive).
    virtual void serialize(StateArchive&) { refuse_to_serialize("a victim policy"); }
};

} // namespace cavern
