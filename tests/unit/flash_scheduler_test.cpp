#include "timed/channel/flash_scheduler.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace cavern {
namespace {

/// One channel that notes what is started and finishes it when told.
class ManualChannel final : public FlashChannelIf {
  public:
    explicit ManualChannel(std::uint32_t slots) : commands_(slots) {}
    NandExtension& command(std::uint32_t slot) override { return commands_[slot]; }
    void start(std::uint32_t slot) override {
        const NandExtension& command = commands_[slot];
        std::string text = command.kind == FlashOpKind::kRead      ? "R"
                           : command.kind == FlashOpKind::kProgram ? "P"
                                                                   : "E";
        for (std::uint32_t i = 0; i < command.count; ++i) {
            text += (i == 0 ? "" : "+") + std::to_string(raw(command.pages[i]));
        }
        started.push_back(text);
        on_start();
    }
    std::vector<std::string> started;
    std::function<void()> on_start = [] {};

  private:
    std::vector<NandExtension> commands_;
};

/// Data is ready the moment it is asked for, unless held back.
class ManualClient final : public FlashClientIf {
  public:
    void fetch_program_data(OpHandle op, std::uint32_t context, bool) override {
        fetched.push_back(context);
        if (hold_data) {
            held.push_back(op);
        } else if (data_at != 0) {
            scheduler->data_coming(op, data_at);
        } else {
            scheduler->data_ready(op);
        }
    }
    void await_program_data(OpHandle op, TimePs at) override {
        awaited.emplace_back(op, at);
        if (at <= now) {
            scheduler->data_ready(op);
        }
    }
    void store_copied_page(OpHandle op) override { scheduler->data_stored(op); }
    void host_page_read(std::uint32_t context) override { read.push_back(context); }
    void host_page_programmed(std::uint32_t context) override { programmed.push_back(context); }

    FlashScheduler* scheduler = nullptr;
    bool hold_data = false;
    std::vector<OpHandle> held;
    TimePs data_at = 0; ///< when data is announced for, instead of being ready at once
    TimePs now = 0;
    std::vector<std::pair<OpHandle, TimePs>> awaited;
    std::vector<std::uint32_t> fetched;
    std::vector<std::uint32_t> read;
    std::vector<std::uint32_t> programmed;
};

/// One channel, one die with two planes of four blocks of four pages: page numbers 0..15
/// and 16..31.
class FlashSchedulerTest : public testing::Test {
  protected:
    void build(Discipline discipline, bool multi_plane = true, std::uint32_t planes = 2) {
        geometry_.channels = 1;
        geometry_.ways = 1;
        geometry_.planes_per_die = planes;
        geometry_.blocks_per_plane = 4;
        geometry_.pages_per_block = 4;
        scheduler_ = std::make_unique<FlashScheduler>(geometry_, discipline, multi_plane, client_);
        scheduler_->connect(ChannelId{0}, channel_);
        client_.scheduler = scheduler_.get();
    }
    void build_planes(std::uint32_t planes) { build(Discipline::kReadFirst, true, planes); }
    void SetUp() override { build(Discipline::kReadFirst); }

    static FlashOp op(FlashOpKind kind, std::uint32_t page, Origin origin = Origin::kHost) {
        FlashOp result;
        result.kind = kind;
        result.page = Ppn{page};
        result.origin = origin;
        return result;
    }
    static FlashOp program(std::uint32_t page) { return op(FlashOpKind::kProgram, page); }
    static FlashOp erase(std::uint32_t page) { return op(FlashOpKind::kErase, page, Origin::kGc); }
    /// Read of one page and program of its copy, as collection decides them.
    static FlashOpList copy(std::uint32_t from, std::uint32_t to) {
        FlashOpList ops{op(FlashOpKind::kRead, from, Origin::kGc),
                        op(FlashOpKind::kProgram, to, Origin::kGc)};
        ops[1].after = 0;
        ops[1].copies = true;
        return ops;
    }
    void submit(const FlashOpList& ops) {
        std::vector<std::uint32_t> contexts;
        for (const FlashOp& each : ops) {
            contexts.push_back(raw(each.page));
        }
        scheduler_->submit(ops, contexts);
    }
    void finish() { scheduler_->operation_finished(DieId{0}); }

