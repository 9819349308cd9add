#include "core/drive/precondition.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

class PreconditionTest : public ::testing::Test {
  protected:
    PreconditionTest() {
        parts_.geometry = geometry_of(2, 2, 2, 12, 4);
        parts_.ftl.overprovision = 0.4;
    }
    void bring(const Precondition& what, std::uint64_t seed = 1) {
        core_ = make_core(parts_);
        array_ = std::make_unique<NandArray>(parts_.geometry, true);
        result_ = precondition(*core_, *array_, what, seed);
    }
    std::vector<std::uint64_t> places() const {
        std::vector<std::uint64_t> all;
        for (std::uint64_t page = 0; page < core_->ftl().logical_pages(); ++page) {
            all.push_back(raw(core_->ftl().location(Lpn{page})));
        }
        return all;
    }
    std::uint64_t erases() const {
        std::uint64_t sum = 0;
        for (std::uint32_t block = 0; block < parts_.geometry.blocks(); ++block) {
            sum += array_->erase_count(BlockId{block});
        }
        return sum;
    }
    void expect_consistent_and_quiet() const {
        expect_array_follows(*core_, *array_);
        EXPECT_GT(core_->check_invariants(), 0u);
        EXPECT_EQ(core_->ftl().counters().host_pages, 0u);
        EXPECT_EQ(core_->ftl().counters().gc_pages, 0u);
        EXPECT_EQ(core_->ftl().counters().erases, 0u);
        EXPECT_EQ(core_->execution_time().total(), 0u);
        EXPECT_EQ(core_->buffer_counters().write_misses, 0u);
        EXPECT_EQ(core_->buffer()->used(), 0u); // the write buffer is passed by
    }

    CoreParts parts_;
    std::unique_ptr<DriveCore> core_;
    std::unique_ptr<NandArray> array_;
    PreconditionResult result_;
};

TEST_F(PreconditionTest, NothingAskedLeavesAFreshDrive) {
    bring({0.0, false, 3.0});
    expect_consistent_and_quiet();
    EXPECT_EQ(core_->ftl().mapped_pages(), 0u);
    EXPECT_EQ(array_->checks(), 0u);
}

TEST_F(PreconditionTest, AHalfIsTheFirstHalf) {
    bring({0.5, false, 0.0});
    expect_consistent_and_quiet();
    const std::uint64_t half = core_->ftl().logical_pages() / 2;
    EXPECT_EQ(core_->ftl().mapped_pages(), half);
    EXPECT_NE(core_->ftl().location(Lpn{half - 1}), kNoPpn);
    EXPECT_EQ(core_->ftl().location(Lpn{half}), kNoPpn);
    EXPECT_EQ(erases(), 0u);
}

TEST_F(PreconditionTest, RandomOrderFillsTheSamePagesInOtherPlaces) {
    parts_.allocator = "block-round-robin";
    bring({0.5, false, 0.0});
    const auto sequential = places();
    bring({0.5, true, 0.0});
    expect_consistent_and_quiet();
    const auto random = places();
    EXPECT_NE(random, sequential);
    for (std::size_t page = 0; page < random.size(); ++page) {
        EXPECT_EQ(random[page] == raw(kNoPpn), sequential[page] == raw(kNoPpn));
    }
}

TEST_F(PreconditionTest, OverwritingWearsAndCollects) {
    bring({1.0, false, 4.0});
    expect_consistent_and_quiet();
    EXPECT_EQ(core_->ftl().mapped_pages(), core_->ftl().logical_pages());
    // Each of five rounds of writes fills blocks; what exceeds the raw pages must have been erased.
    const std::uint64_t written = 5 * core_->ftl().logical_pages();
    EXPECT_GE(erases() * parts_.geometry.pages_per_block + parts_.geometry.pages(), written);
    EXPECT_GT(erases(), 0u);
}

