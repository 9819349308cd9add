#include "core/recovery/rebuild.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/recovery/long_blocks.h"

namespace cavern {
namespace {

class PageRebuild {
  public:
    PageRebuild(LongBlocks& blocks, std::uint32_t kept, bool in_place)
        : blocks_(blocks), geometry_(blocks.shape()), kept_(kept), in_place_(in_place),
          open_(geometry_.planes(), 0) {
        for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
            if (!geometry_.is_slc(BlockId{block})) { // those are the layer's to go on with
                keep_open(BlockId{block});
            }
        }
    }

    void make_room() {
        for (std::uint32_t plane = 0; plane < geometry_.planes(); ++plane) {
            while (blocks_.erased_blocks(PlaneId{plane}) < kept_) {
                empty_one(PlaneId{plane});
            }
        }
        for (std::uint32_t plane = 0; geometry_.slc_blocks != 0 && plane < geometry_.planes();
             ++plane) {
            while (std::optional<BlockId> block = block_without_room(PlaneId{plane})) {
                fold_elsewhere(*block);
            }
        }
        for (const std::uint32_t block : open_) {
            if (block != 0) {
                blocks_.leave_open(BlockId{block - 1});
            }
        }
    }

  private:
    [[nodiscard]] std::uint32_t left(PlaneId plane) const {
        const std::uint32_t open = open_[raw(plane)];
        return open == 0 ? 0 : blocks_.pages_left(BlockId{open - 1});
    }

    /// The one with the most room.
    void keep_open(BlockId block) {
        const PlaneId plane = geometry_.plane_of(block);
        if (blocks_.can_go_on(block) && blocks_.pages_left(block) > left(plane)) {
            open_[raw(plane)] = raw(block) + 1;
        }
    }

    [[nodiscard]] BlockId cheapest(PlaneId plane) const {
        std::optional<BlockId> best;
        for (std::uint32_t i = geometry_.slc_blocks; i < geometry_.blocks_per_plane; ++i) {
            const BlockId block = geometry_.block(plane, i);
            if (blocks_.next(block) != 0 && open_[raw(plane)] != raw(block) + 1 &&
                (!best || blocks_.wanted(block) < blocks_.wanted(*best))) {
                best = block;
            }
        }
        CAVERN_CHECK(best && blocks_.wanted(*best) < geometry_.pages_per_block,
                     "a plane without an erased block has one to be emptied");
        return *best;
    }

    void empty_one(PlaneId plane) {
        const BlockId block = cheapest(plane);
        for (const Lpn lpn : blocks_.pages_of(block)) {
            const PlaneId to = plane_with_room(plane);
            std::uint32_t& open = open_[raw(to)];
            if (left(to) == 0) {
                open = raw(blocks_.take(to)) + 1;
            }
            blocks_.append(lpn, BlockId{open - 1});
        }
        blocks_.erase(block);
    }

    /// Its own, if that has some.
    [[nodiscard]] PlaneId plane_with_room(PlaneId own) const {
        const std::uint32_t planes = in_place_ ? 1 : geometry_.planes();
        for (std::uint32_t i = 0; i < planes; ++i) {
            const PlaneId plane{(raw(own) + i) % geometry_.planes()};
            if (left(plane) != 0 || blocks_.erased_blocks(plane) > (i == 0 ? 0 : kept_)) {
                return plane;
            }
        }
        CAVERN_CHECK(false, "a drive that recovers has room for a page");
        return own;
    }

    // ---- blocks in SLC mode

    [[nodiscard]] std::uint64_t wanted_in(PlaneId plane) const {
        std::uint64_t pages = 0;
        for (std::uint32_t i = 0; i < geometry_.blocks_per_plane; ++i) {
            pages += blocks_.wanted(geometry_.block(plane, i));
        }
        return pages;
    }

