#include "core/recovery/long_blocks.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

LongBlocks::LongBlocks(Rebuild& rebuild, GcPlacement placement)
    : rebuild_(rebuild), step_(rebuild.geometry(), placement), erased_(step_.shape().planes()) {
    for (std::uint32_t block = shape().blocks(); step_.width() != 1 && block-- > 0;) {
        if (next(BlockId{block}) == 0) {
            erased_[raw(shape().plane_of(BlockId{block}))].push_back(BlockId{block});
        }
    }
}

std::uint32_t LongBlocks::next(BlockId block) const {
    std::uint32_t next = 0;
    for (std::uint32_t place = 0; place < step_.width(); ++place) {
        if (const std::uint32_t pages = rebuild_.next(part(block, place)); pages != 0) {
            const Ppn last = step_.page(part(block, place), pages - 1);
            next = std::max(next, shape().page_in_block(last) + 1);
        }
    }
    return next;
}

std::uint32_t LongBlocks::wanted(BlockId block) const {
    std::uint32_t pages = 0;
    for (std::uint32_t place = 0; place < step_.width(); ++place) {
        pages += rebuild_.wanted(part(block, place));
    }
    return pages;
}

bool LongBlocks::can_go_on(BlockId block) const {
    for (std::uint32_t place = 0; place < step_.width(); ++place) {
        if (rebuild_.array().is_torn(rebuild_.geometry().page(part(block, place), 0))) {
            return false;
        }
    }
    return next(block) != 0;
}

std::vector<Lpn> LongBlocks::pages_of(BlockId block) const {
    std::vector<Lpn> pages;
    for (std::uint32_t place = 0; place < step_.width(); ++place) {
        const std::vector<Lpn> own = rebuild_.pages_of(part(block, place));
        pages.insert(pages.end(), own.begin(), own.end());
    }
    return pages;
}

std::uint32_t LongBlocks::erased_blocks(PlaneId plane) const {
    return step_.width() == 1 ? rebuild_.erased_blocks(plane)
                              : static_cast<std::uint32_t>(erased_[raw(plane)].size());
}

void LongBlocks::erase_unwanted() {
    if (step_.width() == 1) {
        rebuild_.erase_unwanted();
        return;
    }
    for (std::uint32_t block = 0; block < shape().blocks(); ++block) {
        if (next(BlockId{block}) != 0 && wanted(BlockId{block}) == 0) {
            erase(BlockId{block});
        }
    }
}

BlockId LongBlocks::take(PlaneId plane) {
    if (step_.width() == 1) {
        return rebuild_.take(plane);
    }
    std::vector<BlockId>& erased = erased_[raw(plane)];
    CAVERN_CHECK(!erased.empty(), "a drive that recovers has room for what it moves");
    const BlockId block = erased.back();
    erased.pop_back();
    for (std::uint32_t place = 0; place < step_.width(); ++place) {
        rebuild_.use(part(block, place));
    }
    return block;
}

void LongBlocks::append(Lpn lpn, BlockId block) {
    level(block);
    const Ppn page = step_.in_flash(shape().page(block, next(block)));
    const Geometry& flash = rebuild_.geometry();
    rebuild_.copy(lpn, flash.block_of(page), flash.page_in_block(page));
}

void LongBlocks::erase(BlockId block) {
    for (std::uint32_t place = 0; place < step_.width(); ++place) {
        if (rebuild_.next(part(block, place)) != 0) {
            rebuild_.erase(part(block, place));
        }
    }
    if (step_.width() != 1) {
        erased_[raw(shape().plane_of(block))].push_back(block);
    }
}

void LongBlocks::leave_open(BlockId block) {
    level(block);
    for (std::uint32_t place = 0; place < step_.width(); ++place) {
        rebuild_.fill_up(part(block, place));
        rebuild_.leave_open(part(block, place));
    }
}

// Programs go across the parts in turn, row by row.
void LongBlocks::level(BlockId block) {
    const std::uint32_t together = rebuild_.geometry().units_per_program();
    const std::uint32_t program = next(block) / together;
    const std::uint32_t row = program / step_.width();
    for (std::uint32_t place = 0; place < step_.width(); ++place) {
        const bool ahead = place < program % step_.width();
        rebuild_.fill_to(part(block, place), (row + (ahead ? 1 : 0)) * together);
    }
}

} // namespace cavern
