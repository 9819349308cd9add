#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/ftl/ftl_table.h"
#include "core/ftl/subgroup.h"
#include "core/ftl/superblock.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/core/recovery/cut_drive.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {

/// A small drive whose power is cut under load: writes of part of a page and of several, some with
/// FUA, reads, TRIMs and FLUSHes, on few pages, so that it collects all the time.
struct CutCase {
    std::string ftl = "page";
    CoreParts parts;
    PowerCuts::Params cuts;
    std::uint64_t seed = 1;
    DataStore data = DataStore::kNone;
    decltype(&make_map_log) make_log = make_map_log;

    [[nodiscard]] const FtlRow& row() const { return *find_ftl(ftl); }
};

/// Every layer that comes back.
inline std::vector<const char*> recoverable_layers() {
    std::vector<const char*> names;
    for (const FtlRow& row : ftl_table()) {
        if (row.rebuilding != Rebuilding::kNone) {
            names.push_back(row.name.data());
        }
    }
    return names;
}

/// The name of a test of a layer.
inline std::string test_name(const ::testing::TestParamInfo<const char*>& layer) {
    std::string name = layer.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

inline std::string allocator_for(PlacementFreedom freedom) {
    switch (freedom) {
    case PlacementFreedom::kPages:
        return "cwdp";
    case PlacementFreedom::kBlocks:
        return "block-round-robin";
    case PlacementFreedom::kHomes:
        return "stripe-block";
    case PlacementFreedom::kNone:
        break;
    }
    return "stripe-page";
}

/// Three more blocks of a plane are in SLC mode.
inline Geometry with_slc(Geometry geometry) {
    geometry.blocks_per_plane += 3;
    geometry.slc_blocks = 3;
    geometry.slc_pages = geometry.pages_per_block / 2;
    return geometry;
}

inline CutCase small_case(const std::string& ftl) {
    CutCase each;
    each.ftl = ftl;
    each.parts.geometry = geometry_of(2, 1, 2, 16, 8);
    each.parts.frames = 16;
    each.parts.allocator = allocator_for(each.row().freedom);
    each.parts.keeps_sectors = true;
    each.parts.ftl.overprovision = 0.4;
    each.parts.ftl.recovers = true;
    each.parts.ftl.log_blocks = 8;
    each.parts.ftl.map_cache_bytes = 256;
    each.cuts.recovery.rebuilding = each.row().rebuilding;
    if (ftl == "dftl") {
        each.parts.geometry.blocks_per_plane = 24;
    } else if (ftl == "superblock") {
        each.parts.ftl.own = SuperblockParams{4, 1};
    } else if (ftl == "subgroup") {
        each.parts.ftl.own = SubGroupParams{4};
    } else if (ftl == "slc-cache") {
        each.parts.geometry = with_slc(geometry_of(2, 1, 2, 20, 8));
    }
    each.cuts.recovery.times = {25 * kUs, 200 * kUs, 1500 * kUs, kUs, 50 * kUs, 15 * kUs, 90 * kUs};
    return each;
}

/// The same, page-mapped, with a log of the map.
inline CutCase logged_case(MapLogKind kind, std::uint64_t interval, std::uint32_t journal) {
    CutCase each = small_case("page");
    each.parts.geometry.blocks_per_plane = 20;
    each.cuts.recovery.log = {kind, interval, journal};
    return each;
}

inline PowerCuts::MakeCore core_maker(const CutCase& each) {
    return [each](FlashContents contents) {
        FtlParams ftl = each.parts.ftl;
        ftl.reserved_blocks = each.cuts.recovery.log.reserved_blocks(each.parts.geometry);
        std::unique_ptr<DriveCore> core =
            make_core(each.parts, each.row().make(each.parts.geometry, ftl, nullptr));
        const std::uint64_t pages = core->ftl().logical_pages();
        core->survive_power_loss(std::make_unique<TrimMap>(pages, each.parts.geometry.page_bytes,
                                                           std::move(contents.trims)),
                                 each.make_log(each.parts.geometry, pages, each.cuts.recovery.log,
                                               std::move(contents.log)));
        return core;
    };
}

/// With parts of `Cuts`, which may be broken.
template <typename Cuts = PowerCuts>
CutDrive make_drive(const CutCase& each) {
    PowerCuts::Params cuts = each.cuts;
    cuts.recovery.placement = each.parts.ftl.gc_placement;
    cuts.recovery.strict_order = each.parts.ftl.strict_order;
    cuts.recovery.word_line = cuts.word_line;
    return CutDrive(
        each.parts.geometry, each.parts.ftl.strict_order, core_maker(each),
        [cuts](NandArray& array) { return std::make_unique<Cuts>(array, cuts); }, each.data);
}

/// The host.
class CutLoad {
  public:
    CutLoad(const CutDrive& drive, const Geometry& geometry, std::uint64_t seed)
        : pages_(drive.core().host_pages()), page_bytes_(geometry.page_bytes), random_(seed) {}

    [[nodiscard]] DeviceCommand next() {
        DeviceCommand command;
        const std::uint64_t what = random_.below(100);
        const std::uint64_t hot = random_.below(4) == 0 ? pages_ : pages_ / 8 + 1;
        const std::uint64_t first = random_.below(hot);
        command.offset = first * page_bytes_;
        command.bytes =
            page_bytes_ * (1 + random_.below(std::min<std::uint64_t>(4, pages_ - first)));
        if (what < 70) {
            command.op = RequestOp::kWrite;
            command.fua = random_.below(5) == 0;
            if (random_.below(3) == 0) { // part of the first page
                const std::uint64_t skipped = kSectorBytes * (1 + random_.below(2));
                command.offset += skipped;
                command.bytes -= skipped;
            }
        } else if (what < 84) {
            command.op = RequestOp::kRead;
        } else if (what < 93) {
            command.op = RequestOp::kTrim;
            command.bytes = std::min<std::uint64_t>(command.bytes * (1 + random_.below(4)),
                                                    (pages_ - first) * page_bytes_);
        } else {
            command.op = RequestOp::kFlush;
            command.offset = command.bytes = 0;
        }
        return command;
    }

  private:
    std::uint64_t pages_;
    std::uint64_t page_bytes_;
    Random random_;
};

/// Commands and cuts in turn; at the end the drive is checked.
inline void play(CutDrive& drive, const CutCase& each, std::uint64_t cuts) {
    CutLoad load(drive, each.parts.geometry, each.seed);
    Random random(each.seed + 1);
    drive.start();
    for (std::uint64_t cut = 0; cut < cuts; ++cut) {
        for (std::uint64_t left = random.below(120); left-- > 0;) {
            drive.execute(load.next());
            drive.settle();
        }
        drive.execute(load.next());
        drive.cut();
    }
    for (int i = 0; i < 500; ++i) {
        drive.execute(load.next());
        drive.settle();
    }
    drive.check();
}

} // namespace cavern::testing
