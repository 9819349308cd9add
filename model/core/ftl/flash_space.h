#pragma once

#include <cstdint>
#include <exception>
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
#include "core/ftl/planes_in_step.h"
#include "core/ftl/streams.h"
#include "core/ftl/table_victims.h"
#include "core/ftl/victim_policy.h"
#include "core/ftl/wear_leveler.h"

namespace cavern {

class PageMapIf;
class StateArchive;

/// The physical side of a page-mapped layer: for each plane the free blocks, a block being filled
/// by each stream (Streams), how many pages of a block are valid and who owns them, which blocks
/// are bad, worn, due for refresh, or next to be collected. Which block is emptied when is for
/// Collector; where pages are mapped is for the layer.
///
/// Planes in step (FtlParams::gc_placement): the planes of a die, or all, are one here, with longer
/// blocks. What is said of planes, blocks and pages is said of those, but where it says "in flash".
///
/// Mapping units that share NAND pages (Geometry::units_per_page) are pages here, and go to one
/// NAND page one after the other. What a decision leaves of a NAND page is padded
/// (complete_pages). Where a word line is programmed in one shot (Geometry::word_line_pages) the
/// same holds of it.
///
/// Owners are numbers of the layer's choice below 2^40. Memory: 4 bytes a physical page (5 in a
/// drive of more than 2^32 - 2 pages), about 20 a block; untouched parts cost nothing.
class FlashSpace final : public NandPagesIf, public RefreshIf {
  public:
    /// `log` may be null.
    FlashSpace(const PlanesInStep& step, const FtlParams& params, const Streams& streams,
               DecisionLogIf* log);

    [[nodiscard]] const PlanesInStep& step() const { return step_; }
    [[nodiscard]] const Geometry& geometry() const { return geometry_; }
    [[nodiscard]] const Streams& streams() const { return streams_; }
    /// Mapping units programmed as one: of a NAND page, or a word line.
    [[nodiscard]] std::uint32_t together() const { return together_; }
    [[nodiscard]] FtlCounters& counters() { return counters_; }
    [[nodiscard]] const FtlCounters& counters() const { return counters_; }
    void reset_counters() {
        clock_.on_reset();
        counters_ = {};
    }
    /// Null: nothing is refreshed, or wear not levelled statically.
    [[nodiscard]] const BlockRefresh* refreshes() const { return refresh_.get(); }
    [[nodiscard]] WearLeveler* wear() { return wear_.get(); }

