#include "core/ftl/page_ftl.h"

#include <chrono>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/page_ftl_why_not.h"
#include "tests/core/ftl/flash_op_text.h"
#include "tests/core/ftl/page_ftl_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {

/// Damages an FTL, for the tests that expect the damage to be found.
struct FlashSpaceProbe {
    static void disown(FlashSpace& s, Ppn page) { s.owners_.set(raw(page), 0); }
    static FreePool& pool(FlashSpace& s) { return s.pool_; }
    static VictimPolicyIf& victims(FlashSpace& s) { return *s.victims_; }
};
struct PageFtlProbe {
    using Space = FlashSpaceProbe;
    static void map(PageFtl& f, Lpn lpn, Ppn page) { f.l2p_.set(raw(lpn), raw(page) + 1); }
    static void invalidate_silently(PageFtl& f, Ppn page) { Space::disown(f.space_, page); }
    static void count_valid(PageFtl& f, BlockId block) { ++f.space_.block(block).valid; }
    static void free_in_use(PageFtl& f, BlockId block) { Space::pool(f.space_).give_back(block); }
    static void lose_free(PageFtl& f, PlaneId plane) { (void)Space::pool(f.space_).take(plane); }
    static void close(PageFtl& f, BlockId block) { f.space_.block(block).use = BlockUse::kClosed; }
    static void drop_candidate(PageFtl& f, BlockId block) {
        Space::victims(f.space_).on_collect(PlaneId{0}, block);
    }
    static void add_candidate(PageFtl& f, BlockId block) {
        Space::victims(f.space_).on_garbage(PlaneId{0}, block);
    }
};

