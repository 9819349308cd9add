#include "core/ftl/block_log_ftl.h"

#include <string>

#include "core/base/check.h"

namespace cavern {

BlockLogFtl::BlockLogFtl(const Geometry& geometry, const FtlParams& params, const Shape& shape,
                         DecisionLogIf* log)
    : BlockFtl(geometry, params, shape.columns * geometry.pages_per_block, log),
      pages_per_block_(geometry.pages_per_block), shape_(shape), by_columns_(shape.columns),
      eager_switch_(params.eager_switch),
      logs_(shape.log_groups, shape.logs_per_group, shape.columns, geometry.pages_per_block),
      data_(std::size_t{units()} * shape.columns), log_of_(units()), placed_(geometry.planes(), 0) {
}

Ppn BlockLogFtl::location(Lpn lpn) const {
    check_range(lpn);
    if (!mapped().contains(raw(lpn))) {
        return kNoPpn;
    }
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_in(unit, lpn);
    const std::uint32_t row = by_columns_.divide(offset);
    const std::uint32_t column = offset - row * shape_.columns;
    if (const std::uint32_t log = log_of(unit); log != kNone) {
        if (const std::uint32_t page = logs_.page(log, offset); page != kNone) {
            return store().geometry().page(logs_.block(log, column), page);
        }
    }
    return store().geometry().page(data_block(unit, column), row);
}

void BlockLogFtl::trim(Lpn lpn, FlashOpList&) {
    check_range(lpn);
    if (!mapped().erase(raw(lpn))) {
        return;
    }
    const Unit unit = unit_of(lpn);
    if (const std::uint32_t log = log_of(unit); log != kNone) {
        logs_.drop(log, offset_in(unit, lpn));
    }
}

void BlockLogFtl::mount(const MountedDrive& drive) {
    mount_in_place(drive, shape_.columns, [this](Unit unit, const Columns& blocks) {
        std::uint32_t first = 0;
        while (!blocks[first]) {
            ++first;
        }
        const PlaneId home{raw(store().geometry().plane_of(*blocks[first])) -
                           first * shape_.column_stride};
        note_placed(home);
        for (std::uint32_t c = 0; c < shape_.columns; ++c) {
            set_data_block(unit, c, blocks[c] ? *blocks[c] : store().take(plane_of(home, c)));
        }
    });
}

DieId BlockLogFtl::die_of(Lpn lpn, PlaneId home) const {
    const std::uint32_t offset = offset_of(lpn);
    const std::uint32_t column = offset - by_columns_.divide(offset) * shape_.columns;
    return store().geometry().die_of(plane_of(home, column));
}

PlaneId BlockLogFtl::home_of(Unit unit) const {
    const BlockId first = has_data(unit) ? data_block(unit, 0) : logs_.block(log_of(unit), 0);
    return store().geometry().plane_of(first);
}

PlaneId BlockLogFtl::log_home_of(Unit unit) const {
    const std::uint32_t log = log_of(unit);
    return log != kNone ? plane_of_log(log) : home_of(unit);
}

bool BlockLogFtl::opens_no_log(Lpn lpn) const {
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_in(unit, lpn);
    const std::uint32_t log = log_of(unit);
    if (log == kNone) {
        return accepts_in_place(unit, offset);
    }
    const std::uint32_t column = offset - by_columns_.divide(offset) * shape_.columns;
    return store().next_page(logs_.block(log, column)) != pages_per_block_;
}

bool BlockLogFtl::accepts_in_place(Unit unit, std::uint32_t offset) const {
    const std::uint32_t row = by_columns_.divide(offset);
    return has_data(unit) ? store().accepts(data_block(unit, offset - row * shape_.columns), row)
                          : store().accepts_first(row);
}

void BlockLogFtl::put(Lpn lpn, PlaneId home, Origin origin, FlashOpList& ops) {
    check_range(lpn);
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_in(unit, lpn);
    const std::uint32_t column = offset - by_columns_.divide(offset) * shape_.columns;
    std::uint32_t log = log_of(unit);
    bool in_place = log == kNone && accepts_in_place(unit, offset);
    if (log != kNone && store().next_page(logs_.block(log, column)) == pages_per_block_) {
        merge(log, ops);
        log = kNone;
        // A unit trimmed altogether has lost its data blocks and starts anew.
        in_place = !has_data(unit) && accepts_in_place(unit, offset);
    }
    if (in_place) {
        put_in_place(lpn, unit, offset, home, origin, ops);
        return;
    }
    if (log == kNone) {
        log = open_log(unit, home, ops);
    }
    const BlockId block = logs_.block(log, column);
    const std::uint32_t page = store().next_page(block);
    program(lpn, block, page, origin, ops);
    logs_.append(log, offset, page);
    if (eager_switch_ && logs_.is_complete(log) && logs_.is_prefix(log)) {
        merge(log, ops);
    }
}

void BlockLogFtl::put_in_place(Lpn lpn, Unit unit, std::uint32_t offset, PlaneId home,
                               Origin origin, FlashOpList& ops) {
    if (!has_data(unit)) {
        note_placed(home);
        for (std::uint32_t c = 0; c < shape_.columns; ++c) {
            set_data_block(unit, c, store().take(plane_of(home, c)));
        }
    }
    const std::uint32_t row = by_columns_.divide(offset);
    program(lpn, data_block(unit, offset - row * shape_.columns), row, origin, ops);
}

std::uint32_t BlockLogFtl::open_log(Unit unit, PlaneId home, FlashOpList& ops) {
    const std::uint32_t group = group_of(home);
    if (logs_.is_full(group)) {
        merge(logs_.least_recent(group), ops);
    }
    if (!is_placed(unit)) {
        note_placed(home);
    } else if (home_of(unit) != home) {
        note_placed(home);
        ++logs_away_;
    }
    const std::uint32_t log = logs_.open(group, unit);
    for (std::uint32_t c = 0; c < shape_.columns; ++c) {
        logs_.set_block(log, c, store().take(plane_of(home, c)));
    }
    log_of_[unit] = log + 1;
    return log;
}

void BlockLogFtl::close_log(Unit unit) {
    logs_.close(log_of(unit));
    log_of_[unit] = 0;
}

void BlockLogFtl::merge(std::uint32_t log, FlashOpList& ops) {
    if (logs_.valid(log) == 0) {
        discard(log, ops);
        return;
    }
    const Unit unit = logs_.unit(log);
    const bool becomes_data = logs_.is_prefix(log);
    const bool had_data = has_data(unit);
    const PlaneId from = home_of(unit);
    const MergeKind kind = !becomes_data            ? MergeKind::kFull
                           : logs_.is_complete(log) ? MergeKind::kSwitch
                                                    : MergeKind::kPartial;
    std::uint32_t copies = 0;
    std::uint32_t erases = 0;
    for (std::uint32_t c = 0; c < shape_.columns; ++c) {
        const BlockId written = logs_.block(log, c);
        const BlockId into =
            becomes_data ? written : store().take(store().geometry().plane_of(written));
        std::int32_t last = FlashOp::kNone;
        copies += copy_column(unit, c, into, last, ops);
        if (had_data) {
            store().erase(data_block(unit, c), last, ops);
            ++erases;
        }
        if (!becomes_data) {
            store().erase(written, last, ops);
            ++erases;
        }
        set_data_block(unit, c, into);
    }
    if (from != plane_of_log(log)) {
        note_displaced(from);
        --logs_away_;
    }
    close_log(unit);
    store().count_merge(kind, Lbn{unit}, copies, erases);
}

bool BlockLogFtl::maintain(PlaneId plane, std::uint32_t, FlashOpList& ops) {
    const std::uint32_t group = group_of(plane);
    const std::size_t before = ops.size();
    while (ops.size() == before) { // the first switch of a unit takes no operation
        const std::uint32_t log = logs_.least_recent(group);
        if (log == kNone || logs_.logs_per_group() - logs_.used(group) >= background() ||
            plane_of_log(log) != plane) {
            return false;
        }
        merge(log, ops);
    }
    return true;
}

std::uint32_t BlockLogFtl::copy_column(Unit unit, std::uint32_t column, BlockId into,
                                       std::int32_t& last, FlashOpList& ops) {
    std::uint32_t copies = 0;
    for (std::uint32_t page = store().next_page(into); page < pages_per_block_; ++page) {
        const Lpn lpn = lpn_of(unit, page * shape_.columns + column);
        if (mapped().contains(raw(lpn))) {
            store().copy(location(lpn), into, page, lpn, Origin::kMerge, ops);
            last = static_cast<std::int32_t>(ops.size()) - 1;
            ++copies;
        }
    }
    return copies;
}

void BlockLogFtl::discard(std::uint32_t log, FlashOpList& ops) {
    const Unit unit = logs_.unit(log);
    const PlaneId home = home_of(unit);
    const PlaneId log_home = plane_of_log(log);
    const bool frees_data = has_data(unit) && !holds_pages(unit);
    for (std::uint32_t c = 0; c < shape_.columns; ++c) {
        store().erase(logs_.block(log, c), FlashOp::kNone, ops);
        if (frees_data) {
            store().erase(data_block(unit, c), FlashOp::kNone, ops);
            data_[unit * shape_.columns + c] = 0;
        }
    }
    close_log(unit);
    if (log_home != home) {
        note_displaced(log_home);
        --logs_away_;
    }
    if (!has_data(unit)) {
        note_displaced(home);
    }
    store().count_merge(MergeKind::kFull, Lbn{unit}, 0, shape_.columns * (frees_data ? 2 : 1));
}

std::optional<std::uint32_t> BlockLogFtl::valid_count(BlockId block) const {
    for (Unit unit = 0; unit < log_of_.size() && shape_.columns == 1; ++unit) {
        if (log_of_[unit] != 0 && logs_.block(log_of(unit), 0) == block) {
            return logs_.valid(log_of(unit));
        }
    }
    return std::nullopt;
}

std::uint64_t BlockLogFtl::check_invariants() const {
    std::vector<bool> in_use(store().geometry().blocks(), false);
    std::vector<std::uint32_t> placed(placed_.size(), 0);
    std::uint64_t facts = 0;
    std::uint64_t counted = 0;
    std::uint32_t with_log = 0;
    std::uint32_t away = 0;
    for (Unit unit = 0; unit < units(); ++unit) {
        if (!is_placed(unit)) {
            continue;
        }
        ++placed[raw(home_of(unit))];
        if (log_home_of(unit) != home_of(unit)) {
            ++placed[raw(log_home_of(unit))];
            ++away;
        }
        with_log += log_of(unit) != kNone ? 1 : 0;
        counted += check_unit(unit, in_use);
        facts += unit_pages();
    }
    CAVERN_CHECK(counted == mapped().count(), std::to_string(mapped().count()) +
                                                  " logical pages are mapped but units hold " +
                                                  std::to_string(counted));
    CAVERN_CHECK(placed == placed_, "the number of units placed in a plane is not as counted");
    CAVERN_CHECK(away == logs_away_, std::to_string(away) + " logs are away from their data but " +
                                         std::to_string(logs_away_) + " are counted");
    std::vector<std::uint32_t> logs;
    std::uint32_t used = 0;
    for (std::uint32_t group = 0; group < shape_.log_groups; ++group) {
        facts += logs_.check_invariants(group, logs);
        used += static_cast<std::uint32_t>(logs.size());
        for (const std::uint32_t log : logs) {
            CAVERN_CHECK(group_of(plane_of_log(log)) == group,
                         "log " + std::to_string(log) + " lies in a plane of another share");
        }
    }
    CAVERN_CHECK(used == with_log, std::to_string(used) + " logs are open but " +
                                       std::to_string(with_log) + " units have one");
    for (std::uint32_t plane = 0; plane < placed_.size(); ++plane) {
        CAVERN_CHECK(store().free_blocks(PlaneId{plane}) >= 1,
                     "plane " + std::to_string(plane) + " has no block left for a merge");
    }
    return facts + 3 + used + 2 * placed_.size() + store().check_invariants(in_use);
}

/// Marks the blocks of a unit and returns how many of its pages are mapped. Two pages of a unit
/// cannot share a place: in a data block each has its own, and in a log block each page is taken
/// once.
std::uint64_t BlockLogFtl::check_unit(Unit unit, std::vector<bool>& in_use) const {
    const std::string name = "unit " + std::to_string(unit) + ": ";
    const std::uint32_t log = log_of(unit);
    CAVERN_CHECK(log == kNone || logs_.unit(log) == unit, name + "its log belongs to another");
    const auto take = [&](BlockId block, PlaneId home, std::uint32_t column) {
        CAVERN_CHECK(store().geometry().plane_of(block) == plane_of(home, column),
                     name + "a block lies in a plane that is not its column's");
        CAVERN_CHECK(!in_use[raw(block)], name + "block " + std::to_string(raw(block)) +
                                              " is used for something else as well");
        in_use[raw(block)] = true;
    };
    std::uint64_t counted = 0;
    std::vector<bool> taken(pages_per_block_);
    for (std::uint32_t c = 0; c < shape_.columns; ++c) {
        if (has_data(unit)) {
            take(data_block(unit, c), home_of(unit), c);
        }
        if (log != kNone) {
            take(logs_.block(log, c), log_home_of(unit), c);
        }
        taken.assign(pages_per_block_, false);
        for (std::uint32_t row = 0; row < pages_per_block_; ++row) {
            const std::uint32_t offset = row * shape_.columns + c;
            const bool is_mapped = mapped().contains(raw(lpn_of(unit, offset)));
            const std::uint32_t page = log != kNone ? logs_.page(log, offset) : kNone;
            counted += is_mapped ? 1 : 0;
            if (page != kNone) {
                CAVERN_CHECK(is_mapped && page < store().next_page(logs_.block(log, c)) &&
                                 !taken[page],
                             name + "its log maps a page that is trimmed, erased or taken");
                taken[page] = true;
            } else if (is_mapped) {
                CAVERN_CHECK(has_data(unit) && row < store().next_page(data_block(unit, c)),
                             name + "a page in place was never programmed");
            }
        }
    }
    return counted;
}

} // namespace cavern
