#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/decision_log.h"
#include "core/base/geometry.h"
#include "core/base/page_numbers.h"
#include "core/ftl/collector.h"
#include "core/ftl/flash_space.h"
#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/host_streams.h"
#include "core/ftl/page_map_if.h"
#include "core/ftl/planes_in_step.h"

namespace cavern {

class StateArchive;

/// Page-level mapping (SHIM II-C.1, LC II): any logical page may lie anywhere. The map alone:
/// blocks are those of FlashSpace, emptied by Collector, which moves a victim's valid pages in
/// ascending order, a read and a program each. Pages never change plane by collection. The last
/// free block is never given to the host, so that a victim can always be copied.
///
/// Hot and cold (option): two blocks a plane for the host and two for collection, see HeatStreams;
/// two blocks are kept from the host, since either collection block may need one. Handles (option):
/// see HandleStreams. Where programs or erases may fail, two more blocks are kept.
///
/// Memory: 4 bytes a logical page (5 in a drive of more than 2^32 - 2 pages) beside that of
/// FlashSpace; untouched parts cost nothing.
class PageFtl : public FtlIf, public IdleWorkIf, public MountIf, protected PageMapIf {
  public:
    /// `params` should satisfy page_ftl_why_not(); where only the spare blocks are too few the
    /// drive works until has_room() says no. Throws ModelError for watermarks that cannot work.
    /// `log` may be null.
    PageFtl(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) override;
    void prefetch_hint(Lpn lpn) const override { l2p_.prefetch(raw(lpn)); }
    [[nodiscard]] Ppn read(Lpn lpn, FlashOpList& ops) override;
    void trim(Lpn lpn, FlashOpList& ops) override;
    void mount(const MountedDrive& drive) override;
    [[nodiscard]] MountNeeds mount_needs() const override;
    bool maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) override {
        return collector_.maintain(space_.step().plane(plane), copies, ops);
    }
    /// True only if `target` can take a whole block of host pages, one write after the other, if no
    /// program or erase fails.
    [[nodiscard]] bool has_room(PlaneId target, Lpn lpn) const override;
    [[nodiscard]] std::exception_ptr lack_of_room() const override;
    [[nodiscard]] std::optional<DieId> destination(Lpn,
                                                   std::optional<DieId> target) const override {
        return space_.step().joins_dies() ? std::nullopt : target;
    }
    [[nodiscard]] std::uint64_t logical_pages() const override { return l2p_.size(); }
    [[nodiscard]] const FtlCounters& counters() const override { return space_.counters(); }
    void reset_counters() override {
        space_.reset_counters();
        if (handles_ != nullptr) {
            handles_->reset_counters();
        }
    }
    [[nodiscard]] BadBlocks bad_blocks() const override { return space_.bad_blocks(); }
    std::uint64_t check_invariants() const override;

    [[nodiscard]] Ppn location(Lpn lpn) const override;
    [[nodiscard]] std::uint64_t mapped_pages() const override { return space_.valid_pages(); }
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override {
        return space_.valid_in_flash(block, *this);
    }

    /// Erases decided so far.
    [[nodiscard]] std::uint32_t erase_count(BlockId block) const {
        return space_.block(block).erases;
    }
    /// Blocks, pool and free pages.
    [[nodiscard]] const FlashSpace& space() const { return space_; }
    void serialize(StateArchive& archive) override;

  protected:
    friend struct PageFtlProbe; // tests corrupt the state to see check_invariants notice

    PageFtl(const PlanesInStep& step, const FtlParams& params, std::uint32_t apart,
            DecisionLogIf* log);

    /// The place in the map, or kNoPpn.
    [[nodiscard]] Ppn place(Lpn lpn) const;
    [[nodiscard]] bool is_valid(Ppn page) const {
        return l2p_.get(raw(space_.owner(page))) == raw(page) + 1;
    }
    [[nodiscard]] std::uint32_t count_valid(Ppn first, std::uint32_t count) const final;
    [[nodiscard]] std::uint32_t work_of(BlockId block) final { return space_.block(block).valid; }
    bool move(Emptying& task, PlaneId plane, std::uint32_t units, FlashOpList& ops) final;

    /// The frontier of the next host page, with a page that can be programmed.
    Frontier& host_frontier(PlaneId plane, Lpn lpn, bool padding, FlashOpList& ops) {
        Frontier& host = space_.frontier(plane, Streams::kHost);
        // Unused where pages are told apart, which is at its stop for ever.
        return host.next != host.stop ? host : choose_frontier(plane, lpn, padding, ops);
    }
    Frontier& choose_frontier(PlaneId plane, Lpn lpn, bool padding, FlashOpList& ops);
    /// Host data at the page, which the flash space has just given out, supersede those at `old`, a
    /// page + 1, if that is not 0.
    void note_host_page(Lpn lpn, Ppn at, std::uint64_t old, FlashOpList& ops);
    void check_range(Lpn lpn) const {
        CAVERN_CHECK(raw(lpn) < l2p_.size(),
                     "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
    }
    void check_handles() const;

    CountedPageNumbers l2p_;                      ///< physical page + 1; 0: not mapped
    std::unique_ptr<ReclaimHandles> handles_;     ///< null: all data of the host are alike
    std::unique_ptr<HostStreamsIf> host_streams_; ///< null: one stream has all
    FlashSpace space_;
    Collector collector_;
    DecisionLogIf* log_;
};

} // namespace cavern
