#include "core/recovery/map_search.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/drive/checkpoint_log.h"
#include "core/drive/mark_log.h"

namespace cavern {
namespace {

void search_spares(SpareScan& scan, DriveCore&, std::uint32_t, RecoveryCounters&) {
    scan.run();
}

/// The checkpoint with its journal, and what reading it takes.
MapSnapshot read_checkpoint(const CheckpointLog& log, const CheckpointPlace& place,
                            SpareScan& scan) {
    const LogArea& area = log.area();
    const Geometry& geometry = area.geometry();
    const auto read = [&](std::uint32_t page) {
        scan.read_log_page(geometry.die_of(area.page(place.half, page)));
    };
    for (std::uint32_t page = 0; page < log.pages(); ++page) {
        read(page);
    }
    MapSnapshot known = scan.checkpoint(*log.contents(), place.generation);
    const std::vector<std::vector<MapSnapshot::Change>> journal = std::move(known.journal);
    std::uint32_t page = log.pages();
    for (const auto& changes : journal) {
        if (!area.holds(scan.array(), place.half, page, place.generation)) {
            break;
        }
        read(page++);
        replay(changes, geometry, known);
    }
    if (page < area.pages()) {
        read(page); // that the journal ends
    }
    return known;
}

/// LTFTL (MarkLog): the newest mark is looked for, then all spare areas are read. Of each page the
/// newest version counts that is not above the mark.
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

/// Checkpoint, journal, scan (CheckpointLog): the newest whole checkpoint is read, its journal is
/// replayed up to the first page that cannot be read, and then the spare areas of what was
/// programmed since. Where no checkpoint is whole all of them are read.
void search_checkpoint(SpareScan& scan, DriveCore& fresh, std::uint32_t word_line,
                       RecoveryCounters& counters) {
    const auto* log = dynamic_cast<const CheckpointLog*>(fresh.map_log());
    CAVERN_CHECK(log != nullptr, "a drive that looks for a checkpoint writes some");
    const Geometry& geometry = log->area().geometry();
    for (std::uint32_t half = 0; half < LogArea::kHalves; ++half) {
        scan.read_spare(geometry.die_of(log->area().page(half, 0)));
    }
    const std::vector<CheckpointPlace> found = log->find(scan.array());
    if (!found.empty() && scan.run_behind(read_checkpoint(*log, found.front(), scan), word_line)) {
        return;
    }
    ++counters.full_scans;
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

void replay(const std::vector<MapSnapshot::Change>& changes, const Geometry& geometry,
            MapSnapshot& known) {
    for (const MapSnapshot::Change& change : changes) {
        MapSnapshot::Block& block = known.blocks[raw(geometry.block_of(change.page))];
        if (change.erase) {
            ++block.erases;
            block.next = 0;
            continue;
        }
        block.next = geometry.page_in_block(change.page) + 1;
        if (change.lpn != kNoLpn && raw(change.lpn) < known.places.size()) {
            known.places[raw(change.lpn)] = raw(change.page) + 1;
            known.versions[raw(change.lpn)] = change.version;
            known.latest = std::max(known.latest, change.version);
        }
    }
}

} // namespace cavern
