#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/divisor.h"
#include "core/base/geometry.h"
#include "core/base/page_numbers.h"
#include "core/ftl/block_faults.h"
#include "core/ftl/block_refresh.h"
#include "core/ftl/block_state.h"
#include "core/ftl/free_pool.h"
#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/heat_map.h"
#include "core/ftl/planes_in_step.h"
#include "core/ftl/victim_policy.h"

namespace cavern {

/// Page-level mapping (SHIM II-C.1, LC II): any logical page may lie anywhere. Each plane has its
/// free blocks, a block the host fills and one that collection fills, and is collected on its own:
/// pages never change plane by collection.
///
/// When a host block is needed and at most gc_low are free, victims are collected until gc_high are
/// or no closed block has an invalid page. Watermarks in pages (Lee & Chung 2020, section III.1)
/// are looked at before each host page, and count what is left of the blocks being filled; a host
/// block is never begun with less than two free. The operations of a victim are, per valid page
/// ascending, a read and the program that copies it, then the erase. The last free block is never
/// given to the host, so that a victim can always be copied.
///
/// In steps (FtlParams::gc_pace): a victim with v valid pages of B is emptied while the host writes
/// the B - v pages that this brings, v / (B - v) copies with each; the next is begun as soon as the
/// free pages are down to gc_high + 1 blocks of them, those of the blocks being filled among them.
/// So the free pages stay as they are, and no host page waits for more than its share. Only when a
/// host block is needed and at most gc_low are free is a victim emptied whole. Pace goes by host
/// pages alone: nothing here knows time. A block emptied to level wear is moved at four copies with
/// each host page.
///
/// Planes in step (FtlParams::gc_placement): the planes of a die, or all, are one here, with longer
/// blocks. What is said of planes and blocks is then said of those; a page goes where the next page
/// of the block lies, whichever of the planes was asked for.
///
/// Mapping units that share NAND pages (Geometry::units_per_page) are pages here, and go to one
/// NAND page one after the other. What a decision leaves of a NAND page is padded (complete_pages).
/// Collection in steps copies as many as fill NAND pages, and does not begin a victim ahead of need
/// that would bring less than one. Where a word line is programmed in one shot
/// (Geometry::word_line_pages) the same holds of it.
///
/// Hot and cold (option): two blocks a plane for the host and two for collection, see HeatMap; two
/// blocks are kept from the host, since either collection block may need one. Wear levelling
/// (option): see level(). Handles (option): each reclaim unit handle of a plane has a block for the
/// host and, isolated persistently, one for collection; each fills its own. Where programs or
/// erases may fail, two more blocks are kept; a block in which a program fails is emptied at once
/// and retired, one whose erase fails is retired.
///
/// Memory: 4 bytes a logical page, 4 a physical page (5 each in a drive of more than 2^32 - 2
/// pages), about 20 a block; untouched parts cost nothing.
class PageFtl : public FtlIf {
  public:
    /// In the summary beside FtlCounters.
    struct Counters : FtlCounters {
        std::uint64_t wear_pages = 0;
        std::uint64_t wear_runs = 0;
        std::uint64_t refresh_pages = 0;
        std::uint64_t refresh_runs = 0;
        std::uint64_t rescued_pages = 0;
        std::uint64_t failed_programs = 0;
        std::uint64_t failed_erases = 0;

        static constexpr auto declared = counters_of(
            counter(&Counters::wear_pages, "wear_pages", "pages",
                    "Programs of pages moved to level wear."),
            counter(&Counters::wear_runs, "wear_runs", "blocks", "Blocks emptied to level wear."),
            counter(&Counters::refresh_pages, "refresh_pages", "pages",
                    "Programs of pages moved before they could not be read any more."),
            counter(&Counters::refresh_runs, "refresh_runs", "blocks",
                    "Blocks emptied for that reason."),
            counter(&Counters::rescued_pages, "rescued_pages", "pages",
                    "Programs of pages moved out of a block in which a program failed."),
            counter(&Counters::failed_programs, "failed_programs", "pages",
                    "Programs that failed; no other counter has them."),
            counter(&Counters::failed_erases, "failed_erases", "blocks",
                    "Erases that failed, which are among erases."));
    };

