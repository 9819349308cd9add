#pragma once

#include <cstdint>

#include "core/base/counter.h"
#include "core/recovery/torn.h"

namespace cavern {

/// What became of a drive's data when its power was lost, over all cuts of a run. Pages of data are
/// counted as logical pages that the run wrote or trimmed since the cut before.
struct RecoveryCounters {
    std::uint64_t cuts = 0;
    std::uint64_t mounts_cut = 0;
    std::uint64_t acknowledged = 0;
    std::uint64_t flushed = 0;
    std::uint64_t recovered = 0;
    std::uint64_t lost_unflushed = 0;
    std::uint64_t lost_flushed = 0;
    std::uint64_t corrupt = 0;
    std::uint64_t sectors_compared = 0;
    std::uint64_t wrong_data = 0;
    std::uint64_t torn_pages = 0;
    std::uint64_t torn_with_word_line = 0;
    std::uint64_t torn_erases = 0;
    std::uint64_t drained_pages = 0;
    std::uint64_t undrained_pages = 0;
    std::uint64_t drain_nj = 0;
    std::uint64_t spares_read = 0;
    std::uint64_t log_pages_read = 0;
    std::uint64_t full_scans = 0;
    std::uint64_t pages_gone_back = 0;
    std::uint64_t checkpoints = 0;
    std::uint64_t checkpoint_pages = 0;
    std::uint64_t checkpoint_erases = 0;
    std::uint64_t pages_copied = 0;
    std::uint64_t pages_written = 0;
    std::uint64_t blocks_erased = 0;
    TimePs drain_time = 0;
    TimePs scan_time = 0;
    TimePs rebuild_time = 0;
    TimePs time = 0;

    void add(const Torn& torn) {
        torn_pages += torn.pages;
        torn_with_word_line += torn.with_word_line;
        torn_erases += torn.erases;
    }

    static constexpr auto declared = counters_of(
        counter(&RecoveryCounters::cuts, "cuts", "cuts", "How often the power was cut."),
        counter(&RecoveryCounters::mounts_cut, "mounts_cut", "cuts",
                "How often the power was cut again while the drive came back "
                "(power_loss.cuts_in_mount)."),
        counter(&RecoveryCounters::acknowledged, "acknowledged", "pages",
                "Logical pages with a write or TRIM that was acknowledged before the cut."),
        counter(&RecoveryCounters::flushed, "flushed", "pages",
                "Of those, pages that a FLUSH, a write with FUA, or stored energy had made "
                "durable."),
        counter(&RecoveryCounters::recovered, "recovered", "pages",
                "Pages found after the cut as the newest acknowledged write or TRIM left them, or "
                "a newer one."),
        counter(&RecoveryCounters::lost_unflushed, "lost_unflushed", "pages",
                "Pages found older than the newest acknowledged version, which was not flushed: "
                "this is allowed."),
        counter(&RecoveryCounters::lost_flushed, "lost_flushed", "pages",
                "Pages found older than their newest flushed version: a fault."),
        counter(&RecoveryCounters::corrupt, "corrupt", "pages",
                "Pages whose place in flash holds something else: a fault."),
        counter(&RecoveryCounters::sectors_compared, "sectors_compared", "sectors",
                "Sectors whose data were compared after the cut; 0 without data.store."),
        counter(&RecoveryCounters::wrong_data, "wrong_data", "pages",
                "Pages whose data are older than what was flushed, or not of the version that "
                "their spare area names: a fault."),
        counter(&RecoveryCounters::torn_pages, "torn_pages", "pages",
                "Physical pages torn: being programmed at the cut, or sharing a word line with "
                "one that was."),
        counter(&RecoveryCounters::torn_with_word_line, "torn_with_word_line", "pages",
                "Of those, pages that had been programmed: what they held is lost, flushed or "
                "not, where flash has no older version."),
        counter(&RecoveryCounters::torn_erases, "torn_erases", "blocks",
                "Blocks that were being erased at the cut."),
        counter(&RecoveryCounters::drained_pages, "drained_pages", "pages",
                "Dirty pages of the write buffer programmed on stored energy; with power_loss.at "
                "also those that had left it for flash and were not there."),
        counter(&RecoveryCounters::undrained_pages, "undrained_pages", "pages",
                "Such pages for which the stored energy did not suffice."),
        counter(&RecoveryCounters::drain_nj, "drain_nj", "nJ",
                "Stored energy used, by all that was programmed, read and erased on it."),
        counter(&RecoveryCounters::spares_read, "spares_read", "pages",
                "Pages whose spare area was read to find the map."),
        counter(&RecoveryCounters::log_pages_read, "log_pages_read", "pages",
                "NAND pages of checkpoints, journals and marks read to find the map."),
        counter(&RecoveryCounters::full_scans, "full_scans", "cuts",
                "Of the cuts with power_loss.recovery = checkpoint, those after which all spare "
                "areas were read: no checkpoint was whole, or a page that it names was torn."),
        counter(&RecoveryCounters::pages_gone_back, "pages_gone_back", "pages",
                "Intact pages found that were newer than the mark to which an ltftl drive goes "
                "back."),
        counter(&RecoveryCounters::checkpoints, "checkpoints", "checkpoints",
                "Checkpoints, or marks of an ltftl drive, that the run has written."),
        counter(&RecoveryCounters::checkpoint_pages, "checkpoint_pages", "pages",
                "Programs of those and of the journal, in pages (mapping units)."),
        counter(&RecoveryCounters::checkpoint_erases, "checkpoint_erases", "blocks",
                "Erases for those."),
        counter(&RecoveryCounters::pages_copied, "pages_copied", "pages",
                "Pages copied to build the map anew."),
        counter(&RecoveryCounters::pages_written, "pages_written", "pages",
                "Translation pages written anew, and pages that fill up NAND pages."),
        counter(&RecoveryCounters::blocks_erased, "blocks_erased", "blocks",
                "Blocks erased to build the map anew."),
        duration(&RecoveryCounters::drain_time, "drain_ns",
                 "Time that drives have worked on stored energy, all cuts together; no part of the "
                 "mounts."),
        duration(&RecoveryCounters::scan_time, "scan_ns",
                 "Time of reading spare areas and pages of the map log, all mounts together."),
        duration(&RecoveryCounters::rebuild_time, "rebuild_ns",
                 "Time of the copies, programs and erases of all mounts together."),
        duration(&RecoveryCounters::time, "time_ns", "Time of all mounts together."));
};

} // namespace cavern
