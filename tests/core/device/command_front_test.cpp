// What commands mean: the calls that a sink gets, in order.

#include "core/device/command_front.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/device/zone_admission.h"
#include "core/ftl/ftl_table.h"
#include "core/partition/adaptive_partition.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

constexpr std::uint64_t kPage = 2048;

/// Writes down what it is told, as short lines.
class RecordingSink final : public CommandSinkIf {
  public:
    [[nodiscard]] bool holds_back() const override { return held_back; }
    void on_turn(CommandId command) override { note(command, "turn"); }
    void on_write(CommandId command, const PageAccess& page,
                  const WriteDecision& decision) override {
        note(command, "write " + text_of(page) + text_of(decision.batch) +
                          (decision.frame == kNoFrame ? " through" : ""));
    }
    void on_read(CommandId command, const PageAccess& page, const ReadDecision& decision) override {
        note(command, "read " + text_of(page) + (decision.hit ? " hit" : ""));
    }
    void evict_ahead() override { lines.push_back("ahead?"); }
    void on_trim(CommandId command, const TrimDecision& decision) override {
        note(command, "trim " + std::to_string(decision.pages) + ", resident " +
                          std::to_string(decision.frames.size()));
    }
    void on_trimmed(CommandId command) override { note(command, "trimmed"); }
    void on_flush(CommandId command, const Batch& batch) override {
        note(command, "flush" + text_of(batch));
    }
    void on_flushed(CommandId command) override { note(command, "flushed"); }
    void on_completion(const Batch& batch) override {
        lines.push_back("completed by " + std::to_string(batch.ops.size()));
    }
    void on_resize(const Batch&) override { lines.push_back("resize"); }
    void on_decided(CommandId command) override {
        note(command, "decided");
        decided(command);
    }

    std::vector<std::string> lines;
    bool held_back = false;
    std::function<void(CommandId)> decided = [](CommandId) {};

  private:
    static std::string text_of(const PageAccess& page) {
        return std::to_string(raw(page.lpn)) + " @" + std::to_string(page.offset) + "+" +
               std::to_string(page.bytes);
    }
    static std::string text_of(const Batch& batch) {
        std::string text;
        for (const Victim& victim : batch.victims) {
            text += " -" + std::to_string(raw(victim.lpn));
        }
        return text;
    }
    void note(CommandId command, const std::string& what) {
        lines.push_back(std::to_string(raw(command)) + ": " + what);
    }
};

using Lines = std::vector<std::string>;

class CommandFrontTest : public ::testing::Test {
  protected:
    CommandFrontTest() {
        parts_.geometry = geometry_of(2, 1, 1, 8, 4);
        parts_.ftl.overprovision = 0.5;
        parts_.log = &log_;
    }
    void build() {
        core_ = make_core(parts_);
        front_ = std::make_unique<CommandFront<>>(*core_, parts_.geometry, sink_);
    }
    Lines take_up(const DeviceCommand& command) {
        sink_.lines.clear();
        front_->take_up(CommandId{7}, command);
        return sink_.lines;
    }
    static DeviceCommand command(RequestOp op, std::uint64_t offset, std::uint64_t bytes,
                                 bool fua = false) {
        return {op, fua, offset, bytes};
    }
    void write_pages(std::uint64_t first, std::uint64_t count) {
        front_->take_up(CommandId{0}, command(RequestOp::kWrite, first * kPage, count * kPage));
    }

    RecordingLog log_;
    CoreParts parts_;
    RecordingSink sink_;
    std::unique_ptr<DriveCore> core_;
    std::unique_ptr<CommandFront<>> front_;
};

TEST_F(CommandFrontTest, ACommandIsCutIntoPagesInTheOrderOfAddresses) {
    build();
    EXPECT_EQ(take_up(command(RequestOp::kWrite, kPage + 512, 2 * kPage)),
              (Lines{"7: write 1 @2560+1536", "7: write 2 @4096+2048", "7: write 3 @6144+512",
                     "7: decided"}));
    EXPECT_EQ(take_up(command(RequestOp::kRead, kPage + 100, 50)),
              (Lines{"7: read 1 @2148+50 hit", "7: decided"}));
    EXPECT_EQ(take_up(command(RequestOp::kRead, 5 * kPage - 1, 2)),
              (Lines{"7: read 4 @10239+1", "7: read 5 @10240+1", "7: decided"}));
    EXPECT_EQ(take_up(command(RequestOp::kRead, 100, 0)), (Lines{"7: decided"}));
}

