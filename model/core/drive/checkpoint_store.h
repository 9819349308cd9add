#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/base/strong_id.h"
#include "core/ftl/flash_op.h"

namespace cavern {

/// What a checkpoint says: the map, and of each block how often it was erased and how far it is
/// programmed, all of one moment between two decisions.
struct MapSnapshot {
    struct Block {
        std::uint32_t erases = 0;
        std::uint32_t next = 0; ///< programmable page
    };
    /// A program of a page (of no logical page: kNoLpn), or an erase of its block.
    struct Change {
        Ppn page;
        Lpn lpn;
        PageVersion version;
        bool erase;
    };
    std::vector<std::uint64_t> places; ///< by logical page: physical page + 1, or 0
    std::vector<PageVersion> versions; ///< likewise
    std::vector<Block> blocks;         ///< by BlockId
    PageVersion latest = 0;            ///< sequence number
    /// By page of the journal behind it.
    std::vector<std::vector<Change>> journal;
};

/// Checkpoints, by generation. Thousands may be under way, of maps of millions of pages: one is
/// kept whole, of the others only what differs from the one before.
class CheckpointStore {
  public:
    /// From the checkpoint before to this one.
    struct Difference {
        struct Page {
            Lpn lpn;
            std::uint64_t place; ///< as in MapSnapshot::places
            PageVersion version;
        };
        std::vector<Page> pages;
        std::vector<std::pair<BlockId, MapSnapshot::Block>> blocks;
        PageVersion latest = 0;
    };
    using Journal = std::vector<std::vector<MapSnapshot::Change>>;

    /// A generation above all others.
    void add(PageVersion generation, MapSnapshot whole);
    /// The same of one that follows the newest.
    void add(PageVersion generation, Difference difference);
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] PageVersion oldest() const { return entries_.begin()->first; }
    [[nodiscard]] PageVersion newest() const { return entries_.rbegin()->first; }
    /// The one before, or the oldest itself.
    [[nodiscard]] PageVersion before(PageVersion generation) const;
    [[nodiscard]] std::vector<PageVersion> generations() const;
    /// Throws ModelError if there is none.
    [[nodiscard]] MapSnapshot at(PageVersion generation) const;
    [[nodiscard]] Journal& journal(PageVersion generation);
    void forget(PageVersion generation);

  private:
    struct Entry {
        std::optional<MapSnapshot> whole;
        Difference difference; ///< where it is not whole
        Journal journal;
    };
    [[nodiscard]] const Entry& entry(PageVersion generation) const;
    static void apply(const Difference& difference, MapSnapshot& map);

    std::map<PageVersion, Entry> entries_; ///< the oldest one is whole
};

} // namespace cavern
