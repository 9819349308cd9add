#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/geometry.h"
#include "core/ftl/emptying.h"
#include "core/ftl/flash_space.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/page_map_if.h"

namespace cavern {

class StateArchive;

/// What a layer asks of the collection of its blocks, beside FtlParams. Blocks are those of one
/// plane.
struct CollectorParams {
    std::uint32_t reserve = 1; ///< free blocks that the host does not get
    std::uint32_t begun = 0;   ///< and those that pages in a row may begin beyond the first
    std::uint32_t apart = 0;   ///< likewise, but collection does not begin sooner for it
    Pace pace{};
    /// Free blocks with which wear is levelled, unless the last block for that has room.
    std::uint32_t to_level = 1;
};

/// Which block of a plane is emptied, and when; its pages stay in the plane.
///
/// When a block is needed and at most gc_low are free, victims are collected until gc_high are or
/// no closed block has an invalid page. Watermarks in pages (Lee & Chung 2020, section III.1) are
/// looked at before each host page, and count what is left of the blocks being filled; a host block
/// is never begun with less than two free. The operations of a victim are its copies (PageMapIf),
/// then the erase.
///
/// In steps (FtlParams::gc_pace): a victim is emptied while the host writes the pages that it
/// brings; the next is begun as soon as the free pages are down to gc_high + 1 blocks of them,
/// those of the blocks being filled among them. So the free pages stay as they are, and no host
/// page waits for more than its share. Only when a block is needed and at most gc_low are free is a
/// victim emptied whole. Pace goes by host pages alone: nothing here knows time.
///
/// Likewise emptied are blocks that are to be refreshed (BlockRefresh), and one to level wear
/// (WearLeveler) after each victim. A block in which a program fails is emptied at once, and
/// retired.
class Collector {
  public:
    /// `space` and `map` must outlive it. `log` may be null.
    Collector(FlashSpace& space, PageMapIf& map, const FtlParams& params,
              const CollectorParams& own, DecisionLogIf* log);

    /// The frontier, of pages that the host pays for, has come to its stop: afterwards it has a
    /// page that can be programmed.
    void make_room(Frontier& frontier, PlaneId plane, FlashOpList& ops);
    [[nodiscard]] std::uint32_t reserve() const { return reserve_; }
    /// Free blocks more than which are room for another block of pages.
    [[nodiscard]] std::uint32_t room() const { return room_; }
    [[nodiscard]] std::uint32_t low() const { return low_; }
    [[nodiscard]] bool goes_in_steps() const { return !emptying_.empty(); }

    /// IdleWorkIf
    bool maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops);
    /// Empties a block whole, and no other.
    void relocate(BlockId block, PlaneId plane, Origin origin, FlashOpList& ops);
    /// Empties a block to level wear, if there is need and room.
    void level(PlaneId plane, FlashOpList& ops);

    /// FlashSpace::check
    [[nodiscard]] std::uint64_t check() const;
    void serialize(StateArchive& archive);

  private:
    [[nodiscard]] bool is_low(const Frontier& frontier, PlaneId plane) const;
    void limit(Frontier& frontier, PlaneId plane) const;
    void collect(const Frontier& frontier, PlaneId plane, FlashOpList& ops);
    /// A page of the frontier is about to be taken: what is due of the block being emptied.
    void pace(const Frontier& frontier, PlaneId plane, FlashOpList& ops);
    /// Ahead of need only if the victim brings what is programmed as one at least.
    bool begin_victim(PlaneId plane, bool ahead);
    [[nodiscard]] std::optional<BlockId> victim(PlaneId plane, bool ahead);
    void begin_aside(BlockId block, PlaneId plane, Origin origin);
    void begin(BlockId block, PlaneId plane, Origin origin);
    /// So many units of the work of the block being emptied; it is erased when none is left.
    void empty(PlaneId plane, std::uint32_t units, FlashOpList& ops);
    /// The block is empty.
    void finish(const Emptying& task, PlaneId plane, FlashOpList& ops);
    void note(const Emptying& task, std::uint32_t copies);
    [[nodiscard]] std::optional<BlockId> uneven(PlaneId plane);
    /// The next block that is to be refreshed, if there is room. It takes no more blocks than it
    /// gives back, as a victim does; what is kept from the host suffices until then. A block that
    /// is being filled waits until it is full.
    [[nodiscard]] std::optional<BlockId> stale(PlaneId plane) const;
    /// Moves it; whether it is done with: where collection goes in steps, it begins.
    bool refresh_block(PlaneId plane, FlashOpList& ops);
    void rescue(PlaneId plane, FlashOpList& ops);

    FlashSpace& space_;
    PageMapIf& map_;
    DecisionLogIf* log_;
    std::uint32_t low_;
    std::uint32_t high_;
    std::uint32_t background_;
    std::uint32_t reserve_;
    std::uint32_t room_;
    std::uint32_t to_level_;
    bool in_pages_;
    bool stops_always_; ///< in steps, at each page: several streams take the free blocks
    std::vector<Emptying> emptying_; ///< by plane; empty unless collection goes in steps
    std::vector<Pace> paces_;        ///< likewise
};

} // namespace cavern
