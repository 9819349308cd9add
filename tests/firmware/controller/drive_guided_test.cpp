// cpu.decides = firmware: a drive whose decisions are those of the firmware counts and decides as
// the one of the decision core; and a firmware that answers what cannot be is stopped, with the
// request and the call named.

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "drive/controller.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "firmware/controller/firmware_parts.h"
#include "tests/drive/drive_pair.h"
#include "tests/firmware/controller/liar.h"
#include "tests/support/list_source.h"
#include "tests/support/nightly.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

using Settings = std::vector<std::string>;
using Call = DecisionCall::Kind;

// ---- as the core --------------------------------------------------------------------------------

/// A drawn pair made into one that the firmware can be; nothing where that fits no configuration.
std::optional<DrivePair> firmware_pair(std::uint64_t seed, std::uint32_t requests) {
    Random random(seed);
    const char* const policies[] = {"lru-page", "lru-block", "none"};
    const char* const schemes[] = {"block-round-robin", "block-round-robin", "stripe-page", "pdwc"};
    DrivePair pair = draw_pair(seed, requests);
    std::vector<JobSpec> none;
    const Settings must{
        "ftl.scheme=page",
        "ftl.unit=page",
        "ftl.partition=static",
        "ftl.gc_policy=greedy",
        "ftl.gc_unit=blocks",
        "ftl.gc_placement=plane",
        "ftl.gc_shared_frontier=false",
        "ftl.hot_cold=false",
        "ftl.wear_leveling=none",
        "ftl.gc_background=0",
        "nand.bad_blocks=0",
        "nand.program_failures=0",
        "nand.erase_failures=0",
        "buffer.cache_reads=false",
        "buffer.flush_keep=false",
        "buffer.ncq_aware=false",
        "cpu.decides=firmware",
        std::string("buffer.policy=") + policies[random.below(10) == 0 ? 2 : random.below(2)],
        std::string("buffer.eviction=") + (random.below(2) == 0 ? "single" : "cave"),
        std::string("alloc.scheme=") + schemes[random.below(4)],
    };
    pair.overrides.insert(pair.overrides.end(), must.begin(), must.end());
    try {
        const SsdConfig config = small_drive(pair.overrides);
        if (controller_why_not(config)) {
            return std::nullopt;
        }
        // Jobs were drawn for the drive as it was.
        for (JobSpec& job : pair.jobs ? pair.jobs->jobs : none) {
            job.size = std::min(job.size, capacity_of(config));
            job.block_bytes =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(job.block_bytes, job.size));
        }
        return pair;
    } catch (const UserError&) {
        return std::nullopt;
    }
}

class GuidedPairsTest : public SystemcTest, public ::testing::WithParamInterface<std::uint32_t> {};

// The firmware decides in time, the core without: all counts, places and decisions are the same.
TEST_P(GuidedPairsTest, FirmwareInTimeDecidesAsTheCoreWithout) {
    const std::uint32_t pairs = nightly() ? 40 : 12;
    std::uint32_t compared = 0;
    std::uint32_t placed_anew = 0;
    std::uint64_t seed = std::uint64_t{GetParam()} * 1000;
    for (std::uint32_t played = 0; played < pairs;) {
        const std::optional<DrivePair> pair = firmware_pair(++seed, nightly() ? 1500 : 400);
        if (!pair) {
            continue;
        }
        ++played;
        SCOPED_TRACE(describe(*pair));
        const PairResult result = play_pair(*pair, {"cpu.decides=core"});
        EXPECT_EQ(result.difference, "");
        compared += !result.looks_at_time && result.decisions > pair->mix.requests ? 1 : 0;
        placed_anew += result.placed_anew ? 1 : 0;
    }
    EXPECT_GE(compared, pairs / 2);
    EXPECT_LE(placed_anew, pairs / 8);
}

TEST(GuidedDifferenceTest, IsNoAllocationAlone) {
    PairOutcome firmware;
    firmware.firmware_decides = true;
    firmware.decisions = "evict 1\nallocate 0 2 0\nprogram 0 1 9\n";
    PairOutcome core;
    core.decisions = "evict 1\nallocate 0 2 0\nallocate 0 3 3\nprogram 0 1 9\n";
    EXPECT_EQ(difference(firmware, core), "");
    core.decisions = "evict 1\nallocate 0 2 0\nprogram 0 1 8\n";
    EXPECT_NE(difference(firmware, core), "");
    core.decisions = "evict 1\nallocate 0 3 0\nprogram 0 1 9\n"; // another die, not one more
    EXPECT_NE(difference(firmware, core), "");
    core.decisions = firmware.decisions + "allocate 0 1 0\n";
    core.firmware_decides = true;
    EXPECT_NE(difference(firmware, core), "");
}

