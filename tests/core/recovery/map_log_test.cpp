// What a log of the map says: the worked examples, and what is read.

#include <gtest/gtest.h>

#include "core/drive/checkpoint_log.h"
#include "core/drive/mark_log.h"
#include "core/recovery/map_search.h"
#include "core/recovery/torn.h"
#include "tests/core/recovery/cut_fixture.h"

namespace cavern::testing {
namespace {

class MapLogTest : public ::testing::Test {
  protected:
    Ppn page(std::uint32_t block, std::uint32_t index) const {
        return geometry_.page(BlockId{block}, index);
    }
    std::uint64_t place(std::uint32_t block, std::uint32_t index) const {
        return raw(page(block, index)) + 1;
    }
    /// Blocks of which so many pages are known.
    MapSnapshot known(std::vector<std::uint32_t> next) const {
        MapSnapshot known;
        known.blocks.resize(geometry_.blocks());
        for (std::size_t block = 0; block < next.size(); ++block) {
            known.blocks[block].next = next[block];
        }
        return known;
    }

    Geometry geometry_ = geometry_of(1, 1, 1, 4, 4);
    NandArray array_{geometry_, false, true};
};

// docs/algorithms.md, REC-1: of the same flash as for a scan.
TEST_F(MapLogTest, GoesBackToTheMark) {
    array_.program(page(0, 0), Lpn{0}, 1);
    array_.program(page(0, 1), Lpn{1}, 2);
    array_.program(page(0, 2), Lpn{0}, 3);
    array_.program(page(1, 0), Lpn{2}, 4);
    tear_program(array_, page(1, 1), 1);
    SpareScan scan(array_, 3);
    scan.run_until(2, {});
    EXPECT_EQ(scan.places(), (std::vector<std::uint64_t>{place(0, 0), place(0, 1), 0}));
    EXPECT_EQ(scan.gone(), 2u);
    EXPECT_EQ(scan.latest(), 4u);
    // Later, with newer versions and a newer mark, 3 and 4 stay gone.
    array_.program(page(2, 0), Lpn{1}, 5);
    SpareScan later(array_, 3);
    later.run_until(5, {{2, 4}, {7, 9}});
    EXPECT_EQ(later.places(), (std::vector<std::uint64_t>{place(0, 0), place(2, 0), 0}));
    EXPECT_EQ(later.ranges_found(), (MapLogContents::Ranges{{2, 4}}));
    EXPECT_EQ(later.latest(), 9u); // a number is not given twice
}

// REC-1: checkpoint {0:a, 1:b}, journal (0->c), scan (d,1,9), (e,0,10,torn): 0->c, 1->d.
TEST_F(MapLogTest, CheckpointJournalAndScan) {
    array_.program(page(0, 0), Lpn{0}, 1); // a
    array_.program(page(0, 1), Lpn{1}, 2); // b
    array_.program(page(0, 2), Lpn{0}, 8); // c
    array_.program(page(0, 3), Lpn{1}, 9); // d
    tear_program(array_, page(1, 0), 1);   // e
    MapSnapshot checkpoint = known({2});
    checkpoint.places = {place(0, 0), place(0, 1)};
    checkpoint.versions = {1, 2};
    checkpoint.latest = 2;
    replay({{page(0, 2), Lpn{0}, 8, false}}, geometry_, checkpoint);
    EXPECT_EQ(checkpoint.places, (std::vector<std::uint64_t>{place(0, 2), place(0, 1)}));
    SpareScan scan(array_, 2);
    ASSERT_TRUE(scan.run_behind(checkpoint, 1));
    EXPECT_EQ(scan.places(), (std::vector<std::uint64_t>{place(0, 2), place(0, 3)}));
    EXPECT_EQ(scan.versions(), (std::vector<PageVersion>{8, 9}));
    EXPECT_EQ(scan.latest(), 9u);
    EXPECT_EQ(scan.blocks()[0].wanted, 2u);
    // The first of each block, and d: the block is full.
    EXPECT_EQ(scan.spares(), 4u + 1);
}

TEST_F(MapLogTest, ABlockErasedSinceIsReadAnew) {
    array_.program(page(0, 0), Lpn{0}, 1);
    array_.program(page(0, 1), Lpn{1}, 2);
    MapSnapshot checkpoint = known({2});
    checkpoint.places = {place(0, 0), place(0, 1)};
    checkpoint.versions = {1, 2};
    array_.program(page(1, 0), Lpn{0}, 1); // collected
    array_.program(page(1, 1), Lpn{1}, 3); // superseded
    array_.erase(BlockId{0});
    array_.program(page(0, 0), Lpn{1}, 4);
    SpareScan scan(array_, 2);
    ASSERT_TRUE(scan.run_behind(checkpoint, 1));
    EXPECT_EQ(scan.places(), (std::vector<std::uint64_t>{place(1, 0), place(0, 0)}));
    EXPECT_EQ(scan.spares(), 2u + 3 + 1 + 1);
}

TEST_F(MapLogTest, AKnownPageThatIsTornLeavesItToAFullScan) {
    array_.program(page(1, 0), Lpn{0}, 1);
    array_.program(page(0, 0), Lpn{0}, 2);
    MapSnapshot checkpoint = known({1, 1});
    checkpoint.places = {place(0, 0)};
    checkpoint.versions = {2};
    tear_program(array_, page(0, 1), 2); // with the page before
    SpareScan scan(array_, 1);
    EXPECT_FALSE(scan.run_behind(checkpoint, 2));
    EXPECT_EQ(scan.places()[0], 0u);
    scan.run();
    EXPECT_EQ(scan.places()[0], place(1, 0));
}

/// A checkpoint is whole with its last page; until then the other half has one.
TEST(CheckpointLogTest, TheOlderOneStaysUntilTheNewerIsWhole) {
    const Geometry geometry = geometry_of(1, 2, 1, 8, 4);
    NandArray array(geometry, false, true);
    const CheckpointLog log(geometry, 2000, {MapLogKind::kCheckpoint, 10, 0}, nullptr);
    ASSERT_EQ(log.pages(), 8u); // 16,000 bytes of the map, 128 of blocks
    const auto write = [&](std::uint32_t half, std::uint32_t from, std::uint32_t to,
                           PageVersion generation) {
        for (std::uint32_t page = from; page < to; ++page) {
            array.program(log.area().page(half, page), kNoLpn, generation);
        }
    };
    EXPECT_TRUE(log.find(array).empty());
    write(0, 0, 8, 1);
    write(1, 0, 7, 2);
    ASSERT_EQ(log.find(array).size(), 1u);
    EXPECT_EQ(log.find(array).front().generation, 1u);
    write(1, 7, 8, 2);
    ASSERT_EQ(log.find(array).size(), 2u);
    EXPECT_EQ(log.find(array).front().generation, 2u);
    Random random(1);
    tear_erase(array, geometry.block_of(log.area().page(1, 0)), random);
    ASSERT_EQ(log.find(array).size(), 1u);
    EXPECT_EQ(log.find(array).front().half, 0u);
}

TEST(LogAreaTest, PagesOfAHalfGoAcrossThePlanes) {
    const Geometry geometry = geometry_of(2, 1, 1, 8, 4);
    const LogArea area(geometry, 4);
    EXPECT_EQ(area.pages(), 16u);
    EXPECT_EQ(area.page(0, 0), geometry.page(BlockId{0}, 0));
    EXPECT_EQ(area.page(0, 1), geometry.page(BlockId{8}, 0));
    EXPECT_EQ(area.page(0, 3), geometry.page(BlockId{8}, 1));
    EXPECT_EQ(area.page(0, 8), geometry.page(BlockId{1}, 0));
    EXPECT_EQ(area.page(1, 15), geometry.page(BlockId{11}, 3));
}

/// What is in flash and was not flushed comes back from a checkpoint, and not from a mark.
TEST(MapLogDriveTest, AMarkGoesBackBehindWhatWasNotFlushed) {
    for (const MapLogKind kind : {MapLogKind::kCheckpoint, MapLogKind::kMarks}) {
        CutCase each = logged_case(kind, 100'000, 0);
        each.cuts.under_way = 0;
        CutDrive drive = make_drive(each);
        drive.start();
        const std::uint64_t bytes = each.parts.geometry.page_bytes;
        const auto run = [&](RequestOp op, std::uint64_t page) {
            DeviceCommand command;
            command.op = op;
            command.offset = page * bytes;
            command.bytes = op == RequestOp::kFlush ? 0 : bytes;
            drive.execute(command);
            drive.settle();
        };
        run(RequestOp::kWrite, 0);
        run(RequestOp::kFlush, 0);
        const PageVersion flushed = drive.core().newest_version(Lpn{0});
        for (std::uint64_t page = 0; page <= each.parts.frames; ++page) {
            run(RequestOp::kWrite, page); // the last one has page 0 evicted
        }
        const PageVersion evicted = drive.core().newest_version(Lpn{0});
        ASSERT_GT(evicted, flushed);
        drive.cut();
        const bool marks = kind == MapLogKind::kMarks;
        EXPECT_EQ(drive.core().newest_version(Lpn{0}), marks ? flushed : evicted);
        EXPECT_EQ(drive.cuts().counters().pages_gone_back, marks ? 1u : 0u);
        EXPECT_EQ(drive.cuts().counters().flushed, 1u);
        EXPECT_EQ(drive.cuts().counters().lost_flushed, 0u);
        EXPECT_EQ(drive.cuts().counters().lost_unflushed, each.parts.frames + (marks ? 1u : 0u));
    }
}

} // namespace
} // namespace cavern::testing
