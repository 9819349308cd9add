// Random requests to decision core and firmware.

#include "firmware/twin/decision_lockstep.h"

#include <functional>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/firmware/twin.h"
#include "tests/support/nightly.h"

namespace cavern::testing {
namespace {

using Call = DecisionCall::Kind;

class LockstepTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(LockstepTest, FirmwareDecidesAsTheCore) {
    constexpr std::uint64_t kDrives = 25;
    const std::uint64_t requests = nightly() ? 20'000 : 1'500;
    std::uint64_t collected = 0;
    for (std::uint64_t drive = 0; drive < kDrives; ++drive) {
        const std::uint64_t seed = GetParam() * kDrives + drive;
        Random random(seed);
        Twin twin(random_parts(random));
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text_of(twin.parts));
        if (drive % 2 == 0) {
            ASSERT_NO_THROW(write_all(twin));
        }
        for (std::uint64_t request = 0; request < requests; ++request) {
            ASSERT_NO_THROW(play_random_request(twin, random, request));
        }
        EXPECT_GT(twin.lockstep->compared()->calls, requests);
        collected += twin.core->ftl().counters().gc_runs;
        (void)twin.core->check_invariants();
    }
    EXPECT_GT(collected, kDrives * requests / 50);
}

INSTANTIATE_TEST_SUITE_P(, LockstepTest, ::testing::Range<std::uint64_t>(0, 8));
INSTANTIATE_TEST_SUITE_P(Nightly, LockstepTest, ::testing::Range<std::uint64_t>(8, 40));

// Large batches into a drive without spare room: what is placed together takes the last room of
// planes, and the rest of it has to be placed anew.
TEST(LockstepFullDriveTest, WhatIsPlacedAnewGoesToTheSamePlanes) {
    std::uint64_t seed = 1000;
    for (int drive = 0; drive < 40; ++drive) {
        CoreParts parts;
        do {
            Random random(++seed);
            parts = random_parts(random);
        } while (parts.geometry.planes_per_die == 1 || parts.ftl.overprovision > 0.45);
        parts.policy = "lru-block";
        parts.eviction = "cave";
        parts.cave_victims = 32;
        parts.frames = 128;
        parts.allocator = "block-round-robin";
        Random random(seed);
        Twin twin(parts);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text_of(parts));
        ASSERT_NO_THROW(write_all(twin));
        for (std::uint64_t request = 0; request < 1000; ++request) {
            ASSERT_NO_THROW(play_random_request(twin, random, request));
        }
    }
}

TEST(LockstepMessageTest, NamesTheRequestTheCallAndBothAnswers) {
    Twin twin(small_twin());
    twin.core->begin_request(16);
    (void)twin.core->write(Lpn{3});
    (void)twin.firmware->write(Lpn{5}); // which the core does not hear of
    twin.core->begin_request(17);
    const std::string message = stopped([&] { (void)twin.core->read(Lpn{5}); });
    EXPECT_EQ(message, "firmware and decision core differ: request 17, read of logical page 5: hit "
                       "differs; the core decides {hit no, frame none, page none, version 0, units "
                       "0, victims 0; dropped 0; operations 0}, the firmware {hit yes, frame 1, "
                       "page none, version 0, units 0, victims 0; dropped 0; operations 0}");
}

TEST(LockstepMessageTest, NamesTheFirstOperationThatDiffers) {
    Twin twin(small_twin());
    (void)twin.firmware->write_through(Lpn{0}); // takes a page of the plane
    twin.core->begin_request(0);
    const std::string message = stopped([&] { (void)twin.core->write_through(Lpn{2}); });
    EXPECT_NE(message.find("request 0, write through of logical page 2: operation 0 is (program "
                           "page 0, origin 0, logical page 2, version 1"),
              std::string::npos)
        << message;
    EXPECT_NE(message.find(") and (program page 1, "), std::string::npos) << message;
}

// What the core would not have been asked either.
TEST(LockstepMessageTest, SaysWhenTheFirmwareStops) {
    Twin twin(small_twin());
    const Batch nothing{{}, {}, {}};
    const Lpn beyond{twin.core->ftl().logical_pages()};
    const std::string message = stopped([&] {
        twin.lockstep->decided({Call::kRead, beyond},
                               Decision(ReadDecision{false, kNoFrame, kNoPpn, false, 0, nothing}));
    });
    EXPECT_NE(message.find("the firmware stops"), std::string::npos) << message;
    EXPECT_NE(message.find("a page or plane beyond the drive"), std::string::npos) << message;
}