// Only what it covers whole: half a page may still be wanted.
TEST_F(CommandFrontTest, ATrimForgetsThePagesThatItCoversWhole) {
    build();
    write_pages(0, 4);
    EXPECT_EQ(take_up(command(RequestOp::kTrim, 512, 3 * kPage)),
              (Lines{"7: trim 2, resident 2", "7: trimmed", "7: decided"}));
    EXPECT_TRUE(core_->buffer()->is_resident(Lpn{0}));
    EXPECT_FALSE(core_->buffer()->is_resident(Lpn{1}));
    EXPECT_FALSE(core_->buffer()->is_resident(Lpn{2}));
    EXPECT_TRUE(core_->buffer()->is_resident(Lpn{3}));
    EXPECT_EQ(take_up(command(RequestOp::kTrim, 1, 2 * kPage - 2)),
              (Lines{"7: trimmed", "7: decided"}));
    EXPECT_EQ(take_up(command(RequestOp::kTrim, kPage, kPage)),
              (Lines{"7: trim 1, resident 0", "7: trimmed", "7: decided"})); // forgotten already
}

TEST_F(CommandFrontTest, AWriteWithForceUnitAccessPassesThrough) {
    build();
    write_pages(2, 1);
    EXPECT_EQ(
        take_up(command(RequestOp::kWrite, kPage, 2 * kPage, true)),
        (Lines{"7: write 1 @2048+2048 -1 through", "7: write 2 @4096+2048 -2", "7: decided"}));
    EXPECT_EQ(core_->buffer()->used(), 0u);
    EXPECT_EQ(core_->ftl().mapped_pages(), 2u);
}

TEST_F(CommandFrontTest, OnlyTheSectorsThatACommandTouchesAreWrittenOrRead) {
    parts_.keeps_sectors = true;
    build();
    (void)take_up(command(RequestOp::kWrite, 512, 1000)); // sectors 1 and 2
    EXPECT_EQ(take_up(command(RequestOp::kRead, 600, 900)),
              (Lines{"7: read 0 @600+900 hit", "7: decided"}));
    front_->take_up(CommandId{0}, command(RequestOp::kWrite, 0, kPage, true)); // to flash
    (void)take_up(command(RequestOp::kWrite, 512, 1000));
    EXPECT_EQ(take_up(command(RequestOp::kRead, 511, 2)),
              (Lines{"7: read 0 @511+2", "7: decided"}));
    EXPECT_EQ(core_->buffer_counters().completed_pages, 1u);
}

TEST_F(CommandFrontTest, ACommandToFlashFillsUpItsNandPages) {
    parts_.geometry.page_bytes *= 4;
    parts_.geometry = parts_.geometry.in_units(kPage);
    build();
    EXPECT_EQ(take_up(command(RequestOp::kWrite, 0, 2 * kPage, true)),
              (Lines{"7: write 0 @0+2048 -0 through", "7: write 1 @2048+2048 -1 through",
                     "completed by 2", "7: decided"}));
    EXPECT_EQ(take_up(command(RequestOp::kWrite, 0, 4 * kPage, true)).back(), "7: decided");
    EXPECT_EQ(sink_.lines.size(), 5u); // nothing to fill up
}

TEST_F(CommandFrontTest, AFlushEvictsBatchByBatchUntilNothingIsDirty) {
    build();
    write_pages(3, 2);
    EXPECT_EQ(take_up(command(RequestOp::kFlush, 0, 0)),
              (Lines{"7: flush -3", "7: flush -4", "7: flushed", "7: decided"}));
    EXPECT_EQ(take_up(command(RequestOp::kFlush, 0, 0)), (Lines{"7: flushed", "7: decided"}));
}

