#pragma once

#include <cstdint>
#include <vector>

#include "core/data/drive_data.h"

namespace cavern {

/// A write or TRIM of a page of the host.
struct PageChange {
    std::uint64_t tick = 0; ///< in the order decided
    bool trim = false;
    // Where data are kept.
    std::uint8_t first = 0; ///< of the sectors written
    std::uint8_t sectors = 0;
    SectorVersions::Version version = 0;
};

/// Which data pages may hold after a loss of power, sector by sector. It goes by the bytes alone:
/// recovery goes by the spare areas, so a page that is mapped wrong, and one whose data went astray
/// on their way, show here.
class SectorOracle {
  public:
    /// What `data` hold is the newest.
    explicit SectorOracle(DriveData& data);

    /// The page is not found older than the change from now on, and older ones are forgotten.
    void settle(Lpn page, const PageChange& change);
    /// Whether every sector has the data that it had at `tick`, or those of a later change.
    /// `changes`: those since what was settled, in the order decided.
    [[nodiscard]] bool may_hold(Lpn page, const std::vector<PageChange>& changes,
                                std::uint64_t tick, const PageContent& found) const;
    /// The page came back with this.
    void recovered(Lpn page, const PageContent& found);

    [[nodiscard]] DriveData& data() { return data_; }
    [[nodiscard]] std::uint32_t sectors() const { return sectors_; }

  private:
    using Version = SectorVersions::Version;

    DriveData& data_;
    std::uint32_t sectors_;
    LazyArray<Version> settled_; ///< by LBA; 0: zeros
};

} // namespace cavern
