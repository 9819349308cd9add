// What the firmware does, told in simulated time, and its form in a timeline.

#include "firmware/controller/firmware_timeline.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "results/timeline_json.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

constexpr TimePs kCycle = 2500;

/// At a cycle that the test sets; it executes nothing.
class StoppedProcessor final : public cpu::ProcessorIf {
  public:
    void reset(const cpu::Program&) override {}
    cpu::Pause run(std::uint64_t) override { return cpu::Pause::kAsleep; }
    void observe(cpu::Hart::Observer observer) override { observer_ = std::move(observer); }
    [[nodiscard]] const cpu::Hart::Observer& observer() const override { return observer_; }
    void pass(std::uint64_t cycles) override { now += cycles; }
    [[nodiscard]] cpu::MemorySystem& memory() override { return memory_; }
    [[nodiscard]] std::uint64_t cycle() const override { return now; }
    [[nodiscard]] std::uint64_t executed() const override { return 0; }
    [[nodiscard]] std::uint32_t pc() const override { return 0; }
    [[nodiscard]] const cpu::Fault& fault() const override { return fault_; }

    std::uint64_t now = 0;

  private:
    cpu::MemorySystem memory_{{}, nullptr};
    cpu::Hart::Observer observer_;
    cpu::Fault fault_;
};

using Interrupts = std::vector<std::pair<std::uint32_t, TimePs>>; ///< number, when

class Listener final : public ProcessorLogIf {
  public:
    void busy(const ProcessorWork&) override {}
    [[nodiscard]] bool follows(TimePs start) const override { return start < 100 * kUs; }
    void executed(const FunctionTime& function) override { functions.push_back(function); }
    void interrupted(std::uint32_t number, TimePs at) override {
        interrupts.emplace_back(number, at);
    }
    void printed(const std::string& line, TimePs at) override { lines.emplace_back(line, at); }

    std::vector<FunctionTime> functions;
    Interrupts interrupts;
    std::vector<std::pair<std::string, TimePs>> lines;
};

class FirmwareTimelineTest : public ::testing::Test {
  protected:
    FirmwareTimelineTest()
        : program_(cpu::Program::read(std::string(CAVERN_FIRMWARE_DIR) + "/hello.elf", {})),
          timeline_(listener_, processor_, program_, kCycle) {}

    void print(const std::string& text, std::uint64_t cycle) {
        for (const char byte : text) {
            timeline_.printed(byte, cycle++);
        }
    }
    /// A request ends the sleep at this time.
    void wake(TimePs at) { timeline_.woken({processor_.now, at, {}}); }
    void sleep() { timeline_.asleep(processor_.now); }
    /// Executes an instruction that leaves the pipeline in this cycle.
    void execute(const std::string& function, std::uint64_t cycle) {
        cpu::Retired retired;
        retired.pc = program_.address_of(function).value();
        retired.next_pc = retired.pc + 4;
        retired.instruction = 0x13; // NOP
        retired.cycle = processor_.now = cycle;
        processor_.observer()(retired);
    }

    cpu::Program program_;
    StoppedProcessor processor_;
    Listener listener_;
    FirmwareTimeline timeline_;
};

TEST_F(FirmwareTimelineTest, CyclesAreTimesSinceItWoke) {
    processor_.now = 1000;
    wake(7 * kUs);
    cpu::Retired handler;
    handler.pc = processor_.memory().map().boot_address() + 4 * 11;
    handler.next_pc = program_.address_of("main").value();
    handler.instruction = 0x6f; // J
    handler.cycle = 1006;
    handler.interrupt = true;
    processor_.observer()(handler);
    execute("main", 1010);
    sleep();
    // The one that woke it, once.
    EXPECT_EQ(listener_.interrupts, (Interrupts{{11, 7 * kUs}}));
    ASSERT_FALSE(listener_.functions.empty());
    EXPECT_EQ(listener_.functions.front().start, 7 * kUs);
    EXPECT_EQ(listener_.functions.back().name, "main");
    EXPECT_EQ(listener_.functions.back().start, 7 * kUs + 6 * kCycle);
    EXPECT_EQ(listener_.functions.back().end, 7 * kUs + 10 * kCycle);
}