TEST_F(CommandFrontTest, TheCoreHearsHowManyPagesACommandWrites) {
    parts_.policy = "none";
    std::vector<std::uint32_t> heard;
    /// A translation layer that looks at the number, and otherwise is the page-mapped one.
    struct Listening : FtlIf {
        Listening(std::unique_ptr<FtlIf> ftl, std::vector<std::uint32_t>& numbers)
            : behind(std::move(ftl)), heard(numbers) {}
        void write(Lpn lpn, PlaneId target, FlashOpList& ops) override {
            behind->write(lpn, target, ops);
        }
        void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override {
            behind->pad(lpn, target, ops);
        }
        void write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) override {
            heard.push_back(pages[0].together);
            behind->write_unit(pages, count, ops);
        }
        Ppn read(Lpn lpn, FlashOpList& ops) override { return behind->read(lpn, ops); }
        Ppn location(Lpn lpn) const override { return behind->location(lpn); }
        std::uint64_t mapped_pages() const override { return behind->mapped_pages(); }
        std::optional<std::uint32_t> valid_count(BlockId block) const override {
            return behind->valid_count(block);
        }
        void trim(Lpn lpn, FlashOpList& ops) override { behind->trim(lpn, ops); }
        bool has_room(PlaneId target, Lpn lpn) const override {
            return behind->has_room(target, lpn);
        }
        std::optional<DieId> destination(Lpn lpn, std::optional<DieId> target) const override {
            return behind->destination(lpn, target);
        }
        std::uint64_t logical_pages() const override { return behind->logical_pages(); }
        const FtlCounters& counters() const override { return behind->counters(); }
        void reset_counters() override { behind->reset_counters(); }
        std::uint64_t check_invariants() const override { return behind->check_invariants(); }
        std::unique_ptr<FtlIf> behind;
        std::vector<std::uint32_t>& heard;
    };
    core_ = make_core(parts_, std::make_unique<Listening>(make_ftl(parts_), heard));
    front_ = std::make_unique<CommandFront<>>(*core_, parts_.geometry, sink_);
    take_up(command(RequestOp::kWrite, 512, 2 * kPage));
    take_up(command(RequestOp::kWrite, 0, kPage, true));
    EXPECT_EQ(heard, (std::vector<std::uint32_t>{3, 3, 3, 1}));
}

TEST_F(CommandFrontTest, TheSinkIsAskedToEvictAheadWhereTheCoreDoesThat) {
    parts_.eviction = "linear-threshold";
    build();
    EXPECT_EQ(
        take_up(command(RequestOp::kWrite, 0, 2 * kPage)),
        (Lines{"7: write 0 @0+2048", "ahead?", "7: write 1 @2048+2048", "ahead?", "7: decided"}));
    EXPECT_EQ(take_up(command(RequestOp::kTrim, 0, kPage)),
              (Lines{"7: trim 1, resident 1", "7: trimmed", "7: decided"}));
}

// A copy that left with it would share a NAND page with what was decided before.
TEST_F(CommandFrontTest, NothingLeavesAheadBeforeTheNandPagesOfACommandAreFilledUp) {
    parts_.geometry.page_bytes *= 4;
    parts_.geometry = parts_.geometry.in_units(kPage);
    parts_.eviction = "linear-threshold";
    build();
    EXPECT_EQ(take_up(command(RequestOp::kWrite, 0, 2 * kPage, true)),
              (Lines{"7: write 0 @0+2048 -0 through", "7: write 1 @2048+2048 -1 through",
                     "completed by 2", "ahead?", "7: decided"}));
    EXPECT_EQ(take_up(command(RequestOp::kWrite, 0, kPage)),
              (Lines{"7: write 0 @0+2048", "ahead?", "7: decided"}));
}

// ---- in turn ------------------------------------------------------------------------------------

