#include "timed/channel/flash_scheduler.h"

#include <gtest/gtest.h>
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
    }
    std::vector<std::string> started;

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
        } else {
            scheduler->data_ready(op);
        }
    }
    void store_copied_page(OpHandle op) override { scheduler->data_stored(op); }
    void host_page_read(std::uint32_t context) override { read.push_back(context); }
    void host_page_programmed(std::uint32_t context) override { programmed.push_back(context); }

    FlashScheduler* scheduler = nullptr;
    bool hold_data = false;
    std::vector<OpHandle> held;
    std::vector<std::uint32_t> fetched;
    std::vector<std::uint32_t> read;
    std::vector<std::uint32_t> programmed;
};

/// One channel, one die with two planes of four blocks of four pages: page numbers 0..15 and 16..31.
class FlashSchedulerTest : public testing::Test {
  protected:
    void build(Discipline discipline, bool multi_plane = true) {
        geometry_.channels = 1;
        geometry_.ways = 1;
        geometry_.planes_per_die = 2;
        geometry_.blocks_per_plane = 4;
        geometry_.pages_per_block = 4;
        scheduler_ =
            std::make_unique<FlashScheduler>(geometry_, discipline, multi_plane, client_);
        scheduler_->connect(ChannelId{0}, channel_);
        client_.scheduler = scheduler_.get();
    }
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

TEST_F(FlashSchedulerTest, OperationsLeftOverAtTheEndAreReported) {
    submit({program(0)});
    EXPECT_THROW(static_cast<void>(scheduler_->check_idle()), ModelError);
}

} // namespace
} // namespace cavern
