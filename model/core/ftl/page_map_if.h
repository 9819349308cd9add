#pragma once

#include <cstdint>

#include "core/base/geometry.h"
#include "core/ftl/emptying.h"
#include "core/ftl/flash_op.h"

namespace cavern {

/// A map of pages, as the collector of its blocks (Collector) asks it. Calls come for blocks, not
/// for pages.
class PageMapIf {
  public:
    virtual ~PageMapIf() = default;
    /// How many of `count` pages from `first` on the map names; for checks.
    [[nodiscard]] virtual std::uint32_t count_valid(Ppn first, std::uint32_t count) const = 0;
    /// What the map takes for valid only because it has not looked may be found out now: the block
    /// is about to be emptied.
    virtual void look_at(BlockId) {}
    /// Copies, and pages of the map to be rewritten, that emptying the block takes.
    [[nodiscard]] virtual std::uint32_t work_of(BlockId block) = 0;
    /// Before the next step of a task: there are free blocks for what is left of it. May empty
    /// other blocks.
    virtual void make_room_to_move(const Emptying&, PlaneId, FlashOpList&) {}
    /// Moves at most `units` more pages of the task's block, ascending from page `next` on; goes on
    /// in the task, and sets its `last`. True when nothing is left: then the block is erased.
    virtual bool move(Emptying& task, PlaneId plane, std::uint32_t units, FlashOpList& ops) = 0;
};

} // namespace cavern
