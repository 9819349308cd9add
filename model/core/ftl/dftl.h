#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/geometry.h"
#include "core/base/knob.h"
#include "core/ftl/collector.h"
#include "core/ftl/flash_space.h"
#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/map_cache_if.h"
#include "core/ftl/mapping_cache.h"
#include "core/ftl/page_map_if.h"
#include "core/ftl/translation_map.h"

namespace cavern {

class StateArchive;

struct DftlParams {
    std::uint32_t entries = 0; ///< of the mapping cache; 0: as many as ftl.map_cache holds
    bool write_shim = false;   ///< a write that misses makes an entry without a read
    bool slru = false;         ///< the cache has a probationary and a protected list
    /// With write_shim: a page superseded by such an entry counts as valid until its translation
    /// page is read, or its block is collected.
    bool lazy_invalidate = false;
    std::uint64_t entry_bytes = 8; ///< memory that a cached entry takes

    static constexpr auto knobs = knobs_of(
        knob<&DftlParams::entries>("cmt", "DFTL caches this many map entries; 0: as many as "
                                          "ftl.map_cache holds at ftl.dftl.entry each"),
        knob<&DftlParams::entry_bytes>("entry", "a cached map entry takes this much memory: two "
                                                "page numbers of 4 bytes, and what links them")
            .bytes()
            .range(8, 64)
            .from("Shim et al., 2010, S_CMT_entry of Table III, which gives no value"),
        knob<&DftlParams::write_shim>("write_miss",
                                      "what DFTL does when it writes a page whose map "
                                      "entry is not cached")
            .of(KnobWord{"original", "It reads the translation page of the entry first."},
                KnobWord{"shim", "It makes a new entry and reads nothing."})
            .from("Gupta et al., ASPLOS 2009; shim: Shim et al., 2010, section III-D"),
        knob<&DftlParams::slru>("slru", "DFTL evicts map entries used once before those used again "
                                        "(segmented LRU)"),
        knob<&DftlParams::lazy_invalidate>("lazy_invalidate",
                                           "with ftl.dftl.write_miss = shim, DFTL counts a "
                                           "superseded page as valid until it reads the "
                                           "translation page"));
};

/// Memory of the mapping cache, whichever way it is given.
[[nodiscard]] std::uint64_t dftl_cache_bytes(const FtlParams& params);
/// Entries that so much memory holds.
[[nodiscard]] std::uint64_t dftl_entries_in(const FtlParams& params, std::uint64_t bytes);

/// Demand-based page mapping (Gupta, Kim & Urgaonkar, "DFTL", ASPLOS 2009; SHIM II-C.1). The map is
/// kept in translation pages in flash (TranslationMap); memory holds where those are and a cache of
/// entries (MappingCache). Only the cache and what flash says decide where a page is.
///
/// A logical page and its translation page lie in a plane that the address fixes, so that each
/// plane is a DFTL of its own but for the cache, which they share. Each plane has a block for host
/// pages, one for pages moved (or both in one, gc_shared_frontier) and one for translation pages.
///
/// Look-up: a hit makes the entry the most recent. A miss evicts if the cache is full, then reads
/// the translation page; a write in mode `shim` makes an entry without reading. An entry that
/// leaves dirty takes all dirty ones of its translation page with it: the page is read, and
/// programmed with them. Operations of the host wait for the last translation page their look-up
/// reads.
///
/// In mode `shim` the map knows at once which page is superseded all the same. With lazy
/// invalidation (option) it does not: the older version counts as valid until its translation page
/// is read for any reason, or until its own block is collected and the spare area names it.
///
/// Blocks are those of FlashSpace, of either kind, emptied by Collector. A page moved whose entry
/// is cached changes it there (lazy copying); for the others each translation page is rewritten
/// once (batch update). Collection begins when max(gc_low, 2) or fewer are free, one for each kind.
///
/// In steps (FtlParams::gc_pace): a victim with v valid pages, whose map lies in t translation
/// pages to be rewritten, brings B - v - t pages. So v + t copies and rewrites are due while the
/// host takes as many: its pages, and the translation pages that its look-ups write back. Victims
/// of data may bring less than nothing, those of translation pages bring much: work and gain are
/// averaged over the last few. The map changes as pages are copied, but their translation pages
/// are rewritten when the whole victim has been copied, each once, and before it is erased; until
/// then memory holds which they are (12 bytes a page of a victim). Of a victim that costs no map
/// write more than a burst, and saves those of translation pages that are written back meanwhile.
/// When no free block is left the victim is emptied whole.
///
/// Sources: host and cache in dftl.cpp, translation pages in dftl_tables.cpp, pages moved in
/// dftl_collect.cpp. Memory: 4 bytes a logical page and the cache, beside that of FlashSpace;
/// untouched parts cost nothing.
class Dftl final : public FtlIf,
                   public MapCacheIf,
                   public MapInFlashIf,
                   public FillIf,
                   public IdleWorkIf,
                   public MountIf,
                   private PageMapIf {
  public:
    using Params = DftlParams;

    /// In the summary beside FtlCounters.
    struct Counters {
        std::uint64_t map_pages_read = 0;
        std::uint64_t map_pages_written = 0;

        static constexpr auto declared = counters_of(
            counter(&Counters::map_pages_read, "map_pages_read", "pages",
                    "Reads of translation pages, those for copies of collection among them."),
            counter(&Counters::map_pages_written, "map_pages_written", "pages",
                    "Programs of translation pages, copies of collection among them."));
    };
    /// In the summary beside MapCacheCounters.
    struct CacheCounters : MapCacheCounters {
        std::uint64_t batches = 0;
        std::uint64_t batch_entries = 0;
        std::uint64_t gc_batches = 0;
        std::uint64_t gc_batch_entries = 0;
        std::uint64_t lazy_copies = 0;
        std::uint64_t table_copies = 0;
        std::uint64_t table_collections = 0;
        std::uint64_t data_copies = 0;
        std::uint64_t data_collections = 0;

        static constexpr auto declared = counters_of(
            counter(&CacheCounters::batches, "batches", "pages",
                    "Translation pages written because a dirty entry left the cache."),
            counter(&CacheCounters::batch_entries, "batch_entries", "entries",
                    "Entries of the map that became clean as a dirty one left (batches)."),
            counter(&CacheCounters::gc_batches, "gc_batches", "pages",
                    "Translation pages rewritten because collection moved pages of data."),
            counter(
                &CacheCounters::gc_batch_entries, "gc_batch_entries", "entries",
                "Entries of the map changed because collection moved pages of data (gc_batches)."),
            counter(&CacheCounters::lazy_copies, "lazy_copies", "pages",
                    "Pages of data that collection moved and whose entry was cached, so that no "
                    "translation page was rewritten."),
            counter(&CacheCounters::table_copies, "table_copies", "pages",
                    "Valid translation pages that collection moved."),
            counter(&CacheCounters::table_collections, "table_collections", "blocks",
                    "Victims of collection that held translation pages."),
            counter(&CacheCounters::data_copies, "data_copies", "pages",
                    "Pages that collection moved out of victims that held data."),
            counter(&CacheCounters::data_collections, "data_collections", "blocks",
                    "Victims of collection that held data."));
    };

    /// `params` must satisfy dftl_why_not(). `log` may be null.
    Dftl(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    std::optional<FilledRun> fill(Lpn first, std::uint32_t count, bool last,
                                  FlashOpList& ops) override;
    [[nodiscard]] Ppn read(Lpn lpn, FlashOpList& ops) override;
    void trim(Lpn lpn, FlashOpList& ops) override;
    void trim_range(Lpn first, std::uint64_t count, FlashOpList& ops) override;
    void mount(const MountedDrive& drive) override;
    [[nodiscard]] MountNeeds mount_needs() const override;
    [[nodiscard]] Lpn map_page_of(Lpn lpn) const override {
        return flash_.number_of(flash_.table_of(lpn));
    }
    [[nodiscard]] std::uint64_t numbered_pages() const override {
        return flash_.logical_pages() + flash_.tables();
    }
    bool maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) override {
        return collector_.maintain(plane, copies, ops);
    }
    [[nodiscard]] bool has_room(PlaneId, Lpn) const override { return true; }
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn, std::optional<DieId>) const override {
        return space_.geometry().die_of(plane_of(lpn));
    }
    /// Also of a translation page by its number.
    [[nodiscard]] Ppn location(Lpn lpn) const override;
    [[nodiscard]] std::uint64_t mapped_pages() const override { return mapped_; }
    [[nodiscard]] std::uint64_t table_pages() const override { return flash_.tables_in_flash(); }
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override {
        return space_.block(block).valid;
    }
    [[nodiscard]] std::uint64_t logical_pages() const override { return flash_.logical_pages(); }
    [[nodiscard]] const FtlCounters& counters() const override { return space_.counters(); }
    [[nodiscard]] CounterView own_counters() const override { return own_; }
    [[nodiscard]] std::uint64_t programs() const override {
        return FtlIf::programs() + own_.map_pages_written;
    }
    void reset_counters() override;
    [[nodiscard]] BadBlocks bad_blocks() const override { return space_.bad_blocks(); }
    std::uint64_t check_invariants() const override;
    [[nodiscard]] std::uint64_t cache_bytes() const override { return cache_bytes_; }
    void resize_cache(std::uint64_t bytes, FlashOpList& ops) override;
    void empty_cache(FlashOpList& ops) override;
    [[nodiscard]] const CacheCounters& cache_counters() const override { return cached_; }
    [[nodiscard]] CounterView own_cache_counters() const override { return cached_; }
    void set_listener(MapCacheListenerIf* listener) override { listener_ = listener; }