    Geometry geometry_;
    ManualChannel channel_{1};
    ManualClient client_;
    std::unique_ptr<FlashScheduler> scheduler_;
};

using Started = std::vector<std::string>;

TEST_F(FlashSchedulerTest, ProgramsOfADieStartInTheOrderDecided) {
    submit({program(0), program(1), program(2)});
    finish();
    finish();
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "P1", "P2"}));
    EXPECT_EQ(client_.programmed, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, AProgramWaitsForTheEraseOfItsBlock) {
    submit({erase(0), program(0)});
    EXPECT_EQ(channel_.started, (Started{"E0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"E0", "P0"}));
}

TEST_F(FlashSchedulerTest, AReadOfAPageBeingProgrammedWaitsForIt) {
    submit({program(0), program(1)});
    scheduler_->submit_read(Ppn{1}, Lpn{7}, 99);
    EXPECT_TRUE(scheduler_->pending_program(Ppn{1}).found);
    finish(); // P0 done; the read is not ready, though reads come first
    EXPECT_EQ(channel_.started, (Started{"P0", "P1"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "P1", "R1"}));
    EXPECT_FALSE(scheduler_->pending_program(Ppn{1}).found);
    finish();
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{99}));
}

TEST_F(FlashSchedulerTest, AnEraseWaitsForEveryOutstandingReadOfItsBlock) {
    build(Discipline::kFifo);
    submit({program(4)}); // keeps the die busy
    submit({erase(0)});
    scheduler_->submit_read(Ppn{1}, kNoLpn, 1); // decided later, but the erase must not destroy it
    finish();
    EXPECT_EQ(channel_.started, (Started{"P4", "R1"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P4", "R1", "E0"}));
}

TEST_F(FlashSchedulerTest, ReadsOvertakeProgramsOnlyWithReadFirst) {
    submit({program(0), program(1)});
    scheduler_->submit_read(Ppn{8}, kNoLpn, 1);
    finish();
    EXPECT_EQ(channel_.started.back(), "R8");

    channel_.started.clear();
    build(Discipline::kFifo);
    submit({program(0), program(1)});
    scheduler_->submit_read(Ppn{8}, kNoLpn, 1);
    finish();
    EXPECT_EQ(channel_.started.back(), "P1");
}

TEST_F(FlashSchedulerTest, ACopyIsProgrammedAfterItsReadWasStored) {
    FlashOp copy_read = op(FlashOpKind::kRead, 0, Origin::kGc);
    FlashOp copy = op(FlashOpKind::kProgram, 4, Origin::kGc);
    copy.after = 0;
    copy.copies = true;
    FlashOp gc_erase = erase(0);
    gc_erase.after = 1;
    submit({copy_read, copy, gc_erase, program(5)});
    EXPECT_EQ(channel_.started, (Started{"R0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "P4"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "P4", "E0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "P4", "E0", "P5"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, ProgramsOfOnePageIndexInTwoPlanesRunAsOne) {
    submit({program(0), program(16), program(17), program(1)});
    EXPECT_EQ(channel_.started, (Started{"P0+16"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0+16", "P17+1"}));
    EXPECT_EQ(client_.programmed.size(), 2u);
}

TEST_F(FlashSchedulerTest, PagesOfOnePlaneOrOfDifferentIndexDoNotGroup) {
    submit({program(0), program(17)});
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    build(Discipline::kReadFirst, false);
    channel_.started.clear();
    submit({program(0), program(16)});
    EXPECT_EQ(channel_.started, (Started{"P0"}));
}

TEST_F(FlashSchedulerTest, DataOfTheNextProgramIsFetchedWhileTheDieIsBusy) {
    build(Discipline::kReadFirst, false);
    submit({program(0), program(1), program(2)});
    EXPECT_EQ(client_.fetched, (std::vector<std::uint32_t>{0, 1}));
    finish();
    EXPECT_EQ(client_.fetched, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST_F(FlashSchedulerTest, AProgramWithoutDataDoesNotStart) {
    client_.hold_data = true;
    submit({program(0)});
    EXPECT_TRUE(channel_.started.empty());
    scheduler_->data_ready(client_.held.front());
    EXPECT_EQ(channel_.started, (Started{"P0"}));
}

// ---- what completes when ------------------------------------------------------------------------

TEST_F(FlashSchedulerTest, AReadThatWaitedForItsProgramTakesItsOwnTime) {
    submit({program(0)});
    scheduler_->submit_read(Ppn{0}, kNoLpn, 99);
    finish(); // the program; the read starts, but is not done
    EXPECT_EQ(channel_.started, (Started{"P0", "R0"}));
    EXPECT_TRUE(client_.read.empty());
    EXPECT_EQ(scheduler_->outstanding(), 1u);
    finish();
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{99}));
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, ACopyWhosePageIsStoredAtOnceIsPendingUntilItIsProgrammed) {
    submit(copy(0, 4));
    finish(); // the read; its page is stored inside the call, the copy starts inside it
    EXPECT_EQ(channel_.started, (Started{"R0", "P4"}));
    EXPECT_TRUE(scheduler_->pending_program(Ppn{4}).found);
    EXPECT_EQ(scheduler_->outstanding(), 1u);
    scheduler_->submit_read(Ppn{4}, kNoLpn, 7);
    EXPECT_EQ(channel_.started.size(), 2u);
    finish();
    EXPECT_EQ(channel_.started.back(), "R4");
}

TEST_F(FlashSchedulerTest, PagesOfAMultiPlaneProgramAllCompleteBeforeAReadOfOneStarts) {
    submit({program(0), program(16)});
    scheduler_->submit_read(Ppn{16}, kNoLpn, 5);
    channel_.on_start = [this] {
        EXPECT_FALSE(scheduler_->pending_program(Ppn{0}).found);
        EXPECT_EQ(client_.programmed.size(), 2u);
    };
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0+16", "R16"}));
}

// ---- a block that is programmed, erased and programmed again within one queue -------------------

TEST_F(FlashSchedulerTest, AnEraseDoesNotWaitForReadsOfWhatIsProgrammedAfterIt) {
    submit({program(0)}); // keeps the die busy
    submit({erase(4)});
    submit(copy(1, 4)); // into the block the erase clears
    scheduler_->submit_read(Ppn{4}, kNoLpn, 9);
    for (int operations = 0; operations < 5; ++operations) {
        finish();
    }
    EXPECT_EQ(channel_.started, (Started{"P0", "R1", "E4", "P4", "R4"}));
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{9}));
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

// Two dies: page 0 of die 0 is copied to die 1, at page 16, and its block erased. No dependency is
// named: the copy may be one of several that go to different dies.
TEST_F(FlashSchedulerTest, AnEraseWaitsForTheProgramsOfCopiesOnAnotherDie) {
    geometry_ = {1, 2, 1, 1, 4, 4, 2048, 64};
    ManualChannel channel(2);
    FlashScheduler scheduler(geometry_, Discipline::kReadFirst, true, client_);
    scheduler.connect(ChannelId{0}, channel);
    client_.scheduler = &scheduler;
    FlashOpList ops = copy(0, 16);
    ops.push_back(erase(0));
    ops.push_back(program(0));
    scheduler.submit(ops, {0, 0, 0, 0});
    scheduler.operation_finished(DieId{0}); // the page is read, its copy is being programmed
    EXPECT_EQ(channel.started, (Started{"R0", "P16"}));
    scheduler.submit_read(Ppn{1}, Lpn{1}, 7);
    EXPECT_EQ(channel.started, (Started{"R0", "P16", "R1"})); // the die itself is free
    scheduler.operation_finished(DieId{0});
    EXPECT_EQ(channel.started.size(), 3u);
    scheduler.operation_finished(DieId{1});
    EXPECT_EQ(channel.started.back(), "E0");
    scheduler.operation_finished(DieId{0});
    EXPECT_EQ(channel.started.back(), "P0");
    scheduler.operation_finished(DieId{0});
    EXPECT_GT(scheduler.check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, AReadOfAPageProgrammedTwiceWaitsForTheSecondTime) {
    submit({program(0), erase(0), program(0)});
    finish(); // the first program; the second is still pending
    EXPECT_TRUE(scheduler_->pending_program(Ppn{0}).found);
    scheduler_->submit_read(Ppn{0}, kNoLpn, 3);
    EXPECT_EQ(channel_.started, (Started{"P0", "E0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "E0", "P0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "E0", "P0", "R0"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, AReadBeforeAnEraseIsNotConfusedWithOneAfterIt) {
    submit({program(4)});                       // keeps the die busy
    scheduler_->submit_read(Ppn{0}, kNoLpn, 1); // what is there now
    submit({erase(0)});
    submit({program(0)});
    scheduler_->submit_read(Ppn{0}, kNoLpn, 2); // what will be there
    for (int operations = 0; operations < 5; ++operations) {
        finish();
    }
    EXPECT_EQ(channel_.started, (Started{"P4", "R0", "E0", "P0", "R0"}));
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(FlashSchedulerTest, AnEraseDoesNotWaitForReadsOfOtherBlocks) {
    build(Discipline::kFifo);
    submit({program(8)}); // keeps the die busy
    submit({erase(0)});
    scheduler_->submit_read(Ppn{5}, kNoLpn, 1);
    finish();
    EXPECT_EQ(channel_.started, (Started{"P8", "E0"}));
}

// ---- multi-plane groups -------------------------------------------------------------------------

TEST_F(FlashSchedulerTest, AGroupHasOnePageOfEachPlaneAtMost) {
    build_planes(4); // pages of plane p: 16 p ..
    submit({program(0), program(16), program(32), program(48), program(1), program(17)});
    EXPECT_EQ(channel_.started, (Started{"P0+16+32+48"}));
    finish();
    EXPECT_EQ(channel_.started.back(), "P1+17");
}

TEST_F(FlashSchedulerTest, AGroupNeverNamesMorePagesThanACommandHolds) {
    build_planes(16);
    FlashOpList ops;
    for (std::uint32_t plane = 0; plane < 16; ++plane) {
        ops.push_back(program(16 * plane));
    }
    submit(ops);
    EXPECT_EQ(channel_.started, (Started{"P0+16+32+48+64+80+96+112"}));
    finish();
    EXPECT_EQ(channel_.started.back(), "P128+144+160+176+192+208+224+240");
    finish();
    EXPECT_EQ(client_.programmed.size(), 16u);
}

TEST_F(FlashSchedulerTest, TwoBlocksOfOnePlaneDoNotGroup) {
    submit({program(0), program(4)}); // index 0 of both, plane 0
    EXPECT_EQ(channel_.started, (Started{"P0"}));
}

TEST_F(FlashSchedulerTest, AGroupEndsAtAnEraseAtAnotherIndexAndAtMissingData) {
    submit({program(0), erase(20), program(16)});
    EXPECT_EQ(channel_.started, (Started{"P0"}));

    build(Discipline::kReadFirst);
    channel_.started.clear();
    submit({program(1), program(18)});
    EXPECT_EQ(channel_.started, (Started{"P1"}));

    build(Discipline::kReadFirst);
    channel_.started.clear();
    client_.hold_data = true;
    submit({program(0), program(16), program(1)});
    EXPECT_EQ(client_.fetched.back(), 16u); // data of a whole group is asked for, not more
    ASSERT_EQ(client_.held.size(), 2u);
    scheduler_->data_ready(client_.held[1]); // the second page's data does not start the first
    EXPECT_TRUE(channel_.started.empty());
    scheduler_->data_ready(client_.held[0]);
    EXPECT_EQ(channel_.started, (Started{"P0+16"}));
}

TEST_F(FlashSchedulerTest, AGroupDoesNotWaitForThePageThatIsLate) {
    client_.hold_data = true;
    submit({program(0), program(16)});
    ASSERT_EQ(client_.held.size(), 2u);
    scheduler_->data_ready(client_.held[0]);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
}

// Collection of one block in each plane: the reads go first, then both copies in one program.
TEST_F(FlashSchedulerTest, CopiesOfTwoPlanesMayShareAProgram) {
    FlashOpList ops = copy(0, 4);
    for (FlashOp each : copy(16, 20)) {
        each.after += each.after == FlashOp::kNone ? 0 : 2;
        ops.push_back(each);
    }
    submit(ops);
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "R16"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "R16", "P4+20"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, WithFifoTheOlderCopyGoesBeforeTheYoungerRead) {
    build(Discipline::kFifo);
    FlashOpList ops = copy(0, 4);
    for (FlashOp each : copy(16, 20)) {
        each.after += each.after == FlashOp::kNone ? 0 : 2;
        ops.push_back(each);
    }
    submit(ops);
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "P4"}));
}

// ---- how long a program may be kept waiting -----------------------------------------------------

/// A read stream that never lets the die run dry: each read is there before the last has ended.
std::uint32_t reads_before_the_program(FlashScheduler& scheduler, const ManualChannel& channel) {
    scheduler.submit_read(Ppn{8}, kNoLpn, 0);
    for (std::uint32_t reads = 1; reads <= 1000; ++reads) {
        scheduler.submit_read(Ppn{8 + reads % 8}, kNoLpn, reads);
        scheduler.operation_finished(DieId{0});
        if (channel.started.back() == "P1") {
            return reads;
        }
    }
    return 1000;
}

TEST_F(FlashSchedulerTest, ReadFirstLetsAnUnbrokenStreamOfReadsHoldAProgramForEver) {
    submit({program(0), program(1)});
    EXPECT_EQ(reads_before_the_program(*scheduler_, channel_), 1000u);
    while (channel_.started.back() != "P1") { // only the end of the stream lets it go
        finish();
    }
}

TEST_F(FlashSchedulerTest, FifoKeepsNoProgramBehindAYoungerRead) {
    build(Discipline::kFifo);
    submit({program(0), program(1)});
    EXPECT_EQ(reads_before_the_program(*scheduler_, channel_), 1u);
}

// ---- data announced ahead of its time -----------------------------------------------------------

TEST_F(FlashSchedulerTest, AnnouncedDataIsAwaitedWhereTheDieIsIdle) {
    client_.data_at = 100;
    submit({program(0)});
    EXPECT_TRUE(channel_.started.empty());
    ASSERT_EQ(client_.awaited.size(), 1u);
    EXPECT_EQ(client_.awaited[0].second, 100u);
    scheduler_->data_ready(client_.awaited[0].first);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, AnnouncedDataIsNotAwaitedWhileTheDieIsBusy) {
    build(Discipline::kReadFirst, false);
    submit({program(0)});
    client_.data_at = 100;
    submit({program(1)});
    EXPECT_TRUE(client_.awaited.empty());
    client_.now = 150;
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "P1"}));
}

TEST_F(FlashSchedulerTest, DataThatIsStillComingDoesNotJoinAGroup) {
    client_.hold_data = true;
    submit({program(0), program(16)});
    ASSERT_EQ(client_.held.size(), 2u);
    scheduler_->data_coming(client_.held[1], 200);
    client_.now = 100;
    scheduler_->data_coming(client_.held[0], 100);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    scheduler_->data_ready(client_.held[1]);
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "P16"}));
}

TEST_F(FlashSchedulerTest, DataThatHasComeMeanwhileJoinsAGroup) {
    client_.hold_data = true;
    submit({program(0), program(16)});
    scheduler_->data_coming(client_.held[1], 90);
    client_.now = 100;
    scheduler_->data_coming(client_.held[0], 100);
    EXPECT_EQ(channel_.started, (Started{"P0+16"}));
}

TEST_F(FlashSchedulerTest, AReadMayGoWhileTheDataOfAnOlderProgramIsComing) {
    build(Discipline::kFifo);
    client_.data_at = 100;
    submit({program(0)});
    scheduler_->submit_read(Ppn{8}, kNoLpn, 1);
    EXPECT_EQ(channel_.started, (Started{"R8"}));
    client_.now = 100;
    scheduler_->data_ready(client_.awaited.at(0).first);
    finish();
    EXPECT_EQ(channel_.started, (Started{"R8", "P0"}));
}

TEST_F(FlashSchedulerTest, OperationsLeftOverAtTheEndAreReported) {
    submit({program(0)});
    EXPECT_THROW(static_cast<void>(scheduler_->check_idle()), ModelError);
}

// ---- look-ups -----------------------------------------------------------------------------------

/// Two dies of one plane on one channel: pages 0..15 and 16..31.
class LookUpTest : public FlashSchedulerTest {
  protected:
    void SetUp() override {
        geometry_.channels = 1;
        geometry_.ways = 2;
        geometry_.planes_per_die = 1;
        geometry_.blocks_per_plane = 4;
        geometry_.pages_per_block = 4;
        scheduler_ = std::make_unique<FlashScheduler>(geometry_, Discipline::kReadFirst, true,
                                                      client_);
        scheduler_->connect(ChannelId{0}, two_);
        client_.scheduler = scheduler_.get();
    }
    void finish(std::uint32_t die) { scheduler_->operation_finished(DieId{die}); }
    static FlashOp map(FlashOpKind kind, std::uint32_t page) {
        return op(kind, page, Origin::kMapping);
    }
    ManualChannel two_{2};
};

TEST_F(LookUpTest, AReadOfTheHostWaitsForTheLastOperationOfItsLookUp) {
    FlashOpList ops{map(FlashOpKind::kRead, 16), map(FlashOpKind::kRead, 17)};
    ops[1].after = 0;
    scheduler_->submit_look_up(ops, {}, Ppn{3}, Lpn{9}, 77);
    EXPECT_EQ(two_.started, (Started{"R16"}));
    finish(1);
    EXPECT_EQ(two_.started, (Started{"R16", "R17"})); // the other die is idle
    finish(1);
    EXPECT_EQ(two_.started, (Started{"R16", "R17", "R3"}));
    EXPECT_TRUE(client_.read.empty());
    finish(0);
    EXPECT_EQ(client_.read, std::vector<std::uint32_t>{77});
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(LookUpTest, AReadWaitsForItsLookUpAndForTheProgramOfItsPage) {
    for (const bool program_first : {true, false}) {
        two_.started.clear();
        submit({op(FlashOpKind::kProgram, 3, Origin::kGc)});
        scheduler_->submit_look_up({map(FlashOpKind::kRead, 16)}, {}, Ppn{3}, Lpn{9}, 77);
        EXPECT_EQ(two_.started, (Started{"P3", "R16"}));
        finish(program_first ? 0 : 1);
        EXPECT_EQ(two_.started.size(), 2u);
        finish(program_first ? 1 : 0);
        EXPECT_EQ(two_.started, (Started{"P3", "R16", "R3"}));
        finish(0);
        EXPECT_GT(scheduler_->check_idle(), 0u);
    }
}

// Also while the look-up is still under way: an erase decided later must not take the page.
TEST_F(LookUpTest, AnEraseWaitsForAReadThatWaitsForItsLookUp) {
    scheduler_->submit_look_up({map(FlashOpKind::kRead, 16)}, {}, Ppn{3}, Lpn{9}, 77);
    submit({erase(0)});
    EXPECT_EQ(two_.started, (Started{"R16"}));
    finish(1);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"R16", "R3", "E0"}));
    finish(0);
    // The same where the page was being programmed when the read was decided.
    two_.started.clear();
    submit({op(FlashOpKind::kProgram, 3, Origin::kGc)});
    scheduler_->submit_look_up({map(FlashOpKind::kRead, 16)}, {}, Ppn{3}, Lpn{9}, 77);
    submit({erase(0)});
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P3", "R16"}));
    finish(1);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P3", "R16", "R3", "E0"}));
    finish(0);
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(LookUpTest, AProgramThatNamesAReadIsFetchedAndStartedBehindIt) {
    FlashOpList ops{map(FlashOpKind::kRead, 16), program(3)};
    ops[1].after = 0;
    submit(ops);
    EXPECT_EQ(two_.started, (Started{"R16"}));
    EXPECT_TRUE(client_.fetched.empty());
    finish(1);
    EXPECT_EQ(two_.started, (Started{"R16", "P3"}));
    finish(0);
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

} // namespace
} // namespace cavern
