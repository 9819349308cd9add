// Compiled firmware on the processor decides as the decision core, call by call.

#include "firmware/controller/processor_firmware.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <systemc>
#include <vector>

#include "core/base/error.h"
#include "cosim/ibex_processor.h"
#include "firmware/drive/fault.h"
#include "firmware/drive/image/manners.h"
#include "tests/cosim/firmware_cycles.h"
#include "tests/firmware/twin.h"
#include "tests/support/core_fixtures.h"
#include "tests/support/nightly.h"

namespace cavern::testing {
namespace {

using Params = ProcessorFirmware::Params;

cpu::Program image(const std::string& name, const FirmwareParams& drive) {
    return cpu::Program::read(std::string(CAVERN_FIRMWARE_DIR) + "/" + name + ".elf",
                              controller_map(drive).value());
}

/// A decision core beside the image, in lockstep.
struct OnProcessor {
    explicit OnProcessor(const CoreParts& made_of, const Params& params = {},
                         const std::string& name = "drive")
        : parts(made_of), core(make_core(parts)), drive(firmware_params_of(parts)),
          processor(std::make_shared<ProcessorFirmware>(drive, image(name, drive), params)),
          firmware(*processor) {
        auto listener = std::make_unique<DecisionLockstep>(processor);
        lockstep = listener.get();
        core->listen(std::move(listener));
    }

    void play(Random& random, std::uint64_t requests) {
        for (std::uint64_t request = 0; request < requests; ++request) {
            play_random_request(*core, parts.geometry, random, request);
        }
    }
    void write_all() {
        for (std::uint64_t page = 0; page < core->ftl().logical_pages(); ++page) {
            (void)core->write(Lpn{page});
        }
    }

