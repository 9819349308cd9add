#include "core/recovery/spare_scan.h"

#include <algorithm>

namespace cavern {

SpareScan::SpareScan(const NandArray& array, std::uint64_t numbers)
    : array_(array), geometry_(array.geometry()), places_(numbers), versions_(numbers),
      blocks_(geometry_.blocks()), by_die_(geometry_.dies()), slc_by_die_(geometry_.dies()),
      log_by_die_(geometry_.dies()) {}

void SpareScan::run() {
    for (std::uint32_t number = 0; number < geometry_.blocks(); ++number) {
        if (holds_data(BlockId{number})) {
            look_at_all(BlockId{number});
        }
    }
    count_wanted();
}

void SpareScan::run_until(PageVersion mark, const MapLogContents::Ranges& gone) {
    mark_ = mark;
    gone_ = gone;
    // Numbers are not given twice, whether or not a page of them is found.
    latest_ = mark;
    for (const auto& range : gone) {
        latest_ = std::max(latest_, range.second);
    }
    run();
}

void SpareScan::look_at_all(BlockId id) {
    Block& block = blocks_[raw(id)];
    block.next = array_.write_pointer(id);
    if (block.next != 0 && array_.is_torn(geometry_.page(id, 0))) {
        // An erase may have been cut short: what is left of the block is no data.
        ++torn_;
        ++block.torn;
        read_spares(id, 1);
        return;
    }
    for (std::uint32_t i = 0; i < block.next; ++i) {
        look_at(geometry_.page(id, i), block);
    }
    // Where the block is not full, one more shows that.
    const std::uint32_t pages =
        geometry_.is_slc(id) ? geometry_.slc_pages : geometry_.pages_per_block;
    read_spares(
        id, std::min(block.next / geometry_.units_per_page + 1, pages / geometry_.units_per_page));
}

void SpareScan::count_wanted() {
    for (const std::uint64_t place : places_) {
        if (place != 0) {
            ++blocks_[raw(geometry_.block_of(Ppn{place - 1}))].wanted;
        }
    }
}

// ---- behind a checkpoint ------------------------------------------------------------------------

bool SpareScan::run_behind(const MapSnapshot& known, std::uint32_t word_line) {
    std::copy(known.places.begin(), known.places.end(), places_.begin());
    std::copy(known.versions.begin(), known.versions.end(), versions_.begin());
    latest_ = known.latest;
    std::vector<std::size_t> torn; // that are known, in blocks not erased since
    // A block erased since holds nothing of what is known.
    for (std::size_t page = 0; page < known.places.size(); ++page) {
        if (places_[page] == 0) {
            continue;
        }
        const Ppn place{places_[page] - 1};
        const BlockId id = geometry_.block_of(place);
        const bool erased = array_.erase_count(id) != known.blocks[raw(id)].erases;
        if (erased || array_.is_torn(place) || array_.is_torn(geometry_.page(id, 0))) {
            places_[page] = versions_[page] = 0;
            // Where pages do not share cells, the block was being erased.
            if (!erased && word_line != 1) {
                torn.push_back(page);
            }
        } else {
            blocks_[raw(id)].newest = std::max(blocks_[raw(id)].newest, versions_[page]);
        }
    }
    for (std::uint32_t number = 0; number < geometry_.blocks(); ++number) {
        if (holds_data(BlockId{number})) {
            look_behind(BlockId{number}, known.blocks[number], word_line);
        }
    }
    if (std::any_of(torn.begin(), torn.end(),
                    [this](std::size_t page) { return places_[page] == 0; })) {
        forget_all();
        return false;
    }
    count_wanted();
    return true;
}

void SpareScan::look_behind(BlockId id, const MapSnapshot::Block& then, std::uint32_t word_line) {
    const std::uint32_t next = array_.write_pointer(id);
    if (then.next == 0 || array_.erase_count(id) != then.erases ||
        array_.is_torn(geometry_.page(id, 0))) {
        look_at_all(id);
        return;
    }
    Block& block = blocks_[raw(id)];
    block.next = next;
    const std::uint32_t from = std::min(first_unknown(id, then.next), next);
    for (std::uint32_t i = from; i < next; ++i) {
        look_at(geometry_.page(id, i), block);
    }
    const std::uint32_t units = geometry_.units_per_page;
    const std::uint32_t last = std::min(next / units + 1, geometry_.pages_per_block / units);
    // What shares cells with a page programmed since may be torn, and known.
    const std::uint32_t page = from / units;
    const std::uint32_t first = std::min(from < next ? page / word_line * word_line : page, last);
    read_spares(id, last - first + (first != 0 ? 1 : 0));
}

void SpareScan::forget_all() {
    std::fill(places_.begin(), places_.end(), 0);
    std::fill(versions_.begin(), versions_.end(), 0);
    std::fill(blocks_.begin(), blocks_.end(), Block{});
    latest_ = 0;
    torn_ = 0;
}

// ---- pages --------------------------------------------------------------------------------------

bool SpareScan::is_gone(PageVersion version) {
    if (version > mark_) {
        return true;
    }
    for (const auto& range : gone_) {
        if (version > range.first && version <= range.second) {
            if (std::find(ranges_found_.begin(), ranges_found_.end(), range) ==
                ranges_found_.end()) {
                ranges_found_.push_back(range);
            }
            return true;
        }
    }
    return false;
}

void SpareScan::look_at(Ppn page, Block& block) {
    if (array_.is_torn(page)) {
        ++torn_;
        ++block.torn;
        return;
    }
    const Lpn lpn = array_.stored_lpn(page);
    if (lpn == kNoLpn || raw(lpn) >= places_.size()) {
        return;
    }
    const PageVersion version = array_.stored_version(page);
    latest_ = std::max(latest_, version);
    block.newest = std::max(block.newest, version);
    block.oldest = std::min(block.oldest, version);
    if (is_gone(version)) {
        ++gone_pages_;
        return;
    }
    std::uint64_t& place = places_[raw(lpn)];
    if (place == 0 || is_newer(version, versions_[raw(lpn)])) {
        place = raw(page) + 1;
        versions_[raw(lpn)] = version;
    }
}

void SpareScan::drop(std::uint64_t lpn) {
    if (places_[lpn] != 0) {
        --blocks_[raw(geometry_.block_of(Ppn{places_[lpn] - 1}))].wanted;
        places_[lpn] = 0;
        versions_[lpn] = 0;
    }
}

} // namespace cavern
