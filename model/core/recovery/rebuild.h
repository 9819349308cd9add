#pragma once

#include <cstdint>
#include <vector>

#include "core/base/geometry.h"
#include "core/data/page_contents.h"
#include "core/ftl/flash_op.h"
#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/mounted_drive.h"
#include "core/nand/nand_array.h"
#include "core/recovery/spare_scan.h"
#include "core/recovery/torn.h"

namespace cavern {

/// The power goes again while the drive comes back.
struct MountCut {
    std::uint64_t after = 0; ///< programs and erases; the next one is torn
    bool ends = false;       ///< or not begun: stored energy ends what is
    std::uint64_t seed = 1;
    Torn torn; ///< by it
};

/// Thrown when it goes.
struct PowerGone {};

/// The flash of a drive that recovers: what a scan has found, and what the recovery does with it.
/// Every operation is carried out on the array at once, and noted. Its programs and erases take the
/// origin kRecovery.
class Rebuild {
  public:
    /// `contents` of the pages; null: no data are kept. `cut`: with pages of `word_line`
    /// consecutive numbers that share their cells; null: the power stays.
    Rebuild(SpareScan& scan, NandArray& array, PageContents* contents = nullptr,
            MountCut* cut = nullptr, std::uint32_t word_line = 1);

    [[nodiscard]] const Geometry& geometry() const { return geometry_; }
    [[nodiscard]] std::uint32_t next(BlockId block) const {
        return scan_.blocks()[raw(block)].next;
    }
    [[nodiscard]] std::uint32_t wanted(BlockId block) const {
        return scan_.blocks()[raw(block)].wanted;
    }
    [[nodiscard]] std::uint32_t torn(BlockId block) const {
        return scan_.blocks()[raw(block)].torn;
    }
    [[nodiscard]] SpareScan& scan() { return scan_; }
    [[nodiscard]] const NandArray& array() const { return array_; }
    [[nodiscard]] std::uint32_t erased_blocks(PlaneId plane) const {
        return static_cast<std::uint32_t>(erased_[raw(plane)].size());
    }
    [[nodiscard]] std::uint32_t pages_left(BlockId block) const {
        return geometry_.pages_per_block - next(block);
    }
    /// A block that must not be programmed.
    void set_aside(BlockId block);
    /// Logical pages whose newest version lies in the block, in the order of its pages.
    [[nodiscard]] std::vector<Lpn> pages_of(BlockId block) const;

    /// Erases every block that is not erased and holds nothing wanted.
    void erase_unwanted();
    /// An erased block of the plane, which must have one; it is used from now on.
    BlockId take(PlaneId plane);
    /// A block that counts as erased is about to be programmed.
    void use(BlockId block);
    /// Copies the newest version of a page to a page of a block, which is the next or, where none
    /// is skipped by order, a later one. An erase of the block it came from is for the caller.
    void copy(Lpn lpn, BlockId into, std::uint32_t page);
    /// Programs the page anew at the next page of the block, with a sequence number of its own.
    void rewrite(Lpn number, BlockId into, PageVersion version);
    /// Programs pages of no logical page until the next one begins a NAND page.
    void fill_up(BlockId block);
    /// The same up to, not including, a page of the block.
    void fill_to(BlockId block, std::uint32_t page);
    /// The page of the block holds the newest version as well as the one found does.
    void point_to(Lpn lpn, Ppn page);
    /// The block counts as erased. It is when the NAND pages that were begun are whole: what it
    /// held may be in one of these.
    void erase(BlockId block);

    [[nodiscard]] const FlashOpList& ops() const { return ops_; }
    /// The layer goes on to fill the block, if it is not full.
    void leave_open(BlockId block) { open_[raw(block)] = true; }
    /// What a layer is built from.
    [[nodiscard]] MountedDrive mounted() const;

  private:
    void program(BlockId block, std::uint32_t page, Lpn lpn, PageVersion version);
    void note_begun(BlockId block, std::uint32_t page);
    void carry_out_erases();
    /// The power may go before the last operation noted is done.
    void go_on() {
        if (cut_ != nullptr && cut_->after-- == 0) {
            lose_power();
        }
    }
    [[noreturn]] void lose_power();
    void tear_unit(Ppn page);

    SpareScan& scan_;
    NandArray& array_;
    PageContents* contents_;
    Geometry geometry_;
    std::vector<std::vector<BlockId>> erased_; ///< by plane, the next to be taken last
    std::vector<bool> open_;                   ///< by block
    std::vector<BlockId> begun_;               ///< blocks with a NAND page that lacks units
    std::vector<BlockId> to_be_erased_;
    FlashOpList ops_;
    MountCut* cut_;
    std::uint32_t word_line_;
};

/// Layers in whose superblocks a page may lie anywhere: every page stays where its newest version
/// lies. A superblock that has more blocks than it may is given fewer: the one with the fewest
/// wanted pages is emptied, into the block that is being filled and erased ones. One block of a
/// superblock that is not full goes on to be filled, others are closed as they are.
///
/// The drive has an erased block at least. Each block that is emptied gives back as many as its
/// pages take.
void rebuild_superblocks(Rebuild& rebuild, const MountNeeds& needs);

/// Layers that map logical blocks, whatever their logs: when the drive is mounted every logical
/// block lies in one block, each page in its place, and no log is in use. A block that holds the
/// newest version of all pages of its logical block in their places stays; this may be a log or
/// what a merge was about to make. The others are merged, those first that give back blocks: the
/// newest versions are copied to an erased block, and what they came from is erased. Logical blocks
/// of a superblock, whose logs they share, are merged one after the other.
///
/// `needs` says how many logical blocks a superblock and a plane have. With `strict_order` holes
/// are filled.
void rebuild_blocks(Rebuild& rebuild, const MountNeeds& needs, bool strict_order);

/// Page-mapped layers: every page stays where its newest version lies. One block of a plane that is
/// not full goes on to be filled, others are closed as they are. A plane that has fewer than `kept`
/// erased blocks is given some: the block with the fewest wanted pages is emptied, into the block
/// that is being filled and erased ones of its plane or, where these do not suffice, of others.
/// Planes that `placement` joins are one.
void rebuild_pages(Rebuild& rebuild, std::uint32_t kept, GcPlacement placement);

/// Of a layer whose map lies in flash. The spare areas of data say all that it does: pages of the
/// map found are not wanted, to be called before anything is rebuilt.
void forget_map(const FtlIf& ftl, SpareScan& scan);
/// Then every page of the map that names a page is written anew, in the plane of what it names, and
/// planes have `kept` erased blocks again.
void write_map(const FtlIf& ftl, Rebuild& rebuild, std::uint32_t kept);

} // namespace cavern