namespace {

using testing::geometry_of;
using testing::kPage1;
using testing::Lines;
using testing::page_params;
using testing::RecordingLog;
using testing::text_of;
using testing::write;

std::vector<std::uint32_t> valid_counts(const PageFtl& ftl, std::uint32_t blocks) {
    std::vector<std::uint32_t> counts;
    for (std::uint32_t i = 0; i < blocks; ++i) {
        counts.push_back(ftl.space().block(BlockId{i}).valid);
    }
    return counts;
}

// docs/algorithms.md, PAGE-1: 6 blocks, Np = 4, low = 1, high = 2. Half of the pages are exported
// because it uses twelve.
class PageOneTest : public ::testing::Test {
  protected:
    Geometry geometry = geometry_of(1, 1, 1, 6, 4);
    RecordingLog log;
    PageFtl ftl{geometry, page_params(0.5, 1, 2), &log};
};

TEST_F(PageOneTest, CountsAndFreeListAreThoseOfTheExample) {
    int number = 0;
    for (const std::uint64_t lpn : kPage1) {
        const FlashOpList ops = write(ftl, lpn);
        ++number;
        EXPECT_EQ(ops.size(), number == 21 ? 7u : 1u) << "write " << number;
        EXPECT_EQ(ops.back().origin, Origin::kHost);
        if (number == 21) {
            EXPECT_EQ(text_of(ops),
                      (Lines{"read gc page 3 lpn 3", "program gc page 20 lpn 3 after 0 copies",
                             "erase gc page 0 after 1", "read gc page 7 lpn 7",
                             "program gc page 21 lpn 7 after 3 copies", "erase gc page 4 after 4",
                             "program host page 0 lpn 0"}));
        }
    }
    EXPECT_EQ(ftl.counters().host_pages, 22u);
    EXPECT_EQ(ftl.counters().gc_pages, 2u);
    EXPECT_EQ(ftl.counters().erases, 2u);
    EXPECT_EQ(ftl.counters().gc_runs, 2u);
    EXPECT_EQ(valid_counts(ftl, 6), (std::vector<std::uint32_t>{2, 0, 1, 3, 4, 2}));
    EXPECT_EQ(ftl.space().list_free(PlaneId{0}), std::vector<BlockId>{BlockId{1}});
    EXPECT_EQ(log.starting_with("gc "), (Lines{"gc 0 copies 1", "gc program 3 at 20",
                                               "gc 1 copies 1", "gc program 7 at 21"}));
    EXPECT_GT(ftl.check_invariants(), 24u);
    ftl.reset_counters();
    EXPECT_EQ(ftl.counters().host_pages, 0u);
}

// docs/algorithms.md, TRIM-1: Np = 4.
TEST(PageFtlTest, TrimmedPagesAreNotCopied) {
    const Geometry geometry = geometry_of(1, 1, 1, 7, 4);
    RecordingLog log;
    PageFtl ftl(geometry, page_params(0.4, 3, 4), &log);
    for (std::uint64_t lpn = 0; lpn < 8; ++lpn) {
        write(ftl, lpn);
    }
    FlashOpList ops;
    ftl.trim(Lpn{1}, ops);
    ftl.trim(Lpn{2}, ops);
    ftl.trim(Lpn{2}, ops);
    write(ftl, 0);
    EXPECT_EQ(valid_counts(ftl, 3), (std::vector<std::uint32_t>{1, 4, 1}));
    EXPECT_EQ(ftl.read(Lpn{1}, ops), kNoPpn);
    EXPECT_EQ(ftl.read(Lpn{9}, ops), kNoPpn); // never written
    EXPECT_EQ(ftl.read(Lpn{0}, ops), Ppn{8});
    EXPECT_TRUE(ops.empty());
    // Three blocks left: the next block the host needs but one starts a collection.
    for (std::uint64_t lpn = 8; lpn < 15; ++lpn) {
        write(ftl, lpn);
    }
    EXPECT_EQ(text_of(write(ftl, 15)),
              (Lines{"read gc page 3 lpn 3", "program gc page 16 lpn 3 after 0 copies",
                     "erase gc page 0 after 1", "program host page 20 lpn 15"}));
    EXPECT_EQ(log.starting_with("gc "), (Lines{"gc 0 copies 1", "gc program 3 at 16"}));
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST(PageFtlTest, AVictimWithoutValidPagesIsOnlyErased) {
    PageFtl ftl(geometry_of(1, 1, 1, 6, 4), page_params(0.5, 1, 2), nullptr);
    for (int round = 0; round < 5; ++round) {
        for (std::uint64_t lpn = 0; lpn < 4; ++lpn) {
            write(ftl, lpn);
        }
    }
    // Blocks 0 .. 3 are dead; high is reached with the first.
    EXPECT_EQ(text_of(write(ftl, 0)), (Lines{"erase gc page 0", "program host page 20 lpn 0"}));
    EXPECT_EQ(ftl.space().list_free(PlaneId{0}), std::vector<BlockId>{BlockId{0}});
}

TEST(PageFtlTest, SharedFrontierPutsCollectedAndHostPagesInOneBlock) {
    PageFtl ftl(geometry_of(1, 1, 1, 6, 4), page_params(0.5, 1, 2, true), nullptr);
    FlashOpList ops;
    for (const std::uint64_t lpn : kPage1) {
        ops = write(ftl, lpn);
        if (ops.size() > 1) {
            EXPECT_EQ(text_of(ops.back()), "program host page 22 lpn 0");
        }
    }
    EXPECT_EQ(text_of(ops), Lines{"program host page 23 lpn 1"});
    EXPECT_EQ(ftl.space().list_free(PlaneId{0}), (std::vector<BlockId>{BlockId{0}, BlockId{1}}));
}

TEST_F(PageOneTest, DamagedStateIsFound) {
    const auto found = [this](const std::function<void(PageFtl&)>& damage) {
        PageFtl damaged(geometry, page_params(0.5, 1, 2), nullptr);
        for (const std::uint64_t lpn : kPage1) {
            write(damaged, lpn);
        }
        damage(damaged);
        try {
            (void)damaged.check_invariants();
        } catch (const ModelError&) {
            return true;
        }
        return false;
    };
    using Probe = PageFtlProbe;
    EXPECT_FALSE(found([](PageFtl&) {}));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::map(f, Lpn{3}, f.location(Lpn{7})); }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::invalidate_silently(f, f.location(Lpn{3})); }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::count_valid(f, BlockId{2}); }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::free_in_use(f, BlockId{4}); }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::lose_free(f, PlaneId{0}); }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::close(f, BlockId{0}); }));
    EXPECT_TRUE(found([](PageFtl& f) {
        Probe::drop_candidate(f, BlockId{2});
        Probe::drop_candidate(f, BlockId{3});
    }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::add_candidate(f, BlockId{1}); }));
}

