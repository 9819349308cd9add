#include "core/recovery/sector_oracle.h"

#include <array>

namespace cavern {

SectorOracle::SectorOracle(DriveData& data)
    : data_(data), sectors_(data.store().sectors()), settled_(data.versions().sectors()) {
    for (std::uint64_t lba = 0; lba < settled_.size(); ++lba) {
        const Version version = data.versions().newest_data(lba);
        if (version != 0) {
            settled_[lba] = version;
        }
    }
}

void SectorOracle::settle(Lpn page, const PageChange& change) {
    const std::uint64_t lba = raw(page) * sectors_ + change.first;
    for (std::uint32_t i = 0; i < change.sectors; ++i) {
        settled_[lba + i] = change.trim ? 0 : change.version;
    }
}

bool SectorOracle::may_hold(Lpn page, const std::vector<PageChange>& changes, std::uint64_t tick,
                            const PageContent& found) const {
    const std::uint64_t lba = raw(page) * sectors_;
    std::array<Version, kMaxSectors> versions{};
    std::array<bool, kMaxSectors> right{};
    for (std::uint32_t i = 0; i < sectors_; ++i) {
        const SectorTag tag = found.tag(i);
        if (!tag.is_zeros() && tag.lba() != lba + i) {
            return false;
        }
        versions[i] = tag.is_zeros() ? 0 : data_.versions().version_of(tag);
        right[i] = versions[i] == settled_[lba + i];
    }
    for (const PageChange& change : changes) {
        const Version version = change.trim ? 0 : change.version;
        for (std::uint32_t i = change.first; i < std::uint32_t{change.first} + change.sectors;
             ++i) {
            const bool has_it = versions[i] == version;
            right[i] = has_it || (change.tick > tick && right[i]);
        }
    }
    for (std::uint32_t i = 0; i < sectors_; ++i) {
        if (!right[i]) {
            return false;
        }
    }
    return true;
}

void SectorOracle::recovered(Lpn page, const PageContent& found) {
    data_.recovered(page, found);
    const std::uint64_t lba = raw(page) * sectors_;
    for (std::uint32_t i = 0; i < sectors_; ++i) {
        const Version version = data_.versions().newest_data(lba + i);
        if (settled_[lba + i] != version) {
            settled_[lba + i] = version;
        }
    }
}

} // namespace cavern