    // ---- pages
    [[nodiscard]] Frontier& frontier(PlaneId plane, Stream stream) {
        return frontiers_[raw(plane) * streams_.count() + stream];
    }
    /// The next page of the frontier, which has one, becomes a valid page of `owner`, that lay in
    /// the plane before; the block is closed if that was its last.
    Ppn append(Frontier& frontier, PlaneId plane, Lpn owner) {
        const std::uint64_t page = frontier.next++;
        owners_.set(page, raw(owner));
        ++blocks_[frontier.block].valid;
        if (together_ != 1) {
            note_begun(plane);
        }
        if (!frontier.is_open()) {
            close(frontier, plane);
        }
        return Ppn{page};
    }
    /// The same of one that did not lie there.
    Ppn add(Frontier& frontier, PlaneId plane, Lpn owner) {
        ++planes_[raw(plane)].valid;
        return append(frontier, plane, owner);
    }
    /// The same of a page in SLC mode, which the layer has chosen.
    void put(Ppn page, PlaneId plane, Lpn owner) {
        owners_.set(raw(page), raw(owner));
        ++blocks_[raw(block_of(page))].valid;
        ++planes_[raw(plane)].valid;
        if (geometry_.units_per_page != 1) {
            note_begun(plane);
        }
    }
    /// The page is not valid any more.
    void invalidate(Ppn page) {
        const BlockId id = block_of(page);
        const PlaneId plane = plane_of(id);
        BlockState& block = blocks_[raw(id)];
        --block.valid;
        --planes_[raw(plane)].valid;
        if (block.use == BlockUse::kClosed) {
            victims_->on_garbage(plane, id);
        }
    }
    /// So many pages of a block that is being emptied lie elsewhere in the plane now.
    void leave(BlockId block, std::uint32_t pages) {
        blocks_[raw(block)].valid = static_cast<std::uint16_t>(blocks_[raw(block)].valid - pages);
    }
    /// Who was given the page last.
    [[nodiscard]] Lpn owner(Ppn page) const { return Lpn{owners_.get(raw(page))}; }
    [[nodiscard]] Ppn in_flash(Ppn page) const { return step_.in_flash(page); }
    [[nodiscard]] Ppn in_step(Ppn in_flash) const;
    /// The page is read, and its block is soon to be refreshed if reads have disturbed it.
    void on_read(Ppn page) {
        if (refresh_ != nullptr) {
            refresh_->on_read(block_of(page), plane_of(block_of(page)));
        }
    }
    void refresh(Ppn in_flash) override;
    [[nodiscard]] BlockId block_of(Ppn page) const {
        return BlockId{by_pages_per_block_.divide(raw(page))};
    }
    [[nodiscard]] PlaneId plane_of(BlockId block) const {
        return PlaneId{by_blocks_per_plane_.divide(raw(block))};
    }
    /// Fills up the NAND page that a frontier has begun.
    void complete_page(Frontier& frontier, PlaneId plane, FlashOpList& ops);
    /// Likewise all, or those that do not wait for the host.
    void complete_pages(FlashOpList& ops) override;
    void complete_copies(FlashOpList& ops) override;
    /// Planes of which NAND pages may lack mapping units.
    [[nodiscard]] const std::vector<PlaneId>& begun() const { return begun_; }

    // ---- blocks
    [[nodiscard]] BlockState& block(BlockId block) { return blocks_[raw(block)]; }
    [[nodiscard]] const BlockState& block(BlockId block) const { return blocks_[raw(block)]; }
    [[nodiscard]] std::uint32_t free_blocks(PlaneId plane) const { return pool_.count(plane); }
    /// In the order they will be used.
    [[nodiscard]] std::vector<BlockId> list_free(PlaneId plane) const { return pool_.list(plane); }
    [[nodiscard]] std::uint64_t valid_pages() const;
    /// Pages of data that can be written before anything is collected.
    [[nodiscard]] std::uint64_t pages_to_fill(PlaneId plane) const;
    /// Whether a block of host pages finds room when everything is collected, the valid pages of
    /// the plane that lie elsewhere among them, with `kept` blocks left.
    [[nodiscard]] bool has_room_packed(PlaneId plane, std::uint32_t kept) const;
    /// Valid pages of a block in flash.
    [[nodiscard]] std::uint32_t valid_in_flash(BlockId in_flash, const PageMapIf& map) const;

    /// Pages that the open block of a stream still takes; 0 without one.
    [[nodiscard]] std::uint32_t room(PlaneId plane, Stream stream) const {
        return at(plane, stream).left();
    }
    /// Pages of it programmed and not valid any more.
    [[nodiscard]] std::uint32_t garbage_in(const Frontier& f) const {
        return f.is_open() ? geometry_.pages_per_block - f.left() - blocks_[f.block].valid : 0;
    }
    /// Gives a frontier without a block a free one, which there must be.
    void open(Frontier& frontier, PlaneId plane);
    /// Gives one a page that can be programmed, out of the blocks kept from the host if need be.
    void prepare(Frontier& frontier, PlaneId plane, FlashOpList& ops);
    /// Its block takes no more pages.
    void give_up(Frontier& frontier, PlaneId plane);
    /// The next victim, and the next of those with pages of the layer's map.
    [[nodiscard]] std::optional<BlockId> victim(PlaneId plane) { return victims_->choose(plane); }
    [[nodiscard]] std::optional<BlockId> table_victim(PlaneId plane) {
        return table_victims_->choose_table(plane);
    }
    /// The full block that is to be emptied to level wear, if any.
    [[nodiscard]] std::optional<BlockId> uneven(PlaneId plane);
    void begin_emptying(BlockId block, PlaneId plane);
    /// It is empty, and in the pool again unless it fails. `after`: as FlashOp has it.
    void erase(BlockId block, PlaneId plane, Origin origin, std::int32_t after, FlashOpList& ops);
    /// The operations of that, and their count.
    void erase_in_flash(BlockId block, Origin origin, std::int32_t after, FlashOpList& ops);

