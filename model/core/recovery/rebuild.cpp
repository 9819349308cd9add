#include "core/recovery/rebuild.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/data/drive_data.h"

namespace cavern {

Rebuild::Rebuild(SpareScan& scan, NandArray& array, PageContents* contents, MountCut* cut,
                 std::uint32_t word_line)
    : scan_(scan), array_(array), contents_(contents), geometry_(array.geometry()),
      erased_(geometry_.planes()), open_(geometry_.blocks()), cut_(cut), word_line_(word_line) {
    for (std::uint32_t block = geometry_.blocks(); block-- > 0;) {
        if (next(BlockId{block}) == 0 && scan.holds_data(BlockId{block}) &&
            !geometry_.is_slc(BlockId{block})) {
            erased_[raw(geometry_.plane_of(BlockId{block}))].push_back(BlockId{block});
        }
    }
}

std::vector<Lpn> Rebuild::pages_of(BlockId block) const {
    std::vector<Lpn> pages;
    for (std::uint32_t i = 0; i < next(block); ++i) {
        const Ppn page = geometry_.page(block, i);
        const Lpn lpn = array_.stored_lpn(page);
        if (lpn != kNoLpn && raw(lpn) < scan_.places().size() &&
            scan_.places()[raw(lpn)] == raw(page) + 1) {
            pages.push_back(lpn);
        }
    }
    return pages;
}

void Rebuild::set_aside(BlockId block) {
    std::vector<BlockId>& erased = erased_[raw(geometry_.plane_of(block))];
    erased.erase(std::remove(erased.begin(), erased.end(), block), erased.end());
}

void Rebuild::erase_unwanted() {
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        if (next(BlockId{block}) != 0 && wanted(BlockId{block}) == 0) {
            erase(BlockId{block});
        }
    }
}

BlockId Rebuild::take(PlaneId plane) {
    std::vector<BlockId>& erased = erased_[raw(plane)];
    CAVERN_CHECK(!erased.empty(), "a drive that recovers has room for what it moves");
    const BlockId block = erased.back();
    erased.pop_back();
    use(block);
    return block;
}

void Rebuild::use(BlockId block) {
    if (std::find(to_be_erased_.begin(), to_be_erased_.end(), block) != to_be_erased_.end()) {
        while (!begun_.empty()) {
            fill_up(begun_.back());
        }
    }
}

void Rebuild::copy(Lpn lpn, BlockId into, std::uint32_t page) {
    const Ppn from{scan_.places()[raw(lpn)] - 1};
    const PageVersion version = scan_.versions()[raw(lpn)];
    FlashOp read(FlashOpKind::kRead, Origin::kRecovery, from, lpn);
    read.version = version;
    ops_.push_back(read);
    array_.read_expecting(from, lpn, version);
    --scan_.blocks()[raw(geometry_.block_of(from))].wanted;
    ops_.push_back(FlashOp::copy(Origin::kRecovery, from, geometry_.page(into, page), lpn,
                                 static_cast<std::int32_t>(ops_.size()) - 1));
    program(into, page, lpn, version);
    if (contents_ != nullptr) {
        contents_->program(geometry_.page(into, page), contents_->read(from));
    }
}

void Rebuild::rewrite(Lpn number, BlockId into, PageVersion version) {
    const std::uint64_t old = scan_.places()[raw(number)];
    if (old != 0) {
        ops_.push_back({FlashOpKind::kRead, Origin::kRecovery, Ppn{old - 1}, number});
        --scan_.blocks()[raw(geometry_.block_of(Ppn{old - 1}))].wanted;
    }
    ops_.push_back(
        {FlashOpKind::kProgram, Origin::kRecovery, geometry_.page(into, next(into)), number});
    program(into, next(into), number, version);
}

void Rebuild::program(BlockId block, std::uint32_t page, Lpn lpn, PageVersion version) {
    ops_.back().version = version;
    go_on();
    array_.program(geometry_.page(block, page), lpn, version);
    SpareScan::Block& state = scan_.blocks()[raw(block)];
    state.next = page + 1;
    state.newest = std::max(state.newest, version);
    if (lpn != kNoLpn) {
        ++state.wanted;
        scan_.places()[raw(lpn)] = raw(geometry_.page(block, page)) + 1;
        scan_.versions()[raw(lpn)] = version;
    }
    if (geometry_.units_per_page != 1) {
        note_begun(block, page);
        carry_out_erases();
    }
}

