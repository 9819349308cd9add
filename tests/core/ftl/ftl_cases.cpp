#include "tests/core/ftl/ftl_cases.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <ostream>

#include "core/ftl/d_choices.h"
#include "core/ftl/dftl.h"
#include "core/ftl/last.h"
#include "core/ftl/mcsplit.h"
#include "core/ftl/planes_in_step.h"
#include "core/ftl/slc_cache.h"
#include "core/ftl/subgroup.h"
#include "core/ftl/superblock.h"
#include "core/ftl/victim_policy_table.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {

namespace {

struct Drive {
    std::string name;
    Geometry geometry;
    FtlParams params;
    std::map<std::string_view, SchemeParams> own{}; ///< parameters of layers, by name
};

FtlParams params_of(double overprovision, std::uint32_t log_blocks, bool strict = false,
                    bool eager = true) {
    FtlParams params;
    params.overprovision = overprovision;
    params.log_blocks = log_blocks;
    params.strict_order = strict;
    params.eager_switch = eager;
    return params;
}

Geometry with_dies_per_way(Geometry geometry, std::uint32_t dies) {
    geometry.dies_per_way = dies;
    return geometry;
}

std::vector<Drive> drives() {
    std::vector<Drive> all{
        {"OneDie", geometry_of(1, 1, 1, 24, 4), params_of(0.5, 4)},
        {"TwoPlanesFourDies", geometry_of(2, 2, 2, 16, 8), params_of(0.6, 16)},
        {"TinyLog", geometry_of(2, 2, 1, 14, 8), params_of(0.36, 4)},
        {"StrictOrder", geometry_of(2, 1, 2, 16, 8), params_of(0.4, 8, true)},
        {"LateSwitchNarrowStripe", with_dies_per_way(geometry_of(4, 1, 1, 16, 4), 2),
         params_of(0.6, 16, false, false)},
        {"StrictManyLogs", geometry_of(1, 2, 1, 32, 6), params_of(0.55, 12, true)}};
    // Superblocks of several sizes, in some of which the last one is smaller.
    const std::uint32_t blocks[] = {4, 8, 3, 16, 2, 5};
    const std::uint32_t striped[] = {2, 4, 2, 4, 4, 6};
    const std::uint32_t updates[] = {1, 2, 1, 1, 1, 2};
    const std::uint32_t threshold[] = {1, 2, 3, 4, 2, 3}; // pages
    for (std::size_t i = 0; i < all.size(); ++i) {
        LastParams last;
        last.threshold = threshold[i] * all[i].geometry.page_bytes;
        all[i].own = {{"superblock", SuperblockParams{blocks[i], updates[i]}},
                      {"subgroup", SubGroupParams{striped[i]}},
                      {"mcsplit", McSplitParams{all[i].name == "LateSwitchNarrowStripe" ? 2u : 0u}},
                      {"last", last}};
    }
    return all;
}

/// Where the map is in pages of the flash: room for those, of four entries, and a cache of a few;
/// of each variant one.
Drive with_tables(Drive drive, std::size_t variant) {
    drive.geometry.page_bytes = 16;
    drive.params.overprovision = std::max(drive.params.overprovision, 0.6);
    DftlParams own;
    own.entries = static_cast<std::uint32_t>(variant % 2 == 0 ? 24 : 7);
    drive.params.map_cache_most = 64 * 8;
    own.write_shim = variant % 3 == 1;
    own.slru = variant % 2 == 1;
    drive.own["dftl"] = own;
    drive.params.gc_shared_frontier = variant >= 3;
    return drive;
}

/// Blocks in SLC mode beside the others, two or three, each with half of the pages.
Drive with_slc(Drive drive, std::size_t variant) {
    drive.geometry.slc_blocks = static_cast<std::uint32_t>(2 + variant % 2);
    drive.geometry.slc_pages = drive.geometry.pages_per_block / 2;
    drive.geometry.blocks_per_plane += drive.geometry.slc_blocks;
    drive.own["slc-cache"] =
        SlcCacheParams{variant % 3 == 2 ? SlcFull::kBypass : SlcFull::kFold, variant % 4 != 3};
    return drive;
}

bool has_tables(const FtlRow& row) {
    return row.map_memory != nullptr &&
           row.map_memory(geometry_of(1, 1, 1, 64, 4), {}).kind == MapKind::kEntries;
}

FtlCase case_of(const FtlRow& row, Drive drive, std::size_t variant, const std::string& prefix) {
    if (has_tables(row)) {
        drive = with_tables(drive, variant);
    }
    if (row.caches_in_slc) {
        drive = with_slc(drive, variant);
    }
    if (const auto own = drive.own.find(row.name); own != drive.own.end()) {
        drive.params.own = own->second;
    }
    return {&row, prefix + drive.name, drive.geometry, drive.params};
}

FtlCase gathering(FtlCase each) {
    each.params.gather = true;
    return each;
}

FtlCase in_steps(FtlCase each) {
    each.params.gc_pace = GcPace::kPaced;
    each.params.gc_background = 4;
    return each;
}

std::string camel(const std::string& words) {
    std::string result;
    bool up = true;
    for (const char c : words) {
        if (c == '-') {
            up = true;
        } else {
            result += up ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
            up = false;
        }
    }
    return result;
}

/// Watermarks in pages if `high` is above 16.
FtlParams collecting(double overprovision, std::uint32_t low, std::uint32_t high,
                     bool shared = false) {
    FtlParams params;
    params.overprovision = overprovision;
    params.gc_low = low;
    params.gc_high = high;
    params.gc_shared_frontier = shared;
    params.gc_in_pages = high > 16;
    return params;
}

std::vector<Drive> collecting_drives() {
    return {{"OnePlane", geometry_of(1, 1, 1, 24, 4), collecting(0.3, 1, 2)},
            {"TightPlanes", geometry_of(2, 1, 2, 16, 8), collecting(0.25, 1, 2)},
            {"SharedBlock", geometry_of(2, 2, 1, 20, 6), collecting(0.3, 2, 4, true)},
            {"PageWatermarks", geometry_of(1, 2, 2, 20, 16), collecting(0.35, 20, 50)},
            {"PageWatermarksShared", geometry_of(1, 1, 2, 40, 8), collecting(0.25, 17, 40, true)}};
}

struct Option {
    std::string name;
    std::function<void(FtlParams&)> set;
};

/// Whether the layer has what the option takes.
bool supports(const FtlRow& row, const Option& option) {
    FtlParams params;
    option.set(params);
    const bool beyond = params.hot_cold || params.wear_leveling != WearLeveling::kNone ||
                        params.faults.any() || params.gc_in_pages || params.placement.handles != 0;
    return (!beyond || row.supports_wear_and_faults) &&
           (params.gc_placement == GcPlacement::kPlane || row.joins_planes) &&
           (params.gc_pace == GcPace::kBurst || row.collects_in_steps) &&
           (params.gc_background == 0 || row.only_on_demand.empty()) &&
           ((option.name != "Leveled" && !params.refreshes) || row.supports_wear_and_faults);
}

void refresh(FtlParams& params) {
    params.refresh_reads = 3;
    params.refreshes = true;
}

std::vector<Option> options() {
    return {{"Leveled", [](FtlParams&) {}},
            {"HotCold",
             [](FtlParams& p) {
                 p.hot_cold = true;
                 p.hot_decay = 0.4;
             }},
            {"Background", [](FtlParams& p) { p.gc_background = 6; }},
            {"DynamicWear",
             [](FtlParams& p) {
                 p.wear_leveling = p.wear_leveling == WearLeveling::kNone ? WearLeveling::kDynamic
                                                                          : WearLeveling::kStatic;
             }},
            {"ProgramFailures", [](FtlParams& p) { p.faults.program_failures = 3e-5; }},
            {"EraseFailures", [](FtlParams& p) { p.faults.erase_failures = 1e-4; }},
            {"FactoryBad", [](FtlParams& p) { p.faults.factory_bad = 0.05; }},
            {"FailuresShared",
             [](FtlParams& p) {
                 p.gc_shared_frontier = true;
                 p.faults.program_failures = 3e-5;
                 p.faults.erase_failures = 4e-5;
             }},
            {"FailuresPageWatermarks",
             [](FtlParams& p) {
                 p.gc_in_pages = true;
                 p.gc_low = 20;
                 p.gc_high = 30;
                 p.faults.program_failures = 3e-5;
                 p.faults.erase_failures = 4e-5;
             }},
            {"Refresh", [](FtlParams& p) { refresh(p); }},
            {"RefreshHotColdFailures",
             [](FtlParams& p) {
                 refresh(p);
                 p.hot_cold = true;
                 p.faults.program_failures = 3e-5;
                 p.faults.erase_failures = 1e-4;
             }},
            {"RefreshSharedBackground",
             [](FtlParams& p) {
                 refresh(p);
                 p.gc_shared_frontier = true;
                 p.gc_background = 6;
             }},
            {"RefreshPacedDieInStep",
             [](FtlParams& p) {
                 refresh(p);
                 p.refresh_reads = 1; // of each of its planes
                 p.gc_pace = GcPace::kPaced;
                 p.gc_placement = GcPlacement::kDie;
                 p.gc_background = 6;
                 p.hot_cold = true;
             }},
            {"Paced", [](FtlParams& p) { p.gc_pace = GcPace::kPaced; }},
            {"PacedShared",
             [](FtlParams& p) {
                 p.gc_pace = GcPace::kPaced;
                 p.gc_shared_frontier = true;
                 p.gc_background = 5;
             }},
            {"DieInStep", [](FtlParams& p) { p.gc_placement = GcPlacement::kDie; }},
            {"DriveInStep", [](FtlParams& p) { p.gc_placement = GcPlacement::kDrive; }},
            {"PacedDieInStep",
             [](FtlParams& p) {
                 p.gc_pace = GcPace::kPaced;
                 p.gc_placement = GcPlacement::kDie;
                 p.gc_background = 6;
                 p.hot_cold = true;
             }},
            {"PacedDriveInStep",
             [](FtlParams& p) {
                 p.gc_pace = GcPace::kPaced;
                 p.gc_placement = GcPlacement::kDrive;
             }},
            {"PacedEverything",
             [](FtlParams& p) {
                 p.gc_pace = GcPace::kPaced;
                 p.hot_cold = true;
                 p.gc_background = 6;
                 p.gc_policy = find_victim_policy("cost-benefit");
                 p.faults.program_failures = 3e-5;
                 p.faults.erase_failures = 4e-5;
                 p.faults.factory_bad = 0.1;
             }},
            {"Handles",
             [](FtlParams& p) {
                 p.wear_leveling = WearLeveling::kNone;
                 p.placement = {3, Isolation::kInitially};
             }},
            {"HandlesApartPacedDieInStep",
             [](FtlParams& p) {
                 p.wear_leveling = WearLeveling::kDynamic;
                 p.placement = {2, Isolation::kPersistently};
                 p.gc_pace = GcPace::kPaced;
                 p.gc_placement = GcPlacement::kDie;
                 p.gc_background = 6;
             }},
            {"Everything", [](FtlParams& p) {
                 p.hot_cold = true;
                 p.gc_background = 6;
                 p.gc_policy = find_victim_policy("cost-benefit");
                 p.faults.program_failures = 3e-5;
                 p.faults.erase_failures = 4e-5;
                 p.faults.factory_bad = 0.1;
             }}};
}

} // namespace

