#pragma once

#include <cstdint>

#include "core/base/strong_id.h"
#include "core/data/sector_versions.h"

namespace cavern {

/// Hears which versions the data of writes and TRIMs have, in the order decided, each after the
/// decision of its page and before that of the next one.
class DataWatchIf {
  public:
    virtual ~DataWatchIf() = default;
    /// Sectors of one page.
    virtual void data_written(Lpn page, std::uint32_t first, std::uint32_t sectors,
                              SectorVersions::Version version) = 0;
    virtual void data_trimmed(Lpn first, std::uint64_t pages, SectorVersions::Version version) = 0;
};

} // namespace cavern
