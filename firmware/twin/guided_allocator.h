#pragma once

#include <cstddef>
#include <cstdint>

#include "core/alloc/allocator.h"
#include "core/base/lazy_array.h"
#include "firmware/twin/decision_guide.h"

namespace cavern {

/// Pages go to the planes where the firmware programs them. Throws ModelError if it programs more
/// or fewer, or beyond the drive.
class GuidedAllocator final : public AllocatorIf {
  public:
    /// `log` may be null; it is told of the dies of logical blocks if `by_blocks`.
    GuidedAllocator(const DecisionGuide& guide, const Geometry& geometry, bool by_blocks,
                    DecisionLogIf* log)
        : guide_(guide), geometry_(geometry), log_(by_blocks ? log : nullptr),
          homes_(log_ != nullptr ? geometry.blocks() : 0) {}

    void place(const Lpn* pages, std::size_t count, PlaneId* planes) override;

  private:
    void note_die(Lbn lbn, DieId die);

    const DecisionGuide& guide_;
    Geometry geometry_;
    DecisionLogIf* log_;
    LazyArray<std::uint32_t> homes_; ///< by logical block: die + 1, and whether it is of this batch
};

} // namespace cavern
