#pragma once

#include <cstdint>
#include <vector>

#include "core/base/geometry.h"
#include "core/drive/map_log.h"
#include "core/nand/nand_array.h"

namespace cavern {

/// What the spare areas of a drive say after a loss of power: of each logical page the newest
/// intact version, of each block how far it is programmed. A torn page shows as such, as its ECC
/// fails. A copy carries the sequence number of what it copies, so that it never beats a newer
/// write; two pages of one number hold the same data, and the first one found is taken. Of a block
/// whose first page is torn nothing is taken: its erase may have been cut short.
class SpareScan {
  public:
    struct Block {
        std::uint32_t next = 0; ///< programmable page
        std::uint32_t torn = 0;
        std::uint32_t wanted = 0; ///< pages that hold a newest version
        PageVersion newest = 0;   ///< sequence number
        PageVersion oldest = ~PageVersion{0};
    };

    /// `numbers`: logical pages, those of the layer's own map among them.
    SpareScan(const NandArray& array, std::uint64_t numbers);
    virtual ~SpareScan() = default;

    /// The first blocks of each plane hold no data.
    void leave_out(std::uint32_t reserved_blocks) { reserved_ = reserved_blocks; }
    [[nodiscard]] bool holds_data(BlockId block) const {
        return geometry_.block_in_plane(block) >= reserved_;
    }

    /// Reads all spare areas.
    void run();
    /// The same, but what is above the number or within a range of `gone` counts as garbage.
    void run_until(PageVersion mark, const MapLogContents::Ranges& gone);
    /// Reads only what was programmed since `known`, a spare area of each block to see whether it
    /// was, and what shares its cells. `word_line`: pages that do so. False, with nothing found, if
    /// a page that `known` names is torn and has no newer version: an older one may lie anywhere.
    [[nodiscard]] bool run_behind(const MapSnapshot& known, std::uint32_t word_line);

    /// What the checkpoint of a generation says.
    [[nodiscard]] virtual MapSnapshot checkpoint(const MapLogContents& log,
                                                 PageVersion generation) const {
        return log.checkpoints.at(generation);
    }
    /// A page of a map log is read whole, or the spare area of one.
    void read_log_page(DieId die) {
        ++log_pages_;
        ++log_by_die_[raw(die)];
    }
    void read_spare(DieId die) {
        ++spares_;
        ++by_die_[raw(die)];
    }
    [[nodiscard]] std::uint64_t log_pages() const { return log_pages_; }
    [[nodiscard]] const std::vector<std::uint64_t>& log_pages_of_dies() const {
        return log_by_die_;
    }
    /// Intact pages that were above the mark.
    [[nodiscard]] std::uint64_t gone() const { return gone_pages_; }
    /// Of the ranges, those of which a page was found.
    [[nodiscard]] const MapLogContents::Ranges& ranges_found() const { return ranges_found_; }

    [[nodiscard]] const NandArray& array() const { return array_; }
    /// Of a logical page: physical page + 1, or 0.
    [[nodiscard]] std::vector<std::uint64_t>& places() { return places_; }
    [[nodiscard]] const std::vector<std::uint64_t>& places() const { return places_; }
    [[nodiscard]] std::vector<PageVersion>& versions() { return versions_; }
    [[nodiscard]] std::vector<Block>& blocks() { return blocks_; }
    /// Largest sequence number found.
    [[nodiscard]] PageVersion latest() const { return latest_; }
    /// A number for what recovery writes.
    [[nodiscard]] PageVersion next_number() { return ++latest_; }
    /// Spare areas read, and pages torn among them.
    [[nodiscard]] std::uint64_t spares() const { return spares_; }
    [[nodiscard]] std::uint64_t torn() const { return torn_; }
    /// Of each die, without those in SLC mode; the first page of each block is read to see whether
    /// it is erased.
    [[nodiscard]] const std::vector<std::uint64_t>& spares_of_dies() const { return by_die_; }
    [[nodiscard]] const std::vector<std::uint64_t>& slc_spares_of_dies() const {
        return slc_by_die_;
    }

    /// What the page holds is not wanted: a record says so.
    void drop(std::uint64_t lpn);

  protected:
    /// Whether a page found beats the one found before.
    [[nodiscard]] virtual bool is_newer(PageVersion version, PageVersion found) const {
        return version > found;
    }
    /// Page of a block from which on it is read, if the checkpoint knows `known` pages of it.
    [[nodiscard]] virtual std::uint32_t first_unknown(BlockId, std::uint32_t known) const {
        return known;
    }

  private:
    void look_at(Ppn page, Block& block);
    void look_at_all(BlockId id);
    void look_behind(BlockId id, const MapSnapshot::Block& then, std::uint32_t word_line);
    [[nodiscard]] bool is_gone(PageVersion version);
    void read_spares(BlockId block, std::uint64_t count) {
        spares_ += count;
        (geometry_.is_slc(block) ? slc_by_die_ : by_die_)[raw(geometry_.die_of(block))] += count;
    }
    void count_wanted();
    void forget_all();

    const NandArray& array_;
    Geometry geometry_;
    std::vector<std::uint64_t> places_;
    std::vector<PageVersion> versions_;
    std::vector<Block> blocks_;
    PageVersion latest_ = 0;
    std::uint64_t spares_ = 0;
    std::uint64_t torn_ = 0;
    std::vector<std::uint64_t> by_die_;
    std::vector<std::uint64_t> slc_by_die_;
    std::uint32_t reserved_ = 0;
    std::uint64_t log_pages_ = 0;
    std::vector<std::uint64_t> log_by_die_;
    PageVersion mark_ = ~PageVersion{0};
    MapLogContents::Ranges gone_;
    MapLogContents::Ranges ranges_found_;
    std::uint64_t gone_pages_ = 0;
};

} // namespace cavern