TEST(PageFtlTest, APlaneFullOfValidPagesHasNoRoomUntilEnoughIsTrimmed) {
    const Geometry geometry = geometry_of(1, 1, 2, 6, 4);
    PageFtl ftl(geometry, page_params(0.25, 1, 2), nullptr); // 36 logical pages over 48
    std::uint64_t lpn = 0;
    while (ftl.has_room(PlaneId{0}, Lpn{0})) {
        write(ftl, lpn++, 0);
    }
    EXPECT_EQ(lpn, 17u); // all blocks but the reserve and the one just opened
    while (lpn < 20) {
        write(ftl, lpn++, 0);
    }
    FlashOpList ops;
    EXPECT_THROW(ftl.write(Lpn{lpn}, PlaneId{0}, ops), ModelError);
    EXPECT_TRUE(ftl.has_room(PlaneId{1}, Lpn{0}));
    // Fewer pages are not enough: packed, the rest takes all five blocks still.
    for (std::uint64_t page = 0; page < 4; ++page) {
        EXPECT_FALSE(ftl.has_room(PlaneId{0}, Lpn{0}));
        ftl.trim(Lpn{page * 5}, ops);
    }
    EXPECT_TRUE(ftl.has_room(PlaneId{0}, Lpn{0}));
    for (int page = 0; page < 4; ++page) {
        ftl.write(Lpn{lpn++}, PlaneId{0}, ops);
    }
    EXPECT_THROW(ftl.write(Lpn{lpn}, PlaneId{0}, ops), ModelError);
    EXPECT_GT(ftl.counters().gc_pages, 0u);
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST(PageFtlTest, RoomLastsForABlockOfPagesNeverWrittenBefore) {
    // All pages of two planes are exported, so that plane 0 alone can be overfilled.
    const Geometry geometry = geometry_of(1, 1, 2, 6, 4);
    int with_room = 0;
    int without = 0;
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
        PageFtl ftl(geometry, page_params(0.0, 1, 2, seed % 2 == 1), nullptr);
        Random random(seed);
        FlashOpList ops;
        // A plane in an arbitrary state near its limit.
        const std::uint64_t span = 12 + random.below(9);
        for (std::uint64_t n = 20 + random.below(60); n > 0 && ftl.has_room(PlaneId{0}, Lpn{0});
             --n) {
            ftl.write(Lpn{random.below(span)}, PlaneId{0}, ops);
            if (random.below(8) == 0) {
                ftl.trim(Lpn{random.below(span)}, ops);
            }
        }
        if (!ftl.has_room(PlaneId{0}, Lpn{0})) {
            ++without;
            continue;
        }
        ++with_room;
        for (std::uint64_t page = 0; page < 4; ++page) {
            ASSERT_NO_THROW(ftl.write(Lpn{span + page}, PlaneId{0}, ops)) << "seed " << seed;
        }
        EXPECT_GT(ftl.check_invariants(), 0u);
    }
    EXPECT_GT(with_room, 1000);
    EXPECT_GT(without, 1000);
}

TEST(PageFtlTest, GarbageInTheOpenCollectionBlockIsNotRoom) {
    PageFtl ftl(geometry_of(1, 1, 1, 7, 4), page_params(0.1, 2, 3), nullptr);
    for (std::uint64_t lpn = 0; lpn < 16; ++lpn) {
        write(ftl, lpn);
    }
    for (const std::uint64_t lpn : {3, 16, 17, 18}) {
        write(ftl, lpn);
    }
    EXPECT_EQ(write(ftl, 19).size(), 8u); // pages 0, 1, 2 of block 0 go to a fresh block
    for (const std::uint64_t lpn : {20, 21, 22}) {
        write(ftl, lpn);
    }
    FlashOpList ops;
    for (const std::uint64_t lpn : {0, 1, 2}) {
        ftl.trim(Lpn{lpn}, ops);
    }
    // Five blocks are full of valid pages, one is the reserve, and the one being filled with
    // collected pages holds three that nothing can reclaim before it is full.
    EXPECT_FALSE(ftl.has_room(PlaneId{0}, Lpn{0}));
    EXPECT_THROW(ftl.write(Lpn{23}, PlaneId{0}, ops), ModelError);
}

TEST(PageFtlTest, AddressesBeyondTheDriveAreRefused) {
    PageFtl ftl(geometry_of(1, 1, 1, 6, 4), page_params(0.5, 1, 2), nullptr);
    EXPECT_EQ(ftl.logical_pages(), 12u);
    FlashOpList ops;
    EXPECT_THROW(ftl.write(Lpn{12}, PlaneId{0}, ops), ModelError);
    EXPECT_THROW((void)ftl.read(Lpn{12}, ops), ModelError);
    EXPECT_THROW(ftl.trim(Lpn{12}, ops), ModelError);
}

TEST(PageFtlTest, WatermarksThatCannotWorkAreRefused) {
    const Geometry geometry = geometry_of(1, 1, 1, 6, 4);
    EXPECT_THROW(PageFtl(geometry, page_params(0.5, 0, 2), nullptr), ModelError);
    EXPECT_THROW(PageFtl(geometry, page_params(0.5, 2, 2), nullptr), ModelError);
}

TEST(PageFtlTest, SixteenTebibytesAreThereAtOnce) {
    Geometry geometry = geometry_of(16, 16, 4, 1024, 1024);
    geometry.page_bytes = 16384;
    ASSERT_EQ(geometry.raw_bytes(), std::uint64_t{16} << 40);
    const FtlParams params = page_params(0.07, 1, 2);
    ASSERT_EQ(page_ftl_why_not(geometry, params), std::nullopt);
    const std::uint64_t before = testing::resident_bytes();
    const auto start = std::chrono::steady_clock::now();
    PageFtl ftl(geometry, params, nullptr);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (!testing::kSanitized) {
        EXPECT_LT(seconds.count(), 1.0);
        EXPECT_LT(testing::resident_bytes(), before + (std::uint64_t{8} << 20));
    }
    write(ftl, ftl.logical_pages() - 1, geometry.planes() - 1);
    EXPECT_EQ(geometry.block_of(ftl.location(Lpn{ftl.logical_pages() - 1})),
              geometry.block(PlaneId{geometry.planes() - 1}, 0));
}

} // namespace
} // namespace cavern