INSTANTIATE_TEST_SUITE_P(SlowDrawn, GuidedPairsTest, ::testing::Range(0u, 3u));
INSTANTIATE_TEST_SUITE_P(Nightly, GuidedPairsTest, ::testing::Range(10u, 30u));

// ---- what cannot be -----------------------------------------------------------------------------

bool is_program(const FlashOp& op) {
    return op.kind == FlashOpKind::kProgram;
}

bool is_copy(const FlashOp& op) {
    return is_program(op) && op.copies;
}

bool is_host_program(const FlashOp& op) {
    return is_program(op) && op.origin == Origin::kHost;
}

bool is_erase(const FlashOp& op) {
    return op.kind == FlashOpKind::kErase;
}

bool is_read(const FlashOp& op) {
    return op.kind == FlashOpKind::kRead;
}

bool is_inner_program(const FlashOp& op) {
    return is_host_program(op) && raw(op.page) % 8 > 0 && raw(op.page) % 8 < 7;
}

bool is_rewrite(const FlashOp& op) {
    return is_host_program(op) && op.supersedes != kNoPpn;
}

/// Changes the first operation of the kind that a request brings.
Liar::Lie changes(bool (*kind)(const FlashOp&), const std::function<void(FlashOp&)>& change) {
    return [=](FirmwareAnswer& answer) {
        const auto op = std::find_if(answer.ops.begin(), answer.ops.end(), kind);
        if (answer.call == Call::kFill || op == answer.ops.end()) {
            return false;
        }
        change(*op);
        return true;
    };
}

/// Changes the first answer to such a call that satisfies `when`.
Liar::Lie answers(Call call, const std::function<bool(const FirmwareAnswer&)>& when,
                  const std::function<void(FirmwareAnswer&)>& change) {
    return [=](FirmwareAnswer& answer) {
        if (answer.call != call || !when(answer)) {
            return false;
        }
        change(answer);
        return true;
    };
}

bool evicts(const FirmwareAnswer& answer) {
    return answer.victims.size() >= 2;
}

bool always(const FirmwareAnswer&) {
    return true;
}

struct Case {
    const char* name;
    Liar::Lie lie;
    const char* complaint;
    const char* call = "request "; ///< in the message as well
    Settings more = {};
};

Settings drive_of(const Case& each) {
    Settings settings{"cpu.decides=firmware",  "buffer.policy=lru-block",
                      "buffer.eviction=cave",  "buffer.cave.victims=2",
                      "precondition.fill=0.5", "alloc.scheme=block-round-robin"};
    settings.insert(settings.end(), each.more.begin(), each.more.end());
    return settings;
}

/// Counts the requests that the drive has asked for.
class CountedSource final : public RequestSourceIf {
  public:
    explicit CountedSource(std::vector<HostRequest> requests) : list_(std::move(requests)) {}
    bool next(HostRequest& request) override {
        ++asked;
        return list_.next(request);
    }
    std::uint64_t asked = 0;

  private:
    ListSource list_;
};

class GuidedLiesTest : public ::testing::TestWithParam<Case> {};

TEST_P(GuidedLiesTest, AreStoppedWithRequestAndCall) {
    const Case& each = GetParam();
    const SsdConfig config = small_drive(drive_of(each));
    const auto liar = std::make_shared<Liar>(firmware_params(config), each.lie);
    GuidedParts parts(liar);
    Mix mix;
    mix.requests = 3000;
    mix.fua = 10;
    CountedSource source(
        random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes));
    std::string message;
    try {
        UntimedDrive drive(config, build_core(config, nullptr, &parts));
        drive.run(source, 0, nullptr);
        while (drive.core().ftl().maintains() && !liar->has_lied()) {
            (void)const_cast<DriveCore&>(drive.core()).maintain(PlaneId{0}, 4);
        }
    } catch (const ModelError& error) {
        message = error.what();
    }
    ASSERT_TRUE(liar->has_lied());
    EXPECT_EQ(message.rfind("firmware answers what cannot be: ", 0), 0u) << message;
    EXPECT_NE(message.find(each.complaint), std::string::npos) << message;
    EXPECT_NE(message.find(each.call), std::string::npos) << message;
    if (source.asked != 0 && !config.ftl.params.gc_background) {
        EXPECT_NE(message.find(": request " + std::to_string(source.asked - 1) + ", "),
                  std::string::npos)
            << message;
    }
}

constexpr Ppn kBeyond{std::uint64_t{1} << 40};

bool misses(const FirmwareAnswer& answer) {
    return !answer.hit;
}

bool hits(const FirmwareAnswer& answer) {
    return answer.hit;
}

