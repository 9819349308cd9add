#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/counter.h"
#include "core/base/decision_log.h"
#include "core/base/flat_map.h"
#include "core/base/geometry.h"
#include "core/base/sectors.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/eviction_trigger.h"
#include "core/buffer/pins.h"

namespace cavern {

class StateArchive;

/// Totals since construction (or the last reset_counters). A policy or a trigger adds its own.
struct BufferCounters {
    std::uint64_t read_hits = 0;
    std::uint64_t read_misses = 0;
    std::uint64_t write_hits = 0;
    std::uint64_t write_misses = 0;
    std::uint64_t eviction_events = 0;
    std::uint64_t victims = 0;
    std::uint64_t evicted_pages = 0;
    std::uint64_t dropped_pages = 0;
    std::uint64_t padding_pages = 0;
    std::uint64_t cleaned_pages = 0;
    std::uint64_t completed_pages = 0;
    std::uint64_t rmw_pages = 0;

    static constexpr auto declared = counters_of(
        counter(&BufferCounters::read_hits, "read_hits", "pages",
                "Pages read that were in the buffer; a request touches each page it covers once."),
        counter(&BufferCounters::read_misses, "read_misses", "pages",
                "Pages read that were not in the buffer."),
        counter(&BufferCounters::write_hits, "write_hits", "pages",
                "Pages written that were in the buffer."),
        counter(&BufferCounters::write_misses, "write_misses", "pages",
                "Pages written that were not in the buffer."),
        counter(&BufferCounters::eviction_events, "eviction_events", "events",
                "Times that victims were chosen."),
        counter(&BufferCounters::victims, "victims", "units",
                "Units chosen: pages, or logical blocks where the policy evicts blocks."),
        counter(&BufferCounters::evicted_pages, "evicted_pages", "pages",
                "Dirty pages that left for the flash."),
        counter(&BufferCounters::dropped_pages, "dropped_pages", "pages",
                "Clean pages that left; only with buffer.cache_reads or buffer.flush_keep."),
        counter(&BufferCounters::padding_pages, "padding_pages", "pages",
                "Pages added to write a block whole; only bplru pads."),
        counter(&BufferCounters::cleaned_pages, "cleaned_pages", "pages",
                "Dirty pages that a FLUSH wrote and that stayed, clean; only with "
                "buffer.flush_keep."),
        counter(&BufferCounters::completed_pages, "completed_pages", "pages",
                "Of read_misses, pages of which the buffer had a part; a read of the flash "
                "completes them. Only with a ftl.unit in bytes, or with data.store."),
        counter(&BufferCounters::rmw_pages, "rmw_pages", "pages",
                "Read-modify-writes: pages that the host had written in part, and whose rest was "
                "read from flash when they left. Only with a ftl.unit in bytes, or with "
                "data.store."));
};

/// One page to be written: a dirty page that leaves, or that a FLUSH cleans, or one that fills up
/// its block.
struct Victim {
    Lpn lpn;
    FrameId frame; ///< frame it occupied; free for reuse by the core as soon as the call returns
    bool padding = false;            ///< it was not in the buffer, and has no frame
    bool stays = false;              ///< it does not leave: it is written and stays in its frame
    SectorSpan missing = kNoSectors; ///< those that were not written lie in here
};

/// Outcome of a page access.
struct BufferAccess {
    bool hit = false;
    FrameId frame = kNoFrame; ///< frame that holds the page now; kNoFrame for a read not kept
    bool evicted = false;     ///< victims() and dropped() hold a fresh batch
    /// A read of a page that the buffer had in part. As soon as it is decided, the page counts as
    /// complete.
    bool completes = false;
    SectorSpan missing = kNoSectors; ///< those that it had not lie in here
};

/// The write buffer's decisions: residency, dirtiness, and, through an order policy and a rate, who
/// leaves. Page granular. A frame is free for the next insert the moment its victim is chosen: the
/// timed shell keeps the physical frame until the program completed and makes the
/// new page wait for it, so these decisions do not depend on time.
///
/// With `keeps_sectors` a frame knows which sectors of its page it holds; without, every access is
/// one of the whole page. Mapping units that share NAND pages (Geometry::units_per_page) leave
/// together, as many as fill whole NAND pages, if the buffer has them.
class WriteBuffer {
  public:
    /// `capacity` frames >= 1. `read_touch`: read hits refresh recency. `log` may be null.
    /// `cache_reads`: pages read are kept, clean (and read hits refresh recency). Blocks are padded
    /// with pages below `logical_pages` only. `flush_keep`: what a FLUSH writes stays, clean.
    /// `keeps_sectors`: a page has kMaxSectors at most.
    WriteBuffer(std::uint32_t capacity, const Geometry& geometry,
                std::unique_ptr<EvictionPolicyIf> policy, std::unique_ptr<EvictionTriggerIf> rate,
                bool read_touch, DecisionLogIf* log, bool cache_reads = false,
                std::uint64_t logical_pages = ~std::uint64_t{0}, bool flush_keep = false,
                bool keeps_sectors = false);

