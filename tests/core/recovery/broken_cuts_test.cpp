// Negative controls: a rule of the drive is broken on purpose, and the oracle notices.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/recovery/broken_drive.h"
#include "tests/core/recovery/cut_fixture.h"

namespace cavern::testing {
namespace {

/// An erase does not wait for what supersedes pages of its block.
class HastyErasesPending final : public PendingOperations {
  public:
    using PendingOperations::PendingOperations;

  private:
    [[nodiscard]] bool erase_waits() const override { return false; }
};
using HastyErases = CutsAmid<HastyErasesPending>;

/// A TRIM is recorded before or after what it follows.
class LooseRecordsPending final : public PendingOperations {
  public:
    using PendingOperations::PendingOperations;

  private:
    [[nodiscard]] bool records_keep_order(Origin) const override { return false; }
};
using LooseRecords = CutsAmid<LooseRecordsPending>;

/// A FLUSH is answered at once.
class NoBarrier final : public PowerCuts {
  public:
    using PowerCuts::PowerCuts;

  private:
    [[nodiscard]] bool flush_waits() const override { return false; }
};

/// Whether a fault is found within so many cuts, by the oracle or by a check of the drive itself.
template <typename Cuts>
bool is_found(CutCase each, int seeds, std::uint64_t cuts) {
    for (int seed = 1; seed <= seeds; ++seed) {
        each.seed = each.cuts.seed = static_cast<std::uint64_t>(seed);
        CutDrive drive = make_drive<Cuts>(each);
        try {
            play(drive, each, cuts);
        } catch (const ModelError&) {
            return true;
        }
        if (drive.cuts().counters().lost_flushed + drive.cuts().counters().corrupt != 0) {
            return true;
        }
    }
    return false;
}

class BrokenCutsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(BrokenCutsTest, NothingIsFoundInADriveThatIsNotBroken) {
    EXPECT_FALSE(is_found<PowerCuts>(small_case(GetParam()), 4, 50));
}

/// Where what supersedes a page always lies on its die, the order of the die says enough: dftl,
/// mcsplit, and bast but for logs that gather elsewhere.
TEST_P(BrokenCutsTest, AnEraseThatDoesNotWaitIsFound) {
    CutCase each = small_case(GetParam());
    const bool pages = each.row().freedom == PlacementFreedom::kPages;
    const Geometry geometry = geometry_of(4, 2, 1, each.ftl == "dftl" ? 24 : 12, 4);
    each.parts.geometry = each.row().caches_in_slc ? with_slc(geometry) : geometry;
    each.parts.policy = "lru-block";
    each.parts.rr_mode = pages ? RoundRobinMode::kFree : RoundRobinMode::kGather;
    each.parts.ftl.gather = each.ftl == "bast";
    if (pages) {
        each.parts.allocator = "block-round-robin";
    }
    each.cuts.under_way = 200;
    EXPECT_EQ(is_found<HastyErases>(each, 40, 50), each.ftl != "dftl" && each.ftl != "mcsplit");
    EXPECT_FALSE(is_found<PowerCuts>(each, 10, 50));
}

TEST_P(BrokenCutsTest, SequenceNumbersIgnoredAreFound) {
    EXPECT_TRUE(is_found<NoSequence>(small_case(GetParam()), 4, 50));
}

TEST_P(BrokenCutsTest, AFlushWithoutBarrierIsFound) {
    EXPECT_TRUE(is_found<NoBarrier>(small_case(GetParam()), 4, 50));
}

TEST_P(BrokenCutsTest, RecordsOutOfOrderAreFound) {
    EXPECT_TRUE(is_found<LooseRecords>(small_case(GetParam()), 40, 100));
}

/// What supersedes a page lies on any die where all are filled in step.
TEST(BrokenStepTest, WhatIsBrokenIsFoundWhereDiesAreFilledInStep) {
    CutCase each = small_case("page");
    each.parts.ftl.gc_placement = GcPlacement::kDrive;
    each.parts.ftl.overprovision = 0.6;
    each.parts.geometry = geometry_of(4, 1, 1, 24, 6);
    each.cuts.under_way = 200;
    EXPECT_TRUE(is_found<HastyErases>(each, 40, 50));
    EXPECT_TRUE(is_found<NoSequence>(each, 4, 50));
    EXPECT_TRUE(is_found<NoBarrier>(each, 4, 50));
    EXPECT_TRUE(is_found<LooseRecords>(each, 40, 100));
    EXPECT_FALSE(is_found<PowerCuts>(each, 10, 50));
}

/// Pages of a word line share their cells: a page that was programmed, and flushed, is torn with
/// the next one, unless stored energy ends what dies have begun.
TEST_P(BrokenCutsTest, PagesOnAWordLineNeedStoredEnergy) {
    CutCase each = small_case(GetParam());
    each.cuts.word_line = 3;
    EXPECT_TRUE(is_found<PowerCuts>(each, 20, 50));
    each.cuts.ends_programs = true;
    EXPECT_FALSE(is_found<PowerCuts>(each, 4, 50));
}

INSTANTIATE_TEST_SUITE_P(SlowLayers, BrokenCutsTest, ::testing::ValuesIn(recoverable_layers()),
                         test_name);

} // namespace
} // namespace cavern::testing
