// Failing blocks in the page-mapping layer, and the lists that say which fail.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/block_faults.h"
#include "core/ftl/page_ftl.h"
#include "core/ftl/page_ftl_why_not.h"
#include "tests/core/ftl/ftl_model.h"
#include "tests/core/ftl/page_wear_fixture.h"
#include "tests/core/ftl/rescue_case.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::expect_rescue_from_block_0;
using testing::FtlModel;
using testing::geometry_of;
using testing::Lines;
using testing::params_of;
using testing::RecordingLog;
using testing::text_of;
using testing::write;
using Kind = BlockFault::Kind;
using Probe = PageFtlProbe;

FtlParams failing(std::vector<BlockFault> faults, double overprovision = 0.5) {
    FtlParams params = params_of(overprovision);
    params.faults.single = std::move(faults);
    return params;
}

TEST(FailureTest, AFailedProgramIsDoneElsewhereAndItsBlockIsEmptied) {
    RecordingLog log;
    PageFtl ftl(geometry_of(1, 1, 1, 10, 4), failing({{Kind::kProgram, BlockId{0}, 2, 0}}), &log);
    expect_rescue_from_block_0(ftl);
    EXPECT_EQ(ftl.counters().host_pages, 3u);
    EXPECT_EQ(ftl.space().list_free(PlaneId{0}).size(), 7u);
    Probe::retire_silently(ftl, BlockId{1});
    EXPECT_THROW((void)ftl.check_invariants(), ModelError);
}

TEST(FailureTest, ABlockWhoseFirstProgramFailsHoldsNothingToRescue) {
    PageFtl ftl(geometry_of(1, 1, 1, 10, 4),
                failing({{Kind::kProgram, BlockId{0}, 0, 0}, {Kind::kProgram, BlockId{1}, 0, 0}}),
                nullptr);
    EXPECT_EQ(text_of(write(ftl, 3)), (Lines{"program failed page 0", "program failed page 4",
                                             "program host page 8 lpn 3"}));
    EXPECT_EQ(ftl.bad_blocks().grown, 2u);
}

