#include "core/drive/execution_time.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace cavern {
namespace {

// The drive of CAVE, Tables 1 and 2, with its transfer time of 2112 bytes at 30 ns.
Geometry cave_geometry() {
    Geometry geometry;
    geometry.channels = 8;
    geometry.ways = 4;
    geometry.blocks_per_plane = 16;
    geometry.pages_per_block = 64;
    return geometry;
}

ArrayTimes cave_times() {
    return {{25 * kUs}, {200 * kUs}, 1500 * kUs, 63'360 * kNs};
}

class ExecutionTimeTest : public testing::Test {
  protected:
    Ppn page(std::uint32_t die, std::uint32_t block, std::uint32_t index) const {
        return geometry_.page(geometry_.block(PlaneId{die}, block), index);
    }
    FlashOp program(std::uint32_t die, std::uint32_t index, Origin origin = Origin::kHost) const {
        FlashOp op;
        op.kind = FlashOpKind::kProgram;
        op.origin = origin;
        op.page = page(die, 0, index);
        return op;
    }

    Geometry geometry_ = cave_geometry();
    ExecutionTime time_{geometry_, cave_times()};
};

TEST_F(ExecutionTimeTest, OnePageTakesTransferAndProgram) {
    time_.add({program(0, 0)});
    EXPECT_EQ(time_.total(), 263'360 * kNs);
    EXPECT_EQ(time_.gc_time(), 0u);
}

// CAVE, section 4.2: 32 victims on 32 dies cost 4 transfers and one program time.
TEST_F(ExecutionTimeTest, ABatchOfOnePagePerDieOverlapsOnAllChannels) {
    FlashOpList batch;
    for (std::uint32_t die = 0; die < 32; ++die) {
        batch.push_back(program(die, 0));
    }
    time_.add(batch);
    EXPECT_EQ(time_.total(), 4 * 63'360 * kNs + 200 * kUs);
}

TEST_F(ExecutionTimeTest, TheSamePagesOneAtATimeTakeThirtyTwoTimesAsLong) {
    for (std::uint32_t die = 0; die < 32; ++die) {
        time_.add({program(die, 0)});
    }
    EXPECT_EQ(time_.total(), 32 * 263'360 * kNs);
}

TEST_F(ExecutionTimeTest, FullBlocksOnAllDiesAreBoundByTheDies) {
    FlashOpList batch;
    for (std::uint32_t die = 0; die < 32; ++die) {
        for (std::uint32_t index = 0; index < 64; ++index) {
            batch.push_back(program(die, index));
        }
    }
    time_.add(batch);
    EXPECT_EQ(time_.total(), 64 * 263'360 * kNs + 3 * 63'360 * kNs);
}

TEST_F(ExecutionTimeTest, CollectionIsCountedApartFromTheWriteItDelays) {
    FlashOp read;
    read.kind = FlashOpKind::kRead;
    read.origin = Origin::kGc;
    read.page = page(0, 1, 0);
    FlashOp erase;
    erase.kind = FlashOpKind::kErase;
    erase.origin = Origin::kGc;
    erase.page = page(0, 1, 0);
    time_.add({read, program(0, 1, Origin::kGc), erase, program(0, 2)});
    EXPECT_EQ(time_.write_time(), 263'360 * kNs);
    // tR, read-out, transfer in, tPROG, tBERS.
    EXPECT_EQ(time_.gc_time(), 25 * kUs + 63'360 * kNs + 263'360 * kNs + 1500 * kUs);
}

// 64 copies of 351.72 us and two erases: a merge of BAST on the drive of Table 2 of CAVE.
// A read holds the program of its die back, so that the die with two of them is first on the bus.
TEST_F(ExecutionTimeTest, HostProgramsTakeNoMoreAloneThanWithWhatRunsBesideThem) {
    geometry_.channels = 1;
    geometry_.ways = 2;
    ExecutionTime time(geometry_, cave_times());
    FlashOp read;
    read.kind = FlashOpKind::kRead;
    read.origin = Origin::kGc;
    read.page = page(0, 1, 0);
    time.add({program(0, 0), program(1, 0), program(1, 1)});
    const TimePs alone = time.write_time();
    time.reset();
    time.add({read, program(0, 0), program(1, 0), program(1, 1)});
    EXPECT_LT(time.total(), alone);
    EXPECT_EQ(time.write_time(), time.total());
    EXPECT_EQ(time.gc_time(), 0u);
}

TEST_F(ExecutionTimeTest, CollectionAddedUpCountsOperationsWhereverTheyRun) {
    const auto merge = [this](std::uint32_t from, std::uint32_t to) {
        FlashOpList batch;
        for (std::uint32_t i = 0; i < 64; ++i) {
            FlashOp read;
            read.kind = FlashOpKind::kRead;
            read.origin = Origin::kMerge;
            read.page = page(from, 1, i);
            batch.push_back(read);
            batch.push_back(FlashOp::copy(Origin::kMerge, read.page, page(to, 2, i), Lpn{i},
                                          static_cast<std::int32_t>(batch.size()) - 1));
        }
        for (std::uint32_t block = 0; block < 2; ++block) {
            FlashOp erase;
            erase.kind = FlashOpKind::kErase;
            erase.origin = Origin::kMerge;
            erase.page = page(from, block, 0);
            batch.push_back(erase);
        }
        return batch;
    };
    constexpr TimePs kMerge = 64 * 351'720 * kNs + 2 * 1500 * kUs;
    time_.add(merge(0, 0));
    EXPECT_EQ(time_.gc_time_sum(), kMerge);
    EXPECT_EQ(time_.gc_time(), kMerge); // one die: nothing beside it
    time_.reset();
    EXPECT_EQ(time_.gc_time_sum(), 0u);

    FlashOpList both = merge(0, 0);
    for (FlashOp op : merge(1, 1)) { // a die of another channel
        op.after += op.after == FlashOp::kNone ? 0 : 130;
        both.push_back(op);
    }
    both.push_back(program(2, 0));
    time_.add(both);
    time_.add({program(3, 0)});
    EXPECT_EQ(time_.gc_time_sum(), 2 * kMerge);
    EXPECT_LE(time_.gc_time(), kMerge);
    EXPECT_EQ(time_.write_time(), 2 * 263'360 * kNs);
}

// The second page of a die waits for the first while 31 dies have nothing to do.
TEST_F(ExecutionTimeTest, AHostPageWaitsForItsDieWhileOthersAreIdle) {
    const StripeCosts costs = time_.costs({program(0, 0), program(0, 1), program(0, 2)});
    EXPECT_EQ(costs.host_pages, 3u);
    EXPECT_EQ(costs.stalled, (1 + 2) * 263'360 * kNs);
    EXPECT_EQ(costs.collecting, 0u);
    EXPECT_EQ(time_.costs({program(0, 0), program(1, 0), program(2, 0)}).stalled, 0u);
    EXPECT_EQ(time_.costs({program(0, 0)}).host_pages, 1u);
    EXPECT_EQ(time_.total(), 0u); // looking is not adding
}

TEST_F(ExecutionTimeTest, NobodyWaitsInVainWhileAllDiesAreBusy) {
    FlashOpList batch;
    for (std::uint32_t die = 0; die < 32; ++die) {
        batch.push_back(program(die, 0));
    }
    batch.push_back(program(31, 1)); // its die is one of those that end last
    // The first dies to end are the first of their channels.
    EXPECT_EQ(time_.costs(batch).stalled, 3 * 63'360 * kNs);
}

TEST_F(ExecutionTimeTest, CollectionCostsWhatDiesSpendOnIt) {
    FlashOp read;
    read.kind = FlashOpKind::kRead;
    read.origin = Origin::kGc;
    read.page = page(0, 1, 0);
    FlashOp erase = read;
    erase.kind = FlashOpKind::kErase;
    const StripeCosts costs = time_.costs({read, program(0, 1, Origin::kGc), erase, program(0, 2)});
    const TimePs collection = 25 * kUs + 63'360 * kNs + 263'360 * kNs + 1500 * kUs;
    EXPECT_EQ(costs.collecting, collection);
    EXPECT_EQ(costs.stalled, collection); // the host page behind it
    EXPECT_EQ(costs.host_pages, 1u);
    EXPECT_EQ(time_.costs({program(0, 1, Origin::kPadding)}).collecting, 0u);
}

TEST_F(ExecutionTimeTest, PageTypesHaveTheirOwnProgramTime) {
    ExecutionTime tlc(geometry_, {{25 * kUs}, {100 * kUs, 200 * kUs, 300 * kUs}, 0, 0});
    tlc.add({program(0, 4)});
    EXPECT_EQ(tlc.total(), 200 * kUs);
}

/// One channel, two dies of four planes.
class MultiPlaneTimeTest : public testing::Test {
  protected:
    MultiPlaneTimeTest() {
        geometry_.channels = 1;
        geometry_.ways = 2;
        geometry_.planes_per_die = 4;
        geometry_.blocks_per_plane = 4;
        geometry_.pages_per_block = 8;
    }
    FlashOp program(std::uint32_t plane, std::uint32_t index, Origin origin = Origin::kHost) const {
        FlashOp op;
        op.kind = FlashOpKind::kProgram;
        op.origin = origin;
        op.page = geometry_.page(geometry_.block(PlaneId{plane}, 0), index);
        return op;
    }
    FlashOp program_in(std::uint32_t plane, std::uint32_t block, std::uint32_t index) const {
        FlashOp op = program(plane, index);
        op.page = geometry_.page(geometry_.block(PlaneId{plane}, block), index);
        return op;
    }
    TimePs time_of(const FlashOpList& batch, bool multi_plane = true) const {
        ArrayTimes times = cave_times();
        times.max_group = multi_plane ? 4 : 1;
        ExecutionTime time(geometry_, times);
        time.add(batch);
        return time.total();
    }

    static constexpr TimePs kTransfer = 63'360 * kNs;
    static constexpr TimePs kProgram = 200 * kUs;
    Geometry geometry_;
};

TEST_F(MultiPlaneTimeTest, NeighboursOfOnePageIndexInDifferentPlanesRunAsOne) {
    const FlashOpList four{program(0, 3), program(1, 3), program(2, 3), program(3, 3)};
    EXPECT_EQ(time_of(four), 4 * kTransfer + kProgram);
    EXPECT_EQ(time_of(four, false), 4 * (kTransfer + kProgram));
}

TEST_F(MultiPlaneTimeTest, AnotherIndexOrTheSamePlaneBeginsAnew) {
    EXPECT_EQ(time_of({program(0, 3), program(1, 4)}), 2 * (kTransfer + kProgram));
    EXPECT_EQ(time_of({program(0, 3), program(1, 3), program(0, 4), program(1, 4)}),
              2 * (2 * kTransfer + kProgram));
    FlashOpList twice{program(0, 3), program(0, 3)};
    twice[1].page = geometry_.page(geometry_.block(PlaneId{0}, 1), 3);
    EXPECT_EQ(time_of(twice), 2 * (kTransfer + kProgram));
}

// Two streams of writes alternate, each with a block of its own per plane: no neighbours fit.
TEST_F(MultiPlaneTimeTest, ProgramsOfTheWindowRunAsOneThoughTheyAreNoNeighbours) {
    const FlashOpList streams{program_in(0, 0, 3), program_in(0, 1, 5), program_in(1, 0, 3),
                              program_in(1, 1, 5)};
    EXPECT_EQ(time_of(streams), 2 * (2 * kTransfer + kProgram));
    EXPECT_EQ(time_of(streams, false), 4 * (kTransfer + kProgram));
    FlashOp erase = program_in(2, 0, 0);
    erase.kind = FlashOpKind::kErase;
    EXPECT_EQ(time_of({program(0, 3), erase, program(1, 3)}),
              2 * kTransfer + kProgram + 1500 * kUs);
}

TEST_F(MultiPlaneTimeTest, AProgramPassesNeitherTheEraseNorAPageOfItsBlock) {
    FlashOp erase = program_in(1, 0, 0);
    erase.kind = FlashOpKind::kErase;
    EXPECT_EQ(time_of({program(0, 3), erase, program(1, 3)}),
              2 * (kTransfer + kProgram) + 1500 * kUs);
    // Page 3 of plane 1 before its page 2 would be out of order.
    EXPECT_EQ(time_of({program(0, 3), program(1, 2), program(1, 3)}), 3 * (kTransfer + kProgram));
}

TEST_F(MultiPlaneTimeTest, AGroupLooksNoFurtherThanSixteenOperations) {
    geometry_.pages_per_block = 64;
    for (const std::uint32_t others : {15u, 16u}) {
        FlashOpList batch{program_in(0, 0, 40)};
        for (std::uint32_t i = 0; i < others; ++i) {
            batch.push_back(program_in(0, 1, i)); // of plane 0
        }
        batch.push_back(program_in(1, 0, 40));
        const std::uint32_t groups = others == 15 ? 16 : 18;
        EXPECT_EQ(time_of(batch), batch.size() * kTransfer + groups * kProgram) << others;
    }
}

// What has not been read cannot be programmed: the copy behind a read that is passed waits.
TEST_F(MultiPlaneTimeTest, ACopyOfTheDieJoinsOnlyWhatComesAfterItsRead) {
    FlashOp read = program_in(2, 2, 0);
    read.kind = FlashOpKind::kRead;
    read.origin = Origin::kGc;
    const auto copy = [&](std::int32_t after) {
        FlashOp op = program(1, 3, Origin::kGc);
        op.after = after;
        op.copies = true;
        return op;
    };
    const TimePs read_time = 25 * kUs + kTransfer;
    EXPECT_EQ(time_of({read, program(0, 3), copy(0)}), read_time + 2 * kTransfer + kProgram);
    EXPECT_EQ(time_of({program(0, 3), read, copy(1)}), read_time + 2 * (kTransfer + kProgram));
    // A read that is passed keeps nothing else back.
    EXPECT_EQ(time_of({program(0, 3), read, program(1, 3)}), read_time + 2 * kTransfer + kProgram);
    EXPECT_EQ(time_of({read, program(0, 3), read, copy(0)}),
              2 * read_time + 2 * kTransfer + kProgram);
}

TEST_F(MultiPlaneTimeTest, AGroupIsNotLargerThanTheDieTakes) {
    geometry_.planes_per_die = 16;
    geometry_.ways = 1;
    FlashOpList batch;
    for (std::uint32_t plane = 0; plane < 16; ++plane) {
        batch.push_back(program(plane, 0));
    }
    EXPECT_EQ(time_of(batch), 16 * kTransfer + 4 * kProgram);
}

TEST_F(MultiPlaneTimeTest, DiesOverlapGroupByGroup) {
    FlashOpList batch;
    for (std::uint32_t plane = 0; plane < 8; ++plane) {
        batch.push_back(program(plane, 0));
    }
    EXPECT_EQ(time_of(batch), 8 * kTransfer + kProgram);
    EXPECT_EQ(time_of(batch, false), 4 * (kTransfer + kProgram) + kTransfer);
}

// Die 1 would have been done with it at once; now tR and the read-out of die 0 come first.
TEST_F(MultiPlaneTimeTest, ACopyFromAnotherDieWaitsForItsRead) {
    FlashOp read = program(0, 0, Origin::kMerge);
    read.kind = FlashOpKind::kRead;
    FlashOp copy = program(4, 0, Origin::kMerge);
    copy.after = 0;
    copy.copies = true;
    for (const std::uint32_t channels : {1u, 2u}) {
        geometry_.channels = channels;
        geometry_.ways = 2 / channels;
        EXPECT_EQ(time_of({read, copy}), 25 * kUs + 2 * kTransfer + kProgram);
        EXPECT_EQ(time_of({read, copy}, false), // the paper's measure
                  std::max(kTransfer + kProgram, 25 * kUs + (3 - channels) * kTransfer));
        copy.copies = false; // its data are at hand
        EXPECT_EQ(time_of({read, copy}),
                  std::max(kTransfer + kProgram, 25 * kUs + (3 - channels) * kTransfer));
        copy.copies = true;
    }
    // Only what has been read joins a group.
    FlashOp second = read;
    second.page = geometry_.page(geometry_.block(PlaneId{1}, 0), 0);
    FlashOp follows = program(5, 0, Origin::kMerge);
    follows.after = 2;
    follows.copies = true;
    EXPECT_EQ(time_of({read, copy, second, follows}),
              25 * kUs + 2 * kTransfer + 2 * kProgram + kTransfer);
}

} // namespace
} // namespace cavern