    /// Hit: the page becomes dirty. Miss: evicts if no frame is free, then inserts dirty.
    BufferAccess write(Lpn lpn, SectorMask sectors = kAllSectors);
    /// The page is written and leaves at once, whatever the order says (a write with FUA): it is
    /// the only one of victims(). Its frame is that of a hit; a page that was not resident has
    /// kNoFrame, and nothing makes room for it.
    BufferAccess write_through(Lpn lpn, SectorMask sectors = kAllSectors);
    /// Hit: the frame. Miss: nothing is allocated, or with cache_reads a clean page is inserted.
    BufferAccess read(Lpn lpn, SectorMask sectors = kAllSectors);
    /// Drops the page unwritten; returns its former frame or kNoFrame. The caller logs it, as TRIM
    /// reaches the FTL as well.
    FrameId trim(Lpn lpn);
    /// Evicts the next batch of `units_on_full` units; returns false (and an empty batch) when
    /// nothing is resident.
    bool evict_batch();
    /// The next batch of a FLUSH: the dirty pages of up to `units_on_full` units; returns false
    /// (and an empty batch) when nothing is dirty. Clean pages stay. With flush_keep so do those
    /// that are written, but for pages of which the buffer has only a part: see Victim::stays.
    bool flush_batch();
    /// Blocks that leave from now on are not written whole, whatever the policy says.
    void stop_padding() { pads_blocks_ = false; }
    /// Evicts one unit if the rate wants that ahead of a full buffer. Of `load` the caller fills in
    /// what is under way. Called until it returns false.
    bool evict_ahead(BufferLoad load);
    [[nodiscard]] const EvictionTriggerIf& trigger() const { return *trigger_; }
    /// `trigger` says from now on when pages leave; returns the one that did.
    std::unique_ptr<EvictionTriggerIf> exchange(std::unique_ptr<EvictionTriggerIf> trigger) {
        return std::exchange(trigger_, std::move(trigger));
    }

    /// Pages to be written of the latest batch, in eviction order; pages of one unit ascend, one
    /// behind the other. Valid until the next call that evicts.
    [[nodiscard]] const std::vector<Victim>& victims() const { return victims_; }
    /// Frames of the clean pages that left with that batch.
    [[nodiscard]] const std::vector<FrameId>& dropped() const { return dropped_; }

    /// Units of that batch that are written, at least in part.
    [[nodiscard]] std::uint32_t units() const { return units_; }

    /// Holds back the unit of a resident page, or releases it (see Pins).
    Pins& pins() { return pins_; }
    [[nodiscard]] bool evicts_blocks() const { return evicts_blocks_; }
    [[nodiscard]] std::uint64_t unit_of(Lpn lpn) const {
        return evicts_blocks_ ? raw(geometry_.lbn_of(lpn)) : raw(lpn);
    }

    /// Pages it may hold; frames() unless set_capacity() said less.
    [[nodiscard]] std::uint32_t capacity() const { return limit_; }
    /// Numbers of frames, whatever the capacity: 0 .. frames() - 1.
    [[nodiscard]] std::uint32_t frames() const { return capacity_; }
    /// Holds at most `pages` pages from now on, 1 .. frames(). What is too much leaves as a batch,
    /// which may be empty.
    void set_capacity(std::uint32_t pages);
    [[nodiscard]] std::uint32_t used() const { return used_; }
    [[nodiscard]] bool is_resident(Lpn lpn) const;
    /// kNoLpn where the frame is free.
    [[nodiscard]] Lpn page_in(FrameId frame) const { return lpn_of_[raw(frame)]; }
    [[nodiscard]] const BufferCounters& counters() const { return counters_; }
    /// Those of the policy and the trigger, too.
    void reset_counters() {
        counters_ = {};
        policy_->reset_own_counters();
        trigger_->reset_own_counters();
    }
    [[nodiscard]] const EvictionPolicyIf& policy() const { return *policy_; }
    /// Compares residency map, frame table and counts; throws ModelError. Returns facts compared.
    [[nodiscard]] std::uint64_t check_invariants() const;
    void serialize(StateArchive& archive);

