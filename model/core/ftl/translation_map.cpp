#include "core/ftl/translation_map.h"

#include <string>

#include "core/base/check.h"
#include "core/ftl/dftl_shape.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

TranslationMap::TranslationMap(const Geometry& geometry, const FtlParams& params)
    : planes_(geometry.planes()), logical_pages_(exported_pages(geometry, params.overprovision)),
      entries_per_table_(cavern::entries_per_table(geometry)), by_planes_(planes_),
      by_entries_(entries_per_table_), places_(logical_pages_, Touches::kScattered),
      directory_(translation_pages(geometry, params)) {
    for (std::uint32_t die_in_plane = 0; die_in_plane < geometry.planes_per_die; ++die_in_plane) {
        for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
            shards_.push_back(geometry.plane(DieId{die}, die_in_plane));
        }
    }
}

std::uint64_t TranslationMap::check_invariants() const {
    for (std::uint64_t page = 0; page < logical_pages_; ++page) {
        CAVERN_CHECK(places_[page] == 0 || directory_[table_of(Lpn{page})] != 0,
                     "logical page " + std::to_string(page) +
                         " is mapped by a translation page that does not exist");
    }
    std::uint64_t tables = 0;
    for (std::uint32_t table = 0; table < directory_.size(); ++table) {
        tables += directory_[table] != 0 ? 1 : 0;
    }
    CAVERN_CHECK(tables == tables_in_flash_, "the translation pages are miscounted");
    return logical_pages_ + 1;
}

} // namespace cavern
