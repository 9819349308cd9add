#include "core/recovery/mark_search.h"

#include <optional>

#include "core/base/check.h"
#include "core/drive/mark_log.h"

namespace cavern {

void search_mark(SpareScan& scan, DriveCore& fresh, std::uint32_t, RecoveryCounters& counters) {
    auto* log = dynamic_cast<MarkLog*>(fresh.map_log());
    CAVERN_CHECK(log != nullptr, "a drive that goes back to a mark writes some");
    const std::optional<MarkLog::Mark> mark = log->find(scan.array());
    CAVERN_CHECK(mark && log->contents()->marks.count(mark->number) != 0,
                 "a drive that goes back to a mark finds one");
    const LogArea& area = log->area();
    for (std::uint32_t half = 0; half < LogArea::kHalves; ++half) {
        for (std::uint32_t page = 0; page < mark->pages_read[half]; ++page) {
            scan.read_spare(area.geometry().die_of(area.page(half, page)));
        }
    }
    scan.read_log_page(area.geometry().die_of(area.page(mark->half, mark->page)));
    scan.run_until(mark->number, log->contents()->marks.at(mark->number));
    MapLogContents::Ranges gone = scan.ranges_found();
    if (scan.latest() > mark->number) {
        gone.emplace_back(mark->number, scan.latest());
    }
    log->set_gone(std::move(gone));
    counters.pages_gone_back += scan.gone();
}

} // namespace cavern
