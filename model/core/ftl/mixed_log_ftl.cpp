#include "core/ftl/mixed_log_ftl.h"

#include <string>

#include "core/base/check.h"

namespace cavern {

namespace {

/// The last operation of the list, if any came since it had `first`.
std::int32_t last_since(std::size_t first, const FlashOpList& ops) {
    return ops.size() == first ? FlashOp::kNone : static_cast<std::int32_t>(ops.size()) - 1;
}

} // namespace

MixedLogFtl::MixedLogFtl(const Geometry& geometry, const FtlParams& params, const Logs& logs,
                         DecisionLogIf* log)
    : BlockFtl(geometry, params, geometry.pages_per_block, log),
      sequential_(1, logs.sequential, 1, geometry.pages_per_block),
      random_(logs.random, geometry.pages_per_block, logs.associates), data_(units()),
      log_of_(units()) {
    parts_.fill = this;
    if (params.recovers) {
        store().keep_blocks(1);
    }
}

void MixedLogFtl::write(Lpn lpn, PlaneId target, FlashOpList& ops) {
    check_range(lpn);
    put(lpn, target, Origin::kHost, ops);
}

void MixedLogFtl::pad(Lpn lpn, PlaneId target, FlashOpList& ops) {
    check_range(lpn);
    put(lpn, target, Origin::kPadding, ops);
}

std::optional<FilledRun> MixedLogFtl::fill(Lpn first, std::uint32_t count, bool, FlashOpList&) {
    const Unit unit = unit_of(first);
    if (store().geometry().planes() != 1 || offset_of(first) != 0 || has_data(unit) ||
        sequential_of(unit) != kNone || random_.used() != 0) {
        return std::nullopt;
    }
    check_range(Lpn{raw(first) + count - 1});
    const BlockId block = store().take(PlaneId{0});
    data_[unit] = raw(block) + 1;
    for (std::uint32_t i = 0; i < count; ++i) {
        mapped().insert(raw(first) + i);
    }
    return store().fill(block, first, count);
}

Ppn MixedLogFtl::location(Lpn lpn) const {
    check_range(lpn);
    if (!mapped().contains(raw(lpn))) {
        return kNoPpn;
    }
    const Geometry& geometry = store().geometry();
    if (const std::uint32_t position = random_.find(lpn); position != SharedLog::kNone) {
        return geometry.page(random_.block(random_.slot_of(position)), random_.page_of(position));
    }
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_of(lpn);
    if (const std::uint32_t log = sequential_of(unit); log != kNone) {
        if (sequential_.page(log, offset) != kNone) {
            return geometry.page(sequential_.block(log, 0), offset);
        }
    }
    return geometry.page(data_block(unit), offset);
}

void MixedLogFtl::trim(Lpn lpn, FlashOpList&) {
    check_range(lpn);
    if (!mapped().erase(raw(lpn))) {
        return;
    }
    random_.drop(lpn);
    if (const std::uint32_t log = sequential_of(unit_of(lpn)); log != kNone) {
        sequential_.drop(log, offset_of(lpn));
    }
}

void MixedLogFtl::mount(const MountedDrive& drive) {
    mount_in_place(drive, 1,
                   [this](Unit unit, const Columns& blocks) { data_[unit] = raw(*blocks[0]) + 1; });
}

bool MixedLogFtl::fits_in_place(Lpn lpn) const {
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_of(lpn);
    return sequential_of(unit) == kNone &&
           (has_data(unit) ? store().accepts(data_block(unit), offset)
                           : store().accepts_first(offset));
}

std::optional<DieId> MixedLogFtl::die_near_data(Unit unit, std::optional<DieId> target) const {
    return has_data(unit) ? store().die_near(store().geometry().plane_of(data_block(unit)))
                          : store().die_near(target);
}

std::optional<DieId> MixedLogFtl::die_in_place(Lpn lpn, std::optional<DieId> target) const {
    const Unit unit = unit_of(lpn);
    return has_data(unit) ? die_of(data_block(unit)) : store().die_near(target);
}

bool MixedLogFtl::put_in_place(Lpn lpn, PlaneId target, Origin origin, FlashOpList& ops) {
    if (!fits_in_place(lpn)) {
        return false;
    }
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_of(lpn);
    if (!has_data(unit)) {
        data_[unit] = raw(store().take_near(target)) + 1;
    }
    program(lpn, data_block(unit), offset, origin, ops);
    random_.drop(lpn);
    return true;
}

void MixedLogFtl::put_in_random(std::uint32_t slot, Lpn lpn, Origin origin, FlashOpList& ops) {
    program(lpn, random_.block(slot), random_.filled(slot), origin, ops);
    random_.append(slot, lpn);
    if (const std::uint32_t log = sequential_of(unit_of(lpn)); log != kNone) {
        sequential_.drop(log, offset_of(lpn));
    }
}

void MixedLogFtl::put_in_sequential(std::uint32_t log, Lpn lpn, Origin origin, FlashOpList& ops) {
    const std::uint32_t offset = offset_of(lpn);
    program(lpn, sequential_.block(log, 0), offset, origin, ops);
    sequential_.append(log, offset, offset);
    random_.drop(lpn);
}

std::uint32_t MixedLogFtl::open_sequential(Unit unit, PlaneId target) {
    const PlaneId plane = has_data(unit) ? store().geometry().plane_of(data_block(unit)) : target;
    const std::uint32_t log = sequential_.open(0, unit);
    sequential_.set_block(log, 0, store().take_near(plane));
    log_of_[unit] = log + 1;
    return log;
}

void MixedLogFtl::close_log(std::uint32_t log) {
    log_of_[sequential_.unit(log)] = 0;
    sequential_.close(log);
}

std::uint32_t MixedLogFtl::gather(Unit unit, BlockId into, std::uint32_t first, Pending pending,
                                  FlashOpList& ops) {
    std::uint32_t copies = 0;
    for (std::uint32_t offset = first; offset < unit_pages(); ++offset) {
        const Lpn lpn = lpn_of(unit, offset);
        if (offset == pending.offset) {
            program(lpn, into, offset, pending.origin, ops);
        } else if (mapped().contains(raw(lpn))) {
            store().copy(location(lpn), into, offset, lpn, Origin::kMerge, ops);
            ++copies;
        } else {
            continue;
        }
        random_.drop(lpn);
    }
    return copies;
}

void MixedLogFtl::close_sequential(std::uint32_t log, Pending pending, FlashOpList& ops) {
    const Unit unit = sequential_.unit(log);
    if (pending.offset == kNone && !holds_pages(unit)) {
        merge_fully(unit, pending, ops);
        return;
    }
    const std::uint32_t first = next_in_sequential(log);
    const std::size_t before = ops.size();
    const std::uint32_t copies = gather(unit, sequential_.block(log, 0), first, pending, ops);
    std::uint32_t erases = 0;
    if (has_data(unit)) {
        store().erase(data_block(unit), last_since(before, ops), ops);
        ++erases;
    }
    data_[unit] = raw(sequential_.block(log, 0)) + 1;
    close_log(log);
    store().count_merge(first == unit_pages() ? MergeKind::kSwitch : MergeKind::kPartial, Lbn{unit},
                        copies, erases);
}

void MixedLogFtl::merge_fully(Unit unit, Pending pending, FlashOpList& ops) {
    const std::uint32_t log = sequential_of(unit);
    const std::uint32_t old = data_[unit];
    const std::size_t before = ops.size();
    std::uint32_t copies = 0;
    std::uint32_t moved_to = 0;
    if (pending.offset != kNone || holds_pages(unit)) {
        const BlockId into = has_data(unit)
                                 ? store().take_near(store().geometry().plane_of(data_block(unit)))
                                 : store().take_anywhere();
        copies = gather(unit, into, 0, pending, ops);
        moved_to = raw(into) + 1;
    }
    const std::int32_t last = last_since(before, ops);
    std::uint32_t erases = 0;
    if (old != 0) {
        store().erase(BlockId{old - 1}, last, ops);
        ++erases;
    }
    if (log != kNone) {
        store().erase(sequential_.block(log, 0), last, ops);
        ++erases;
        close_log(log);
    }
    data_[unit] = moved_to;
    store().count_merge(MergeKind::kFull, Lbn{unit}, copies, erases);
}

void MixedLogFtl::erase_random(std::uint32_t slot, std::size_t first, FlashOpList& ops) {
    const BlockId block = random_.block(slot);
    random_.close(slot);
    store().erase(block, last_since(first, ops), ops);
    store().count_reclaim(block);
}

std::optional<std::uint32_t> MixedLogFtl::valid_count(BlockId block) const {
    for (std::uint32_t slot = random_.oldest(); slot != SharedLog::kNone;
         slot = random_.newer(slot)) {
        if (random_.block(slot) == block) {
            return random_.valid(slot);
        }
    }
    for (Unit unit = 0; unit < units(); ++unit) {
        if (log_of_[unit] != 0 && sequential_.block(sequential_of(unit), 0) == block) {
            return sequential_.valid(sequential_of(unit));
        }
    }
    return std::nullopt;
}

std::uint64_t MixedLogFtl::check_invariants() const {
    std::vector<bool> in_use(store().geometry().blocks(), false);
    const auto take = [&in_use](BlockId block) {
        CAVERN_CHECK(!in_use[raw(block)],
                     "block " + std::to_string(raw(block)) + " is used for two things");
        in_use[raw(block)] = true;
    };
    std::uint64_t facts = random_.check_invariants();
    for (std::uint32_t slot = random_.oldest(); slot != kNone; slot = random_.newer(slot)) {
        take(random_.block(slot));
        CAVERN_CHECK(random_.filled(slot) == store().next_page(random_.block(slot)),
                     "a log block is filled as far as it is programmed");
        ++facts;
    }
    std::vector<std::uint32_t> logs;
    facts += sequential_.check_invariants(0, logs);
    for (const std::uint32_t log : logs) {
        take(sequential_.block(log, 0));
        CAVERN_CHECK(sequential_of(sequential_.unit(log)) == log,
                     "a sequential log belongs to a block that does not know of it");
        ++facts;
    }
    std::uint64_t counted = 0;
    for (Unit unit = 0; unit < units(); ++unit) {
        if (has_data(unit)) {
            take(data_block(unit));
        }
        counted += check_unit(unit, in_use);
    }
    CAVERN_CHECK(counted == mapped().count(), "the number of mapped pages is not as counted");
    facts += 3 * counted + units();
    CAVERN_CHECK(store().free_blocks() >= 1, "the drive has no block left for a merge");
    return facts + 2 + store().check_invariants(in_use);
}

std::uint64_t MixedLogFtl::check_unit(Unit unit, std::vector<bool>& in_use) const {
    const std::string name = "logical block " + std::to_string(unit) + ": ";
    const std::uint32_t log = sequential_of(unit);
    CAVERN_CHECK(log == kNone ||
                     (sequential_.unit(log) == unit && in_use[raw(sequential_.block(log, 0))]),
                 name + "its sequential log belongs to another");
    std::uint64_t counted = 0;
    for (std::uint32_t offset = 0; offset < unit_pages(); ++offset) {
        const Lpn lpn = lpn_of(unit, offset);
        const std::uint32_t position = random_.find(lpn);
        const std::uint32_t page = log != kNone ? sequential_.page(log, offset) : kNone;
        if (!mapped().contains(raw(lpn))) {
            CAVERN_CHECK(position == kNone && page == kNone, name + "a log maps a trimmed page");
            continue;
        }
        ++counted;
        if (position != kNone) {
            CAVERN_CHECK(page == kNone && random_.lpn_at(random_.slot_of(position),
                                                         random_.page_of(position)) == lpn,
                         name + "two logs map a page, or one maps another");
        } else if (page != kNone) {
            CAVERN_CHECK(page == offset && offset < next_in_sequential(log),
                         name + "a page of its sequential log is not at its own offset");
        } else {
            CAVERN_CHECK(has_data(unit) && offset < store().next_page(data_block(unit)),
                         name + "a page in place was never programmed");
        }
    }
    return counted;
}

} // namespace cavern
