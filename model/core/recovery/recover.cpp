#include "core/recovery/recover.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/recovery/map_search.h"
#include "core/recovery/rebuild.h"

namespace cavern {
namespace {

/// What a record says is trimmed is not wanted, if the record is newer.
void apply_records(const TrimMap& trims, std::uint64_t end, SpareScan& scan) {
    for (std::uint64_t record = raw(trims.first_record()); record < end; ++record) {
        if (scan.places()[record] == 0) {
            continue;
        }
        const PageVersion version = scan.versions()[record];
        for (const auto& [first, last] : trims.read(Lpn{record}, version)) {
            for (std::uint64_t page = first; page < last; ++page) {
                if (scan.versions()[page] < version) {
                    scan.drop(page);
                }
            }
        }
    }
}

void count(const Rebuild& rebuild, RecoveryCounters& counters) {
    for (const FlashOp& op : rebuild.ops()) {
        if (op.kind == FlashOpKind::kErase) {
            ++counters.blocks_erased;
        } else if (op.kind == FlashOpKind::kProgram) {
            ++(op.copies ? counters.pages_copied : counters.pages_written);
        }
    }
}

} // namespace

void recover(DriveCore& fresh, NandArray& array, SpareScan& scan, const RecoveryParams& params,
             RecoveryCounters& counters, PageContents* contents, MountCut* cut) {
    CAVERN_CHECK(fresh.trims() != nullptr, "a drive that recovers has been told that it will");
    scan.leave_out(params.log.reserved_blocks(array.geometry()));
    const auto search =
        std::find_if(map_searches().begin(), map_searches().end(),
                     [&](const MapSearch& each) { return each.log == params.log.kind; });
    CAVERN_CHECK(search != map_searches().end(), "a map log is looked for by somebody");
    search->run(scan, fresh, params.word_line, counters);
    apply_records(*fresh.trims(), fresh.ftl().logical_pages(), scan);
    forget_map(fresh.ftl(), scan);
    Rebuild rebuild(scan, array, contents, cut, params.word_line);
    const MountNeeds needs = fresh.ftl().parts().mount->mount_needs();
    for (const BlockId block : needs.bad) {
        rebuild.set_aside(block);
    }
    switch (params.rebuilding) {
    case Rebuilding::kPages:
        rebuild_pages(rebuild, needs.erased_blocks, params.placement);
        break;
    case Rebuilding::kInPlace:
        rebuild.erase_unwanted();
        write_map(fresh.ftl(), rebuild, needs.erased_blocks);
        break;
    case Rebuilding::kBlocks:
        rebuild_blocks(rebuild, needs, params.strict_order);
        break;
    case Rebuilding::kSuperblocks:
        rebuild_superblocks(rebuild, needs);
        break;
    case Rebuilding::kNone:
        CAVERN_CHECK(false, "the translation layer can be rebuilt");
    }
    fresh.mount(rebuild.mounted(), scan.versions(), scan.latest());
    fresh.resume_map_log(array);
    counters.spares_read += scan.spares();
    count(rebuild, counters);
    counters.log_pages_read += scan.log_pages();
    const TimePs scanned = scan_time(array.geometry(), params.times, scan.spares_of_dies(),
                                     scan.slc_spares_of_dies()) +
                           log_time(array.geometry(), params.times, scan.log_pages_of_dies());
    const TimePs rebuilt = rebuild_time(array.geometry(), params.times, rebuild.ops());
    counters.scan_time += scanned;
    counters.rebuild_time += rebuilt;
    counters.time += scanned + rebuilt;
}

std::unique_ptr<DriveCore> come_back(const Comeback& how, FlashContents kept, NandArray& array,
                                     RecoveryCounters& counters, PageContents* contents) {
    Random random(how.seed);
    for (std::uint64_t left = random.below(how.cuts_in_mount + 1);;) {
        std::unique_ptr<DriveCore> fresh = how.make_core(kept);
        const MapInFlashIf* map = fresh->ftl().map_in_flash();
        const std::unique_ptr<SpareScan> scan = how.make_scan(
            array, map != nullptr ? map->numbered_pages() : fresh->ftl().logical_pages());
        if (left-- == 0) {
            recover(*fresh, array, *scan, how.params, counters, contents);
            return fresh;
        }
        MountCut cut;
        // Some mounts take a few operations, some thousands.
        cut.after = random.below(std::uint64_t{1} << random.below(random.below(2) == 0 ? 3 : 12));
        cut.seed = random.next();
        cut.ends = how.ends_programs;
        try {
            recover(*fresh, array, *scan, how.params, counters, contents, &cut);
            return fresh; // before its time has come
        } catch (const PowerGone&) {
            ++counters.mounts_cut;
            counters.add(cut.torn);
        }
    }
}

} // namespace cavern
