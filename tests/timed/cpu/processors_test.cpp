// Who waits for a processor, for how long, and in which order commands are decided.

#include "timed/cpu/processors.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

constexpr std::uint32_t kPage = 4096;
constexpr TimePs kCycle = 2500;

/// A page costs its length in pages x 100 cycles, an operation 10.
class ProcessorsTest : public ::testing::Test, public ProcessedIf {
  protected:
    struct Handled {
        std::uint32_t id;
        TimePs at;
        TimePs time;
        bool operator==(const Handled& other) const {
            return id == other.id && at == other.at && time == other.time;
        }
    };
    void build(std::uint32_t processors) {
        processors_ = std::make_unique<Processors>(
            events_, Processors::Params{processors, kCycle, kPage}, cost_, *this);
    }
    DecisionWork processed(CommandId id, const DeviceCommand&, TimePs time) override {
        handled_.push_back({raw(id), now_ps() / kCycle, time / kCycle});
        if (raw(id) < brings_.size()) {
            processors_->take(CommandId{brings_[raw(id)]}, read(1));
        }
        return {operations_, 0, 0, 0, 0};
    }
    void worked_ahead(PlaneId plane, std::uint32_t copies) override {
        ahead_.push_back({raw(plane), now_ps() / kCycle, copies});
    }
    void processor_idle() override { ++idle_; }
    static DeviceCommand read(std::uint64_t pages) {
        return {RequestOp::kRead, false, 0, pages * kPage};
    }
    void take(std::uint32_t id, std::uint64_t pages) {
        processors_->take(CommandId{id}, read(pages));
    }
    void run() { sc_core::sc_start(); }

    EventQueue events_{"events"};
    FixedCosts cost_{{0, 100, 200, 10}};
    std::unique_ptr<Processors> processors_;
    std::vector<Handled> handled_;
    std::uint64_t operations_ = 0;
    std::uint64_t idle_ = 0;
    std::vector<Handled> ahead_; ///< plane, when, copies
    std::vector<std::uint32_t> brings_;
};

TEST_F(ProcessorsTest, CommandsWaitForTheOneProcessor) {
    build(1);
    take(0, 3);
    take(1, 1);
    run();
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 300, 300}, {1, 400, 400}}));
    EXPECT_EQ(processors_->statistics().cycles, 400u);
    EXPECT_EQ(processors_->statistics().busy, 400 * kCycle);
    EXPECT_EQ(processors_->statistics().commands, 2u);
    EXPECT_TRUE(processors_->idle());
}

TEST_F(ProcessorsTest, TimeThatTheyAreBusyCountsUpToNow) {
    build(2);
    take(0, 3);
    sc_core::sc_start(to_sc_time(100 * kCycle));
    EXPECT_EQ(processors_->statistics().busy, 100 * kCycle);
    EXPECT_EQ(processors_->statistics().cycles, 100u);
    processors_->reset_statistics();
    EXPECT_EQ(processors_->statistics().busy, 0u);
    run();
    EXPECT_EQ(processors_->statistics().busy, 200 * kCycle);
    EXPECT_EQ(processors_->statistics().cycles, 200u);
}

TEST_F(ProcessorsTest, TwoProcessorsHandleTwoCommandsAtOnce) {
    build(2);
    take(0, 1);
    take(1, 1);
    take(2, 1);
    run();
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 100, 100}, {1, 100, 100}, {2, 200, 200}}));
}

// The second is ready long before the first; its processor goes on.
TEST_F(ProcessorsTest, DecisionsKeepTheOrderOfArrival) {
    build(2);
    take(0, 5);
    take(1, 1);
    take(2, 1);
    run();
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 500, 500}, {1, 500, 500}, {2, 500, 500}}));
    EXPECT_EQ(processors_->statistics().cycles, 700u);
}

TEST_F(ProcessorsTest, OperationsKeepTheProcessorFromTheNextCommand) {
    build(1);
    operations_ = 4;
    take(0, 1);
    take(1, 1);
    run();
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 100, 100}, {1, 240, 240}}));
    EXPECT_EQ(processors_->statistics().cycles, 280u);
    EXPECT_TRUE(processors_->idle());
}

TEST_F(ProcessorsTest, ADecisionMayBringACommand) {
    build(1);
    brings_ = {1};
    take(0, 1);
    run();
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 100, 100}, {1, 200, 100}}));
}

TEST_F(ProcessorsTest, ACommandThatADecisionBringsComesAfterItsOperations) {
    build(1);
    brings_ = {1};
    operations_ = 4;
    take(0, 1);
    run();
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 100, 100}, {1, 240, 140}}));
}

