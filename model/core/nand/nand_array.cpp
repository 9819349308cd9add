#include "core/nand/nand_array.h"

#include "core/base/check.h"

namespace cavern {

namespace {

/// Spare area of a programmed page: names no logical page, or page 0 and so on.
constexpr std::uint64_t kProgrammedEmpty = 1;
constexpr std::uint64_t kFirstLpn = 2;

} // namespace

NandArray::NandArray(const Geometry& geometry, bool strict_order, bool store_oob)
    : geometry_(geometry), by_pages_per_block_(geometry.pages_per_block), pages_(geometry.pages()),
      blocks_differ_(geometry.word_line_pages != 1 || geometry.slc_blocks != 0),
      strict_order_(strict_order), store_oob_(store_oob),
      words_per_block_((geometry.pages_per_block + 63) / 64),
      oob_(store_oob ? geometry.pages() : 0, geometry.pages() + kFirstLpn),
      versions_(store_oob ? geometry.pages() : 0),
      programmed_(store_oob ? 0 : geometry.blocks() * words_per_block_),
      write_pointer_(geometry.blocks()), erases_(geometry.blocks()) {}

void NandArray::program(Ppn page, Lpn lpn, PageVersion version) {
    const Place place = place_of(page);
    checks_ += 2;
    CAVERN_CHECK(!is_programmed(page, place),
                 name(place) + " is programmed again without an erase of its block");
    std::uint32_t& pointer = write_pointer_[place.block];
    if (place.page != pointer) {
        CAVERN_CHECK(place.page > pointer,
                     name(place) + " is programmed after page " + std::to_string(pointer - 1));
        CAVERN_CHECK(!strict_order_, name(place) + " is programmed while page " +
                                         std::to_string(pointer) +
                                         " is next and none may be skipped");
    }
    if (blocks_differ_) {
        check_block(place, pointer);
    }
    CAVERN_CHECK(!damaged_ || half_erased_[place.block] == 0,
                 name(place) + " is programmed after an erase of its block that power cut short");
    pointer = place.page + 1;
    if (store_oob_) {
        CAVERN_CHECK(lpn == kNoLpn || raw(lpn) <= oob_.most() - kFirstLpn,
                     "logical page " + std::to_string(raw(lpn)) + " does not fit");
        oob_.set(raw(page), lpn == kNoLpn ? kProgrammedEmpty : raw(lpn) + kFirstLpn);
        set_version(page, version);
    } else {
        programmed_[word_of(place)] |= std::uint64_t{1} << (place.page % 64);
    }
}

void NandArray::check_block(Place place, std::uint32_t next) {
    if (geometry_.is_slc(BlockId{place.block})) {
        CAVERN_CHECK(place.page < geometry_.slc_pages,
                     name(place) + " is programmed, which a block in SLC mode does not have");
        return;
    }
    if (geometry_.word_line_pages == 1) {
        return;
    }
    ++checks_;
    const std::uint32_t pages = geometry_.units_per_program();
    CAVERN_CHECK(place.page % pages == 0 ? next % pages == 0 : place.page == next,
                 name(place) + " is programmed while a word line lacks page " +
                     std::to_string(next));
}

bool NandArray::has_whole_word_lines(BlockId block) const {
    return geometry_.is_slc(block) || write_pointer(block) % geometry_.units_per_program() == 0;
}

void NandArray::program_run(Ppn page, Lpn lpn, std::uint32_t count) {
    const Place place = place_of(page);
    if (!store_oob_ || damaged_ || geometry_.slc_blocks != 0 ||
        write_pointer_[place.block] != place.page ||
        place.page + count > geometry_.pages_per_block ||
        raw(lpn) + count > oob_.most() - kFirstLpn) {
        for (std::uint32_t i = 0; i < count; ++i) { // slower, or to say what is wrong
            program(Ppn{raw(page) + i}, Lpn{raw(lpn) + i});
        }
        return;
    }
    // From the write pointer on every page is erased.
    checks_ += 2 * count;
    write_pointer_[place.block] = place.page + count;
    for (std::uint32_t i = 0; i < count; ++i) {
        oob_.set(raw(page) + i, raw(lpn) + i + kFirstLpn);
        set_version(Ppn{raw(page) + i}, 0);
    }
}

Lpn NandArray::read(Ppn page) {
    const Place place = place_of(page);
    ++checks_;
    CAVERN_CHECK(is_programmed(page, place), name(place) + " is read but was never programmed");
    CAVERN_CHECK(!is_torn(page), name(place) + " is read, and power was lost while it was written");
    return stored_lpn(page);
}

void NandArray::read_expecting(Ppn page, Lpn lpn, PageVersion version) {
    const Lpn stored = read(page);
    if (stored == kNoLpn || lpn == kNoLpn) {
        return;
    }
    checks_ += 2;
    CAVERN_CHECK(stored == lpn,
                 "the spare area of a page read names the logical page that was asked for: " +
                     name(place_of(page)) + " names " + std::to_string(raw(stored)) + ", not " +
                     std::to_string(raw(lpn)));
    CAVERN_CHECK(
        versions_[raw(page)] == version,
        "a page read holds the newest version of its logical page: " + name(place_of(page)) +
            " holds version " + std::to_string(versions_[raw(page)]) + " of " +
            std::to_string(raw(lpn)) + ", not " + std::to_string(version));
}

Lpn NandArray::stored_lpn(Ppn page) const {
    const std::uint64_t stored = store_oob_ ? oob_.get(raw(page)) : 0;
    return stored < kFirstLpn ? kNoLpn : Lpn{stored - kFirstLpn};
}

void NandArray::erase(BlockId block) {
    CAVERN_CHECK(raw(block) < geometry_.blocks(),
                 "erase of block " + std::to_string(raw(block)) + " outside the array");
    // Pages above the write pointer are erased already; skipping them keeps their memory untouched.
    const std::uint32_t used = write_pointer_[raw(block)];
    if (store_oob_) {
        const std::size_t first = std::size_t{raw(block)} * geometry_.pages_per_block;
        for (std::uint32_t i = 0; i < used; ++i) {
            oob_.set(first + i, 0);
        }
    } else {
        const std::size_t first = std::size_t{raw(block)} * words_per_block_;
        for (std::size_t i = 0; i * 64 < used; ++i) {
            programmed_[first + i] = 0;
        }
    }
    if (damaged_) {
        const std::size_t first = std::size_t{raw(block)} * geometry_.pages_per_block;
        for (std::uint32_t i = 0; i < used; ++i) {
            torn_[first + i] = 0;
        }
        half_erased_[raw(block)] = 0;
    }
    write_pointer_[raw(block)] = 0;
    ++erases_[raw(block)];
}

// ---- loss of power ------------------------------------------------------------------------------

void NandArray::interrupt_program(Ppn page) {
    program(page, kNoLpn);
    tear(page);
}

void NandArray::tear(Ppn page) {
    CAVERN_CHECK(store_oob_ && is_programmed(page), "what is torn was programmed, or begun");
    if (!damaged_) {
        damaged_ = true;
        torn_ = LazyArray<std::uint8_t>(geometry_.pages());
        half_erased_ = LazyArray<std::uint8_t>(geometry_.blocks());
    }
    torn_[raw(page)] = 1;
    oob_.set(raw(page), kProgrammedEmpty);
}

void NandArray::interrupt_erase(BlockId block, const std::vector<bool>& torn) {
    const std::uint32_t used = write_pointer(block);
    CAVERN_CHECK(torn.size() == used && (used == 0 || torn[0]),
                 "an erase that is cut short leaves its mark in the first page");
    for (std::uint32_t i = 0; i < used; ++i) {
        const Ppn page = geometry_.page(block, i);
        if (i == 0 && !is_programmed(page)) {
            oob_.set(raw(page), kProgrammedEmpty); // it does not read as erased any more
        }
        if (torn[i] && is_programmed(page)) {
            tear(page);
        }
    }
    if (used != 0) {
        half_erased_[raw(block)] = 1;
    }
}

bool NandArray::is_programmed(Ppn page) const {
    return is_programmed(page, place_of(page));
}

bool NandArray::is_programmed(Ppn page, Place place) const {
    return store_oob_ ? oob_.get(raw(page)) != 0
                      : (programmed_[word_of(place)] >> (place.page % 64) & 1) != 0;
}

std::uint32_t NandArray::write_pointer(BlockId block) const {
    return write_pointer_[raw(block)];
}

std::uint32_t NandArray::erase_count(BlockId block) const {
    return erases_[raw(block)];
}

NandArray::Place NandArray::place_of(Ppn page) const {
    CAVERN_CHECK(raw(page) < pages_,
                 "physical page " + std::to_string(raw(page)) + " is outside the array");
    const std::uint32_t block = by_pages_per_block_.divide(raw(page));
    const std::uint64_t first = std::uint64_t{block} * geometry_.pages_per_block;
    return {block, static_cast<std::uint32_t>(raw(page) - first)};
}

std::string NandArray::name(Place place) const {
    return "page " + std::to_string(place.page) + " of block " + std::to_string(place.block);
}

} // namespace cavern