const Case kAnswers[] = {
    {"AHitThatIsNone", answers(Call::kWrite, misses, [](FirmwareAnswer& a) { a.hit = true; }),
     "hit differs", "write of logical page"},
    {"AnotherFrame",
     answers(Call::kWrite, misses, [](FirmwareAnswer& a) { a.frame = FrameId{raw(a.frame) ^ 1}; }),
     "frame differs"},
    {"AHitDenied",
     answers(Call::kRead, hits,
             [](FirmwareAnswer& a) {
                 a.hit = false;
                 a.frame = kNoFrame;
             }),
     "hit differs", "read of logical page"},
    {"AnotherPlaceOfARead",
     answers(
         Call::kRead, [](const FirmwareAnswer& a) { return a.page != kNoPpn; },
         [](FirmwareAnswer& a) { a.page = Ppn{raw(a.page) ^ 1}; }),
     "the place of the page differs", "read of logical page"},
    {"NoPlaceOfARead",
     answers(
         Call::kRead, [](const FirmwareAnswer& a) { return a.page != kNoPpn; },
         [](FirmwareAnswer& a) { a.page = kNoPpn; }),
     "the place of the page differs"},
    {"AnotherVictim",
     answers(Call::kWrite, evicts, [](FirmwareAnswer& a) { a.victims[0].lpn = Lpn{100'000}; }),
     "which does not hold it"},
    {"AVictimInNoFrame",
     answers(Call::kWrite, evicts, [](FirmwareAnswer& a) { a.victims[0].frame = FrameId{16}; }),
     "which does not hold it"},
    {"AVictimTwice",
     answers(Call::kWrite, evicts, [](FirmwareAnswer& a) { a.victims[1] = a.victims[0]; }),
     "which does not hold it"},
    {"AUnitThatDescends",
     answers(
         Call::kWrite,
         [](const FirmwareAnswer& a) {
             return evicts(a) && raw(a.victims[0].lpn) / 8 == raw(a.victims[1].lpn) / 8;
         },
         [](FirmwareAnswer& a) { std::swap(a.victims[0], a.victims[1]); }),
     "behind a higher page of its block"},
    {"NobodyLeaves",
     answers(Call::kWrite, evicts,
             [](FirmwareAnswer& a) {
                 a.victims.clear();
                 a.ops.clear();
             }),
     "finds no victim"},
    {"SomebodyLeavesForAHit",
     answers(Call::kWrite, hits,
             [](FirmwareAnswer& a) {
                 a.victims.push_back({Lpn{0}, a.frame});
             }),
     "0 and 1 of victim"},
    {"MoreUnits", answers(Call::kWrite, evicts, [](FirmwareAnswer& a) { ++a.units; }),
     "units differ"},
    {"FewerUnits",
     answers(
         Call::kWrite, [](const FirmwareAnswer& a) { return a.units == 2; },
         [](FirmwareAnswer& a) { a.units = 1; }),
     "more pages are programmed than leave the buffer"},
    {"FramesTrimmedForgotten",
     answers(
         Call::kTrim, [](const FirmwareAnswer& a) { return !a.trimmed.empty(); },
         [](FirmwareAnswer& a) { a.trimmed.pop_back(); }),
     "of frame trimmed", "trim of"},
    {"AnEraseForATrim",
     answers(
         Call::kTrim, always,
         [](FirmwareAnswer& a) { a.ops.emplace_back(FlashOpKind::kErase, Origin::kGc, Ppn{0}); }),
     "0 and 1 of operation"},
    {"AFlushWithoutEnd",
     answers(
         Call::kFlushStep, [](const FirmwareAnswer& a) { return !a.done; },
         [](FirmwareAnswer& a) { a.done = true; }),
     "one has something to do", "step of a flush"},
    {"AFlushForgotten",
     answers(
         Call::kFlushStep, [](const FirmwareAnswer& a) { return a.done; },
         [](FirmwareAnswer& a) { a.done = false; }),
     "finds no victim"},
};

const Case kOperations[] = {
    {"FewerPrograms", answers(Call::kWrite, evicts, [](FirmwareAnswer& a) { a.ops.pop_back(); }),
     "are programmed"},
    {"MorePrograms",
     answers(Call::kWrite, evicts, [](FirmwareAnswer& a) { a.ops.push_back(a.ops.back()); }),
     "more pages are programmed than leave the buffer"},
    {"AProgramBeyondTheDrive", changes(is_host_program, [](FlashOp& op) { op.page = kBeyond; }),
     "a page beyond the drive"},
    {"ACopyBeyondTheDrive", changes(is_copy, [](FlashOp& op) { op.page = kBeyond; }),
     "which is beyond the drive"},
    {"ACopyOfNoLogicalPage", changes(is_copy, [](FlashOp& op) { op.lpn = Lpn{100'000}; }),
     "is beyond the drive"},
    {"APageLeftOut",
     changes(is_inner_program, [](FlashOp& op) { op.page = Ppn{raw(op.page) + 1}; }),
     " is programmed, and of block "},
    {"APageProgrammedBefore",
     changes(is_inner_program, [](FlashOp& op) { op.page = Ppn{raw(op.page) - 1}; }),
     " is programmed, and of block "},
    {"ACopyToAPageProgrammedBefore", changes(is_copy, [](FlashOp& op) { op.page = op.supersedes; }),
     " is programmed, and of block "},
    {"AnotherPageProgrammed",
     changes(is_host_program, [](FlashOp& op) { op.lpn = Lpn{raw(op.lpn) ^ 1}; }),
     "which has none to do"},
    {"AReadForTheHost", changes(is_read, [](FlashOp& op) { op.origin = Origin::kHost; }),
     "which has none to do"},
    {"AnotherPlaceSuperseded",
     changes(is_rewrite, [](FlashOp& op) { op.supersedes = Ppn{raw(op.supersedes) ^ 1}; }),
     "is programmed in place of"},
    {"ThePlaceSupersededForgotten",
     changes(is_rewrite, [](FlashOp& op) { op.supersedes = kNoPpn; }),
     "is programmed in place of nowhere"},
    {"ACopyOfWhatWasNotRead", changes(is_copy, [](FlashOp& op) { op.after = FlashOp::kNone; }),
     "was not read"},
    {"ACopyThatIsNone", changes(is_copy, [](FlashOp& op) { op.copies = false; }), "was not read"},
    {"ACopyReadElsewhere", changes(is_read, [](FlashOp& op) { op.page = Ppn{raw(op.page) ^ 1}; }),
     " to be copied, and lies "},
    {"AnEraseOfValidPages",
     answers(Call::kWrite, evicts,
             [](FirmwareAnswer& a) {
                 const Ppn first{raw(a.ops.back().page) / 8 * 8};
                 a.ops.emplace_back(FlashOpKind::kErase, Origin::kGc, first);
             }),
     " is erased with "},
    {"AnEraseInTheMiddle", changes(is_erase, [](FlashOp& op) { op.page = Ppn{raw(op.page) + 1}; }),
     "not the first one of its block"},
    {"AWaitForLater", changes(is_copy, [](FlashOp& op) { op.after = 1000; }),
     "waits for a later one"},
    {"AnotherFrameProgrammed", changes(is_host_program, [](FlashOp& op) { op.frame ^= 1; }),
     "operation "},
    {"AnotherVersion", changes(is_host_program, [](FlashOp& op) { ++op.version; }), "operation "},
    {"AProgramWhenFilling",
     answers(Call::kFill, always, [](FirmwareAnswer& a) { a.ops.front().page = kBeyond; }),
     "a page beyond the drive", "preconditioning, fill with 8 logical pages, first 0: "},
    {"HostDataWhenWorkingAhead",
     answers(
         Call::kMaintain, [](const FirmwareAnswer& a) { return a.done; },
         [](FirmwareAnswer& a) {
             a.ops.emplace_back(FlashOpKind::kProgram, Origin::kHost, Ppn{0}, Lpn{0});
         }),
     "which has none to do",
     "work ahead for plane 0",
     {"ftl.gc_background=12"}},
};

INSTANTIATE_TEST_SUITE_P(Answers, GuidedLiesTest, ::testing::ValuesIn(kAnswers),
                         [](const auto& each) { return std::string(each.param.name); });
INSTANTIATE_TEST_SUITE_P(Operations, GuidedLiesTest, ::testing::ValuesIn(kOperations),
                         [](const auto& each) { return std::string(each.param.name); });

// The same drives with no lie run to their end.
TEST(GuidedSoundTest, WithoutALieNothingIsStopped) {
    for (const Settings& more : {Settings{}, Settings{"ftl.gc_background=12"}}) {
        const SsdConfig config = small_drive(drive_of({"", {}, "", "", more}));
        GuidedParts parts(
            std::make_shared<Liar>(firmware_params(config), [](FirmwareAnswer&) { return false; }));
        Mix mix;
        mix.requests = 3000;
        mix.fua = 10;
        ListSource source(
            random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes));
        UntimedDrive drive(config, build_core(config, nullptr, &parts));
        ASSERT_NO_THROW(drive.run(source, 0, nullptr));
        EXPECT_GT(drive.check_end_of_run(), 0u);
        EXPECT_GT(drive.core().ftl().counters().gc_pages, 0u);
    }
}

} // namespace
} // namespace cavern::testing
