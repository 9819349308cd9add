// Wear levelling, failing blocks, hot and cold pages and collection ahead in the page-mapping
// layer.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/block_faults.h"
#include "core/ftl/free_pool.h"
#include "core/ftl/heat_map.h"
#include "core/ftl/page_ftl.h"
#include "core/ftl/page_ftl_fits.h"
#include "tests/unit/core_fixtures.h"
#include "tests/unit/ftl_model.h"

namespace cavern {

/// Brings an FTL into the state of an example.
struct PageFtlProbe {
    static void set_erases(PageFtl& f, BlockId block, std::uint32_t erases) {
        f.blocks_[raw(block)].erases = erases;
        PageFtl::Wear& wear = f.planes_[0].wear;
        wear.most = std::max(wear.most, erases);
    }
    static BlockId take(PageFtl& f) { return f.pool_.take(PlaneId{0}); }
    static void give_back(PageFtl& f, BlockId block) { f.pool_.give_back(block); }
    static void level(PageFtl& f, FlashOpList& ops) { f.level(PlaneId{0}, ops); }
    static void retire_silently(PageFtl& f, BlockId block) {
        f.blocks_[raw(block)].use = BlockUse::kBad;
    }
};

namespace {

using testing::FtlModel;
using testing::geometry_of;
using testing::RecordingLog;
using Kind = BlockFault::Kind;
using Lines = std::vector<std::string>;
using Probe = PageFtlProbe;

FtlParams params_of(double overprovision, const char* wear = kNoWear,
                    std::uint32_t threshold = 100) {
    FtlParams params;
    params.overprovision = overprovision;
    params.wear_leveling = wear;
    params.wear_threshold = threshold;
    return params;
}

Lines text_of(const FlashOpList& ops) {
    const char* kinds[] = {"read", "program", "erase"};
    const char* origins[] = {"host", "gc",       "merge",  "padding", "map",
                             "wear", "recovery", "rescue", "failed"};
    Lines lines;
    for (const FlashOp& op : ops) {
        std::string text = kinds[static_cast<int>(op.kind)];
        text += std::string(" ") + origins[static_cast<int>(op.origin)];
        text += " page " + std::to_string(raw(op.page));
        text += op.lpn == kNoLpn ? "" : " lpn " + std::to_string(raw(op.lpn));
        text += op.after == FlashOp::kNone ? "" : " after " + std::to_string(op.after);
        lines.push_back(text);
    }
    return lines;
}

FlashOpList write(PageFtl& ftl, std::uint64_t lpn) {
    FlashOpList ops;
    ftl.write(Lpn{lpn}, PlaneId{0}, ops);
    return ops;
}

// ---- wear levelling -----------------------------------------------------------------------------

// ALGORITHMS example WLD-1: free (id, erases) (4, 7), (2, 3), (9, 3).
TEST(WearTest, TheLeastWornFreeBlockIsTakenFirst) {
    const Geometry geometry = geometry_of(1, 1, 1, 10, 4);
    BlockStates blocks(10);
    FreePool pool(geometry, &blocks, nullptr);
    FreePool in_order(geometry);
    for (int i = 0; i < 10; ++i) {
        (void)pool.take(PlaneId{0});
        (void)in_order.take(PlaneId{0});
    }
    blocks[4].erases = 7;
    blocks[2].erases = 3;
    blocks[9].erases = 3;
    for (const std::uint32_t block : {4u, 2u, 9u}) {
        pool.give_back(BlockId{block});
        in_order.give_back(BlockId{block});
    }
    const std::vector<BlockId> expected{BlockId{2}, BlockId{9}, BlockId{4}};
    EXPECT_EQ(pool.list(PlaneId{0}), expected);
    for (const BlockId block : expected) {
        EXPECT_EQ(pool.take(PlaneId{0}), block);
    }
    EXPECT_EQ(in_order.take(PlaneId{0}), BlockId{4}); // without levelling: the one free longest
}

TEST(WearTest, TheMostWornFreeBlockIsTheOneOfTheLowerNumberAmongEquals) {
    const Geometry geometry = geometry_of(1, 1, 1, 6, 4);
    BlockStates blocks(6);
    FreePool pool(geometry, &blocks, nullptr);
    EXPECT_EQ(pool.take_most_worn(PlaneId{0}), BlockId{0}); // all are new
    for (int i = 0; i < 4; ++i) {
        (void)pool.take(PlaneId{0});
    }
    for (const std::uint32_t block : {3u, 1u, 2u, 4u}) {
        blocks[block].erases = block == 4 ? 5 : 9;
        pool.give_back(BlockId{block});
    }
    for (const std::uint32_t block : {1u, 2u, 3u, 4u, 5u}) {
        EXPECT_EQ(pool.take_most_worn(PlaneId{0}), BlockId{block});
    }
}

/// ALGORITHMS example WL-1, Np = 8: blocks 0: 3 erases, data, 4 valid; 1: 12, data, 8; 2: 14, free;
/// 3: 9, free.
class StaticWearTest : public ::testing::Test {
  protected:
    void make(std::uint32_t threshold) {
        ftl = std::make_unique<PageFtl>(geometry, params_of(0.4, kStaticWear, threshold), &log);
        for (std::uint64_t lpn = 0; lpn < 16; ++lpn) {
            write(*ftl, lpn);
        }
        for (const std::uint64_t lpn : {0, 2, 4, 6}) {
            ftl->trim(Lpn{lpn}, ops);
        }
        const BlockId two = Probe::take(*ftl);
        const BlockId three = Probe::take(*ftl);
        const std::uint32_t erases[] = {3, 12, 14, 9};
        for (std::uint32_t block = 0; block < 4; ++block) {
            Probe::set_erases(*ftl, BlockId{block}, erases[block]);
        }
        Probe::give_back(*ftl, two);
        Probe::give_back(*ftl, three);
        ops.clear();
    }
    Geometry geometry = geometry_of(1, 1, 1, 4, 8);
    RecordingLog log;
    std::unique_ptr<PageFtl> ftl;
    FlashOpList ops;
};

TEST_F(StaticWearTest, ColdPagesMoveToTheMostWornFreeBlock) {
    make(10);
    Probe::level(*ftl, ops);
    EXPECT_EQ(text_of(ops), (Lines{"read wear page 1 lpn 1", "program wear page 16 lpn 1 after 0",
                                   "read wear page 3 lpn 3", "program wear page 17 lpn 3 after 2",
                                   "read wear page 5 lpn 5", "program wear page 18 lpn 5 after 4",
                                   "read wear page 7 lpn 7", "program wear page 19 lpn 7 after 6",
                                   "erase wear page 0 after 7"}));
    EXPECT_EQ(ftl->counters().wear_pages, 4u);
    EXPECT_EQ(ftl->counters().wear_runs, 1u);
    EXPECT_EQ(ftl->counters().gc_pages, 0u);
    EXPECT_EQ(ftl->erase_count(BlockId{0}), 4u);
    // The emptied block is the least worn of those free and comes into use next.
    EXPECT_EQ(ftl->free_blocks(PlaneId{0}), (std::vector<BlockId>{BlockId{0}, BlockId{3}}));
    EXPECT_GT(ftl->check_invariants(), 0u);
    // Of the rest 12 is the least: 14 is near.
    ops.clear();
    Probe::level(*ftl, ops);
    EXPECT_TRUE(ops.empty());
}

TEST_F(StaticWearTest, AsFarApartAsTheThresholdIsNotTooFar) {
    make(11);
    Probe::level(*ftl, ops);
    EXPECT_TRUE(ops.empty());
    make(10);
    Probe::level(*ftl, ops);
    EXPECT_FALSE(ops.empty());
}

struct Spread {
    std::uint32_t least = ~0u;
    std::uint32_t most = 0;
    double amplification = 0;
};

/// Three quarters of the pages are written once, the rest again and again.
Spread wear_of(const char* leveling, std::uint32_t threshold) {
    const Geometry geometry = geometry_of(1, 1, 1, 64, 16);
    PageFtl ftl(geometry, params_of(0.2, leveling, threshold), nullptr);
    for (std::uint64_t lpn = 0; lpn < ftl.logical_pages(); ++lpn) {
        write(ftl, lpn);
    }
    ftl.reset_counters();
    Random random(1);
    for (int i = 0; i < 400'000; ++i) {
        write(ftl, random.below(ftl.logical_pages() / 4));
    }
    EXPECT_GT(ftl.check_invariants(), 0u);
    Spread spread;
    for (std::uint32_t block = 0; block < geometry.blocks(); ++block) {
        spread.least = std::min(spread.least, ftl.erase_count(BlockId{block}));
        spread.most = std::max(spread.most, ftl.erase_count(BlockId{block}));
    }
    const FtlCounters& c = ftl.counters();
    spread.amplification =
        1 + static_cast<double>(c.gc_pages + c.wear_pages) / static_cast<double>(c.host_pages);
    return spread;
}

TEST(WearTest, StaticLevellingBoundsTheSpreadThatTheOthersLeave) {
    const Spread none = wear_of(kNoWear, 0);
    const Spread dynamic = wear_of(kDynamicWear, 0);
    const Spread leveled = wear_of(kStaticWear, 20);
    EXPECT_LE(none.least, 1u); // cold blocks are never collected
    EXPECT_LE(dynamic.least, 1u);
    EXPECT_GT(none.most, 500u);
    EXPECT_LE(leveled.most - leveled.least, 22u);
    EXPECT_GT(leveled.least, 300u);
    EXPECT_LT(leveled.most, none.most);
    // At the price of moving what is cold.
    EXPECT_GT(leveled.amplification, none.amplification);
    EXPECT_LT(leveled.amplification, none.amplification * 1.2);
}

// ---- failures -----------------------------------------------------------------------------------

FtlParams failing(std::vector<BlockFault> faults, double overprovision = 0.5) {
    FtlParams params = params_of(overprovision);
    params.faults.single = std::move(faults);
    return params;
}

TEST(FailureTest, AFailedProgramIsDoneElsewhereAndItsBlockIsEmptied) {
    RecordingLog log;
    PageFtl ftl(geometry_of(1, 1, 1, 10, 4), failing({{Kind::kProgram, BlockId{0}, 2, 0}}), &log);
    write(ftl, 7);
    write(ftl, 8);
    EXPECT_EQ(text_of(write(ftl, 9)),
              (Lines{"program failed page 2", "read rescue page 0 lpn 7",
                     "program rescue page 4 lpn 7 after 1", "read rescue page 1 lpn 8",
                     "program rescue page 5 lpn 8 after 3", "program host page 8 lpn 9"}));
    EXPECT_EQ(ftl.counters().failed_programs, 1u);
    EXPECT_EQ(ftl.counters().rescued_pages, 2u);
    EXPECT_EQ(ftl.counters().host_pages, 3u);
    EXPECT_EQ(ftl.bad_blocks().grown, 1u);
    EXPECT_EQ(ftl.location(Lpn{7}), Ppn{4});
    EXPECT_EQ(ftl.free_blocks(PlaneId{0}).size(), 7u);
    EXPECT_GT(ftl.check_invariants(), 0u);
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
                     "program rescue page 4 lpn 7 after 1", "program failed page 5",
                     "read rescue page 1 lpn 8", "program rescue page 8 lpn 8 after 4",
                     "read rescue page 4 lpn 7", "program rescue page 9 lpn 7 after 6",
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
    const std::vector<BlockId> free = ftl.free_blocks(PlaneId{0});
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
        EXPECT_EQ(ftl.free_blocks(PlaneId{plane}).size(), 20u - of_plane);
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

// ---- hot and cold, collection ahead -------------------------------------------------------------

/// `share` of the writes go to a tenth of the pages.
double amplification_of(bool hot_cold, double share) {
    const Geometry geometry = geometry_of(1, 1, 1, 512, 32);
    FtlParams params = params_of(0.12);
    params.hot_cold = hot_cold;
    PageFtl ftl(geometry, params, nullptr);
    Random random(4);
    const std::uint64_t hot = ftl.logical_pages() / 10;
    const auto run = [&](int writes) {
        for (int i = 0; i < writes; ++i) {
            const bool is_hot = random.uniform() < share;
            write(ftl, is_hot ? random.below(hot) : random.below(ftl.logical_pages()));
        }
    };
    for (std::uint64_t lpn = 0; lpn < ftl.logical_pages(); ++lpn) {
        write(ftl, lpn);
    }
    run(200'000);
    ftl.reset_counters();
    run(200'000);
    return 1 + static_cast<double>(ftl.counters().gc_pages) /
                   static_cast<double>(ftl.counters().host_pages);
}

TEST(HotColdTest, SeparationCopiesLessWhereSomePagesAreHot) {
    EXPECT_LT(amplification_of(true, 0.9), 0.85 * amplification_of(false, 0.9));
}

TEST(HotColdTest, WithoutHotPagesThereIsNothingToGain) {
    // Three of the 61 spare blocks are those more that are open or kept free.
    EXPECT_NEAR(amplification_of(true, 0.0) / amplification_of(false, 0.0), 61.0 / 58, 0.03);
}

TEST(HotColdTest, APageIsHotFromItsFourthWriteOn) {
    const Geometry geometry = geometry_of(1, 1, 1, 16, 4);
    FtlParams params = params_of(0.5);
    params.hot_cold = true;
    params.hot_decay = 9.0 / 32; // after nine host pages counters are halved
    PageFtl ftl(geometry, params, nullptr);
    const auto block_of = [&](std::uint64_t lpn) { return raw(write(ftl, lpn).back().page) / 4; };
    EXPECT_EQ(block_of(0), 0u);
    EXPECT_EQ(block_of(0), 0u);
    EXPECT_EQ(block_of(0), 0u);
    EXPECT_EQ(block_of(0), 1u);
    EXPECT_EQ(block_of(1), 0u);
    EXPECT_EQ(block_of(0), 1u);
    EXPECT_EQ(block_of(0), 1u);
    EXPECT_EQ(block_of(2), 2u);
    EXPECT_EQ(block_of(1), 2u); // halved before: 3 for page 0 and 1 for page 1
    EXPECT_EQ(block_of(0), 1u); // 4
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST(HotColdTest, CountersStopAtFifteenAndHalve) {
    HeatMap heat(100, 50);
    for (int i = 0; i < 49; ++i) {
        EXPECT_EQ(heat.on_write(Lpn{17}), i >= 3);
    }
    heat.on_write(Lpn{18}); // the fiftieth: 15 becomes 7
    EXPECT_TRUE(heat.is_hot(Lpn{17}));
    EXPECT_FALSE(heat.is_hot(Lpn{16}));
    EXPECT_FALSE(heat.is_hot(Lpn{18}));
    for (int i = 0; i < 50; ++i) {
        heat.on_write(Lpn{99});
    }
    EXPECT_FALSE(heat.is_hot(Lpn{17})); // 3
    EXPECT_TRUE(heat.is_hot(Lpn{99}));
}

TEST(HotColdTest, OptionsThatDoNotGoTogetherAreRefused) {
    FtlParams params = params_of(0.5);
    params.hot_cold = true;
    const Geometry geometry = geometry_of(1, 1, 1, 16, 4);
    EXPECT_EQ(page_ftl_fits(geometry, params), std::nullopt);
    params.gc_shared_frontier = true;
    EXPECT_NE(page_ftl_fits(geometry, params), std::nullopt);
    EXPECT_THROW(PageFtl(geometry, params, nullptr), ModelError);
}

TEST(BackgroundTest, IdlePlanesAreBroughtToTheirFreeBlocksAndNoFurther) {
    const Geometry geometry = geometry_of(1, 1, 1, 16, 4);
    FtlParams params = params_of(0.5);
    params.gc_background = 5;
    PageFtl ftl(geometry, params, nullptr);
    FlashOpList ops;
    EXPECT_TRUE(ftl.collects_ahead());
    EXPECT_FALSE(ftl.collect_ahead(PlaneId{0}, ops)); // all blocks are free
    for (std::uint64_t i = 0; i < 48; ++i) {
        write(ftl, i % 24);
    }
    ASSERT_EQ(ftl.free_blocks(PlaneId{0}).size(), 4u);
    EXPECT_TRUE(ftl.collect_ahead(PlaneId{0}, ops));
    EXPECT_EQ(text_of(ops), (Lines{"erase gc page 0"}));
    EXPECT_EQ(ftl.free_blocks(PlaneId{0}).size(), 5u);
    EXPECT_FALSE(ftl.collect_ahead(PlaneId{0}, ops));
    EXPECT_FALSE(PageFtl(geometry, params_of(0.5), nullptr).collects_ahead());
}

} // namespace
} // namespace cavern