    CoreParts parts;
    std::unique_ptr<DriveCore> core;
    FirmwareParams drive;
    std::shared_ptr<ProcessorFirmware> processor;
    ProcessorFirmware& firmware;
    DecisionLockstep* lockstep = nullptr; ///< the core's
};

class ProcessorFirmwareTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ProcessorFirmwareTest, TheImageDecidesAsTheCore) {
    constexpr std::uint64_t kDrives = 10;
    std::uint64_t collected = 0;
    for (std::uint64_t drive = 0; drive < kDrives; ++drive) {
        const std::uint64_t seed = GetParam() * kDrives + drive;
        Random random(seed);
        const CoreParts parts = random_parts(random);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text_of(parts));
        Params params;
        params.cycles_per_entry = drive % 3 == 0 ? 2000 : 0; // the queue runs full
        OnProcessor twin(parts, params);
        if (drive % 2 == 0) {
            ASSERT_NO_THROW(twin.write_all());
        }
        ASSERT_NO_THROW(twin.play(random, nightly() ? 10'000 : 600));
        EXPECT_EQ(twin.firmware.statistics().requests, twin.lockstep->compared()->calls);
        collected += twin.core->ftl().counters().gc_runs;
    }
    EXPECT_GT(collected, 100u);
}

INSTANTIATE_TEST_SUITE_P(, ProcessorFirmwareTest, ::testing::Range<std::uint64_t>(0, 4));
INSTANTIATE_TEST_SUITE_P(Nightly, ProcessorFirmwareTest, ::testing::Range<std::uint64_t>(4, 20));

// Pages of one block are written together, past the buffer, as preconditioning does.
TEST(ProcessorFirmwareFillTest, FillsAsTheHostsBuild) {
    Random random(3);
    CoreParts parts = random_parts(random);
    Twin host(parts);
    const FirmwareParams drive = firmware_params_of(parts);
    ProcessorFirmware firmware(drive, image("drive", drive), {});
    const std::uint32_t block = parts.geometry.pages_per_block;
    std::uint64_t programs = 0;
    for (std::uint64_t page = 0; page + block <= host.core->ftl().logical_pages(); page += block) {
        std::vector<Lpn> lpns;
        for (std::uint64_t i = 0; i < block; ++i) {
            lpns.push_back(Lpn{page + i});
        }
        const FlashOpList expected = host.firmware->fill(lpns.data(), lpns.size()).ops;
        const Batch& batch = firmware.fill(lpns.data(), lpns.size());
        ASSERT_EQ(batch.ops.size(), expected.size());
        EXPECT_TRUE(batch.victims.empty());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(batch.ops[i].page, expected[i].page);
            EXPECT_EQ(batch.ops[i].lpn, expected[i].lpn);
        }
        programs += expected.size();
    }
    EXPECT_GT(programs, block);
}

// The control: each mistake is seen, and the first call after it named.
TEST(ProcessorFirmwareFaultTest, AMistakeInTheImageIsSeen) {
    for (const std::uint32_t mistake :
         {kDriveSound, kDriveLruPointerNotMoved, kDriveWatermarkOffByOne, kDriveWrongDie}) {
        CoreParts parts = small_twin();
        parts.geometry = geometry_of(2, 2, 1, 12, 4);
        parts.allocator = "block-round-robin";
        OnProcessor twin(parts, {}, "drive_faults");
        const std::uint32_t address = twin.firmware.program().address_of("drive_mistake").value();
        ASSERT_TRUE(twin.firmware.processor().memory().write(address, &mistake, 4));
        Random random(5);
        const std::string found = stopped([&] { twin.play(random, 1000); });
        EXPECT_EQ(found.empty(), mistake == kDriveSound) << mistake;
        EXPECT_EQ(found.rfind("firmware and decision core differ: request", 0),
                  mistake == kDriveSound ? std::string::npos : 0)
            << found;
    }
}

/// The same calls on a drive with another processor or registers; cycles of requests and by
/// function.
struct Played {
    Played(const CoreParts& parts, const Params& params)
        : twin(parts, params), functions(twin.firmware.program()) {}
    OnProcessor twin;
    FunctionCycles functions;
    DecisionCostIf::Executed statistics{};
    std::vector<std::uint64_t> cycles; ///< by call
};

std::unique_ptr<Played> play(const CoreParts& parts, const Params& params, std::uint64_t requests) {
    auto played = std::make_unique<Played>(parts, params);
    Played& result = *played;
    OnProcessor& twin = result.twin;
    twin.firmware.processor().observe(
        [&result](const cpu::Retired& retired) { result.functions.add(retired); });
    Random random(9);
    for (std::uint64_t request = 0; request < requests; ++request) {
        const std::uint64_t before = twin.firmware.statistics().cycles;
        twin.play(random, 1);
        result.cycles.push_back(twin.firmware.statistics().cycles - before);
    }
    result.statistics = twin.firmware.statistics();
    if (const auto* ibex = dynamic_cast<IbexProcessor*>(&twin.firmware.processor())) {
        EXPECT_EQ(ibex->lockstep() != nullptr, params.core == ProcessorCore::kLockstep);
        if (ibex->lockstep() != nullptr) {
            EXPECT_EQ(ibex->lockstep()->compared(), ibex->executed());
        }
    }
    return played;
}

CoreParts busy() {
    Random random(17);
    CoreParts parts = random_parts(random);
    parts.policy = "lru-block";
    parts.eviction = "cave";
    parts.frames = 16;
    return parts;
}

TEST(ProcessorFirmwareCoreTest, IbexTakesTheSameCyclesForEachRequest) {
    const auto iss = play(busy(), {}, 40);
    Params params;
    params.core = ProcessorCore::kIbex;
    const auto ibex = play(busy(), params, 40);
    EXPECT_EQ(ibex->statistics.instructions, iss->statistics.instructions);
    ASSERT_EQ(ibex->cycles.size(), iss->cycles.size());
    for (std::size_t i = 0; i < iss->cycles.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(ibex->cycles[i]), static_cast<double>(iss->cycles[i]),
                    0.03 * static_cast<double>(iss->cycles[i]) + 2)
            << "request " << i;
    }
    EXPECT_LT(worst_error(ibex->functions, iss->functions, 200), 0.03);
}

TEST(ProcessorFirmwareCoreTest, RegistersAreThoseOfTheRtlToACycle) {
    const auto iss = play(busy(), {}, 60);
    Params params;
    params.rtl_registers = true;
    const auto rtl = play(busy(), params, 60);
    EXPECT_EQ(rtl->cycles, iss->cycles);
    EXPECT_EQ(rtl->statistics.instructions, iss->statistics.instructions);
}

