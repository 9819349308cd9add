// What looks at the firmware of a drive is told everything, in order; a debugger changes nothing.

#include "firmware/controller/firmware_watch_if.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "cpu/iss_processor.h"
#include "firmware/controller/processor_firmware.h"
#include "firmware/drive/image/manners.h"
#include "tests/cpu/scripted_debugger.h"
#include "tests/firmware/twin.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

using Params = ProcessorFirmware::Params;
using Why = cpu::DebugStop::Why;

/// Writes down what it is told.
struct Diary final : FirmwareWatchIf {
    void starting(cpu::ProcessorIf& processor, const cpu::Program&) override {
        EXPECT_EQ(processor.executed(), 0u);
        says += "starting ";
        if (observes) {
            processor.observe([this](const cpu::Retired&) { ++instructions; });
        }
        if (debugger != nullptr) {
            dynamic_cast<cpu::IssProcessor&>(processor).debug(*debugger);
        }
    }
    void woken(const Request& request) override {
        says += "woken ";
        names.push_back(request.named());
        EXPECT_FALSE(request.time.has_value());
        EXPECT_GE(request.cycle, cycle);
        cycle = request.cycle;
    }
    void asleep(std::uint64_t now) override {
        says += "asleep ";
        awake += now - cycle;
        cycle = now;
    }
    void printed(char byte, std::uint64_t now) override {
        EXPECT_GE(now, cycle);
        log += byte;
    }
    void statistics_begin() override { says += "statistics "; }

    bool observes = false;
    cpu::DebuggerIf* debugger = nullptr;
    std::string says;
    std::vector<std::string> names;
    std::string log;
    std::uint64_t instructions = 0;
    std::uint64_t cycle = 0;
    std::uint64_t awake = 0; ///< cycles
};

std::unique_ptr<ProcessorFirmware> started(FirmwareWatchIf* watch,
                                           const std::string& name = "drive",
                                           CoreParts parts = small_twin(),
                                           std::uint64_t watchdog = 100'000) {
    const FirmwareParams drive = firmware_params_of(parts);
    Params params;
    params.watch = watch;
    params.watchdog = watchdog;
    return std::make_unique<ProcessorFirmware>(
        drive,
        cpu::Program::read(std::string(CAVERN_FIRMWARE_DIR) + "/" + name + ".elf",
                           controller_map(drive).value()),
        params);
}

/// Cycles and instructions of some writes.
DecisionCostIf::Executed writes(ProcessorFirmware& firmware) {
    for (std::uint64_t page = 0; page < 40; ++page) {
        (void)firmware.write(Lpn{page % 24});
    }
    return firmware.statistics();
}

TEST(FirmwareWatchTest, IsToldInOrderAndOfEveryCycle) {
    Diary diary;
    const auto firmware = started(&diary);
    EXPECT_EQ(diary.says, "starting asleep ");
    diary.awake = 0;
    (void)firmware->write(Lpn{3});
    (void)firmware->read(Lpn{3});
    firmware->reset_statistics();
    EXPECT_EQ(diary.says, "starting asleep woken asleep woken asleep statistics ");
    EXPECT_EQ(diary.names,
              (std::vector<std::string>{"request 0, write of 1 logical pages from 3 on",
                                        "request 0, read of 1 logical pages from 3 on"}));
    diary.awake = 0;
    EXPECT_EQ(writes(*firmware).cycles, diary.awake);
}

TEST(FirmwareWatchTest, WhatObservesSeesEveryInstructionAndChangesNone) {
    Diary diary;
    diary.observes = true;
    const auto watched = started(&diary);
    const std::uint64_t before = diary.instructions;
    const auto plain = started(nullptr);
    EXPECT_EQ(writes(*watched).cycles, writes(*plain).cycles);
    EXPECT_EQ(diary.instructions - before, plain->statistics().instructions);
}

