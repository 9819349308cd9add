#include "core/ftl/zoned.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

namespace {

ZoneStates::Shape shape_of(const Geometry& geometry, const FtlParams& params) {
    const auto own = own_params<ZonedParams>(params);
    const Geometry drive = PlanesInStep::shape_of(geometry, GcPlacement::kDrive);
    ZoneStates::Shape shape;
    shape.zones = zones_of(geometry, params);
    shape.size = drive.pages_per_block;
    shape.capacity = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::floor(own.capacity * static_cast<double>(shape.size))));
    shape.max_open = own.max_open;
    shape.max_active = own.max_active;
    return shape;
}

} // namespace

std::optional<std::string> ZonedParams::why_not() const {
    if (max_active != 0 && (max_open > max_active)) {
        return "ftl.zoned.max_open = " + std::to_string(max_open) +
               " above ftl.zoned.max_active = " + std::to_string(max_active) +
               "; no more open zones than active ones";
    }
    return std::nullopt;
}

std::uint32_t zones_of(const Geometry& geometry, const FtlParams& params) {
    const double zones = geometry.blocks_per_plane * (1.0 - params.overprovision);
    return static_cast<std::uint32_t>(std::floor(zones + 1e-5));
}

std::uint64_t zoned_pages(const Geometry& geometry, const FtlParams& params) {
    const Geometry drive = PlanesInStep::shape_of(geometry, GcPlacement::kDrive);
    return std::uint64_t{zones_of(geometry, params)} * drive.pages_per_block;
}

std::optional<std::string> zoned_why_not(const Geometry& geometry, const FtlParams& params) {
    const Geometry shape = PlanesInStep::shape_of(geometry, GcPlacement::kDrive);
    if (const auto problem = drive_fits(shape, params, true)) {
        return problem;
    }
    if (zones_of(geometry, params) == 0) {
        return "ftl.overprovision leaves no zone of " + std::to_string(geometry.blocks_per_plane) +
               " superblocks; a smaller share";
    }
    return std::nullopt;
}

