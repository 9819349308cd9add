#include "tests/core/ftl/ftl_workload.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern::testing {

FtlWorkload::FtlWorkload(const FtlCase& each, FtlModel& model)
    : freedom_(each.row->freedom), geometry_(each.geometry), model_(model),
      pages_(model.ftl().logical_pages()), targets_(pages_ / geometry_.pages_per_block + 1),
      random_(geometry_.blocks()) {}

void FtlWorkload::step() {
    const std::uint64_t what = random_.below(100);
    if (model_.ftl().map_cache() != nullptr && random_.below(200) == 0) {
        model_.resize_cache(8 * (1 + random_.below(64)));
    }
    if (model_.ftl().maintains() && random_.below(50) == 0) {
        const PlaneId plane{static_cast<std::uint32_t>(random_.below(geometry_.planes()))};
        ahead_ += model_.collect_ahead(plane) ? 1 : 0;
    }
    if (what < 15) {
        model_.read(page());
    } else if (what < 20) {
        trim(raw(page()), 1);
    } else if (what < 21) {
        // A block, or what may be a superblock.
        const std::uint64_t block = geometry_.pages_per_block;
        const std::uint64_t length = random_.below(2) == 0 ? block : block * geometry_.channels;
        trim(random_.below(pages_ / length) * length, length);
    } else if (what < 60) {
        random_.below(100) == 0 ? hammer() : write(raw(page()), 1);
    } else if (what < 80) {
        scatter(random_.below(4) == 0);
    } else {
        run();
    }
}

/// Half of the accesses go to a fifth of the pages.
Lpn FtlWorkload::page() {
    const std::uint64_t span = random_.below(2) == 0 ? pages_ : pages_ / 5 + 1;
    return Lpn{random_.below(span)};
}

void FtlWorkload::trim(std::uint64_t first, std::uint64_t count) {
    if (first < pages_) {
        model_.trim(Lpn{first}, std::min(count, pages_ - first));
    }
}

/// A few pages over and over.
void FtlWorkload::hammer() {
    const std::uint64_t first = raw(page());
    const std::uint64_t span = std::min<std::uint64_t>(1 + random_.below(4), pages_ - first);
    for (std::uint64_t i = 16 + random_.below(64); i > 0; --i) {
        write(first + random_.below(span), 1);
    }
}

/// Some pages of a logical block; with padding the others as well.
void FtlWorkload::scatter(bool padded) {
    const std::uint64_t first = raw(page()) / geometry_.pages_per_block * geometry_.pages_per_block;
    std::vector<UnitPage> unit;
    for (std::uint32_t i = 0; i < geometry_.pages_per_block && first + i < pages_; ++i) {
        const bool host = random_.below(3) == 0;
        if (host || padded) {
            unit.push_back({Lpn{first + i}, PlaneId{}, !host});
        }
    }
    write_unit(unit);
}

/// Consecutive pages from the start of a logical block or of a superblock on.
void FtlWorkload::run() {
    const std::uint64_t block = geometry_.pages_per_block;
    const std::uint64_t align = random_.below(2) == 0 ? block : block * geometry_.channels;
    const std::uint64_t first = random_.below(pages_ / align) * align;
    const std::uint64_t length = random_.below(2) == 0 ? align : 1 + random_.below(align);
    const std::uint64_t end = std::min(first + length, pages_);
    for (std::uint64_t at = first; at < end; at += block) {
        write(at, std::min(block, end - at));
    }
}

void FtlWorkload::write(std::uint64_t first, std::uint64_t count) {
    std::vector<UnitPage> unit;
    for (std::uint64_t page = first; page < first + count; ++page) {
        unit.push_back({Lpn{page}, PlaneId{}, false});
    }
    write_unit(unit);
}

void FtlWorkload::write_unit(std::vector<UnitPage>& unit) {
    if (unit.empty()) {
        return;
    }
    const PlaneId target = choose_target(unit.front().lpn);
    for (UnitPage& page : unit) {
        page.target = target;
    }
    model_.write_unit(unit, random_.below(8) != 0);
}

PlaneId FtlWorkload::choose_target(Lpn lpn) {
    if (freedom_ == PlacementFreedom::kNone) {
        return PlaneId{};
    }
    const auto any = [this] {
        return PlaneId{static_cast<std::uint32_t>(random_.below(geometry_.planes()))};
    };
    PlaneId& last = targets_[raw(geometry_.lbn_of(lpn))];
    PlaneId target = last;
    if (freedom_ == PlacementFreedom::kPages || random_.below(8) == 0) {
        target = any();
    }
    for (int tries = 0; !model_.ftl().has_room(target, lpn); ++tries) {
        CAVERN_CHECK(tries < 10'000, "the drive of a test does not wear out");
        target = any();
    }
    moves_ += geometry_.die_of(last) != geometry_.die_of(target) ? 1 : 0;
    last = target;
    return target;
}

} // namespace cavern::testing