    // ---- failures
    /// The program of the page at which the frontier has come to its `fail` does fail.
    void fail_program(Frontier& frontier, PlaneId plane, FlashOpList& ops);
    /// Blocks in which one has, to be emptied and retired before anything else is decided.
    [[nodiscard]] std::vector<BlockId>& doomed() { return doomed_; }
    void retire(BlockId block, PlaneId plane);
    /// There is no free block for a page of the host.
    [[noreturn]] void refuse(PlaneId plane) const;
    [[nodiscard]] std::exception_ptr lack_of_room() const;
    [[nodiscard]] BadBlocks bad_blocks() const;
    /// Some of the plane have failed.
    [[nodiscard]] bool has_grown_bad(PlaneId plane) const;
    [[nodiscard]] std::vector<BlockId> factory_bad() const;
    [[nodiscard]] bool can_fail() const { return faults_ != nullptr && faults_->can_grow(); }

    /// What flash holds after a loss of power (MountIf): owners are numbers of
    /// `drive.places`, those from `first_table` on pages of the layer's map.
    void mount(const MountedDrive& drive, std::uint64_t first_table);
    /// Compares pools, frontiers, kinds and valid counts with what `map` says of each page. Blocks
    /// that are emptied in steps, + 1, by plane in `emptied`, which may be empty. Throws
    /// ModelError. Returns facts compared.
    [[nodiscard]] std::uint64_t check(const PageMapIf& map,
                                      const std::vector<std::uint32_t>& emptied) const;
    void serialize(StateArchive& archive);

  private:
    friend struct FlashSpaceProbe; // tests corrupt the state to see check() notice

    struct Plane {
        std::uint64_t valid = 0;
        std::uint32_t bad = 0;
    };

    [[nodiscard]] const Frontier& at(PlaneId plane, Stream stream) const {
        return frontiers_[raw(plane) * streams_.count() + stream];
    }
    void note_begun(PlaneId plane) {
        if (begun_.empty() || begun_.back() != plane) {
            begun_.push_back(plane);
        }
    }
    void close(Frontier& frontier, PlaneId plane);
    [[nodiscard]] MountedDrive::Block found_in(const MountedDrive& drive, BlockId block) const;
    void mount_used(BlockId block, const MountedDrive::Block& found);
    [[nodiscard]] std::uint64_t check_plane(PlaneId plane, const PageMapIf& map,
                                            std::uint32_t emptied) const;
    /// Facts compared in a block that is not free.
    [[nodiscard]] std::uint64_t check_block(BlockId block, const PageMapIf& map) const;

    PlanesInStep step_;
    Geometry geometry_; ///< with planes in step as one; so is all that follows
    std::uint32_t together_;
    Divisor by_pages_per_block_;
    Divisor by_blocks_per_plane_;
    Streams streams_;
    DecisionLogIf* log_;
    std::unique_ptr<const BlockFaultsIf> faults_; ///< null: nothing fails
    std::unique_ptr<BlockRefresh> refresh_;
    std::unique_ptr<WearLeveler> wear_;
    /// A page is valid if the map points back to it: nothing needs to be written here when it is
    /// superseded.
    PageNumbers owners_;
    BlockStates blocks_;
    FreePool pool_;
    std::vector<Plane> planes_;
    std::vector<Frontier> frontiers_; ///< by plane, then by stream
    std::vector<BlockId> doomed_;     ///< empty between calls
    std::vector<PlaneId> begun_;      ///< may have NAND pages that lack mapping units
    FtlCounters counters_;
    WriteClock clock_{counters_};
    std::unique_ptr<VictimPolicyIf> victims_;
    TableVictims* table_victims_ = nullptr; ///< the same, where the layer's map lies in flash
};

} // namespace cavern
