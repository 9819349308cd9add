#include "config/data_check.h"

#include <fmt/format.h>

#include "core/base/sectors.h"
#include "core/data/sector_tag.h"

namespace cavern {

std::optional<ConfigProblem> find_data_problem(const DrivePlan& config) {
    if (config.data.store == DataStore::kNone) {
        return std::nullopt;
    }
    const Geometry geometry = config.geometry;
    if (geometry.page_bytes > kMaxSectors * kSectorBytes) {
        return ConfigProblem{{"data.store", "nand.page_size", "ftl.unit"},
                             fmt::format("data.store of pages of {}",
                                         format_quantity(geometry.page_bytes, Quantity::kBytes)),
                             "a ftl.unit of 32KiB at most, or data.store = none"};
    }
    if (geometry.raw_bytes() / kSectorBytes > SectorTag::kMostSectors) {
        return ConfigProblem{{"data.store", "nand.channels", "nand.blocks_per_plane"},
                             "data.store of a drive of more than 32 TiB",
                             "a smaller drive, or data.store = none"};
    }
    return std::nullopt;
}

} // namespace cavern
