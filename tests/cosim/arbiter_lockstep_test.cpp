#include "cosim/lockstep_arbiter.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/error.h"
#include "cosim/rtl_arbiter.h"
#include "tests/cosim/arbiter_print.h"
#include "tests/cosim/arbiter_stream.h"

namespace cavern {
namespace {

constexpr ArbiterPolicy kRoundRobin = ArbiterPolicy::kRoundRobin;
constexpr ArbiterPolicy kPriorityAge = ArbiterPolicy::kPriorityAge;
constexpr std::uint32_t kAgeLimit = 24;
constexpr TimePs kPeriod = 5 * kNs;

std::unique_ptr<RtlArbiter> rtl(std::uint32_t slots, ArbiterPolicy policy, std::uint64_t seed = 1) {
    return make_rtl_arbiter(slots, policy, kAgeLimit, seed, kPeriod, "channel 3");
}

std::unique_ptr<ReferenceArbiter> twin(std::uint32_t slots, ArbiterPolicy policy,
                                       std::uint32_t age_limit = kAgeLimit) {
    return std::make_unique<ReferenceArbiter>(slots, policy, age_limit);
}

/// What the comparison of two arbiters says on a random stream; empty when they agree.
std::string difference(std::unique_ptr<ClockedArbiterIf> a, std::unique_ptr<ClockedArbiterIf> b,
                       std::uint32_t slots, std::uint64_t steps) {
    LockstepArbiter lockstep(std::move(a), std::move(b), "channel 3");
    try {
        run_stream(lockstep, slots, 11, steps);
    } catch (const ModelError& error) {
        EXPECT_EQ(lockstep.mismatches(), 1u);
        return error.what();
    }
    EXPECT_GT(lockstep.compared(), steps / 10);
    return {};
}

class ArbiterLockstepTest
    : public testing::TestWithParam<std::tuple<std::uint32_t, ArbiterPolicy>> {};

TEST_P(ArbiterLockstepTest, RtlAndTwinAgreeOverAMillionRandomEdges) {
    const auto [slots, policy] = GetParam();
    LockstepArbiter lockstep(rtl(slots, policy), twin(slots, policy), "channel 3");
    constexpr std::uint64_t kSteps = 1'000'000;
    const std::uint64_t held = run_stream(lockstep, slots, 7 + slots, kSteps);
    EXPECT_EQ(lockstep.steps(), kSteps);
    EXPECT_GT(lockstep.compared(), kSteps / 10);
    EXPECT_EQ(lockstep.mismatches(), 0u);
    EXPECT_GT(held, lockstep.compared());
}

INSTANTIATE_TEST_SUITE_P(SlowEveryShape, ArbiterLockstepTest,
                         testing::Combine(testing::Values(1u, 3u, 4u, 8u, 16u),
                                          testing::Values(kRoundRobin, kPriorityAge)),
                         [](const auto& shape) {
                             return std::to_string(std::get<0>(shape.param)) + "Slots" +
                                    (std::get<1>(shape.param) == kRoundRobin ? "RoundRobin"
                                                                             : "PriorityAge");
                         });

TEST(ArbiterLockstepControlTest, DifferenceNamesLabelCycleInputsAndOutputs) {
    const std::string text = difference(rtl(4, kRoundRobin), twin(4, kPriorityAge), 4, 100'000);
    EXPECT_EQ(text.rfind("channel 3: RTL and model differ at cycle 42944", 0), 0u) << text;
    for (const char* part :
         {"request=0x", "class=0x", "release=", "RTL valid=1", "model valid=1"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part;
    }
}

TEST(ArbiterLockstepControlTest, DifferenceListsTheLastSixteenSteps) {
    // Limits that differ by little take many steps to show.
    const std::string text =
        difference(rtl(8, kPriorityAge), twin(8, kPriorityAge, kAgeLimit + 1), 8, 100'000);
    std::size_t steps = 0;
    for (std::size_t at = text.find("\n  cycle "); at != std::string::npos;
         at = text.find("\n  cycle ", at + 1)) {
        ++steps;
    }
    EXPECT_EQ(steps, 16u) << text;
}

TEST(ArbiterLockstepControlTest, GrantHeldOneEdgeLongerIsADifference) {
    class LateArbiter final : public ClockedArbiterIf {
      public:
        ArbiterOutputs step(const ArbiterInputs& inputs) override {
            return std::exchange(late_, arbiter_.step(inputs));
        }

      private:
        ReferenceArbiter arbiter_{4, kRoundRobin, 0};
        ArbiterOutputs late_;
    };
    EXPECT_NE(difference(twin(4, kRoundRobin), std::make_unique<LateArbiter>(), 4, 100), "");
}

TEST(RtlArbiterTest, SixteenLinesWithFourUsersGrantLikeFourLines) {
    for (const ArbiterPolicy policy : {kRoundRobin, kPriorityAge}) {
        auto sixteen = std::make_unique<RtlArbiter>(make_verilated_model(16, policy, kAgeLimit, 1),
                                                    4, kPeriod, "channel 3");
        EXPECT_EQ(difference(std::move(sixteen), rtl(4, policy), 4, 200'000), "");
    }
}

TEST(RtlArbiterTest, ContentOfRegistersBeforeResetDoesNotMatter) {
    for (const ArbiterPolicy policy : {kRoundRobin, kPriorityAge}) {
        EXPECT_EQ(difference(rtl(8, policy, 1), rtl(8, policy, 987'654'321), 8, 50'000), "");
    }
}

TEST(RtlArbiterTest, SingleSlotIsGrantedWhenItAsks) {
    const auto arbiter = rtl(1, kRoundRobin);
    EXPECT_EQ(arbiter->step({0, 0, false, 0}), ArbiterOutputs{});
    EXPECT_EQ(arbiter->step({1, 0, false, 1}), (ArbiterOutputs{true, 1, 0}));
    EXPECT_EQ(arbiter->step({0, 0, false, 2}), (ArbiterOutputs{true, 1, 0}));
    EXPECT_EQ(arbiter->step({0, 0, true, 3}), ArbiterOutputs{});
}

TEST(RtlArbiterTest, LinesOfSlotsThatDoNotExistStayLow) {
    const auto arbiter = rtl(3, kRoundRobin); // four lines in the RTL
    EXPECT_FALSE(arbiter->step({0b1000, 0, false, 0}).valid);
}

TEST(RtlArbiterTest, MoreThanSixteenSlotsAreRefused) {
    EXPECT_THROW(rtl(17, kRoundRobin), ModelError);
}

class ArbiterWavesTest : public testing::Test {
  protected:
    ~ArbiterWavesTest() override { std::filesystem::remove(path_); }

    /// Header block of an FST file (GTKWave's fstapi.c): a zero byte, a length of 329, start and
    /// end time, all big-endian; the exponent of the time unit after eight fields of eight bytes.
    static std::uint64_t big_endian(const std::string& bytes, std::size_t at) {
        std::uint64_t value = 0;
        for (std::size_t n = 0; n < 8; ++n) {
            value = value << 8 | static_cast<unsigned char>(bytes[at + n]);
        }
        return value;
    }

    const std::string path_ = (std::filesystem::temp_directory_path() /
                               ("arbiter_waves_" + std::to_string(::getpid()) + ".fst"))
                                  .string();
};

TEST_F(ArbiterWavesTest, FileIsAnFstThatEndsAtTheLastEdge) {
    {
        const auto arbiter = rtl(4, kPriorityAge);
        arbiter->open_waves(path_);
        arbiter->step({0b0011, 0, false, 1});
        arbiter->step({0b0010, 0, true, 1000});
    }
    std::ifstream file(path_, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    ASSERT_GT(bytes.size(), 330u);
    EXPECT_EQ(bytes[0], 0);
    EXPECT_EQ(big_endian(bytes, 1), 329u);
    EXPECT_EQ(big_endian(bytes, 9), kPeriod * 3 / 4);
    EXPECT_EQ(big_endian(bytes, 17), 1000 * kPeriod + kPeriod / 2);
    EXPECT_EQ(bytes[73], -12);
}

TEST_F(ArbiterWavesTest, RecordingDoesNotChangeAGrant) {
    auto recorded = rtl(4, kPriorityAge);
    recorded->open_waves(path_);
    EXPECT_EQ(difference(std::move(recorded), twin(4, kPriorityAge), 4, 20'000), "");
}

TEST_F(ArbiterWavesTest, FolderThatDoesNotExistIsAUserError) {
    EXPECT_THROW(rtl(4, kRoundRobin)->open_waves("/no/such/folder/waves.fst"), UserError);
}

} // namespace
} // namespace cavern
