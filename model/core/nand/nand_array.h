#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/divisor.h"
#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/base/page_numbers.h"
#include "core/base/strong_id.h"

namespace cavern {

class StateArchive;

/// What is physically in the flash array: which pages are programmed, with which logical page and
/// version of it in their spare area, how often each block was erased. It changes when an operation
/// completes. It is the referee of the order rules: every call that real NAND forbids throws
/// ModelError naming the page.
///   - program: the page is erased, and its index is above every programmed one of the block
///   (exactly
///     the next one with `strict_order`);
///   - with word lines (Geometry::word_line_pages), also: the pages of a word line follow each
///     other, and none is begun before the one ahead is whole;
///   - read: the page is programmed;
///   - erase: always allowed here (the scheduler keeps it behind the reads of the block).
class NandArray {
  public:
    /// With `store_oob` each page costs 4 bytes (5 in a drive of more than 2^32 - 2 pages) and
    /// keeps its logical page, and 4 bytes more for its version if that is not 0; without, one bit,
    /// and read() answers kNoLpn. Pages never touched cost nothing in either case.
    NandArray(const Geometry& geometry, bool strict_order, bool store_oob = true);

    /// `lpn` is kNoLpn for a page that holds no logical page, otherwise below 2^32 - 2, or 2^40
    /// - 2.
    void program(Ppn page, Lpn lpn, PageVersion version = 0);
    /// The same for `count` pages of a block from `page` on, with logical pages from `lpn` on, all
    /// of version 0.
    void program_run(Ppn page, Lpn lpn, std::uint32_t count);
    /// Logical page stored in the spare area of a programmed page; kNoLpn where none is kept.
    Lpn read(Ppn page);
    /// A read that has to find this version of `lpn`, where spare areas are kept. With kNoLpn, or
    /// in a page that holds none, anything may be found.
    void read_expecting(Ppn page, Lpn lpn, PageVersion version);
    void erase(BlockId block);

    [[nodiscard]] bool is_programmed(Ppn page) const;
    /// What read() would give, without being one: kNoLpn also for an erased page.
    [[nodiscard]] Lpn stored_lpn(Ppn page) const;
    /// Version of that logical page; 0 also where none is kept.
    [[nodiscard]] PageVersion stored_version(Ppn page) const {
        return store_oob_ ? versions_[raw(page)] : 0;
    }
    /// How often the data of a page were copied in their die since the controller had them; only
    /// where count_copies() was called before the first program.
    [[nodiscard]] std::uint8_t copies_in_die(Ppn page) const { return copies_[raw(page)]; }
    void set_copies_in_die(Ppn page, std::uint8_t copies) {
        if (copies_[raw(page)] != copies) {
            copies_[raw(page)] = copies;
        }
    }

    // ---- a loss of power. What is torn reads as no logical page, and is no data.
    /// The power went while the page was programmed: it counts as programmed, and is torn.
    void interrupt_program(Ppn page);
    /// A programmed page that shares its cells with one of those.
    void tear(Ppn page);
    /// The power went while the block was erased: pages for which `torn` (by index in the block) is
    /// true, its first one among them, are torn, others are as before. It takes no program before
    /// it is erased.
    void interrupt_erase(BlockId block, const std::vector<bool>& torn);
    [[nodiscard]] bool is_torn(Ppn page) const { return damaged_ && torn_[raw(page)] != 0; }

    void count_copies() {
        if (copies_.size() == 0) {
            copies_ = LazyArray<std::uint8_t>(geometry_.pages());
        }
    }
    /// Index of the next programmable page of a block: 0 when erased, pages_per_block when full.
    [[nodiscard]] std::uint32_t write_pointer(BlockId block) const;
    [[nodiscard]] std::uint32_t erase_count(BlockId block) const;
    /// No word line of a block lacks a page: so it is between decisions.
    [[nodiscard]] bool has_whole_word_lines(BlockId block) const;
    [[nodiscard]] const Geometry& geometry() const { return geometry_; }

    /// How many order rules were checked.
    [[nodiscard]] std::uint64_t checks() const { return checks_; }
    void serialize(StateArchive& archive);

  private:
    struct Place {
        std::uint32_t block;
        std::uint32_t page; ///< within the block
    };
    [[nodiscard]] Place place_of(Ppn page) const;
    [[nodiscard]] bool is_programmed(Ppn page, Place place) const;
    [[nodiscard]] std::size_t word_of(Place place) const {
        return std::size_t{place.block} * words_per_block_ + place.page / 64;
    }
    /// Of word lines and blocks in SLC mode; `next` is the page after the last one programmed.
    void check_block(Place place, std::uint32_t next);
    [[nodiscard]] std::string name(Place place) const;
    /// Zeros are not written over zeros: they cost no memory.
    void set_version(Ppn page, PageVersion version) {
        if (versions_[raw(page)] != version) {
            versions_[raw(page)] = version;
        }
    }

    Geometry geometry_;
    Divisor by_pages_per_block_;
    std::uint64_t pages_;
    bool blocks_differ_; ///< by word lines, or in SLC mode, from one page after the other
    bool strict_order_;
    bool store_oob_;
    std::size_t words_per_block_;            ///< of programmed_
    PageNumbers oob_;                        ///< lpn + 2, 1: programmed empty, or 0: erased
    LazyArray<PageVersion> versions_;        ///< of pages programmed
    LazyArray<std::uint64_t> programmed_;    ///< a bit a page; only without store_oob
    LazyArray<std::uint8_t> copies_{0};      ///< per page, in the die since the controller
    bool damaged_ = false;                   ///< something may be torn
    LazyArray<std::uint8_t> torn_{0};        ///< per page, once power has been lost
    LazyArray<std::uint8_t> half_erased_{0}; ///< per block, likewise
    LazyArray<std::uint32_t> write_pointer_; ///< per block
    LazyArray<std::uint32_t> erases_;        ///< per block
    std::uint64_t checks_ = 0;
};

} // namespace cavern