Zoned::Zoned(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : step_(geometry, GcPlacement::kDrive), zone_pages_(step_.shape().pages_per_block),
      by_zone_(zone_pages_), log_(log), states_(shape_of(geometry, params)),
      l2p_(states_.shape().zones * zone_pages_, geometry.pages()), places_(states_.shape().zones) {
    CAVERN_CHECK(!zoned_why_not(geometry, params), "the drive cannot have zones");
    parts_.zones = &states_;
    for (std::uint32_t block = 0; block < geometry.blocks_per_plane; ++block) {
        free_.push(block);
    }
}

void Zoned::write(Lpn lpn, PlaneId, FlashOpList& ops) {
    CAVERN_CHECK(raw(lpn) < l2p_.size(),
                 "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
    CAVERN_CHECK(l2p_.get(raw(lpn)) == 0,
                 "a page of a zone is written once until the zone is reset");
    const auto zone = static_cast<std::uint32_t>(by_zone_.divide(raw(lpn)));
    Place& place = places_[zone];
    if (place.superblock == 0) {
        place.superblock = free_.pop() + 1;
    }
    CAVERN_CHECK(place.pages < states_.shape().capacity, "a zone is written beyond its capacity");
    const std::uint64_t in_step = std::uint64_t{place.superblock - 1} * zone_pages_ + place.pages++;
    l2p_.set(raw(lpn), in_step + 1);
    ++mapped_;
    ++counters_.host_pages;
    const Ppn to = step_.in_flash(Ppn{in_step});
    if (log_ != nullptr) {
        log_->program(Origin::kHost, lpn, to);
    }
    ops.push_back({FlashOpKind::kProgram, Origin::kHost, to, lpn});
}

void Zoned::pad(Lpn, PlaneId, FlashOpList&) {
    CAVERN_CHECK(false, "a zone is written by its host alone");
}

Ppn Zoned::read(Lpn lpn, FlashOpList&) {
    return location(lpn);
}

Ppn Zoned::location(Lpn lpn) const {
    CAVERN_CHECK(raw(lpn) < l2p_.size(),
                 "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
    const std::uint64_t entry = l2p_.get(raw(lpn));
    return entry == 0 ? kNoPpn : step_.in_flash(Ppn{entry - 1});
}

void Zoned::trim(Lpn, FlashOpList&) {
    CAVERN_CHECK(false, "a zone is forgotten as a whole");
}

void Zoned::trim_range(Lpn first, std::uint64_t count, FlashOpList& ops) {
    const auto zone = static_cast<std::uint32_t>(by_zone_.divide(raw(first)));
    CAVERN_CHECK(count == zone_pages_ && raw(first) == zone * zone_pages_,
                 "a zone is forgotten as a whole");
    Place& place = places_[zone];
    if (place.superblock == 0) {
        return;
    }
    for (std::uint64_t page = raw(first); page < raw(first) + count; ++page) {
        l2p_.set(page, 0);
    }
    mapped_ -= place.pages;
    // The blocks that hold pages: those were programmed across the planes.
    const std::uint64_t units = step_.shape().units_per_page;
    const std::uint64_t nand_pages = (place.pages + units - 1) / units;
    const auto blocks =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(nand_pages, step_.width()));
    for (std::uint32_t i = 0; i < blocks; ++i) {
        ops.push_back({FlashOpKind::kErase, Origin::kHost, page(place, i * units)});
    }
    counters_.erases += blocks;
    free_.push(place.superblock - 1);
    place = {};
}

std::optional<std::uint32_t> Zoned::valid_count(BlockId block) const {
    const Ppn first = step_.page(block, 0); // in step
    const std::uint64_t superblock = raw(first) / zone_pages_;
    const std::uint64_t plane = raw(first) % zone_pages_;
    for (const Place& place : places_) {
        if (place.superblock == superblock + 1) {
            return place.pages <= plane
                       ? 0u
                       : static_cast<std::uint32_t>((place.pages - plane + step_.width() - 1) /
                                                    step_.width());
        }
    }
    return 0u;
}

std::uint64_t Zoned::check_invariants() const {
    std::vector<bool> taken(step_.shape().blocks_per_plane, false);
    std::uint32_t used = 0;
    std::uint64_t mapped = 0;
    std::vector<bool> seen(zone_pages_);
    for (std::uint32_t zone = 0; zone < places_.size(); ++zone) {
        const Place& place = places_[zone];
        const std::string name = "zone " + std::to_string(zone);
        CAVERN_CHECK(place.pages <= states_.write_pointer(zone),
                     name + " has more pages in flash than were written");
        std::fill(seen.begin(), seen.end(), false);
        std::uint64_t pages = 0;
        for (std::uint64_t i = 0; i < zone_pages_; ++i) {
            const std::uint64_t entry = l2p_.get(zone * zone_pages_ + i);
            if (entry == 0) {
                continue;
            }
            const std::uint64_t index = (entry - 1) % zone_pages_;
            CAVERN_CHECK(place.superblock != 0 &&
                             (entry - 1) / zone_pages_ == place.superblock - 1 &&
                             index < place.pages && !seen[index],
                         name + " has a page outside of its superblock, or two in one place");
            seen[index] = true;
            ++pages;
        }
        CAVERN_CHECK(pages == place.pages, name + " has lost pages");
        mapped += pages;
        if (place.superblock != 0) {
            CAVERN_CHECK(!taken[place.superblock - 1], name + " shares its superblock");
            taken[place.superblock - 1] = true;
            ++used;
        }
    }
    CAVERN_CHECK(mapped == mapped_, "the mapped pages are miscounted");
    CAVERN_CHECK(used + free_.size() == taken.size(), "a superblock is lost");
    return l2p_.size() + 2 * places_.size() + 2 + states_.check_invariants();
}

} // namespace cavern
