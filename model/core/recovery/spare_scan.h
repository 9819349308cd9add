#pragma once

#include <cstdint>
#include <vector>

#include "core/base/geometry.h"
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

    void run();

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
    /// Of each die; the first page of each block is read to see whether it is erased.
    [[nodiscard]] const std::vector<std::uint64_t>& spares_of_dies() const { return by_die_; }

    /// What the page holds is not wanted: a record says so.
    void drop(std::uint64_t lpn);

  protected:
    /// Whether a page found beats the one found before.
    [[nodiscard]] virtual bool is_newer(PageVersion version, PageVersion found) const {
        return version > found;
    }

  private:
    void look_at(Ppn page, Block& block);

    const NandArray& array_;
    Geometry geometry_;
    std::vector<std::uint64_t> places_;
    std::vector<PageVersion> versions_;
    std::vector<Block> blocks_;
    PageVersion latest_ = 0;
    std::uint64_t spares_ = 0;
    std::uint64_t torn_ = 0;
    std::vector<std::uint64_t> by_die_;
};

} // namespace cavern
