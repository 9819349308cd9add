#include "core/ftl/subgroup.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

namespace {

std::uint32_t blocks_of(const FtlParams& params) {
    return own_params<SubGroupParams>(params).blocks;
}

std::uint64_t subgroup_superblocks(const Geometry& geometry, const FtlParams& params) {
    return (data_blocks(geometry, params.overprovision) + blocks_of(params) - 1) /
           blocks_of(params);
}

std::size_t areas(const FtlParams& params) {
    return params.log_blocks / blocks_of(params);
}

} // namespace

SubGroup::SubGroup(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : BlockFtl(geometry, params, blocks_of(params) * geometry.pages_per_block, log),
      pages_per_block_(geometry.pages_per_block), columns_(blocks_of(params)),
      by_columns_(columns_), by_pages_(pages_per_block_), data_(std::size_t{units()} * columns_),
      area_of_(units()), areas_(areas(params)), area_blocks_(areas_.size() * columns_, 0),
      map_(areas_.size() * unit_pages()), offsets_(areas_.size() * unit_pages()) {
    CAVERN_CHECK(!subgroup_why_not(geometry, params), "the drive cannot hold its update areas");
    live_.reserve(unit_pages());
    fresh_.resize(columns_);
    if (params.recovers) {
        store().keep_blocks(columns_);
    }
}

void SubGroup::write(Lpn lpn, PlaneId, FlashOpList& ops) {
    put(lpn, Origin::kHost, ops);
}

void SubGroup::pad(Lpn lpn, PlaneId, FlashOpList& ops) {
    put(lpn, Origin::kPadding, ops);
}

Ppn SubGroup::location(Lpn lpn) const {
    check_range(lpn);
    if (!mapped().contains(raw(lpn))) {
        return kNoPpn;
    }
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_of(lpn);
    if (const std::uint32_t area = area_of(unit); area != kNone) {
        if (const std::uint32_t position = position_of(area, offset); position != kNone) {
            return page_at(area, position);
        }
    }
    const std::uint32_t row = by_columns_.divide(offset);
    return store().geometry().page(data_block(unit, offset - row * columns_), row);
}

Ppn SubGroup::page_at(std::uint32_t area, std::uint32_t position) const {
    const std::uint32_t block = by_pages_.divide(position);
    return store().geometry().page(group_block(area, block), position - block * pages_per_block_);
}

// Dies in turn, then the planes of a die: consecutive columns lie on consecutive channels.
PlaneId SubGroup::plane_of(Unit unit, std::uint32_t column) const {
    const Geometry& geometry = store().geometry();
    const std::uint64_t turn = (std::uint64_t{unit} * columns_ + column) % geometry.planes();
    return geometry.plane(DieId{static_cast<std::uint32_t>(turn % geometry.dies())},
                          static_cast<std::uint32_t>(turn / geometry.dies()));
}

void SubGroup::trim(Lpn lpn, FlashOpList&) {
    check_range(lpn);
    if (!mapped().erase(raw(lpn))) {
        return;
    }
    if (const std::uint32_t area = area_of(unit_of(lpn)); area != kNone) {
        map_[std::size_t{area} * unit_pages() + offset_of(lpn)] = 0;
    }
}

bool SubGroup::fits_in_place(Lpn lpn) const {
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_of(lpn);
    const std::uint32_t row = by_columns_.divide(offset);
    return area_of(unit) == kNone &&
           (has_data(unit) ? store().accepts(data_block(unit, offset - row * columns_), row)
                           : store().accepts_first(row));
}

// The cases of put(), in its order. Blocks that are taken together may take each other's planes.
std::optional<DieId> SubGroup::destination(Lpn lpn, std::optional<DieId>) const {
    const Geometry& geometry = store().geometry();
    const auto among = [&](PlaneId plane) {
        return store().free_blocks(plane) >= columns_ ? std::optional(geometry.die_of(plane))
                                                      : std::nullopt;
    };
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_of(lpn);
    if (fits_in_place(lpn)) {
        const std::uint32_t column = offset - by_columns_.divide(offset) * columns_;
        return has_data(unit) ? geometry.die_of(geometry.plane_of(data_block(unit, column)))
                              : among(plane_of(unit, column));
    }
    const std::uint32_t area = area_of(unit);
    if (area == kNone) {
        return areas_used_ == areas_.size()
                   ? std::nullopt // a merge comes first
                   : among(plane_in_area(unit, first_of(Temperature::kCold)));
    }
    const Temperature which =
        position_of(area, offset) != kNone ? Temperature::kHot : Temperature::kCold;
    if (!has_group(area, which)) {
        return among(plane_in_area(unit, first_of(which)));
    }
    const std::uint32_t position = next_position(area, which);
    return position == kNone ? std::nullopt
                             : std::optional(geometry.die_of(geometry.plane_of(
                                   group_block(area, by_pages_.divide(position)))));
}

bool SubGroup::put_in_place(Lpn lpn, Origin origin, FlashOpList& ops) {
    if (!fits_in_place(lpn)) {
        return false;
    }
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_of(lpn);
    const std::uint32_t row = by_columns_.divide(offset);
    const std::uint32_t column = offset - row * columns_;
    if (!has_data(unit)) {
        for (std::uint32_t c = 0; c < columns_; ++c) {
            data_[unit * columns_ + c] = raw(store().take_near(plane_of(unit, c))) + 1;
        }
    }
    program(lpn, data_block(unit, column), row, origin, ops);
    return true;
}

void SubGroup::put(Lpn lpn, Origin origin, FlashOpList& ops) {
    check_range(lpn);
    if (put_in_place(lpn, origin, ops)) {
        return;
    }
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_of(lpn);
    std::uint32_t area = area_of(unit);
    Temperature which = area != kNone && position_of(area, offset) != kNone ? Temperature::kHot
                                                                            : Temperature::kCold;
    if (area == kNone) {
        area = open_area(unit, ops);
    }
    if (!has_group(area, which)) {
        open_group(area, which);
    }
    std::uint32_t position = next_position(area, which);
    if (position == kNone) {
        if (which == Temperature::kHot && 2 * live_in_hot(area, offset) <= unit_pages() / 2) {
            merge_hot(area, offset, origin, ops);
            return;
        }
        merge_superblock(area, ops);
        which = Temperature::kCold;
        area = open_area(unit, ops);
        open_group(area, which);
        position = next_position(area, which);
    }
    const std::uint32_t block = by_pages_.divide(position);
    program(lpn, group_block(area, block), position - block * pages_per_block_, origin, ops);
    log(area, position, offset);
}

void SubGroup::log(std::uint32_t area, std::uint32_t position, std::uint32_t offset) {
    map_[std::size_t{area} * unit_pages() + offset] = position + 1;
    offsets_[std::size_t{area} * unit_pages() + position] = offset;
    areas_[area].written = ++writes_;
}

std::uint32_t SubGroup::open_area(Unit unit, FlashOpList& ops) {
    if (areas_used_ == areas_.size()) {
        merge_superblock(oldest_area(), ops);
    }
    std::uint32_t area = 0;
    while (areas_[area].unit != kNone) {
        ++area;
    }
    areas_[area] = {unit, ++writes_};
    std::uint32_t* map = &map_[std::size_t{area} * unit_pages()];
    std::fill(map, map + unit_pages(), 0u);
    area_of_[unit] = area + 1;
    ++areas_used_;
    return area;
}

std::uint32_t SubGroup::oldest_area() const {
    std::uint32_t oldest = kNone;
    for (std::uint32_t i = 0; i < areas_.size(); ++i) {
        if (areas_[i].unit != kNone &&
            (oldest == kNone || areas_[i].written < areas_[oldest].written)) {
            oldest = i;
        }
    }
    return oldest;
}

bool SubGroup::maintain(PlaneId plane, std::uint32_t, FlashOpList& ops) {
    if (areas_used_ == 0 || areas_.size() - areas_used_ >= background()) {
        return false;
    }
    const std::uint32_t area = oldest_area();
    if (plane_of(areas_[area].unit, 0) != plane) {
        return false;
    }
    merge_superblock(area, ops);
    return true;
}

// HOT is busier: the halves change sides from one round over the planes to the next.
PlaneId SubGroup::plane_in_area(Unit unit, std::uint32_t i) const {
    const std::uint64_t round = std::uint64_t{unit} * columns_ / store().geometry().planes();
    const std::uint32_t shift = round % 2 == 0 ? 0 : columns_ / 2;
    return plane_of(unit, (i + shift) % columns_);
}

void SubGroup::open_group(std::uint32_t area, Temperature which) {
    const std::uint32_t first = first_of(which);
    const Unit unit = areas_[area].unit;
    for (std::uint32_t i = first; i < first + columns_ / 2; ++i) {
        area_blocks_[area * columns_ + i] = raw(store().take_near(plane_in_area(unit, i))) + 1;
    }
}

std::uint32_t SubGroup::next_position(std::uint32_t area, Temperature which) const {
    const std::uint32_t first = first_of(which);
    std::uint32_t least = first;
    for (std::uint32_t i = first + 1; i < first + columns_ / 2; ++i) {
        if (store().next_page(group_block(area, i)) < store().next_page(group_block(area, least))) {
            least = i;
        }
    }
    const std::uint32_t page = store().next_page(group_block(area, least));
    return page == pages_per_block_ ? kNone : least * pages_per_block_ + page;
}

std::uint32_t SubGroup::live_in_hot(std::uint32_t area, std::uint32_t except) const {
    std::uint32_t live = 0;
    for (std::uint32_t position = first_of(Temperature::kHot) * pages_per_block_;
         position < unit_pages(); ++position) {
        const std::uint32_t offset = offsets_[std::size_t{area} * unit_pages() + position];
        live += offset != except && position_of(area, offset) == position ? 1 : 0;
    }
    return live;
}

// Page by page across the blocks, so that copies of a row can run on all dies at once. Until the
// end the tables show the old places.
void SubGroup::merge_hot(std::uint32_t area, std::uint32_t offset, Origin origin,
                         FlashOpList& ops) {
    const Geometry& geometry = store().geometry();
    const std::uint32_t half = columns_ / 2;
    const std::uint32_t first = first_of(Temperature::kHot);
    live_.clear();
    for (std::uint32_t page = 0; page < pages_per_block_; ++page) {
        for (std::uint32_t i = first; i < columns_; ++i) {
            const std::uint32_t position = i * pages_per_block_ + page;
            const std::uint32_t each = offsets_[std::size_t{area} * unit_pages() + position];
            if (each != offset && position_of(area, each) == position) {
                live_.push_back(each);
            }
        }
    }
    const auto copies = static_cast<std::uint32_t>(live_.size());
    live_.push_back(offset);
    for (std::uint32_t i = 0; i < half; ++i) {
        fresh_[i] = store().take_near(geometry.plane_of(group_block(area, first + i)));
    }
    for (std::uint32_t k = 0; k <= copies; ++k) {
        const Lpn lpn = lpn_of(areas_[area].unit, live_[k]);
        if (k == copies) {
            program(lpn, fresh_[k % half], k / half, origin, ops);
        } else {
            store().copy(location(lpn), fresh_[k % half], k / half, lpn, Origin::kMerge, ops);
        }
    }
    for (std::uint32_t i = 0; i < half; ++i) {
        store().erase(group_block(area, first + i), FlashOp::kNone, ops);
        area_blocks_[area * columns_ + first + i] = raw(fresh_[i]) + 1;
    }
    for (std::uint32_t k = 0; k <= copies; ++k) {
        log(area, (first + k % half) * pages_per_block_ + k / half, live_[k]);
    }
    store().count_merge(MergeKind::kPartial, Lbn{areas_[area].unit}, copies, half);
}

void SubGroup::merge_superblock(std::uint32_t area, FlashOpList& ops) {
    const Unit unit = areas_[area].unit;
    const bool keeps_data = holds_pages(unit);
    std::uint32_t copies = 0;
    std::uint32_t erases = 0;
    for (std::uint32_t c = 0; keeps_data && c < columns_; ++c) {
        fresh_[c] = store().take_near(plane_of(unit, c));
    }
    for (std::uint32_t offset = 0; offset < unit_pages(); ++offset) {
        const Lpn lpn = lpn_of(unit, offset);
        if (mapped().contains(raw(lpn))) {
            const std::uint32_t row = by_columns_.divide(offset);
            store().copy(location(lpn), fresh_[offset - row * columns_], row, lpn, Origin::kMerge,
                         ops);
            ++copies;
        }
    }
    for (std::uint32_t c = 0; c < columns_; ++c) {
        std::uint32_t& data = data_[unit * columns_ + c];
        std::uint32_t& update = area_blocks_[area * columns_ + c];
        for (std::uint32_t* old : {&data, &update}) {
            if (*old != 0) {
                store().erase(BlockId{*old - 1}, FlashOp::kNone, ops);
                *old = 0;
                ++erases;
            }
        }
        data = keeps_data ? raw(fresh_[c]) + 1 : 0;
    }
    areas_[area].unit = kNone;
    area_of_[unit] = 0;
    --areas_used_;
    store().count_merge(MergeKind::kFull, Lbn{unit}, copies, erases);
}

std::uint64_t SubGroup::check_invariants() const {
    std::vector<bool> in_use(store().geometry().blocks(), false);
    std::uint64_t counted = 0;
    std::uint32_t areas = 0;
    for (Unit unit = 0; unit < area_of_.size(); ++unit) {
        counted += check_unit(unit, in_use);
        areas += area_of(unit) != kNone ? 1 : 0;
    }
    CAVERN_CHECK(counted == mapped().count(), "the number of mapped pages is not as counted");
    CAVERN_CHECK(areas == areas_used_ && areas <= areas_.size(),
                 "the update areas in use are not those counted");
    std::uint32_t unused = 0; // blocks that areas may still take
    for (const std::uint32_t block : area_blocks_) {
        unused += block == 0 ? 1 : 0;
    }
    CAVERN_CHECK(store().free_blocks() >= unused + columns_,
                 "the drive lacks free blocks for its update areas and a merge");
    return 2 * counted + 3 + store().check_invariants(in_use);
}

/// Marks the blocks of a superblock and returns how many of its pages are mapped.
std::uint64_t SubGroup::check_unit(Unit unit, std::vector<bool>& in_use) const {
    const std::string name = "superblock " + std::to_string(unit) + ": ";
    const std::uint32_t area = area_of(unit);
    CAVERN_CHECK(area == kNone || areas_[area].unit == unit,
                 name + "its update area belongs to another");
    for (std::uint32_t c = 0; c < columns_; ++c) {
        const std::uint32_t blocks[] = {data_[unit * columns_ + c],
                                        area != kNone ? area_blocks_[area * columns_ + c] : 0};
        CAVERN_CHECK((blocks[0] != 0) == has_data(unit), name + "some of its data blocks lack");
        for (const std::uint32_t block : blocks) {
            CAVERN_CHECK(block == 0 || !in_use[block - 1],
                         name + "block " + std::to_string(block - 1) +
                             " is used for something else as well");
            if (block != 0) {
                in_use[block - 1] = true;
            }
        }
    }
    std::uint64_t counted = 0;
    for (std::uint32_t offset = 0; offset < unit_pages(); ++offset) {
        const bool is_mapped = mapped().contains(raw(lpn_of(unit, offset)));
        const std::uint32_t position = area != kNone ? position_of(area, offset) : kNone;
        counted += is_mapped ? 1 : 0;
        if (position != kNone) {
            const std::uint32_t block = by_pages_.divide(position);
            CAVERN_CHECK(is_mapped && area_blocks_[area * columns_ + block] != 0 &&
                             position - block * pages_per_block_ <
                                 store().next_page(group_block(area, block)) &&
                             offsets_[std::size_t{area} * unit_pages() + position] == offset,
                         name + "its area maps a page that is trimmed, erased or another's");
        } else if (is_mapped) {
            const std::uint32_t row = by_columns_.divide(offset);
            CAVERN_CHECK(has_data(unit) &&
                             row < store().next_page(data_block(unit, offset - row * columns_)),
                         name + "a page in place was never programmed");
        }
    }
    return counted;
}

std::optional<std::string> subgroup_why_not(const Geometry& geometry, const FtlParams& params) {
    if (const auto problem = drive_fits(geometry, params)) {
        return problem;
    }
    const std::uint32_t blocks = blocks_of(params);
    if (blocks < 2 || blocks % 2 != 0) {
        return "ftl.subgroup.blocks = " + std::to_string(blocks) +
               " has no halves for hot and cold pages; an even number";
    }
    if (std::uint64_t{blocks} * geometry.pages_per_block > 0xFFFF'FFFFu / 2) {
        return "a superblock of " + std::to_string(blocks) + " blocks is too large; fewer";
    }
    if (params.log_blocks < blocks) {
        return "ftl.log_blocks = " + std::to_string(params.log_blocks) +
               " makes no update area of " + std::to_string(blocks) + "; at least " +
               std::to_string(blocks);
    }
    // The last superblock may be larger than the data it holds.
    const std::uint64_t merging = params.recovers ? 2 : 1;
    const std::uint64_t reserve = (areas(params) + merging) * blocks +
                                  subgroup_superblocks(geometry, params) * blocks -
                                  data_blocks(geometry, params.overprovision);
    return drive_spare_fits(geometry, params.overprovision, reserve,
                            params.recovers ? "update areas and two superblocks to merge into"
                                            : "update areas and a superblock to merge into");
}

} // namespace cavern
