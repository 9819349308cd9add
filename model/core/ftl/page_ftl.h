#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/ftl/block_state.h"
#include "core/ftl/divisor.h"
#include "core/ftl/free_pool.h"
#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"
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
/// Memory: 4 bytes a logical page, 4 a physical page, about 20 a block; untouched parts cost
/// nothing.
class PageFtl final : public FtlIf {
  public:
    /// `params` should satisfy page_ftl_fits(); where only the spare blocks are too few the drive
    /// works until has_room() says no. Throws ModelError for watermarks that cannot work. `log` may
    /// be null.
    PageFtl(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) override;
    void expect(Lpn lpn) const override { __builtin_prefetch(&l2p_[raw(lpn)], 1); }
    [[nodiscard]] Ppn read(Lpn lpn, FlashOpList& ops) override;
    void trim(Lpn lpn, FlashOpList& ops) override;
    /// True only if `target` can take a whole block of host pages, one write after the other.
    [[nodiscard]] bool has_room(PlaneId target, Lpn lpn) const override;
    [[nodiscard]] std::uint64_t logical_pages() const override { return l2p_.size(); }
    [[nodiscard]] const FtlCounters& counters() const override { return counters_; }
    void reset_counters() override {
        clock_.on_reset();
        counters_ = {};
    }
    std::uint64_t check_invariants() const override;

    [[nodiscard]] Ppn location(Lpn lpn) const override;
    [[nodiscard]] std::uint64_t mapped_pages() const override;

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

  private:
    friend struct PageFtlProbe; // tests corrupt the state to see check_invariants notice

    /// A block being filled, or none: then nothing is left.
    struct Frontier {
        std::uint32_t block = 0;
        std::uint32_t next = 0; ///< physical page
        std::uint32_t end = 0;  ///< behind its last page
        std::uint32_t stop = 0; ///< host: the page to think at before it is taken, at most `end`
    };
    struct Plane {
        Frontier host;
        Frontier gc; ///< unused with gc_shared_frontier
        std::uint64_t valid = 0;
    };

    [[nodiscard]] static bool is_open(const Frontier& f) { return f.next < f.end; }

    [[nodiscard]] Frontier& gc_frontier(Plane& plane) { return shared_ ? plane.host : plane.gc; }
    /// The host's block has come to its stop: collects if need be, and moves the stop.
    void make_room(Plane& plane, PlaneId target, FlashOpList& ops);
    void open(Frontier& frontier, PlaneId plane);
    void close(Frontier& frontier, PlaneId plane);
    /// Whether collection, once begun, goes on.
    [[nodiscard]] bool wants_more(PlaneId plane) const;
    /// Maps `lpn` to the next page of the frontier, and closes the block if that was its last.
    Ppn append(Frontier& frontier, PlaneId plane, Lpn lpn);
    /// The map is about to stop pointing to `page`.
    void invalidate(Ppn page);
    [[nodiscard]] bool is_valid(Ppn page) const { return l2p_[p2l_[raw(page)]] == raw(page) + 1; }
    void collect(PlaneId plane, FlashOpList& ops);
    void relocate(BlockId victim, PlaneId plane, FlashOpList& ops);
    [[nodiscard]] std::uint64_t check_plane(PlaneId plane) const;
    /// Facts compared in a block that is not free.
    [[nodiscard]] std::uint64_t check_block(BlockId block) const;

    Geometry geometry_;
    std::uint32_t pages_per_block_;
    Divisor by_pages_per_block_;
    Divisor by_blocks_per_plane_;
    std::uint32_t gc_low_;
    std::uint32_t gc_high_;
    bool in_pages_;
    bool shared_;
    DecisionLogIf* log_;
    LazyArray<std::uint32_t> l2p_; ///< physical page + 1; 0: not mapped
    /// Logical page programmed last. The page is valid if the map points back to it: nothing needs
    /// to be written here when it is superseded.
    LazyArray<std::uint32_t> p2l_;
    BlockStates blocks_;
    FreePool pool_;
    std::vector<Plane> planes_;
    FtlCounters counters_;
    WriteClock clock_{counters_};
    std::unique_ptr<VictimPolicyIf> victims_;
};

} // namespace cavern
