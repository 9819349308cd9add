#pragma once

#include <cstdint>
#include <vector>

#include "core/base/divisor.h"
#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/ftl/ftl_params.h"

namespace cavern {

class StateArchive;

/// What flash says of where pages are, under DFTL: the entries of the translation pages, page size
/// / 4 bytes of them each, and the directory of where those pages lie themselves. Only the
/// contents: reads and programs of translation pages are decided elsewhere (Dftl).
///
/// Logical pages are striped over the planes, channels fastest, and the translation page of a page
/// lies in its plane:
///   v = lpn div (planes * E) * planes + lpn mod planes, E entries a page; one plane: lpn div E.
///
/// A place is a physical page number + 1, or 0 for nowhere. Where pages have a logical number,
/// translation page v has logical_pages() + v.
///
/// Memory: 4 bytes a logical page, 4 a translation page; untouched parts cost nothing.
class TranslationMap {
  public:
    TranslationMap(const Geometry& geometry, const FtlParams& params);

    [[nodiscard]] std::uint64_t logical_pages() const { return logical_pages_; }
    [[nodiscard]] std::uint32_t planes() const { return planes_; }
    [[nodiscard]] std::uint32_t entries_per_table() const { return entries_per_table_; }
    /// Translation pages, written or not.
    [[nodiscard]] std::uint32_t tables() const {
        return static_cast<std::uint32_t>(directory_.size());
    }
    /// Of those, how many are in flash.
    [[nodiscard]] std::uint64_t tables_in_flash() const { return tables_in_flash_; }

    [[nodiscard]] std::uint32_t table_of(Lpn lpn) const {
        const std::uint32_t within = by_planes_.divide(static_cast<std::uint32_t>(raw(lpn)));
        return by_entries_.divide(within) * planes_ + shard_of(lpn);
    }
    [[nodiscard]] PlaneId plane_of(Lpn lpn) const { return shards_[shard_of(lpn)]; }
    [[nodiscard]] PlaneId plane_of_table(std::uint32_t table) const {
        return shards_[table - by_planes_.divide(table) * planes_];
    }
    [[nodiscard]] Lpn number_of(std::uint32_t table) const { return Lpn{logical_pages_ + table}; }
    /// Whether it is the number of a translation page.
    [[nodiscard]] bool is_table(Lpn number) const {
        return raw(number) >= logical_pages_ && raw(number) - logical_pages_ < tables();
    }
    /// The translation page with that number.
    [[nodiscard]] std::uint32_t table_numbered(Lpn number) const {
        return static_cast<std::uint32_t>(raw(number) - logical_pages_);
    }

    /// Place of a logical page, as its translation page says.
    [[nodiscard]] std::uint32_t place(Lpn lpn) const { return places_[raw(lpn)]; }
    void set_place(Lpn lpn, std::uint32_t place) { places_[raw(lpn)] = place; }
    /// Place of a translation page, as the directory says.
    [[nodiscard]] std::uint32_t place_of_table(std::uint32_t table) const {
        return directory_[table];
    }
    void set_place_of_table(std::uint32_t table, Ppn page) {
        tables_in_flash_ += directory_[table] == 0 ? 1 : 0;
        directory_[table] = static_cast<std::uint32_t>(raw(page) + 1);
    }

    /// Checks that no page is mapped by a translation page that is not there, and their number.
    /// Returns how many facts were compared.
    std::uint64_t check_invariants() const;
    void serialize(StateArchive& archive);

  private:
    friend struct DftlProbe; // tests corrupt the state to see check_invariants notice

    [[nodiscard]] std::uint32_t shard_of(Lpn lpn) const {
        const auto page = static_cast<std::uint32_t>(raw(lpn));
        return page - by_planes_.divide(page) * planes_;
    }

    std::uint32_t planes_;
    std::uint64_t logical_pages_;
    std::uint32_t entries_per_table_;
    Divisor by_planes_;
    Divisor by_entries_;
    std::vector<PlaneId> shards_;        ///< plane of the pages with this remainder
    LazyArray<std::uint32_t> places_;    ///< by logical page
    LazyArray<std::uint32_t> directory_; ///< by translation page
    std::uint64_t tables_in_flash_ = 0;
};

} // namespace cavern