TEST_F(ProcessorsTest, PagesTouchedInPartCountWhole) {
    build(1);
    processors_->take(CommandId{0}, {RequestOp::kWrite, false, kPage - 512, 1024});
    run();
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 400, 400}}));
}

TEST_F(ProcessorsTest, ATrimOrFlushIsACommandWithoutPages) {
    cost_ = FixedCosts({7, 100, 200, 10});
    build(1);
    processors_->take(CommandId{0}, {RequestOp::kTrim, false, 0, 100 * kPage});
    processors_->take(CommandId{1}, {RequestOp::kFlush, false, 0, 0});
    run();
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 7, 7}, {1, 14, 14}}));
}

TEST_F(ProcessorsTest, ACommandWithoutCostIsHandledAtOnce) {
    cost_ = FixedCosts({});
    build(1);
    take(0, 1);
    take(1, 1);
    run();
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 0, 0}, {1, 0, 0}}));
}

/// Cycles after a command, whatever it brought, and for what nobody asked for.
TEST_F(ProcessorsTest, EachKindOfWorkKeepsTheProcessorFromTheNextCommand) {
    cost_ = FixedCosts({0, 100, 200, 10, 1000, 20'000, 300'000, 4'000'000});
    EXPECT_TRUE(cost_.counts_work());
    EXPECT_EQ(cost_.to_hand_on({1, 2, 3, 4, 5}), 10u + 2000 + 60'000 + 1'200'000 + 20'000'000);
    EXPECT_FALSE(FixedCosts({1, 2, 3, 4}).counts_work());
}

TEST_F(ProcessorsTest, WhatNoCommandHasAskedForIsWorkAsWell) {
    cost_ = FixedCosts({0, 100, 200, 10, 50});
    build(1);
    processors_->brought({0, 3, 0, 0, 0});
    EXPECT_FALSE(processors_->has_time());
    take(0, 1);
    run();
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 3 * 50 + 100, 3 * 50 + 100}}));
    EXPECT_TRUE(processors_->idle());
    EXPECT_EQ(processors_->statistics().cycles, 250u);
}

class Executed final : public DecisionCostIf {
  public:
    std::uint64_t to_decide(const DeviceCommand&, const CommandPages& pages) override {
        return 100 * pages.count();
    }
    std::uint64_t to_hand_on(const DecisionWork&) override { return 7; }
    std::uint64_t to_work_ahead(PlaneId, std::uint32_t copies) override { return 50 * copies; }
};

TEST_F(ProcessorsTest, WhatFollowsACommandKeepsTheProcessorFromTheNext) {
    Executed executed;
    Processors processors(events_, {1, kCycle, kPage}, executed, *this);
    processors.take(CommandId{0}, read(1));
    processors.take(CommandId{1}, read(1));
    run();
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 100, 100}, {1, 207, 207}}));
    EXPECT_EQ(processors.statistics().cycles, 214u);
    EXPECT_TRUE(processors.idle());
}

TEST_F(ProcessorsTest, AProcessorWorksAheadWhenItHasTime) {
    Executed executed;
    Processors processors(events_, {1, kCycle, kPage}, executed, *this);
    EXPECT_TRUE(processors.has_time());
    processors.work_ahead(PlaneId{5}, 2);
    EXPECT_FALSE(processors.has_time());
    EXPECT_THROW(processors.work_ahead(PlaneId{6}, 1), ModelError);
    EXPECT_TRUE(ahead_.empty());            // it has not answered
    processors.take(CommandId{0}, read(1)); // waits for it, and for what follows
    run();
    EXPECT_EQ(ahead_, (std::vector<Handled>{{5, 100, 2}}));
    EXPECT_EQ(handled_, (std::vector<Handled>{{0, 207, 207}}));
    EXPECT_EQ(processors.statistics().cycles, 214u);
    EXPECT_GT(idle_, 0u);
    EXPECT_TRUE(processors.has_time());
    EXPECT_TRUE(processors.idle());
}

TEST_F(ProcessorsTest, WhatCostsNothingIsDecidedAtOnce) {
    build(2);
    processors_->work_ahead(PlaneId{5}, 2);
    EXPECT_EQ(ahead_, (std::vector<Handled>{{5, 0, 2}}));
    EXPECT_TRUE(processors_->has_time());
    EXPECT_TRUE(processors_->idle());
}

TEST_F(ProcessorsTest, WithoutAProcessorThereIsNoController) {
    EXPECT_THROW(build(0), ModelError);
}

} // namespace
} // namespace cavern
