#include "core/recovery/spare_scan.h"

#include <algorithm>

namespace cavern {

SpareScan::SpareScan(const NandArray& array, std::uint64_t numbers)
    : array_(array), geometry_(array.geometry()), places_(numbers), versions_(numbers),
      blocks_(geometry_.blocks()), by_die_(geometry_.dies()) {}

void SpareScan::run() {
    for (std::uint32_t number = 0; number < geometry_.blocks(); ++number) {
        const BlockId id{number};
        Block& block = blocks_[number];
        block.next = array_.write_pointer(id);
        if (block.next != 0 && array_.is_torn(geometry_.page(id, 0))) {
            // An erase may have been cut short: what is left of the block is no data.
            ++torn_;
            ++block.torn;
            ++spares_;
            ++by_die_[raw(geometry_.die_of(id))];
            continue;
        }
        for (std::uint32_t i = 0; i < block.next; ++i) {
            look_at(geometry_.page(id, i), block);
        }
        // Where the block is not full, one more shows that.
        const std::uint32_t read = std::min(block.next / geometry_.units_per_page + 1,
                                            geometry_.pages_per_block / geometry_.units_per_page);
        spares_ += read;
        by_die_[raw(geometry_.die_of(id))] += read;
    }
    for (const std::uint64_t place : places_) {
        if (place != 0) {
            ++blocks_[raw(geometry_.block_of(Ppn{place - 1}))].wanted;
        }
    }
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