    [[nodiscard]] const MappingCache& cache() const { return cache_; }
    [[nodiscard]] std::uint32_t table_of(Lpn lpn) const { return flash_.table_of(lpn); }
    [[nodiscard]] PlaneId plane_of(Lpn lpn) const { return flash_.plane_of(lpn); }
    [[nodiscard]] const FlashSpace& space() const { return space_; }
    void serialize(StateArchive& archive) override;

  private:
    friend struct DftlProbe; // tests corrupt the state to see check_invariants notice

    /// A page moved whose entry is not cached.
    struct Moved {
        std::uint32_t table;
        std::uint32_t lpn;
    };

    void check_range(Lpn lpn) const;
    /// Where the page is, + 1, as cache and flash know it; 0: nowhere.
    [[nodiscard]] std::uint32_t place_of(Lpn lpn) const;

    /// The page that the flash map names is superseded by the entry, but still counted as valid.
    [[nodiscard]] bool hides_garbage(std::uint32_t entry) const {
        return entry != MappingCache::kNone && cache_.is_unseen(entry) && cache_.is_dirty(entry);
    }
    /// The translation page is being read: superseded pages it names are not counted any more.
    void uncover(std::uint32_t table);
    /// The same for the pages of one block, whose spare areas are at hand.
    void uncover(BlockId block);
    bool uncover(Ppn page);
    /// The page the entry names is superseded; lazily, if the entry has not seen it.
    void supersede(std::uint32_t entry);