std::string FtlCase::name() const {
    return camel(std::string(row->name)) + drive;
}

void PrintTo(const FtlCase& each, std::ostream* out) {
    *out << each.name();
}

bool collects_by_policy(const FtlRow& row) {
    FtlCase each = case_of(row, drives()[0], 0, "");
    const bool fits = !row.why_not(each.geometry, each.params);
    each.params.gc_policy = nullptr;
    return fits && row.why_not(each.geometry, each.params).has_value();
}

std::vector<FtlCase> ftl_cases() {
    std::vector<FtlCase> all;
    for (const FtlRow& row : ftl_table()) {
        if (row.has_zones) { // not written at any place: zoned_test.cpp
            continue;
        }
        for (std::size_t i = 0; i < drives().size(); ++i) {
            all.push_back(case_of(row, drives()[i], i, ""));
        }
        if (row.freedom == PlacementFreedom::kBlocks) { // which a block may leave
            for (std::size_t i = 0; i < drives().size(); ++i) {
                all.push_back(gathering(case_of(row, drives()[i], i, "Gather")));
            }
            // Four logs, and two blocks to spare.
            all.push_back(gathering(case_of(
                row, {"GatherTight", geometry_of(2, 2, 1, 14, 8), params_of(0.17, 4)}, 0, "")));
        }
        if (has_tables(row)) {
            FtlCase each =
                case_of(row, {"LazyInvalidation", geometry_of(2, 1, 2, 32, 8), {}}, 1, "");
            each.params.overprovision = 0.7;
            auto own = own_params<DftlParams>(each.params);
            own.lazy_invalidate = true;
            each.params.own = own;
            all.push_back(each);
            // Likewise in steps, which leave a victim half emptied while the host goes on.
            for (std::size_t i = 0; i < drives().size(); ++i) {
                all.push_back(in_steps(case_of(row, drives()[i], i, "InSteps")));
            }
            each.drive = "InStepsLazyInvalidation";
            all.push_back(in_steps(each));
        }
    }
    return all;
}