  private:
    friend struct WriteBufferProbe; // tests corrupt the state to see check_invariants notice

    /// Takes up to `units` units out of the buffer into victims_ and dropped_.
    void choose_victims(std::uint32_t units);
    /// The victims chosen so far leave no NAND page half full.
    [[nodiscard]] bool fills_pages() const {
        return pages_together_ == 1 || victims_.size() % pages_together_ == 0;
    }
    [[nodiscard]] bool is_whole(SectorMask sectors) const {
        return (sectors & every_sector_) == every_sector_;
    }
    [[nodiscard]] bool is_partial(FrameId frame) const {
        return keeps_sectors_ && !is_whole(sectors_[raw(frame)]);
    }
    [[nodiscard]] SectorSpan missing(SectorMask sectors) const {
        return keeps_sectors_ ? span_of(every_sector_ & ~sectors) : kNoSectors;
    }
    [[nodiscard]] SectorSpan missing_of(FrameId frame) const {
        return keeps_sectors_ ? missing(sectors_[raw(frame)]) : kNoSectors;
    }
    bool pop_unit();
    /// The pages of unit_frames_ leave the buffer; whether any of them is written.
    bool release_unit();
    void add_padding(std::size_t first);
    [[nodiscard]] bool any_partial_from(std::size_t place, std::uint64_t unit) const;
    /// The dirty pages of the unit at drained_ in drain_, those that stay or those that leave.
    void drain_unit();
    void log_unit(bool stays);
    FrameId insert(Lpn lpn, Access access, SectorMask sectors);
    FrameId take_free_frame();
    void give_back(FrameId frame);
    void set_dirty(FrameId frame, bool dirty) {
        std::uint8_t& flag = dirty_[raw(frame)];
        dirty_pages_ = dirty_pages_ + (dirty ? 1 : 0) - flag;
        flag = dirty ? 1 : 0;
    }

    std::uint32_t capacity_; ///< frames
    std::uint32_t limit_;    ///< of pages
    Geometry geometry_;
    std::unique_ptr<EvictionPolicyIf> policy_;
    std::unique_ptr<EvictionTriggerIf> trigger_;
    bool evicts_blocks_;
    bool pads_blocks_;
    bool read_touch_;
    bool cache_reads_;
    bool flush_keep_;
    bool keeps_sectors_;
    std::uint32_t pages_together_; ///< that fill a NAND page, or a word line
    SectorMask every_sector_;      ///< of a page
    std::uint64_t logical_pages_;
    DecisionLogIf* log_;
    std::uint32_t used_ = 0;
    FlatMap resident_;
    std::vector<Lpn> lpn_of_;         ///< per frame; kNoLpn when free
    std::vector<std::uint8_t> dirty_; ///< per frame, 0 or 1
    std::vector<SectorMask> sectors_; ///< per frame; empty unless keeps_sectors
    std::uint32_t dirty_pages_ = 0;
    Pins pins_;
    std::uint32_t units_ = 0;          ///< of the latest batch: those with dirty pages
    std::vector<FrameId> free_;        ///< ring of free frames, longest free first
    std::uint32_t next_free_ = 0;      ///< where in the ring the next free frame is taken
    std::vector<Victim> victims_;      ///< latest batch
    std::vector<FrameId> dropped_;     ///< latest batch
    std::vector<FrameId> drain_;       ///< of a FLUSH: frames in the order of the policy
    std::size_t drained_ = 0;          ///< frames of them that have been looked at
    std::vector<FrameId> unit_frames_; ///< scratch: frames of one unit
    std::vector<Lpn> unit_pages_;      ///< scratch: for the log
    std::vector<Lpn> padding_;         ///< scratch: pages missing in the unit
    BufferCounters counters_;
};

} // namespace cavern
