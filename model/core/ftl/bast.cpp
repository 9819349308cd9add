#include "core/ftl/bast.h"

#include "core/base/check.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

namespace {

std::string no_room(PlaneId target) {
    return "plane " + std::to_string(raw(target)) +
           " and its die have no room for another logical block";
}

std::uint32_t logs_per_plane(const Geometry& geometry, const FtlParams& params) {
    return params.log_blocks / geometry.planes();
}

} // namespace

Bast::Bast(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : BlockLogFtl(geometry, params, {1, 0, geometry.planes(), logs_per_plane(geometry, params)},
                  log),
      gather_(params.gather),
      blocks_for_data_(geometry.blocks_per_plane - logs_per_plane(geometry, params) - 1),
      most_away_(gather_ ? std::uint64_t{blocks_for_data_} * geometry.planes() - units() : 0) {
    CAVERN_CHECK(!bast_why_not(geometry, params), "the drive cannot hold its log blocks");
}

void Bast::write(Lpn lpn, PlaneId target, FlashOpList& ops) {
    const UnitPage page{lpn, target, false};
    write_unit(&page, 1, ops);
}

void Bast::pad(Lpn lpn, PlaneId target, FlashOpList& ops) {
    const UnitPage page{lpn, target, true};
    write_unit(&page, 1, ops);
}

void Bast::write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) {
    check_range(pages[0].lpn);
    check_range(pages[count - 1].lpn);
    const Unit unit = unit_of(pages[0].lpn);
    CAVERN_CHECK(unit_of(pages[count - 1].lpn) == unit, "a unit has pages of one logical block");
    PlaneId home = pages[0].target;
    if (gather_) { // page by page: a merge may come between
        for (std::size_t i = 0; i < count; ++i) {
            put(pages[i].lpn, gathered_in(unit, home),
                pages[i].padding ? Origin::kPadding : Origin::kHost, ops);
        }
        return;
    }
    if (is_placed(unit) && is_on_die(home_of(unit), home)) {
        home = home_of(unit);
    } else {
        const std::optional<PlaneId> room = room_on_die(pages[0].target);
        CAVERN_CHECK(room, no_room(home));
        home = *room;
        if (is_placed(unit)) {
            move(unit, home, pages, count, ops);
            return;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        put(pages[i].lpn, home, pages[i].padding ? Origin::kPadding : Origin::kHost, ops);
    }
}

PlaneId Bast::gathered_in(Unit unit, PlaneId target) const {
    if (is_placed(unit)) {
        for (const PlaneId own : {home_of(unit), log_home_of(unit)}) {
            if (is_on_die(own, target)) {
                return own;
            }
        }
        if (logs_away() >= most_away_) {
            return home_of(unit);
        }
    }
    const std::optional<PlaneId> room = room_on_die(target);
    CAVERN_CHECK(room || is_placed(unit), no_room(target));
    return room ? *room : home_of(unit);
}

// Until the end the map shows the old places; the pages written so far are not looked up again.
void Bast::move(Unit unit, PlaneId to, const UnitPage* pages, std::size_t count, FlashOpList& ops) {
    const PlaneId from = home_of(unit);
    const BlockId block = store().take(to);
    std::uint32_t copies = 0;
    const UnitPage* next = pages;
    for (std::uint32_t offset = 0; offset < unit_pages(); ++offset) {
        const Lpn lpn = lpn_of(unit, offset);
        if (next != pages + count && next->lpn == lpn) {
            program(lpn, block, offset, next->padding ? Origin::kPadding : Origin::kHost, ops);
            ++next;
        } else if (mapped().contains(raw(lpn))) {
            store().copy(location(lpn), block, offset, lpn, Origin::kMerge, ops);
            ++copies;
        }
    }
    CAVERN_CHECK(next == pages + count, "the pages of a unit ascend");
    const auto last = static_cast<std::int32_t>(ops.size()) - 1;
    std::uint32_t erases = 0;
    if (has_data(unit)) {
        store().erase(data_block(unit, 0), last, ops);
        ++erases;
    }
    if (const std::uint32_t log = log_of(unit); log != kNone) {
        store().erase(logs().block(log, 0), last, ops);
        ++erases;
        close_log(unit);
    }
    set_data_block(unit, 0, block);
    note_displaced(from);
    note_placed(to);
    store().count_moved(copies);
    store().count_merge(MergeKind::kFull, Lbn{unit}, copies, erases);
}

bool Bast::has_room(PlaneId target, Lpn lpn) const {
    const Unit unit = unit_of(lpn);
    if (is_placed(unit)) {
        if (is_on_die(home_of(unit), target) || is_on_die(log_home_of(unit), target)) {
            return true;
        }
        if (gather_ && logs_away() >= most_away_) {
            return false;
        }
    }
    return room_on_die(target).has_value();
}

std::optional<DieId> Bast::destination(Lpn lpn, std::optional<DieId> target) const {
    const Unit unit = unit_of(lpn);
    return gather_ && is_placed(unit) && opens_no_log(lpn)
               ? store().geometry().die_of(log_home_of(unit))
               : target;
}

std::optional<PlaneId> Bast::room_on_die(PlaneId target) const {
    const Geometry& geometry = store().geometry();
    for (std::uint32_t tried = 0; tried < geometry.planes_per_die; ++tried) {
        const PlaneId plane =
            geometry.plane(geometry.die_of(target),
                           (geometry.plane_in_die(target) + tried) % geometry.planes_per_die);
        if (placed_in(plane) < blocks_for_data_) {
            return plane;
        }
    }
    return std::nullopt;
}

// A plane holds a data block, or will after a merge, for each block placed there, and its logs.
std::uint64_t Bast::check_invariants() const {
    const std::uint32_t planes = store().geometry().planes();
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
        CAVERN_CHECK(placed_in(PlaneId{plane}) <= blocks_for_data_,
                     "plane " + std::to_string(plane) + " has more logical blocks than blocks");
        const std::uint32_t unused = logs().logs_per_group() - logs().used(plane);
        CAVERN_CHECK(store().free_blocks(PlaneId{plane}) > unused,
                     "plane " + std::to_string(plane) +
                         " lacks free blocks for its logs and a merge");
    }
    CAVERN_CHECK(logs_away() <= most_away_,
                 std::to_string(logs_away()) +
                     " logs are away from their data: those still to come lack room");
    return BlockLogFtl::check_invariants() + 2 * planes + 1;
}

std::optional<std::string> bast_why_not(const Geometry& geometry, const FtlParams& params) {
    if (const auto problem = drive_fits(geometry, params)) {
        return problem;
    }
    if (logs_per_plane(geometry, params) == 0) {
        return "ftl.log_blocks = " + std::to_string(params.log_blocks) +
               " leaves no log block for each of " + std::to_string(geometry.planes()) +
               " planes; at least " + std::to_string(geometry.planes());
    }
    const std::uint64_t blocks =
        (exported_pages(geometry, params.overprovision) + geometry.pages_per_block - 1) /
        geometry.pages_per_block;
    const std::uint64_t data = (blocks + geometry.planes() - 1) / geometry.planes();
    return spare_fits(geometry, data, std::uint64_t{logs_per_plane(geometry, params)} + 1,
                      "ftl.log_blocks / planes + 1");
}

} // namespace cavern