TEST_F(PreconditionTest, RoundsGoOnUntilWriteAmplificationIsSteady) {
    parts_.geometry = geometry_of(1, 1, 1, 400, 16);
    parts_.ftl.overprovision = 0.1;
    SteadyState until;
    until.round = 0.25;
    until.range = 0.1;
    until.slope = 0.05;
    until.max_rounds = 1000;
    bring({1.0, false, 0.0, until});
    expect_consistent_and_quiet();
    ASSERT_TRUE(result_.steady);
    const std::vector<double>& rounds = result_.amplification;
    ASSERT_GT(rounds.size(), 5u); // a full drive begins with little to copy
    EXPECT_LT(rounds.front(), 0.8 * rounds.back());
    const auto steady_at = [&](std::size_t end) {
        return is_steady(look_at(&rounds[end - 5], 5), until);
    };
    EXPECT_TRUE(steady_at(rounds.size()));
    for (std::size_t end = 5; end < rounds.size(); ++end) {
        EXPECT_FALSE(steady_at(end)); // it did not go on for nothing
    }
    // What follows stays near the mean of the window.
    const PreconditionResult before = result_;
    bring({1.0, false, 50.0});
    EXPECT_TRUE(result_.amplification.empty());
    SteadyState more = until;
    more.max_rounds = 1;
    more.round = 10.0;
    result_ = precondition(*core_, *array_, {1.0, false, 0.0, more}, 9);
    EXPECT_FALSE(result_.steady); // one round shows nothing
    EXPECT_NEAR(result_.amplification.at(0), before.window.mean, 0.1 * before.window.mean);
}

TEST_F(PreconditionTest, ADriveThatDoesNotBecomeSteadyStopsAtTheMostRounds) {
    SteadyState until;
    until.range = 0.0; // chance alone breaks that
    until.max_rounds = 12;
    bring({1.0, false, 0.0, until});
    expect_consistent_and_quiet();
    EXPECT_FALSE(result_.steady);
    EXPECT_EQ(result_.amplification.size(), 12u);
    EXPECT_GT(result_.window.range, 0.0);
}

TEST(SteadyStateTest, RangeAndSlopeOfAWindowAreThoseOfTheDefinition) {
    // Mean 10; largest less smallest 3.
    const double values[] = {9, 10, 8.5, 11.5, 11};
    const SteadyWindow window = look_at(values, 5);
    EXPECT_DOUBLE_EQ(window.mean, 10.0);
    EXPECT_DOUBLE_EQ(window.range, 0.3);
    // (-2 * 9 - 10 + 11.5 + 2 * 11) / 10 = 0.55 a round, over four.
    EXPECT_DOUBLE_EQ(window.slope, 0.22);
    SteadyState state;
    EXPECT_FALSE(is_steady(window, state));
    state.range = 0.3;
    EXPECT_FALSE(is_steady(window, state)); // the slope is too large still
    state.slope = 0.23;
    EXPECT_TRUE(is_steady(window, state));
    state.range = 0.29;
    EXPECT_FALSE(is_steady(window, state));
    const double falling[] = {11, 11.5, 8.5, 10, 9};
    EXPECT_DOUBLE_EQ(look_at(falling, 5).slope, 0.22);
    EXPECT_THROW((void)look_at(values, 1), ModelError);
}

TEST_F(PreconditionTest, TheSeedDecidesTheState) {
    bring({0.8, true, 1.0}, 5);
    const auto first = places();
    bring({0.8, true, 1.0}, 5);
    EXPECT_EQ(places(), first);
    bring({0.8, true, 1.0}, 6);
    EXPECT_NE(places(), first);
}

TEST_F(PreconditionTest, EveryAllocatorCanFillTheDriveAndOverwriteIt) {
    for (const AllocatorRow& row : allocator_table()) {
        parts_.allocator = row.name;
        bring({1.0, true, 2.0});
        SCOPED_TRACE(row.name);
        expect_consistent_and_quiet();
        EXPECT_EQ(core_->ftl().mapped_pages(), core_->ftl().logical_pages());
    }
}