std::vector<FtlCase> one_ftl_case_each() {
    std::vector<FtlCase> all;
    for (const FtlRow& row : ftl_table()) {
        if (row.has_zones) { // not written at any place: zoned_test.cpp
            continue;
        }
        all.push_back(case_of(row, drives()[1], 1, ""));
    }
    return all;
}

std::vector<FtlCase> ftl_policy_cases() {
    std::vector<FtlCase> all;
    for (const FtlRow& row : ftl_table()) {
        if (row.has_zones) { // not written at any place: zoned_test.cpp
            continue;
        }
        if (!collects_by_policy(row)) {
            continue;
        }
        for (const VictimPolicyRow& policy : victim_policy_table()) {
            for (std::size_t i = 0; i < collecting_drives().size(); ++i) {
                FtlCase each =
                    case_of(row, collecting_drives()[i], i, camel(std::string(policy.name)));
                each.params.gc_policy = &policy;
                if (policy.name == "d-choices") {
                    each.params.gc_params = DChoicesParams{3};
                }
                if (!row.why_not(each.geometry, each.params)) { // dftl has no watermarks in pages
                    all.push_back(each);
                }
            }
        }
    }
    return all;
}

std::vector<FtlCase> ftl_option_cases() {
    std::vector<FtlCase> all;
    for (const FtlRow& row : ftl_table()) {
        if (row.has_zones) { // not written at any place: zoned_test.cpp
            continue;
        }
        for (const Option& option : options()) {
            for (const bool levels : {false, true}) {
                if (!supports(row, option)) {
                    continue;
                }
                // The spare blocks of what options ask for beyond collection.
                Drive drive{levels ? "Leveled" : "FourPlanes",
                            levels ? geometry_of(1, 1, 1, 40, 4) : geometry_of(2, 1, 2, 32, 8),
                            collecting(levels ? 0.5 : 0.6, 1, 2)};
                drive.params.log_blocks = 16;
                drive.own = {{"subgroup", SubGroupParams{4}}};
                FtlCase each = case_of(row, drive, 0, option.name);
                if (levels && !row.supports_wear_and_faults) {
                    continue;
                }
                each.params.wear_leveling = levels ? WearLeveling::kStatic : WearLeveling::kNone;
                each.params.wear_threshold = 4;
                option.set(each.params);
                if (levels) { // the one plane has to last
                    each.params.faults.program_failures *= 0.4;
                    each.params.faults.erase_failures *= 0.4;
                }
                if (!row.why_not(each.geometry, each.params)) { // dftl has no hot and cold pages
                    all.push_back(each);
                }
            }
        }
    }
    return all;
}

std::unique_ptr<FtlModel>
make_model(const FtlCase& each, std::uint64_t seed,
           const std::function<std::unique_ptr<FtlIf>(std::unique_ptr<FtlIf>)>& wrap) {
    auto model = std::make_unique<FtlModel>(each.geometry, each.params.strict_order,
                                            each.make(nullptr)->logical_pages(), seed);
    const auto* own = std::any_cast<DftlParams>(&each.params.own);
    if (own != nullptr && own->lazy_invalidate) {
        model->counts_may_be_high();
    }
    model->collects_planes(PlanesInStep(each.geometry, each.params.gc_placement).width());
    if (each.params.gc_pace == GcPace::kPaced || each.row->caches_in_slc) {
        model->collects_in_steps();
    }
    std::unique_ptr<FtlIf> ftl = each.make(model->log());
    model->watch(wrap ? wrap(std::move(ftl)) : std::move(ftl));
    return model;
}

} // namespace cavern::testing