void Rebuild::note_begun(BlockId block, std::uint32_t page) {
    const auto found = std::find(begun_.begin(), begun_.end(), block);
    const bool whole = (page + 1) % geometry_.units_per_page == 0;
    if (!whole && found == begun_.end()) {
        begun_.push_back(block);
    } else if (whole && found != begun_.end()) {
        begun_.erase(found);
    }
}

void Rebuild::point_to(Lpn lpn, Ppn page) {
    std::uint64_t& place = scan_.places()[raw(lpn)];
    --scan_.blocks()[raw(geometry_.block_of(Ppn{place - 1}))].wanted;
    ++scan_.blocks()[raw(geometry_.block_of(page))].wanted;
    place = raw(page) + 1;
}

void Rebuild::fill_up(BlockId block) {
    const std::uint32_t units = geometry_.units_per_page;
    fill_to(block, (next(block) + units - 1) / units * units);
}

void Rebuild::fill_to(BlockId block, std::uint32_t page) {
    while (next(block) < page) {
        ops_.push_back(
            {FlashOpKind::kProgram, Origin::kRecovery, geometry_.page(block, next(block))});
        program(block, next(block), kNoLpn, 0);
    }
}

void Rebuild::erase(BlockId block) {
    CAVERN_CHECK(wanted(block) == 0, "recovery erases what is not wanted");
    to_be_erased_.push_back(block);
    carry_out_erases();
    scan_.blocks()[raw(block)] = {};
    if (!geometry_.is_slc(block)) {
        erased_[raw(geometry_.plane_of(block))].push_back(block);
    }
}

void Rebuild::carry_out_erases() {
    while (begun_.empty() && !to_be_erased_.empty()) {
        const BlockId block = to_be_erased_.back();
        ops_.push_back({FlashOpKind::kErase, Origin::kRecovery, geometry_.page(block, 0)});
        go_on();
        array_.erase(block);
        if (contents_ != nullptr) {
            contents_->erase(geometry_.page(block, 0));
        }
        to_be_erased_.pop_back();
    }
}

void Rebuild::tear_unit(Ppn page) {
    if (array_.is_programmed(page) && array_.is_torn(page)) {
        return;
    }
    array_.is_programmed(page) ? array_.tear(page) : array_.interrupt_program(page);
    ++cut_->torn.pages;
    if (contents_ != nullptr) {
        contents_->program(page, DriveData::torn());
    }
}

/// What is torn is the operation noted last. Mapping units of a NAND page that lacks some count as
/// programmed here, and are not: that page is torn whole.
void Rebuild::lose_power() {
    const FlashOp& op = ops_.back();
    if (!cut_->ends) { // else it counts as one that was ended with the operation before
        Random random(cut_->seed);
        cut_->torn += tear(array_, op, word_line_, random, contents_);
    }
    const std::uint32_t units = geometry_.units_per_page;
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        const std::uint32_t end = array_.write_pointer(BlockId{block});
        const std::uint32_t whole = (end + units - 1) / units * units;
        for (std::uint32_t i = end / units * units; i < whole; ++i) {
            tear_unit(geometry_.page(BlockId{block}, i));
        }
    }
    throw PowerGone{};
}

MountedDrive Rebuild::mounted() const {
    CAVERN_CHECK(begun_.empty() && to_be_erased_.empty(), "recovery leaves whole NAND pages");
    MountedDrive drive;
    drive.places = scan_.places();
    drive.blocks.resize(geometry_.blocks());
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        MountedDrive::Block& found = drive.blocks[block];
        found.erases = array_.erase_count(BlockId{block});
        found.next = next(BlockId{block});
        found.open = open_[block];
        if (found.next != 0) {
            drive.filled.push_back(BlockId{block});
        }
    }
    std::sort(drive.filled.begin(), drive.filled.end(), [this](BlockId a, BlockId b) {
        const PageVersion x = scan_.blocks()[raw(a)].newest;
        const PageVersion y = scan_.blocks()[raw(b)].newest;
        return x != y ? x < y : raw(a) < raw(b);
    });
    return drive;
}

} // namespace cavern
