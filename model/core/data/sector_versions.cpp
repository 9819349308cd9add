#include "core/data/sector_versions.h"

#include "core/base/check.h"

namespace cavern {

SectorVersions::Version SectorVersions::count(std::uint64_t request) {
    CAVERN_CHECK(latest_ != ~Version{0}, "a drive with data takes 2^32 page writes at most");
    // A tag whose version is 0 would be zeros at the first sector of the drive.
    latest_ += (latest_ & SectorTag::kVersionMask) == SectorTag::kVersionMask ? 2 : 1;
    if (requests_.empty()) {
        requests_.assign(kRemembered, kNoRequest);
    }
    requests_[latest_ % kRemembered] = request;
    return latest_;
}

SectorVersions::Version SectorVersions::write(std::uint64_t request, std::uint64_t first,
                                              std::uint32_t count_of) {
    CAVERN_CHECK(first + count_of <= sectors(), "sectors that are written are of the drive");
    const Version version = count(request);
    for (std::uint64_t lba = first; lba < first + count_of; ++lba) {
        newest_[lba] = version;
    }
    return version;
}

SectorVersions::Version SectorVersions::trim(std::uint64_t request, std::uint64_t first,
                                             std::uint64_t count_of) {
    CAVERN_CHECK(first + count_of <= sectors(), "sectors that are trimmed are of the drive");
    const Version version = count(request);
    for (std::uint64_t lba = first; lba < first + count_of; ++lba) {
        if (newest_[lba] != 0) { // else they are zeros already
            newest_[lba] = trims_[lba] = version;
        }
    }
    return version;
}

/// A tag has the last bits of its version: the latest number that ends so.
SectorVersions::Version SectorVersions::version_of(SectorTag found) const {
    const Version newest = found.lba() < sectors() ? newest_[found.lba()] : latest_;
    return newest - ((newest - found.version()) & SectorTag::kVersionMask);
}

/// Numbers go on: what was lost never counts as newer.
void SectorVersions::recovered(std::uint64_t lba, SectorTag found) {
    const Version version = found.is_zeros() || found.lba() != lba ? 0 : version_of(found);
    if (newest_[lba] != version) {
        newest_[lba] = version;
    }
    if (trims_[lba] != 0) {
        trims_[lba] = 0;
    }
}

bool SectorVersions::may_find(std::uint64_t lba, SectorTag found, Version least) const {
    if (found.is_zeros()) {
        return trims_[lba] >= least;
    }
    if (found.lba() != lba) {
        return false;
    }
    const Version newest = newest_[lba];
    const Version behind = (newest - found.version()) & SectorTag::kVersionMask;
    return behind <= newest - least;
}

std::string SectorVersions::describe(Version version) const {
    if (version == 0) {
        return "zeros, never written";
    }
    std::string text = "version " + std::to_string(version);
    if (latest_ - version >= kRemembered) {
        return text;
    }
    const std::uint64_t request = requests_[version % kRemembered];
    return text + (request == kNoRequest ? " (before the run)"
                                         : " (request " + std::to_string(request) + ")");
}

} // namespace cavern