/// A core that looks at commands that wait: page LRU, two frames.
class WaitingCommandsTest : public CommandFrontTest {
  protected:
    WaitingCommandsTest() {
        auto load = std::make_unique<DieLoad>(parts_.geometry.dies());
        std::unique_ptr<FtlIf> ftl = make_ftl(parts_);
        std::unique_ptr<AllocatorIf> allocator =
            find_allocator("cwdp")->make({parts_.geometry, *ftl, load.get(), &log_}, {});
        EvictionPolicyContext order;
        order.capacity = 2;
        order.geometry = parts_.geometry;
        auto policy = std::make_unique<NcqAware>(find_eviction_policy("lru-page")->make(order),
                                                 NcqAware::Params{2, 4, 2, false}, &log_);
        NcqAware* pins = policy.get();
        auto buffer = std::make_unique<WriteBuffer>(
            2, parts_.geometry, std::move(policy),
            make_eviction_trigger(triggers_of("single"), {parts_.geometry}, parts_.triggers), false,
            &log_);
        pins->attach(buffer->pins());
        core_ = std::make_unique<DriveCore>(
            parts_.geometry, std::move(buffer), std::move(allocator), std::move(ftl),
            ArrayTimes{{25 * kUs}, {200 * kUs}, kMs, 60 * kUs}, &log_, std::move(load));
        core_->watch_queue(pins);
        front_ = std::make_unique<CommandFront<>>(*core_, parts_.geometry, sink_);
        write_pages(0, 2);
        sink_.lines.clear();
        log_.lines.clear();
    }
    void arrive(std::uint32_t id, std::uint64_t page) {
        front_->arrive(CommandId{id}, command(RequestOp::kWrite, page * kPage, kPage));
    }
    std::uint64_t check_pins(bool empty = true) const {
        return core_->queue_pins()->check_invariants(empty);
    }
};

TEST_F(WaitingCommandsTest, CommandsAreTakenUpInTheOrderOfArrival) {
    arrive(1, 0);
    arrive(2, 1);
    EXPECT_TRUE(sink_.lines.empty());
    EXPECT_TRUE(front_->someone_waits());
    front_->take_up_next();
    EXPECT_EQ(sink_.lines, (Lines{"1: turn", "1: write 0 @0+2048", "1: decided"}));
    EXPECT_TRUE(front_->someone_waits());
    front_->take_up_waiting();
    EXPECT_EQ(sink_.lines.back(), "2: decided");
    EXPECT_FALSE(front_->someone_waits());
}

TEST_F(WaitingCommandsTest, ACommandThatFindsNoneBeforeItPinsNothing) {
    arrive(1, 0);
    EXPECT_TRUE(log_.lines.empty());
    arrive(2, 1); // waits behind it
    EXPECT_EQ(log_.starting_with("pin"), (Lines{"pin 1"}));
    EXPECT_GT(core_->queue_pins()->pinned_pages(), 0u);
    front_->take_up_waiting();
    EXPECT_GT(check_pins(), 0u); // given back
}

// Page 0 is the oldest, but a command that waits wants it.
TEST_F(WaitingCommandsTest, WhatAWaitingCommandWantsStays) {
    sink_.held_back = true;
    arrive(1, 5);
    arrive(2, 0);
    front_->take_up_waiting();
    EXPECT_TRUE(sink_.lines.empty()); // held back
    sink_.held_back = false;
    front_->take_up_waiting();
    EXPECT_EQ(sink_.lines, (Lines{"1: turn", "1: write 5 @10240+2048 -1", "1: decided", "2: turn",
                                  "2: write 0 @0+2048", "2: decided"}));
    EXPECT_GT(check_pins(), 0u);
}

TEST_F(WaitingCommandsTest, TheFirstPinsTooWhereTheSinkHoldsItBack) {
    sink_.held_back = true;
    arrive(1, 1);
    EXPECT_EQ(log_.starting_with("pin"), (Lines{"pin 1"}));
}

TEST_F(WaitingCommandsTest, OnlyReadsAndWritesPin) {
    sink_.held_back = true;
    front_->arrive(CommandId{1}, command(RequestOp::kTrim, 0, kPage));
    front_->arrive(CommandId{2}, command(RequestOp::kFlush, 0, 0));
    front_->arrive(CommandId{3}, command(RequestOp::kRead, 0, 0));
    EXPECT_TRUE(log_.starting_with("pin").empty());
    front_->arrive(CommandId{4}, command(RequestOp::kRead, 0, kPage));
    EXPECT_EQ(log_.starting_with("pin"), (Lines{"pin 0"}));
}

