// The page-mapping layer with every victim policy and option under a million random operations in
// all, beside a plain dictionary and an array that refuses what NAND forbids.

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/ftl/ftl_table.h"
#include "core/ftl/page_ftl_fits.h"
#include "core/ftl/victim_policy_table.h"
#include "tests/unit/core_fixtures.h"
#include "tests/unit/ftl_model.h"

namespace cavern::testing {
namespace {

struct Drive {
    std::string name;
    Geometry geometry;
    FtlParams params;
};

/// Watermarks in pages if `high` is above 16.
FtlParams params_of(double overprovision, std::uint32_t low, std::uint32_t high,
                    bool shared = false) {
    FtlParams params;
    params.overprovision = overprovision;
    params.gc_low = low;
    params.gc_high = high;
    params.gc_shared_frontier = shared;
    params.gc_in_pages = high > 16;
    return params;
}

std::vector<Drive> drives() {
    return {{"OnePlane", geometry_of(1, 1, 1, 24, 4), params_of(0.3, 1, 2)},
            {"TightPlanes", geometry_of(2, 1, 2, 16, 8), params_of(0.25, 1, 2)},
            {"SharedBlock", geometry_of(2, 2, 1, 20, 6), params_of(0.3, 2, 4, true)},
            {"PageWatermarks", geometry_of(1, 2, 2, 20, 16), params_of(0.35, 20, 50)},
            {"PageWatermarksShared", geometry_of(1, 1, 2, 40, 8), params_of(0.25, 17, 40, true)}};
}

struct Case {
    std::string name;
    Geometry geometry;
    FtlParams params;
};
void PrintTo(const Case& each, std::ostream* out) {
    *out << each.name;
}

std::string camel(std::string name) {
    std::string result;
    bool up = true;
    for (const char c : name) {
        if (c == '-') {
            up = true;
        } else {
            result += up ? static_cast<char>(std::toupper(c)) : c;
            up = false;
        }
    }
    return result;
}

struct Option {
    std::string name;
    std::function<void(FtlParams&)> set;
};

std::vector<Option> options() {
    return {{"HotCold",
             [](FtlParams& p) {
                 p.hot_cold = true;
                 p.hot_decay = 0.4;
             }},
            {"Background", [](FtlParams& p) { p.gc_background = 6; }},
            {"DynamicWear",
             [](FtlParams& p) {
                 p.wear_leveling = p.wear_leveling == kNoWear ? kDynamicWear : kStaticWear;
             }},
            {"ProgramFailures", [](FtlParams& p) { p.faults.program_failures = 1e-5; }},
            {"EraseFailures", [](FtlParams& p) { p.faults.erase_failures = 5e-5; }},
            {"FactoryBad", [](FtlParams& p) { p.faults.factory_bad = 0.05; }},
            {"FailuresShared",
             [](FtlParams& p) {
                 p.gc_shared_frontier = true;
                 p.faults.program_failures = 1e-5;
                 p.faults.erase_failures = 2e-5;
             }},
            {"FailuresPageWatermarks",
             [](FtlParams& p) {
                 p.gc_in_pages = true;
                 p.gc_low = 20;
                 p.gc_high = 30;
                 p.faults.program_failures = 1e-5;
                 p.faults.erase_failures = 2e-5;
             }},
            {"Everything", [](FtlParams& p) {
                 p.hot_cold = true;
                 p.gc_background = 6;
                 p.gc_policy = "cost-benefit";
                 p.faults.program_failures = 1e-5;
                 p.faults.erase_failures = 2e-5;
                 p.faults.factory_bad = 0.1;
             }}};
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const VictimPolicyRow& row : victim_policy_table()) {
        for (const Drive& drive : drives()) {
            Case each{camel(std::string(row.name)) + drive.name, drive.geometry, drive.params};
            each.params.gc_policy = row.name;
            each.params.d_choices = 3;
            all.push_back(each);
        }
    }
    for (const Option& option : options()) {
        for (const bool levels : {false, true}) {
            // The spare blocks of what options ask for beyond collection.
            const Geometry geometry =
                levels ? geometry_of(1, 1, 1, 40, 4) : geometry_of(2, 1, 2, 32, 8);
            Case each{option.name + (levels ? "Leveled" : "FourPlanes"), geometry,
                      params_of(levels ? 0.5 : 0.6, 1, 2)};
            each.params.wear_leveling = levels ? kStaticWear : kNoWear;
            each.params.wear_threshold = 4;
            option.set(each.params);
            all.push_back(each);
        }
    }
    return all;
}

class PageModelTest : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Table, PageModelTest, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

constexpr int kSteps = 200'000; // in each of five drives for every policy

/// Half of the accesses go to a fifth of the pages, a tenth of the writes are runs, pages of a
/// third of the steps go to any plane that has room.
class Host {
  public:
    Host(const Geometry& geometry, FtlModel& model)
        : geometry_(geometry), model_(model), pages_(model.ftl().logical_pages()),
          random_(geometry.blocks()) {}