    /// `params` should satisfy page_ftl_why_not(); where only the spare blocks are too few the
    /// drive works until has_room() says no. Throws ModelError for watermarks that cannot work.
    /// `log` may be null.
    PageFtl(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);
    PageFtl(const PlanesInStep& step, const FtlParams& params, DecisionLogIf* log);

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) override;
    void complete_pages(FlashOpList& ops) override;
    void complete_copies(FlashOpList& ops) override;
    void prefetch_hint(Lpn lpn) const override { l2p_.prefetch(raw(lpn)); }
    [[nodiscard]] Ppn read(Lpn lpn, FlashOpList& ops) override;
    void trim(Lpn lpn, FlashOpList& ops) override;
    void mount(const MountedDrive& drive) override;
    [[nodiscard]] MountNeeds mount_needs() const override;
    [[nodiscard]] bool maintains() const override { return background_ != 0; }
    bool maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) override;
    void refresh(Ppn page) override;
    /// True only if `target` can take a whole block of host pages, one write after the other, if no
    /// program or erase fails.
    [[nodiscard]] bool has_room(PlaneId target, Lpn lpn) const override;
    [[nodiscard]] std::exception_ptr lack_of_room() const override;
    [[nodiscard]] std::optional<DieId> destination(Lpn,
                                                   std::optional<DieId> target) const override {
        return step_.joins_dies() ? std::nullopt : target;
    }
    [[nodiscard]] std::uint64_t logical_pages() const override { return l2p_.size(); }
    [[nodiscard]] const Counters& counters() const override { return counters_; }
    [[nodiscard]] CounterView own_counters() const override { return counters_; }
    [[nodiscard]] std::uint64_t programs() const override {
        return FtlIf::programs() + counters_.wear_pages + counters_.refresh_pages +
               counters_.rescued_pages + counters_.failed_programs;
    }
    void reset_counters() override {
        clock_.on_reset();
        counters_ = {};
        if (handles_ != nullptr) {
            handles_->reset_counters();
        }
    }
    [[nodiscard]] ReclaimHandles* reclaim_handles() override { return handles_.get(); }
    [[nodiscard]] const ReclaimHandles* reclaim_handles() const override { return handles_.get(); }
    [[nodiscard]] BadBlocks bad_blocks() const override;
    std::uint64_t check_invariants() const override;

    [[nodiscard]] Ppn location(Lpn lpn) const override;
    [[nodiscard]] std::uint64_t mapped_pages() const override;
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override {
        return step_.width() == 1 ? valid_pages(block) : valid_in_flash(block);
    }

    [[nodiscard]] std::uint32_t valid_pages(BlockId block) const {
        return blocks_[raw(block)].valid;
    }
    /// Erases decided so far.
    [[nodiscard]] std::uint32_t erase_count(BlockId block) const {
        return blocks_[raw(block)].erases;
    }
    /// Of free blocks and of those being filled.
    [[nodiscard]] std::uint64_t free_pages(PlaneId plane) const;
    /// In the order they will be used.
    [[nodiscard]] std::vector<BlockId> free_blocks(PlaneId plane) const {
        return pool_.list(plane);
    }

  protected:
    friend struct PageFtlProbe; // tests corrupt the state to see check_invariants notice

    /// A block being filled, or none: then nothing is left. All but the block are physical pages,
    /// next <= stop <= fail <= end.
    struct Frontier {
        std::uint32_t block = 0;
        std::uint64_t next = 0;
        std::uint64_t stop = 0; ///< host: the page to think at before it is taken
        std::uint64_t fail = 0; ///< the page whose program will fail, or `end`
        std::uint64_t end = 0;
    };
    /// For static wear levelling.
    struct Wear {
        std::uint32_t most = 0; ///< erases of a block of the plane, at most
        /// No closed block comes before this one in the order of erases, then of number.
        std::uint32_t least = 0;
        std::uint32_t coldest = 0; ///< BlockId + 1; 0: not known, and `least` is 0
    };
    /// A block being emptied in steps.
    struct Emptying {
        std::uint32_t block = 0; ///< BlockId + 1; 0: none
        std::uint32_t next = 0;  ///< page of it looked at next
        Origin origin = Origin::kGc;
        std::uint32_t copied = 0; ///< pages, so far
        std::uint32_t copies = 0; ///< due with each `pages` pages of the host
        std::uint32_t pages = 1;
        std::uint64_t owed = 0; ///< copies due, times `pages`
    };
    struct Moved {
        std::int32_t last = FlashOp::kNone; ///< index of the last program
        std::uint32_t next = 0;             ///< page of the block to be looked at next
        std::uint32_t copies = 0;
    };
    struct Plane {
        Frontier host; ///< none, ever, with hot and cold blocks or handles
        std::uint64_t valid = 0;
        Frontier gc; ///< unused with gc_shared_frontier
        Frontier hot;
        Frontier cold;
        Frontier gc_hot;  ///< copies of hot pages
        Frontier leveled; ///< filled with pages moved to level wear
        Wear wear;
        std::uint32_t bad = 0;
    };

    /// Of a block of the flash, where several are one here.
    [[nodiscard]] std::uint32_t valid_in_flash(BlockId block) const;
    /// The place in the map, or kNoPpn.
    [[nodiscard]] Ppn place(Lpn lpn) const;
    [[nodiscard]] static bool is_open(const Frontier& f) { return f.next < f.end; }
    [[nodiscard]] static std::uint32_t pages_left(const Frontier& f) {
        return static_cast<std::uint32_t>(f.end - f.next);
    }
    /// Pages programmed and not valid any more.
    [[nodiscard]] std::uint32_t garbage_in(const Frontier& f) const {
        return is_open(f) ? pages_per_block_ - pages_left(f) - blocks_[f.block].valid : 0;
    }
    [[nodiscard]] Frontier& gc_frontier(Plane& plane) { return shared_ ? plane.host : plane.gc; }
    [[nodiscard]] static auto frontiers(const Plane& p) {
        return std::array{&p.host, &p.gc, &p.hot, &p.cold, &p.gc_hot, &p.leveled};
    }

    /// Whether a block of host pages finds room when everything is collected, the valid pages of
    /// the plane that lie elsewhere among them.
    [[nodiscard]] bool has_room_packed(PlaneId target) const;
    /// What the host fills by a handle, and what collection fills with the data of one that is
    /// isolated persistently.
    [[nodiscard]] Frontier& of_handle(PlaneId plane, std::uint32_t handle) {
        return by_handle_[raw(plane) * handles_->count() + handle];
    }
    [[nodiscard]] Frontier& moved_of_handle(PlaneId plane, std::uint32_t handle) {
        return by_handle_moved_[raw(plane) * handles_->count() + handle];
    }
    /// Every frontier of a plane, but those of `Plane`.
    template <typename Act>
    void each_of_handles(PlaneId plane, Act act) const {
        if (handles_ == nullptr) {
            return;
        }
        const std::size_t first = std::size_t{raw(plane)} * handles_->count();
        for (std::size_t i = first; i < first + handles_->count(); ++i) {
            act(by_handle_[i]);
            if (!by_handle_moved_.empty()) {
                act(by_handle_moved_[i]);
            }
        }
    }

    // ---- page_ftl.cpp: frontiers
    /// Where the next host page goes: the host's block has come to its stop, or there are several.
    Frontier& choose_frontier(Plane& plane, PlaneId target, Lpn lpn, bool padding,
                              FlashOpList& ops);
    /// Gives a host frontier a page that can be programmed, collecting if need be.
    void make_room(Frontier& host, PlaneId target, FlashOpList& ops);
    /// Likewise one for copies, which may have the blocks kept from the host.
    void prepare(Frontier& frontier, PlaneId plane, FlashOpList& ops);
    void limit(Frontier& host, PlaneId plane) const;
    void open(Frontier& frontier, PlaneId plane);
    void close(Frontier& frontier, PlaneId plane);
    void complete_page(Frontier& frontier, PlaneId plane, FlashOpList& ops);
    /// Maps `lpn` to the next page of the frontier, and closes the block if that was its last.
    Ppn append(Frontier& frontier, PlaneId plane, Lpn lpn);
    /// The map is about to stop pointing to `page`.
    void invalidate(Ppn page);
    [[nodiscard]] bool is_valid(Ppn page) const {
        return l2p_.get(p2l_.get(raw(page))) == raw(page) + 1;
    }
    [[nodiscard]] bool is_low(const Frontier& host, PlaneId plane) const;

    // ---- page_ftl_pace.cpp
    /// A page of the host is about to be taken: what is due of the block being emptied.
    void pace(const Frontier& host, PlaneId plane, FlashOpList& ops);
    bool begin_victim(PlaneId plane);
    /// Ahead of need.
    bool begin_worthwhile_victim(PlaneId plane);
    void begin_emptying(BlockId block, PlaneId plane, Origin origin);
    /// Copies so many pages of the block being emptied, and erases it when none is left.
    void empty(PlaneId plane, std::uint32_t copies, FlashOpList& ops);
    /// Free pages, those of blocks being filled among them.
    [[nodiscard]] std::uint64_t pages_to_fill(PlaneId plane) const;
    /// As many are wanted.
    [[nodiscard]] std::uint64_t pages_wanted() const {
        return std::uint64_t{gc_high_ + 1} * pages_per_block_;
    }

    // ---- page_ftl_collect.cpp
    void collect(const Frontier& host, PlaneId plane, FlashOpList& ops);
    /// The next victim, if it brings a NAND page at least.
    [[nodiscard]] std::optional<BlockId> worthwhile_victim(PlaneId plane);
    void relocate(BlockId victim, PlaneId plane, FlashOpList& ops);
    /// Copies `copies` valid pages of a block, ascending, from page `first` on.
    Moved move_pages(BlockId block, std::uint32_t first, std::uint32_t copies, Frontier& to,
                     PlaneId plane, Origin origin, FlashOpList& ops);
    /// By what the pages of a block are told apart when they are moved.
    enum class Apart : std::uint8_t { kNothing, kHeat, kHandle };
    template <Apart kApart>
    Moved move_pages(BlockId block, std::uint32_t first, std::uint32_t copies, Frontier& to,
                     PlaneId plane, Origin origin, FlashOpList& ops);
    /// All of them.
    std::int32_t move_all(BlockId block, Frontier& to, PlaneId plane, Origin origin,
                          FlashOpList& ops) {
        return move_pages(block, 0, blocks_[raw(block)].valid, to, plane, origin, ops).last;
    }
    void erase(BlockId block, PlaneId plane, Origin origin, std::int32_t after, FlashOpList& ops);
    void level(PlaneId plane, FlashOpList& ops);
    /// The block to be emptied to level wear, if there is need and room.
    [[nodiscard]] std::optional<BlockId> uneven(PlaneId plane);
    [[nodiscard]] std::optional<BlockId> find_coldest(PlaneId plane);
    /// The next block of a plane that is to be refreshed, if there is room.
    [[nodiscard]] std::optional<BlockId> stale(PlaneId plane) const;
    /// Moves its pages, or begins to; false if there is none.
    bool refresh_block(PlaneId plane, FlashOpList& ops);
    void fail_program(Frontier& frontier, PlaneId plane, FlashOpList& ops);
    void rescue(PlaneId plane, FlashOpList& ops);
    void retire(BlockId block, PlaneId plane);
    [[noreturn]] void refuse(PlaneId plane) const;

    // ---- page_ftl_mount.cpp
    [[nodiscard]] MountedDrive::Block found_in(const MountedDrive& drive, BlockId block) const;
    /// A block that is not erased.
    void mount(BlockId block, const MountedDrive::Block& found);

    // ---- page_ftl_check.cpp
    [[nodiscard]] std::uint64_t check_plane(PlaneId plane) const;
    /// Facts compared in a block that is not free.
    [[nodiscard]] std::uint64_t check_block(BlockId block) const;

    PlanesInStep step_;
    Geometry geometry_; ///< with planes in step as one; so is all that follows
    std::uint32_t pages_per_block_;
    std::uint32_t together_; ///< mapping units programmed as one: of a NAND page, or a word line
    Divisor by_pages_per_block_;
    Divisor by_blocks_per_plane_;
    std::uint32_t gc_low_;
    std::uint32_t gc_high_;
    std::uint32_t background_;
    bool in_pages_;
    bool paced_; ///< collection goes in steps
    bool shared_;
    bool separates_; ///< hot and cold blocks
    bool levels_;    ///< static wear levelling
    std::uint32_t wear_threshold_;
    DecisionLogIf* log_;
    std::unique_ptr<const BlockFaultsIf> faults_; ///< null: nothing fails
    std::unique_ptr<BlockRefresh> refresh_;       ///< null: nothing is refreshed
    std::uint32_t reserve_;                       ///< free blocks that the host does not get
    std::uint32_t room_; ///< free blocks more than which are room for another block of pages

    CountedPageNumbers l2p_; ///< physical page + 1; 0: not mapped
    /// Logical page programmed last. The page is valid if the map points back to it: nothing needs
    /// to be written here when it is superseded.
    PageNumbers p2l_;
    BlockStates blocks_;
    HeatMap heat_;                            ///< only with hot and cold blocks
    std::unique_ptr<ReclaimHandles> handles_; ///< null: all data of the host are alike
    FreePool pool_;
    std::vector<Plane> planes_;
    std::vector<Frontier> by_handle_; ///< by plane, then by handle
    std::vector<Frontier> by_handle_moved_;
    std::vector<Emptying> emptying_; ///< by plane; empty unless collection goes in steps
    std::vector<BlockId> doomed_;    ///< empty between calls
    std::vector<PlaneId> begun_;     ///< may have NAND pages that lack mapping units
    Counters counters_;
    WriteClock clock_{counters_};
    std::unique_ptr<VictimPolicyIf> victims_;
};

// In the inner loops of two files.
inline Ppn PageFtl::append(Frontier& frontier, PlaneId plane, Lpn lpn) {
    const std::uint64_t page = frontier.next++;
    p2l_.set(page, raw(lpn));
    l2p_.set(raw(lpn), page + 1);
    ++blocks_[frontier.block].valid;
    if (together_ != 1 && (begun_.empty() || begun_.back() != plane)) {
        begun_.push_back(plane);
    }
    if (!is_open(frontier)) {
        close(frontier, plane);
    }
    return Ppn{page};
}

} // namespace cavern
