#include "core/recovery/map_search.h"

#include "core/recovery/checkpoint_search.h"
#include "core/recovery/mark_search.h"

namespace cavern {
namespace {

void search_spares(SpareScan& scan, DriveCore&, std::uint32_t, RecoveryCounters&) {
    scan.run();
}

} // namespace

const std::vector<MapSearch>& map_searches() {
    static const std::vector<MapSearch> table = {
        {MapLogKind::kNone, search_spares},
        {MapLogKind::kCheckpoint, search_checkpoint},
        {MapLogKind::kMarks, search_mark},
    };
    return table;
}

} // namespace cavern