    /// What lies in SLC mode must have room in the blocks of all bits of its plane, beside what is
    /// there and those kept. The first of its blocks, if it has not.
    [[nodiscard]] std::optional<BlockId> block_without_room(PlaneId plane) const {
        const std::uint64_t blocks =
            (wanted_in(plane) + geometry_.pages_per_block - 1) / geometry_.pages_per_block;
        if (blocks + kept_ + 2 > geometry_.blocks_per_plane - geometry_.slc_blocks) {
            for (std::uint32_t i = 0; i < geometry_.slc_blocks; ++i) {
                if (blocks_.wanted(geometry_.block(plane, i)) != 0) {
                    return geometry_.block(plane, i);
                }
            }
        }
        return std::nullopt;
    }

    /// Empties it into the planes that hold least.
    void fold_elsewhere(BlockId block) {
        for (const Lpn lpn : blocks_.pages_of(block)) {
            PlaneId to{0};
            for (std::uint32_t i = 1; i < geometry_.planes(); ++i) {
                to = wanted_in(PlaneId{i}) < wanted_in(to) ? PlaneId{i} : to;
            }
            while (left(to) == 0 && blocks_.erased_blocks(to) <= kept_) {
                empty_one(to);
            }
            if (left(to) == 0) {
                open_[raw(to)] = raw(blocks_.take(to)) + 1;
            }
            blocks_.append(lpn, BlockId{open_[raw(to)] - 1});
        }
        blocks_.erase(block);
    }

    LongBlocks& blocks_;
    Geometry geometry_;
    std::uint32_t kept_;
    bool in_place_;
    std::vector<std::uint32_t> open_; ///< by plane, block + 1
};

} // namespace

void rebuild_pages(Rebuild& rebuild, std::uint32_t kept, GcPlacement placement) {
    LongBlocks blocks(rebuild, placement);
    blocks.erase_unwanted();
    PageRebuild(blocks, kept, false).make_room();
}

void forget_map(const FtlIf& ftl, SpareScan& scan) {
    for (std::uint64_t number = ftl.logical_pages(); number < scan.places().size(); ++number) {
        scan.drop(number);
    }
}

void write_map(const FtlIf& ftl, Rebuild& rebuild, std::uint32_t kept) {
    const Geometry& geometry = rebuild.geometry();
    SpareScan& scan = rebuild.scan();
    // Where a page of the map goes is where the pages are that it names.
    std::vector<std::optional<PlaneId>> planes(scan.places().size() - ftl.logical_pages());
    std::vector<std::uint64_t> pages(geometry.planes(), 0);
    for (std::uint64_t lpn = 0; lpn < ftl.logical_pages(); ++lpn) {
        if (scan.places()[lpn] != 0) {
            const PlaneId plane = geometry.plane_of(geometry.block_of(Ppn{scan.places()[lpn] - 1}));
            auto& of_map =
                planes[raw(ftl.map_in_flash()->map_page_of(Lpn{lpn})) - ftl.logical_pages()];
            pages[raw(plane)] += of_map ? 0 : 1;
            of_map = plane;
        }
    }
    std::uint32_t most = 0;
    for (const std::uint64_t count : pages) {
        most = std::max(most, static_cast<std::uint32_t>((count + geometry.pages_per_block - 1) /
                                                         geometry.pages_per_block));
    }
    LongBlocks blocks(rebuild, GcPlacement::kPlane);
    PageRebuild(blocks, kept + most, true).make_room();
    std::vector<std::optional<BlockId>> open(geometry.planes());
    for (std::size_t table = 0; table < planes.size(); ++table) {
        if (!planes[table]) {
            continue;
        }
        std::optional<BlockId>& block = open[raw(*planes[table])];
        if (!block || rebuild.pages_left(*block) == 0) {
            block = rebuild.take(*planes[table]);
        }
        rebuild.rewrite(Lpn{ftl.logical_pages() + table}, *block, scan.next_number());
        rebuild.leave_open(*block);
    }
}

} // namespace cavern