TEST(FirmwareWatchTest, SeesWhatIsPrinted) {
    Diary diary;
    const auto firmware = started(&diary, "drive_talking");
    (void)firmware->write(Lpn{7});
    (void)firmware->write(Lpn{7});
    EXPECT_EQ(diary.log.find("write of page 7: new, frame "), 0u) << diary.log;
    EXPECT_NE(diary.log.find("\nwrite of page 7: hit, frame "), std::string::npos) << diary.log;
}

TEST(FirmwareDebuggerTest, AskedBeforeTheFirstInstructionItChangesNoCycle) {
    const DecisionCostIf::Executed plain = writes(*started(nullptr));
    for (const cpu::Resume rest : {cpu::Resume::kContinue, cpu::Resume::kDetach}) {
        cpu::ScriptedDebugger debugger;
        debugger.rest = rest;
        Diary diary;
        diary.debugger = &debugger;
        const auto firmware = started(&diary);
        const DecisionCostIf::Executed found = writes(*firmware);
        EXPECT_EQ(found.cycles, plain.cycles);
        EXPECT_EQ(found.instructions, plain.instructions);
        EXPECT_EQ(debugger.whys(), (std::vector{Why::kStart}));
    }
}

// One instruction at a time, over the sleep into the next request.
TEST(FirmwareDebuggerTest, StepsOverTheSleep) {
    const DecisionCostIf::Executed plain = writes(*started(nullptr));
    cpu::ScriptedDebugger debugger;
    Diary diary;
    diary.debugger = &debugger;
    const auto firmware = started(&diary);
    debugger.rest = cpu::Resume::kStep;
    dynamic_cast<cpu::IssProcessor&>(firmware->processor()).debug(debugger);
    const DecisionCostIf::Executed found = writes(*firmware);
    EXPECT_EQ(found.cycles, plain.cycles);
    EXPECT_EQ(found.instructions, plain.instructions);
    const std::vector<Why> whys = debugger.whys();
    EXPECT_EQ(std::count(whys.begin(), whys.end(), Why::kStep),
              static_cast<std::ptrdiff_t>(plain.instructions));
}

TEST(FirmwareDebuggerTest, ThatKillsEndsTheRun) {
    cpu::ScriptedDebugger debugger;
    debugger.script = {cpu::Resume::kKill};
    Diary diary;
    diary.debugger = &debugger;
    const std::string start = stopped([&] { started(&diary); });
    EXPECT_NE(start.find("start: its debugger has ended the run, at 0x00100080"), std::string::npos)
        << start;

    cpu::ScriptedDebugger later;
    later.interrupt_at = 1;
    later.script = {cpu::Resume::kContinue, cpu::Resume::kKill};
    diary.debugger = &later;
    const auto firmware = started(&diary);
    const std::string message = stopped([&] {
        for (int i = 0; i < 1000; ++i) {
            (void)writes(*firmware);
        }
    });
    EXPECT_NE(message.find("request 0, write of 1 logical pages from "), std::string::npos);
    EXPECT_NE(message.find("its debugger has ended the run"), std::string::npos) << message;
    EXPECT_EQ(later.whys(), (std::vector{Why::kStart, Why::kInterrupt}));
}

TEST(FirmwareDebuggerTest, IsToldWhatEndsTheRun) {
    struct Ending {
        drive_manners manners;
        Why why;
    };
    for (const auto& [manners, why] :
         {Ending{kMannersNeverAnswers, Why::kWatchdog}, Ending{kMannersExits, Why::kExit},
          Ending{kMannersBadAccess, Why::kFault}}) {
        CoreParts parts = small_twin();
        parts.frames = static_cast<std::uint32_t>(manners);
        cpu::ScriptedDebugger debugger;
        debugger.script = {cpu::Resume::kContinue, cpu::Resume::kDetach}; // else it faults for ever
        Diary diary;
        diary.debugger = &debugger;
        const auto firmware = started(&diary, "drive_manners", parts, 5000);
        EXPECT_NE(stopped([&] { (void)firmware->read(Lpn{3}); }), "");
        EXPECT_EQ(debugger.whys(), (std::vector{Why::kStart, why}));
    }
}

} // namespace
} // namespace cavern::testing