TEST(ProcessorFirmwareCoreTest, LockstepComparesEveryInstruction) {
    Params params;
    params.core = ProcessorCore::kLockstep;
    const auto lockstep = play(busy(), params, 40);
    EXPECT_GT(lockstep->statistics.instructions, 20'000u);
}

TEST(ProcessorFirmwareNightlyTest, AMillionInstructionsInLockstep) {
    Params params;
    params.core = ProcessorCore::kLockstep;
    params.rtl_registers = true;
    const auto lockstep = play(busy(), params, 2000);
    EXPECT_GT(lockstep->statistics.instructions, 1'000'000u);
}

// The same cycles whether accesses are transactions or not.
TEST(ProcessorFirmwareBusTest, TransactionsTakeNoOtherTime) {
    const auto direct = play(busy(), {}, 100);
    Params params;
    params.transactions = true;
    OnProcessor twin(busy(), params);
    EXPECT_EQ(twin.firmware.bus()->transactions(), 0u); // nothing is bound yet
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Random random(9);
    ASSERT_NO_THROW(twin.play(random, 100));
    EXPECT_EQ(twin.firmware.statistics().cycles, direct->statistics.cycles);
    EXPECT_EQ(twin.firmware.statistics().instructions, direct->statistics.instructions);
    EXPECT_GT(twin.firmware.bus()->transactions(), 1000u);
}

struct BadManners {
    drive_manners manners;
    const char* says;
    const char* where; ///< function; empty: of no place
};

class MannersTest : public ::testing::TestWithParam<std::tuple<BadManners, ProcessorCore>> {};

TEST_P(MannersTest, TheRunStopsAndSaysWhatAndWhere) {
    const auto& [bad, core] = GetParam();
    Params params;
    params.core = core;
    params.watchdog = 5000;
    const std::string message = stopped([&] {
        CoreParts parts = small_twin();
        parts.frames = static_cast<std::uint32_t>(bad.manners);
        const FirmwareParams drive = firmware_params_of(parts);
        ProcessorFirmware firmware(drive, image("drive_manners", drive), params);
        (void)firmware.read(Lpn{3});
    });
    if (bad.manners == kMannersGood) {
        EXPECT_EQ(message, "");
        return;
    }
    EXPECT_NE(message.find(bad.says), std::string::npos) << message;
    const bool starts = bad.manners == kMannersNeverReady || bad.manners == kMannersFailsAtStart;
    EXPECT_NE(message.find(starts ? "start: " : "request 0, read of 1 logical pages from 3 on: "),
              std::string::npos)
        << message;
    if (*bad.where != '\0') {
        EXPECT_NE(message.find(std::string(" in ") + bad.where), std::string::npos) << message;
        EXPECT_NE(message.find(':', message.rfind('.')), std::string::npos) << message; // line
    }
}

constexpr BadManners kManners[] = {
    {kMannersGood, "", ""},
    {kMannersNeverReady, "without having said that it is ready", "main"},
    {kMannersNeverAnswers, "not answered after 5000 instructions (cpu.watchdog)", "never_answers"},
    {kMannersSleeps, "sleeps without having answered", "misbehave"},
    {kMannersBadAccess, "(0x12345678)", "misbehave"},
    {kMannersBadInstruction, "illegal", "misbehave"},
    {kMannersMisaligned, "(0x00200002)", "misbehave"},
    {kMannersExits, "ended its run with status 7", ""},
    {kMannersFailsAtStart, "ended its run with status 3: it refuses to start", ""},
    {kMannersFindsAnError, "the firmware finds something amiss", ""},
    {kMannersWrongTag, "it rings for request 2, and was asked for 1", ""},
    {kMannersRingsTwice, "pushed more behind its doorbell", ""},
    {kMannersPopsTwice, "control.error is 0x1", ""},
    {kMannersNoAnswer, "it gives 0 answers and not 1", ""},
    {kMannersTwoAnswers, "it gives 2 answers and not 1", ""},
    {kMannersOtherPage, "it has answered for page 4 of a", ""},
    {kMannersUnknownEntry, "an entry of kind 9", ""},
    {kMannersPageBeyond, "a page that the drive has", ""},
    {kMannersLogicalPageBeyond, "a logical page of the drive", ""},
    {kMannersWaitsForItself, "waits for one before it", ""},
    {kMannersOperationsOfNoAnswer, "operations of no answer", ""},
};

INSTANTIATE_TEST_SUITE_P(, MannersTest,
                         ::testing::Combine(::testing::ValuesIn(kManners),
                                            ::testing::Values(ProcessorCore::kIss,
                                                              ProcessorCore::kIbex)));

} // namespace
} // namespace cavern::testing