// Each field of an answer that the core could give otherwise.
TEST(LockstepMessageTest, NoticesEachField) {
    const FlashOp program(FlashOpKind::kProgram, Origin::kHost, Ppn{0}, Lpn{0});
    struct Case {
        const char* what;
        std::function<void(FlashOpList&, std::vector<Victim>&, std::vector<FrameId>&)> change;
    };
    const std::vector<Case> cases = {
        {"", [](auto&, auto&, auto&) {}},
        {"operation 0", [](auto& ops, auto&, auto&) { ops[0].kind = FlashOpKind::kRead; }},
        {"operation 0", [](auto& ops, auto&, auto&) { ops[0].origin = Origin::kGc; }},
        {"operation 0", [](auto& ops, auto&, auto&) { ops[0].copies = true; }},
        {"operation 0", [](auto& ops, auto&, auto&) { ops[0].rewrites = true; }},
        {"operation 0", [](auto& ops, auto&, auto&) { ops[0].merges = true; }},
        {"operation 0", [](auto& ops, auto&, auto&) { ops[0].version = 2; }},
        {"operation 0", [](auto& ops, auto&, auto&) { ops[0].page = Ppn{1}; }},
        {"operation 0", [](auto& ops, auto&, auto&) { ops[0].lpn = Lpn{1}; }},
        {"operation 0", [](auto& ops, auto&, auto&) { ops[0].after = 0; }},
        {"operation 0", [](auto& ops, auto&, auto&) { ops[0].frame = 0; }},
        {"operation 0", [](auto& ops, auto&, auto&) { ops[0].supersedes = Ppn{0}; }},
        {"1 of operation", [](auto& ops, auto&, auto&) { ops.push_back(ops[0]); }},
        {"victim 0", [](auto&, auto& victims, auto&) { victims[0].lpn = Lpn{1}; }},
        {"victim 0", [](auto&, auto& victims, auto&) { victims[0].frame = FrameId{0}; }},
        {"victim 0", [](auto&, auto& victims, auto&) { victims[0].padding = true; }},
        {"1 of victim", [](auto&, auto& victims, auto&) { victims.push_back(victims[0]); }},
        {"0 of dropped frame", [](auto&, auto&, auto& dropped) { dropped.push_back(FrameId{0}); }},
    };
    for (const Case& each : cases) {
        Twin twin(small_twin());
        FlashOpList ops{program};
        ops[0].version = 1;
        std::vector<Victim> victims{{Lpn{0}, kNoFrame}};
        std::vector<FrameId> dropped;
        each.change(ops, victims, dropped);
        const Batch batch{ops, victims, dropped, 1};
        const std::string message = stopped([&] {
            twin.lockstep->decided({Call::kWriteThrough, Lpn{0}},
                                   Decision(WriteDecision{false, kNoFrame, batch}));
        });
        EXPECT_EQ(message.empty(), std::string(each.what).empty()) << message;
        EXPECT_NE(message.find(each.what), std::string::npos) << each.what << ": " << message;
    }
}

TEST(LockstepMessageTest, NoticesADifferentHitFramePlaceOrNumberOfUnits) {
    const FlashOpList none;
    const std::vector<Victim> no_victims;
    const std::vector<FrameId> no_frames;
    const Batch nothing{none, no_victims, no_frames};
    const auto read = [&](ReadDecision core) {
        return stopped([&] {
            Twin(small_twin()).lockstep->decided({Call::kRead, Lpn{0}}, Decision(core));
        });
    };
    EXPECT_EQ(read({false, kNoFrame, kNoPpn, false, 0, nothing}), "");
    EXPECT_NE(read({true, kNoFrame, kNoPpn, false, 0, nothing}), "");
    EXPECT_NE(read({false, FrameId{0}, kNoPpn, false, 0, nothing}), "");
    EXPECT_NE(read({false, kNoFrame, Ppn{0}, false, 0, nothing}), "");
    EXPECT_NE(read({false, kNoFrame, kNoPpn, true, 0, nothing}), "");
    EXPECT_NE(read({false, kNoFrame, kNoPpn, false, 1, nothing}), "");
    EXPECT_NE(read({false, kNoFrame, kNoPpn, false, 0, nothing, true}), "");
    const auto trim = [&](std::vector<FrameId> frames, std::uint64_t pages) {
        return stopped([&] {
            Twin(small_twin())
                .lockstep->decided({Call::kTrim, Lpn{0}, 2},
                                   Decision(TrimDecision{pages, frames, nothing}));
        });
    };
    EXPECT_EQ(trim({}, 2), "");
    EXPECT_NE(trim({FrameId{1}}, 2), "");
    EXPECT_NE(trim({}, 1), "");
    const auto flushed = [&](Twin& twin, const Batch* batch) {
        return stopped([&] { twin.lockstep->decided({Call::kFlushStep}, Decision(batch)); });
    };
    Twin empty(small_twin());
    EXPECT_NE(flushed(empty, &nothing), "");
    EXPECT_EQ(flushed(empty, nullptr), "");
    for (const std::uint32_t units : {1u, 2u}) {
        Twin twin(small_twin());
        (void)twin.core->write(Lpn{0});
        FirmwareCore same(firmware_params_of(twin.parts));
        (void)same.write(Lpn{0});
        const Batch* batch = same.flush_step();
        const Batch other{batch->ops, batch->victims, batch->dropped, units};
        EXPECT_EQ(flushed(twin, &other).empty(), units == 1) << units;
    }
}

} // namespace
} // namespace cavern::testing