    /// Counts the look-up that follows.
    void note_look_up(Lpn lpn, bool write);
    /// Makes the page's entry the most recent, fetching it if it is not there, with `load` from its
    /// translation page. `after`: set to the last read of a translation page, if any.
    std::uint32_t look_up(Lpn lpn, bool load, std::int32_t& after, FlashOpList& ops);
    /// The least recent entry leaves. Returns the read that took, or FlashOp::kNone.
    std::int32_t evict(FlashOpList& ops);
    /// Writes the dirty entries of a translation page back. Returns the read, or FlashOp::kNone.
    std::int32_t write_back(std::uint32_t table, FlashOpList& ops);
    /// Reads and programs a translation page, in the frontier, which has room.
    std::int32_t rewrite(std::uint32_t table, Frontier& frontier, FlashOpList& ops);
    /// The dirty entries of a translation page that is rewritten; how many they were.
    std::uint32_t write_dirty_entries(std::uint32_t table);
    void trim_in_table(std::uint64_t begin, std::uint64_t end, FlashOpList& ops);
    /// Host data, or as padding a copy of what the page holds, goes to the page's plane.
    void place_page(Lpn lpn, std::uint32_t entry, Origin origin, std::int32_t after,
                    FlashOpList& ops);

    /// The stream has room for a page afterwards.
    Frontier& make_room(PlaneId plane, Stream stream, FlashOpList& ops) {
        Frontier& frontier = space_.frontier(plane, stream);
        if (frontier.next >= frontier.stop) {
            think(frontier, plane, ops);
        }
        return frontier;
    }
    void think(Frontier& frontier, PlaneId plane, FlashOpList& ops);

