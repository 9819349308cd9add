#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/lazy_array.h"
#include "core/data/sector_tag.h"

namespace cavern {

class StateArchive;

/// Which version of each sector is the newest, by the order in which writes and TRIMs were decided:
/// what a read has to find, whatever buffer and translation layer believe. Each write or TRIM of a
/// page has a number of its own, counted from 1, which is the version of its sectors.
///
/// A read gets the newest version decided before it, or a later one: what was decided while it was
/// under way may have arrived in its frame. Never an older one.
///
/// Memory: 8 bytes a sector; untouched parts cost nothing.
class SectorVersions {
  public:
    using Version = std::uint32_t; ///< 0: never written
    /// Not one of the host's requests: the drive was filled before the run.
    static constexpr std::uint64_t kNoRequest = ~std::uint64_t{0};

    explicit SectorVersions(std::uint64_t sectors) : newest_(sectors), trims_(sectors) {}

    [[nodiscard]] std::uint64_t sectors() const { return newest_.size(); }

    Version write(std::uint64_t request, std::uint64_t first, std::uint32_t count);
    /// They read as zeros from now on.
    Version trim(std::uint64_t request, std::uint64_t first, std::uint64_t count);
    [[nodiscard]] Version newest(std::uint64_t lba) const { return newest_[lba]; }
    /// The same, but 0 where that reads as zeros.
    [[nodiscard]] Version newest_data(std::uint64_t lba) const {
        return newest_[lba] == trims_[lba] ? 0 : newest_[lba];
    }
    /// The sector came back with this after a loss of power: it is the newest version from now on.
    void recovered(std::uint64_t lba, SectorTag found);

    /// Whether a read that was decided when `least` was the newest version may find this.
    [[nodiscard]] bool may_find(std::uint64_t lba, SectorTag found, Version least) const;
    /// Which version that is, if it is one of this drive.
    [[nodiscard]] Version version_of(SectorTag found) const;
    /// A version in words, with the request that wrote it if that is remembered.
    [[nodiscard]] std::string describe(Version version) const;
    void serialize(StateArchive& archive);

  private:
    Version count(std::uint64_t request);

    static constexpr std::uint32_t kRemembered = 1u << 16; ///< latest versions

    LazyArray<Version> newest_;
    LazyArray<Version> trims_; ///< the latest one
    Version latest_ = 0;
    std::vector<std::uint64_t> requests_; ///< of the latest versions
};

} // namespace cavern