TEST(FailureTest, TheRescueCanFailAsWell) {
    PageFtl ftl(geometry_of(1, 1, 1, 12, 4),
                failing({{Kind::kProgram, BlockId{0}, 2, 0}, {Kind::kProgram, BlockId{1}, 1, 0}}),
                nullptr);
    write(ftl, 7);
    write(ftl, 8);
    // Page 8 finds the second failure; then the one page already in that block moves once more.
    EXPECT_EQ(text_of(write(ftl, 9)),
              (Lines{"program failed page 2", "read rescue page 0 lpn 7",
                     "program rescue page 4 lpn 7 after 1 copies", "program failed page 5",
                     "read rescue page 1 lpn 8", "program rescue page 8 lpn 8 after 4 copies",
                     "read rescue page 4 lpn 7", "program rescue page 9 lpn 7 after 6 copies",
                     "program host page 12 lpn 9"}));
    EXPECT_EQ(ftl.bad_blocks().grown, 2u);
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST(FailureTest, ABlockWhoseEraseFailsDoesNotComeBack) {
    const Geometry geometry = geometry_of(1, 1, 1, 6, 4);
    RecordingLog log;
    PageFtl ftl(geometry, failing({{Kind::kErase, BlockId{0}, 0, 0}}, 0.7), &log);
    FlashOpList ops;
    for (int round = 0; ftl.counters().erases == 0; ++round) {
        ops = write(ftl, static_cast<std::uint64_t>(round % 4));
    }
    EXPECT_EQ(text_of(ops).front(), "erase gc page 0");
    EXPECT_EQ(ftl.counters().failed_erases, 1u);
    EXPECT_EQ(ftl.bad_blocks().grown, 1u);
    const std::vector<BlockId> free = ftl.space().list_free(PlaneId{0});
    EXPECT_EQ(std::count(free.begin(), free.end(), BlockId{0}), 0);
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST(FailureTest, BlocksBadFromTheBeginningAreNeverUsed) {
    const Geometry geometry = geometry_of(1, 1, 2, 20, 4);
    FtlParams params = params_of(0.5);
    params.faults.factory_bad = 0.2;
    params.seed = 3;
    const BlockFaults faults(geometry, params.faults, params.seed);
    PageFtl ftl(geometry, params, nullptr);
    std::uint64_t bad = 0;
    std::uint32_t most = 0;
    for (std::uint32_t plane = 0; plane < 2; ++plane) {
        std::uint32_t of_plane = 0;
        for (std::uint32_t i = 0; i < 20; ++i) {
            of_plane += faults.is_factory_bad(geometry.block(PlaneId{plane}, i)) ? 1 : 0;
        }
        EXPECT_EQ(ftl.space().list_free(PlaneId{plane}).size(), 20u - of_plane);
        bad += of_plane;
        most = std::max(most, of_plane);
    }
    EXPECT_GT(bad, 2u);
    EXPECT_EQ(ftl.bad_blocks().factory, bad);
    EXPECT_EQ(ftl.bad_blocks().grown, 0u);
    EXPECT_EQ(most_factory_bad(geometry, params.faults, params.seed), most);
    EXPECT_EQ(page_ftl_reserve(geometry, params), 4u + most);
    FlashOpList ops;
    Random random(1);
    for (int i = 0; i < 5000; ++i) {
        const std::uint64_t lpn = random.below(ftl.logical_pages());
        ops.clear();
        ftl.write(Lpn{lpn}, PlaneId{static_cast<std::uint32_t>(lpn % 2)}, ops);
        for (const FlashOp& op : ops) {
            ASSERT_FALSE(faults.is_factory_bad(geometry.block_of(op.page)));
        }
    }
    EXPECT_GT(ftl.check_invariants(), 0u);
}

// Erases end at 30: the plane loses block after block until it refuses, and every page is still
// there.
TEST(FailureTest, AWornOutPlaneRefusesAndHasLostNothing) {
    const Geometry geometry = geometry_of(1, 1, 1, 24, 4);
    FtlParams params = params_of(0.4);
    params.faults.last_erase = 30;
    FtlModel model(geometry, true, page_ftl_logical_pages(geometry, 0.4), 5);
    model.watch(std::make_unique<PageFtl>(geometry, params, model.log()));
    Random random(1);
    std::uint64_t writes = 0;
    const std::uint64_t pages = model.ftl().logical_pages();
    std::string refusal;
    try {
        while (model.ftl().has_room(PlaneId{0}, Lpn{0}) || writes % 4 != 0) {
            ASSERT_LT(writes, 100'000u);
            model.write_unit({{Lpn{random.below(pages)}, PlaneId{0}, false}}, false);
            if (++writes % 20 == 0) {
                EXPECT_GT(model.check(), 0u);
            }
        }
        // Room for what is no new version of a page may remain.
        for (int i = 0; i < 1000; ++i) {
            model.write_unit({{Lpn{random.below(pages)}, PlaneId{0}, false}}, false);
        }
    } catch (const UserError& error) {
        refusal = error.what();
    }
    EXPECT_NE(refusal.find("plane 0 is worn out"), std::string::npos) << refusal;
    EXPECT_GT(model.ftl().bad_blocks().grown, 4u);
    EXPECT_GT(writes, 24u * 4 * 10);
}

TEST(BlockFaultsTest, RatesAreMetAndSeedsDiffer) {
    const Geometry geometry = geometry_of(1, 1, 1, 100'000, 4);
    BlockFaultParams params;
    params.factory_bad = 0.02;
    params.program_failures = 0.01;
    params.erase_failures = 0.005;
    const BlockFaults one(geometry, params, 1);
    const BlockFaults other(geometry, params, 2);
    int factory = 0;
    int programs = 0;
    int erases = 0;
    int same = 0;
    for (std::uint32_t block = 0; block < 100'000; ++block) {
        const BlockId id{block};
        factory += one.is_factory_bad(id) ? 1 : 0;
        programs += one.program_fails(id, block % 4, block / 7) ? 1 : 0;
        erases += one.erase_fails(id, block % 11) ? 1 : 0;
        same += one.is_factory_bad(id) && other.is_factory_bad(id) ? 1 : 0;
    }
    EXPECT_NEAR(factory, 2000, 5 * 45);
    EXPECT_NEAR(programs, 1000, 5 * 32);
    EXPECT_NEAR(erases, 500, 5 * 23);
    EXPECT_NEAR(same, 40, 5 * 7);
    EXPECT_TRUE(one.can_grow());
    EXPECT_FALSE(BlockFaults(geometry, {0.5, 0, 0, 0, "", {}}, 1).can_grow());
}

class FaultListTest : public ::testing::Test {
  protected:
    FaultListTest()
        : path_(std::filesystem::temp_directory_path() /
                ("cavern-faults-" + std::to_string(getpid()) + ".txt")) {}
    ~FaultListTest() override { std::filesystem::remove(path_); }
    std::vector<BlockFault> read(const std::string& text) {
        std::ofstream(path_) << text;
        return read_block_faults(path_.string(), geometry_of(1, 1, 1, 10, 4));
    }
    std::string complaint(const std::string& text) {
        try {
            (void)read(text);
        } catch (const UserError& error) {
            return std::string(error.what()).substr(path_.string().size());
        }
        return "";
    }
    std::filesystem::path path_;
};

TEST_F(FaultListTest, EveryKindIsRead) {
    const auto faults = read("# three faults\nfactory 3\n\nprogram 9 3 17 # late\nerase 2 5\n");
    ASSERT_EQ(faults.size(), 3u);
    EXPECT_EQ(faults[0].block, BlockId{3});
    EXPECT_EQ(faults[1].kind, Kind::kProgram);
    EXPECT_EQ(faults[1].page, 3u);
    EXPECT_EQ(faults[1].erases, 17u);
    BlockFaultParams params;
    params.list = path_.string();
    const BlockFaults all(geometry_of(1, 1, 1, 10, 4), params, 1);
    EXPECT_TRUE(all.is_factory_bad(BlockId{3}));
    EXPECT_FALSE(all.is_factory_bad(BlockId{9}));
    EXPECT_TRUE(all.program_fails(BlockId{9}, 3, 17));
    EXPECT_FALSE(all.program_fails(BlockId{9}, 3, 16));
    EXPECT_TRUE(all.erase_fails(BlockId{2}, 5));
    EXPECT_FALSE(all.erase_fails(BlockId{2}, 6));
}

TEST_F(FaultListTest, AMistakeIsNamedWithItsLine) {
    EXPECT_EQ(complaint("factory 1\nbroken 2\n"),
              ":2: \"broken 2\" is no fault; factory BLOCK, program BLOCK PAGE ERASES or erase "
              "BLOCK ERASES");
    for (const char* text : {"program 1 2", "erase 1", "factory", "factory x", "factory 1 2"}) {
        EXPECT_EQ(complaint(text).rfind(":1: ", 0), 0u) << text;
    }
    EXPECT_EQ(complaint("factory 10"),
              ":1: the drive has no such block or page; blocks below 10, pages below 4");
    EXPECT_NE(complaint("program 1 4 0"), "");
    EXPECT_THROW((void)read_block_faults("/nowhere/at/all", geometry_of(1, 1, 1, 4, 4)), UserError);
}

} // namespace
} // namespace cavern