TEST_F(PreconditionTest, TheArrayObjectsToOperationsOutOfOrder) {
    const auto op = [](FlashOpKind kind, std::uint32_t page) {
        FlashOp result;
        result.kind = kind;
        result.page = Ppn{page};
        result.lpn = Lpn{1};
        return result;
    };
    NandArray array(parts_.geometry, true);
    EXPECT_NO_THROW(apply_untimed({op(FlashOpKind::kProgram, 0), op(FlashOpKind::kRead, 0),
                                   op(FlashOpKind::kErase, 0), op(FlashOpKind::kProgram, 0)},
                                  array));
    EXPECT_THROW(apply_untimed({op(FlashOpKind::kProgram, 0)}, array), ModelError);
    EXPECT_THROW(apply_untimed({op(FlashOpKind::kProgram, 2)}, array), ModelError);
    EXPECT_THROW(apply_untimed({op(FlashOpKind::kRead, 3)}, array), ModelError);
}

// ---- filling in one step ------------------------------------------------------------------------

/// Drives of one plane, by scheme and allocator.
class FillTest : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
  protected:
    FillTest() {
        parts_.geometry = geometry_of(1, 1, 1, 90, 4);
        parts_.geometry.page_bytes = 16; // four entries a translation page
        parts_.allocator = GetParam().second;
        parts_.ftl.overprovision = 0.5;
        parts_.ftl.log_blocks = 8;
    }
    std::unique_ptr<DriveCore> core() const {
        return make_core(parts_,
                         find_ftl(GetParam().first)->make(parts_.geometry, parts_.ftl, nullptr));
    }
    CoreParts parts_;
};

TEST_P(FillTest, LeavesTheDriveAsWritingPageByPageWould) {
    for (const double share : {1.0, 0.53, 0.01}) {
        const auto filled = core();
        NandArray array(parts_.geometry, true);
        precondition(*filled, array, {share, false, 0.0}, 1);
        expect_array_follows(*filled, array);
        EXPECT_GT(filled->check_invariants(), 0u);
        const auto written = core();
        FlashOpList ops;
        const auto pages =
            static_cast<std::uint64_t>(share * static_cast<double>(filled->ftl().logical_pages()));
        for (std::uint64_t page = 0; page < pages; ++page) {
            written->ftl().write(Lpn{page}, PlaneId{0}, ops);
        }
        written->ftl().parts().map_cache->empty_cache(ops);
        EXPECT_EQ(filled->ftl().mapped_pages(), pages);
        EXPECT_EQ(filled->ftl().table_pages(), written->ftl().table_pages());
        EXPECT_EQ(filled->ftl().counters().host_pages, 0u);
        // And it can be written on, collection and merges included.
        for (std::uint64_t i = 0; i < 2000; ++i) {
            ops.clear();
            filled->ftl().write(Lpn{i * 7 % pages}, PlaneId{0}, ops);
            filled->number_versions(ops);
            apply_untimed(ops, array);
        }
        expect_array_follows(*filled, array);
        EXPECT_GT(filled->check_invariants(), 0u);
        EXPECT_GT(filled->ftl().counters().erases, 0u);
    }
}

TEST_P(FillTest, IsRefusedOnceSomethingWasWritten) {
    const auto drive = core();
    FlashOpList ops;
    EXPECT_TRUE(drive->ftl().parts().fill->fill(Lpn{0}, 4, false, ops));
    EXPECT_FALSE(drive->ftl().parts().fill->fill(Lpn{0}, 4, false, ops));
    drive->ftl().write(Lpn{4}, PlaneId{0}, ops);
    EXPECT_FALSE(drive->ftl().parts().fill->fill(Lpn{4}, 4, false, ops));
    parts_.geometry = geometry_of(2, 1, 1, 90, 4);
    parts_.geometry.page_bytes = 16;
    EXPECT_FALSE(core()->ftl().parts().fill->fill(Lpn{0}, 4, false, ops)); // two planes
}

INSTANTIATE_TEST_SUITE_P(Layers, FillTest,
                         ::testing::Values(std::pair{"dftl", "stripe-page"},
                                           std::pair{"fast", "stripe-block"}),
                         [](const auto& param_info) {
                             return std::string(param_info.param.first);
                         });

} // namespace
} // namespace cavern::testing