    // ---- dftl_collect.cpp: as PageMapIf
    [[nodiscard]] std::uint32_t count_valid(Ppn first, std::uint32_t count) const override;
    void look_at(BlockId block) override;
    /// Valid pages, and translation pages that name those whose entries are not cached.
    [[nodiscard]] std::uint32_t work_of(BlockId block) override;
    /// Packs translation pages until pages of data can be moved and translation pages rewritten.
    void make_room_to_move(const Emptying& task, PlaneId plane, FlashOpList& ops) override;
    bool move(Emptying& task, PlaneId plane, std::uint32_t units, FlashOpList& ops) override;
    /// Blocks that what is left takes beyond the open ones, when the host has taken `host` pages of
    /// each of those.
    [[nodiscard]] std::uint32_t blocks_to_move(const Emptying& task, PlaneId plane,
                                               std::uint32_t host) const;
    /// Of data that the task moves.
    [[nodiscard]] Stream stream_of(const Emptying& task) const {
        const Streams& streams = space_.streams();
        return task.origin == Origin::kWear ? streams.leveled() : streams.copy();
    }
    /// At most so many copies and rewrites are left.
    [[nodiscard]] std::uint32_t left(BlockId block, PlaneId plane) const {
        return space_.block(block).valid + static_cast<std::uint32_t>(moved_[raw(plane)].size());
    }
    /// Between this step of the block and the next.
    [[nodiscard]] bool host_may_go_on(const Emptying& task, PlaneId plane) const;
    /// One of them. Returns false where the page looked at needs none.
    bool move_one(Emptying& task, PlaneId plane, FlashOpList& ops);
    /// Moves the page if it is valid, and says whether it was.
    bool move_page(Ppn from, const Emptying& task, PlaneId plane, FlashOpList& ops);
    bool move_table(Ppn from, const Emptying& task, PlaneId plane, FlashOpList& ops);
    /// A translation page is rewritten for so many pages moved.
    void update_table(std::uint32_t table, std::uint32_t entries, PlaneId plane, FlashOpList& ops);
    Ppn copy(Ppn from, PlaneId plane, Stream stream, Lpn owner, Origin origin, FlashOpList& ops);
    /// The translation page is rewritten: what it waited for is in it. Returns the entries.
    std::uint32_t settle(std::uint32_t table);

    TranslationMap flash_;
    bool lazy_;
    bool write_loads_; ///< a write that misses reads the translation page
    DecisionLogIf* log_;
    MapCacheListenerIf* listener_ = nullptr;
    FlashSpace space_;
    Collector collector_;
    MappingCache cache_;
    std::uint64_t cache_bytes_;
    std::uint64_t entry_bytes_;
    std::uint64_t mapped_ = 0;
    /// By plane: pages moved whose translation pages are still to be rewritten, before the block
    /// that they left is erased.
    std::vector<std::vector<Moved>> moved_;
    std::vector<std::uint32_t> tables_; ///< scratch
    Counters own_;
    CacheCounters cached_;
};

/// The mapping cache (see FtlRow).
[[nodiscard]] MapMemory dftl_map_memory(const Geometry& geometry, const FtlParams& params);

/// Whether a drive can be built so (see FtlRow). Asks for blocks beyond those that data and
/// translation pages fill: gc_high and two, as PageFtl does, and one for translation pages half
/// filled.
[[nodiscard]] std::optional<std::string> dftl_why_not(const Geometry& geometry,
                                                      const FtlParams& params);

} // namespace cavern
