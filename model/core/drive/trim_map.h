#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/strong_id.h"

namespace cavern {

/// What the record pages of a drive hold, for as long as flash may hold them. Data of pages are not
/// modelled; these are, as recovery reads them. A record is found by the version in its spare area.
class TrimContents {
  public:
    /// Logical pages from .first up to, not including, .second.
    using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

    /// Of the versions before, as many may be on their way to flash as operations are under way.
    void store(Lpn record, PageVersion version, Ranges trimmed, std::uint64_t under_way);
    /// Flash holds no other version of the record; 0: none.
    void forget_but(Lpn record, PageVersion version);
    /// Throws ModelError if there is no such record.
    [[nodiscard]] const Ranges& read(Lpn record, PageVersion version) const;

  private:
    std::map<Lpn, std::map<PageVersion, Ranges>> records_;
};

/// Which logical pages are trimmed, a bit a page, and where that is recorded: in record pages, the
/// last logical pages of the drive, which the host does not see. A record page has the bits of as
/// many pages as its bytes hold. With a record of sequence number s a page whose bit is set holds
/// nothing, if its newest version in flash is older than s. So a later write needs no record.
///
/// Memory: a bit a logical page.
class TrimMap {
  public:
    /// `contents` has what flash holds of the records; null: of a drive without any.
    TrimMap(std::uint64_t logical_pages, std::uint32_t page_bytes,
            std::shared_ptr<TrimContents> contents = nullptr);

    /// What is left for the host of so many logical pages.
    [[nodiscard]] static constexpr std::uint64_t host_pages_of(std::uint64_t logical_pages,
                                                               std::uint32_t page_bytes) {
        const std::uint64_t in_record = std::uint64_t{page_bytes} * 8;
        return logical_pages - (logical_pages + in_record) / (in_record + 1);
    }
    /// Record pages, the last ones of the drive's logical pages.
    [[nodiscard]] std::uint64_t records() const { return logical_pages_ - host_pages_; }
    [[nodiscard]] Lpn first_record() const { return Lpn{host_pages_}; }
    [[nodiscard]] bool is_record(Lpn lpn) const { return raw(lpn) >= host_pages_; }
    [[nodiscard]] Lpn record_of(Lpn lpn) const {
        return Lpn{host_pages_ + raw(lpn) / pages_in_record_};
    }

    void trim(Lpn first, std::uint64_t count);
    /// A new version of the page is on its way.
    void written(Lpn lpn) {
        if (trimmed_[raw(lpn)]) {
            trimmed_[raw(lpn)] = false;
        }
    }
    /// The record page is programmed with what holds now. `under_way`: operations, this one among
    /// them.
    void keep(Lpn record, PageVersion version, std::uint64_t under_way);
    /// The drive has come back with this version of the record; 0: none.
    void forget_but(Lpn record, PageVersion version) { contents_->forget_but(record, version); }
    /// What a record found in flash says.
    [[nodiscard]] const TrimContents::Ranges& read(Lpn record, PageVersion version) const {
        return contents_->read(record, version);
    }
    /// They stay with the flash when the drive loses its power.
    [[nodiscard]] const std::shared_ptr<TrimContents>& contents() const { return contents_; }

  private:
    std::uint64_t logical_pages_;
    std::uint64_t pages_in_record_;
    std::uint64_t host_pages_;
    std::shared_ptr<TrimContents> contents_;
    std::vector<bool> trimmed_;
};

} // namespace cavern