// A sink may answer a command, which brings the next, in the midst of another.
TEST_F(WaitingCommandsTest, ACommandBroughtByAnotherIsTakenUpAfterIt) {
    sink_.decided = [this](CommandId id) {
        if (raw(id) < 3) {
            arrive(raw(id) + 1, 0);
            front_->take_up_waiting();
            sink_.lines.push_back("end of " + std::to_string(raw(id)));
        }
    };
    arrive(1, 0);
    front_->take_up_waiting();
    EXPECT_EQ(sink_.lines, (Lines{"1: turn", "1: write 0 @0+2048", "1: decided", "end of 1",
                                  "2: turn", "2: write 0 @0+2048", "2: decided", "end of 2",
                                  "3: turn", "3: write 0 @0+2048", "3: decided"}));
}

// ---- zones --------------------------------------------------------------------------------------

// Four zones of eight pages: the last page is 31.
TEST(ZoneAdmissionTest, AFieldThatFitsNoZoneIsRefused) {
    ZoneStates zones({4, 8, 8, 0, 0});
    const auto status = [&zones](std::uint64_t offset, std::uint64_t bytes, ZoneAction zone) {
        DeviceCommand command;
        command.op = zone == ZoneAction::kNone ? RequestOp::kWrite : RequestOp::kZone;
        command.offset = offset;
        command.bytes = bytes;
        command.zone = zone;
        return admit_to_zone(zones, command, kPage).status;
    };
    EXPECT_EQ(status(24 * kPage, kPage, ZoneAction::kNone), ZoneStatus::kSuccess);
    EXPECT_EQ(status(24 * kPage, 0, ZoneAction::kOpen), ZoneStatus::kSuccess);
    EXPECT_EQ(status(32 * kPage, kPage, ZoneAction::kNone), ZoneStatus::kInvalidField);
    EXPECT_EQ(status(32 * kPage, 0, ZoneAction::kOpen), ZoneStatus::kInvalidField);
    EXPECT_EQ(status(25 * kPage, 0, ZoneAction::kOpen), ZoneStatus::kInvalidField);
    EXPECT_EQ(status(25 * kPage + 512, kPage, ZoneAction::kNone), ZoneStatus::kInvalidField);
    EXPECT_EQ(status(25 * kPage, kPage + 512, ZoneAction::kNone), ZoneStatus::kInvalidField);
    EXPECT_EQ(zones.counters().invalid_field, 5u);
}

// ---- end of request -----------------------------------------------------------------------------

TEST_F(CommandFrontTest, MemoryIsDividedAnewBetweenThePagesOfACommandAndItsEnd) {
    AdaptivePartition::Params p;
    p.total_bytes = 80 * 16;
    p.interval = 20;
    p.bitmap_bytes = 512;
    p.page_bytes = 16;
    p.pages_per_block = 4;
    p.times = {72.8, 252.8, 1500};
    parts_.geometry = geometry_of(1, 1, 1, 120, 4);
    parts_.geometry.page_bytes = 16;
    parts_.allocator = "stripe-page";
    parts_.frames = AdaptivePartition::most_pages(p);
    parts_.ftl.map_cache_most = p.total_bytes;
    core_ = make_core(parts_, find_ftl("dftl")->make(parts_.geometry, parts_.ftl, &log_));
    core_->partition_by(std::make_unique<AdaptivePartition>(p));
    front_ = std::make_unique<CommandFront<>>(*core_, parts_.geometry, sink_);
    for (std::uint64_t page = 0; page < 200; ++page) {
        front_->take_up(CommandId{1}, command(RequestOp::kWrite, page * 16, 16));
    }
    for (std::uint64_t i = 0; i < 3000; ++i) {
        front_->take_up(CommandId{1}, command(RequestOp::kRead, i % 100 * 16, 16));
    }
    std::size_t resizes = 0;
    for (std::size_t i = 1; i + 1 < sink_.lines.size(); ++i) {
        if (sink_.lines[i] == "resize") {
            ++resizes;
            EXPECT_EQ(sink_.lines[i + 1], "1: decided");
            EXPECT_NE(sink_.lines[i - 1], "1: decided");
        }
    }
    EXPECT_GT(resizes, 0u);
}

} // namespace
} // namespace cavern::testing