    void step() {
        const std::uint64_t what = random_.below(100);
        if (what < 15) {
            model_.read(page());
        } else if (what < 20) {
            model_.trim(page());
        } else if (what < 21) {
            const PlaneId plane{static_cast<std::uint32_t>(random_.below(geometry_.planes()))};
            ahead_ += model_.collect_ahead(plane) ? 1 : 0;
        } else if (what < 90) {
            write(raw(page()), 1, what < 23);
        } else {
            const std::uint64_t first = raw(page());
            write(first, std::min(1 + random_.below(geometry_.pages_per_block), pages_ - first),
                  what < 92);
        }
    }

    /// Victims collected without need.
    [[nodiscard]] std::uint64_t ahead() const { return ahead_; }

  private:
    Lpn page() { return Lpn{random_.below(random_.below(2) == 0 ? pages_ : pages_ / 5 + 1)}; }
    void write(std::uint64_t first, std::uint64_t count, bool padding) {
        const bool anywhere = random_.below(3) == 0;
        for (std::uint64_t page = first; page < first + count; ++page) {
            std::uint64_t plane = anywhere ? random_.below(geometry_.planes()) : page;
            plane %= geometry_.planes();
            while (!model_.ftl().has_room(PlaneId{static_cast<std::uint32_t>(plane)}, Lpn{page})) {
                plane = (plane + 1) % geometry_.planes();
            }
            model_.write_unit({{Lpn{page}, PlaneId{static_cast<std::uint32_t>(plane)}, padding}},
                              false);
        }
    }

    Geometry geometry_;
    FtlModel& model_;
    std::uint64_t pages_;
    Random random_;
    std::uint64_t ahead_ = 0;
};

TEST_P(PageModelTest, EveryPageIsFoundInItsNewestVersionAndEveryOperationIsCounted) {
    const Case& each = GetParam();
    ASSERT_EQ(page_ftl_fits(each.geometry, each.params), std::nullopt);
    const FtlRow& row = *find_ftl("page");
    FtlModel model(each.geometry, true,
                   page_ftl_logical_pages(each.geometry, each.params.overprovision), 11);
    model.watch(row.make(each.geometry, each.params, model.log()));
    Host host(each.geometry, model);
    std::uint64_t facts = 0;
    for (int step = 1; step <= kSteps; ++step) {
        host.step();
        if (step % 2000 == 0) {
            facts += model.check();
        }
    }
    EXPECT_GT(facts, 100u * model.ftl().logical_pages());
    // What the case is for has happened.
    const FtlCounters& count = model.ftl().counters();
    EXPECT_GT(count.erases, 1000u);
    EXPECT_GT(count.gc_pages, 1000u);
    EXPECT_EQ(count.wear_pages > 10, each.params.wear_leveling == kStaticWear);
    EXPECT_EQ(host.ahead() > 1000, each.params.gc_background != 0);
    const BlockFaultParams& faults = each.params.faults;
    EXPECT_EQ(count.failed_programs > 0, faults.program_failures > 0);
    EXPECT_EQ(count.rescued_pages > 0, faults.program_failures > 0);
    EXPECT_EQ(count.failed_erases > 0, faults.erase_failures > 0);
    EXPECT_EQ(model.ftl().bad_blocks().factory > 0, faults.factory_bad > 0);
}

} // namespace
} // namespace cavern::testing