// The firmware may have interrupts off, and just goes on.
TEST_F(FirmwareTimelineTest, InterruptsAreTakenOrEndTheSleep) {
    wake(0);
    execute("main", 5);
    cpu::Retired handler;
    handler.pc = processor_.memory().map().boot_address() + 4 * 7;
    handler.next_pc = handler.pc + 4;
    handler.instruction = 0x13; // NOP
    handler.cycle = 9;
    handler.interrupt = true;
    processor_.observer()(handler);
    sleep();
    EXPECT_EQ(listener_.interrupts, (Interrupts{{11, 0}, {7, 5 * kCycle}}));
}

TEST_F(FirmwareTimelineTest, WhoObservesAlreadyIsTold) {
    std::uint64_t others = 0;
    processor_.observe([&others](const cpu::Retired&) { ++others; });
    wake(0);
    execute("main", 3);
    sleep();
    processor_.observer()(cpu::Retired{});
    EXPECT_EQ(others, 2u);
    EXPECT_EQ(listener_.functions.size(), 1u);
}

TEST_F(FirmwareTimelineTest, NobodyIsToldOfWhatIsNotFollowed) {
    wake(100 * kUs);
    EXPECT_FALSE(processor_.observer());
    sleep();
    EXPECT_TRUE(listener_.functions.empty());
    EXPECT_TRUE(listener_.interrupts.empty());
}

TEST_F(FirmwareTimelineTest, LinesOfTheLogHaveTheTimeAtWhichTheyBegan) {
    print("before there is time\n", 3);
    processor_.now = 50;
    wake(2 * kUs);
    print("one\n\nand", 54);
    sleep();
    wake(9 * kUs);
    print(" two\n", 99);
    const std::vector<std::pair<std::string, TimePs>> lines{{"one", 2 * kUs + 4 * kCycle},
                                                            {"", 2 * kUs + 8 * kCycle},
                                                            {"and two", 2 * kUs + 9 * kCycle}};
    EXPECT_EQ(listener_.lines, lines);
}

// ---- in the file --------------------------------------------------------------------------------

/// The events on the tracks of processors.
std::vector<nlohmann::json> written(const std::function<void(Timeline&)>& act) {
    const std::string path = ::testing::TempDir() + "firmware_timeline.json";
    {
        Timeline timeline(geometry_of(1, 1, 1, 4, 4), {}, 1);
        TimelineJson file(path, timeline);
        act(timeline);
        file.finish();
        file.commit();
    }
    std::ifstream file(path);
    std::vector<nlohmann::json> events;
    const nlohmann::json timeline = nlohmann::json::parse(file);
    for (const nlohmann::json& event : timeline.at("traceEvents")) {
        if (event.at("pid") == 4 && event.at("ph") != "M") {
            events.push_back(event);
        }
    }
    std::remove(path.c_str());
    return events;
}

TEST(TimelineJsonTest, LinesOfTheLogAreEscaped) {
    const auto events =
        written([](Timeline& timeline) { timeline.printed("a \"line\"\t\x01\xff {}", 3 * kUs); });
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].at("name"), "a \"line\"\t\x01\xef\xbf\xbd {}");
    EXPECT_EQ(events[0].at("ph"), "i");
    EXPECT_EQ(events[0].at("ts"), 3.0);
}

// A function that goes on when its request is decided is cut there, so that slices nest.
TEST(TimelineJsonTest, FunctionsAreCutWhereWorkEnds) {
    const auto events = written([](Timeline& timeline) {
        timeline.executed({"main", 0, 1 * kUs, 9 * kUs});
        timeline.executed({"answer", 1, 3 * kUs, 7 * kUs});
        timeline.executed({"sleep", 1, 7 * kUs, 9 * kUs});
        ProcessorWork work;
        work.start = work.arrived = 1 * kUs;
        work.duration = 4 * kUs;
        timeline.busy(work);
        work.kind = ProcessorWork::Kind::kHandOn;
        work.start = 5 * kUs;
        timeline.busy(work);
    });
    std::vector<std::string> slices;
    for (const nlohmann::json& event : events) {
        slices.push_back(event.at("name").get<std::string>() + ' ' + event.at("ts").dump() + ' ' +
                         event.at("dur").dump());
    }
    const std::vector<std::string> expected{
        "read 0 1.0 4.0", "main 1.0 4.0",   "answer 3.0 2.0", "after read 0 5.0 4.0",
        "main 5.0 4.0",   "answer 5.0 2.0", "sleep 7.0 2.0"};
    EXPECT_EQ(slices, expected);
}

} // namespace
} // namespace cavern::testing
