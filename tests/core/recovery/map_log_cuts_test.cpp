// Page-mapped drives that write of their map to flash: checkpoints with a journal, and marks.

#include <gtest/gtest.h>

#include <iterator>

#include "core/base/error.h"
#include "core/drive/mark_log.h"
#include "tests/core/recovery/broken_drive.h"
#include "tests/core/recovery/cut_fixture.h"
#include "tests/support/core_fixtures.h"
#include "tests/support/nightly.h"

namespace cavern::testing {
namespace {

struct Logged {
    const char* name;
    MapLogParams log;
    void (*change)(CutCase&) = [](CutCase&) {};
};
void PrintTo(const Logged& each, std::ostream* out) {
    *out << each.name;
}

CutCase case_of(const Logged& logged, std::uint64_t seed) {
    CutCase each = logged_case(logged.log.kind, logged.log.interval, logged.log.journal);
    logged.change(each);
    each.seed = each.cuts.seed = seed;
    return each;
}

class MapLogCutsTest : public ::testing::TestWithParam<Logged> {
  protected:
    static RecoveryCounters survive(std::uint64_t seed, std::uint64_t cuts) {
        const CutCase each = case_of(GetParam(), seed);
        CutDrive drive = make_drive(each);
        play(drive, each, cuts);
        const RecoveryCounters counters = drive.cuts().counters();
        EXPECT_EQ(counters.cuts, cuts);
        EXPECT_EQ(counters.lost_flushed, 0u) << drive.cuts().oracle().first_fault();
        EXPECT_EQ(counters.corrupt, 0u) << drive.cuts().oracle().first_fault();
        EXPECT_GT(counters.torn_pages, cuts / 4);
        EXPECT_GT(counters.flushed, cuts);
        EXPECT_GT(counters.lost_unflushed, cuts / 4);
        EXPECT_EQ(counters.acknowledged, counters.recovered + counters.lost_unflushed);
        EXPECT_GE(counters.log_pages_read, cuts);
        EXPECT_GT(counters.checkpoints, cuts / 2);
        EXPECT_GT(counters.checkpoint_erases, 0u);
        return counters;
    }
};

TEST_P(MapLogCutsTest, KeepsWhatWasFlushed) {
    for (std::uint64_t seed = 1; seed <= unless_sanitized(4u, 4u); ++seed) {
        const RecoveryCounters counters = survive(seed, 60);
        EXPECT_EQ(counters.pages_gone_back != 0, GetParam().log.kind == MapLogKind::kMarks);
        if (GetParam().change == Logged{}.change) {
            EXPECT_EQ(counters.full_scans, 0u);
        }
    }
}

void many_dies(CutCase& each) {
    each.parts.geometry = geometry_of(4, 2, 1, 16, 4);
    each.cuts.under_way = 200;
}
void anywhere(CutCase& each) {
    many_dies(each);
    each.parts.allocator = "block-round-robin";
    each.parts.rr_mode = RoundRobinMode::kFree;
    each.parts.policy = "lru-block";
}
void units(CutCase& each) {
    each.parts.geometry.page_bytes = 4096;
    each.parts.geometry = each.parts.geometry.in_units(2048);
    each.parts.geometry.blocks_per_plane = 24;
}
void paced(CutCase& each) {
    each.parts.ftl.gc_pace = GcPace::kPaced;
    each.parts.geometry.blocks_per_plane = 24;
}
void worn(CutCase& each) {
    each.parts.ftl.wear_leveling = WearLeveling::kStatic;
    each.parts.ftl.wear_threshold = 3;
    each.parts.geometry.blocks_per_plane = 24;
}
void background(CutCase& each) {
    each.parts.ftl.gc_background = 4;
    each.parts.geometry.blocks_per_plane = 24;
}
void kept(CutCase& each) {
    each.parts.cache_reads = true;
    each.parts.flush_keep = true;
}
void word_lines(CutCase& each) {
    each.cuts.word_line = 3;
    each.cuts.ends_programs = true;
    each.parts.geometry.pages_per_block = 9;
}

const Logged kLogged[] = {
    {"Checkpoint", {MapLogKind::kCheckpoint, 150, 0}},
    {"CheckpointOften", {MapLogKind::kCheckpoint, 20, 0}},
    {"CheckpointRarely", {MapLogKind::kCheckpoint, 100'000, 0}},
    {"Journal", {MapLogKind::kCheckpoint, 400, 20}},
    {"JournalOften", {MapLogKind::kCheckpoint, 100'000, 1}},
    {"CheckpointManyDies", {MapLogKind::kCheckpoint, 200, 30}, many_dies},
    {"CheckpointAnywhere", {MapLogKind::kCheckpoint, 200, 30}, anywhere},
    {"CheckpointUnits", {MapLogKind::kCheckpoint, 100, 10}, units},
    {"CheckpointPaced", {MapLogKind::kCheckpoint, 100, 10}, paced},
    {"CheckpointWear", {MapLogKind::kCheckpoint, 100, 10}, worn},
    {"CheckpointBackground", {MapLogKind::kCheckpoint, 100, 10}, background},
    {"CheckpointKept", {MapLogKind::kCheckpoint, 100, 10}, kept},
    {"Marks", {MapLogKind::kMarks, 150, 0}},
    {"MarksOften", {MapLogKind::kMarks, 5, 0}},
    {"MarksRarely", {MapLogKind::kMarks, 100'000, 0}},
    {"MarksManyDies", {MapLogKind::kMarks, 100, 0}, many_dies},
    {"MarksAnywhere", {MapLogKind::kMarks, 100, 0}, anywhere},
    {"MarksUnits", {MapLogKind::kMarks, 100, 0}, units},
    {"MarksPaced", {MapLogKind::kMarks, 100, 0}, paced},
    {"MarksWear", {MapLogKind::kMarks, 100, 0}, worn},
    {"MarksBackground", {MapLogKind::kMarks, 100, 0}, background},
    {"MarksKept", {MapLogKind::kMarks, 100, 0}, kept},
};
INSTANTIATE_TEST_SUITE_P(All, MapLogCutsTest, ::testing::ValuesIn(kLogged),
                         [](const auto& each) { return std::string(each.param.name); });

class MapLogCutsNightlyTest : public MapLogCutsTest {};

TEST_P(MapLogCutsNightlyTest, KeepsWhatWasFlushedOverThousandsOfCuts) {
    for (std::uint64_t seed = 100; seed < 150; ++seed) {
        (void)survive(seed, 60);
    }
}
INSTANTIATE_TEST_SUITE_P(All, MapLogCutsNightlyTest, ::testing::ValuesIn(kLogged),
                         [](const auto& each) { return std::string(each.param.name); });

/// A later page of a word line tears an earlier one: the checkpoint of the other half, or all spare
/// areas, say what an older version is worth, as without checkpoints.
TEST(MapLogWordLineTest, LosesNoMoreThanAFullScan) {
    std::uint64_t full_scans = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        CutCase each = case_of({"", {MapLogKind::kCheckpoint, 60, 5}, word_lines}, seed);
        CutDrive kept = make_drive(each);
        play(kept, each, 60);
        EXPECT_EQ(kept.cuts().counters().lost_flushed + kept.cuts().counters().corrupt, 0u);
        each.cuts.ends_programs = false;
        CutDrive torn = make_drive(each);
        play(torn, each, 60);
        EXPECT_EQ(torn.cuts().counters().corrupt, 0u);
        full_scans += torn.cuts().counters().full_scans;
    }
    EXPECT_GT(full_scans, 0u);
}

// ---- negative controls --------------------------------------------------------------------------

/// The map of the checkpoint before, as if it were the newest.
class StaleCheckpointScan final : public SpareScan {
  public:
    using SpareScan::SpareScan;
    [[nodiscard]] MapSnapshot checkpoint(const MapLogContents& log,
                                         PageVersion generation) const override {
        MapSnapshot newest = SpareScan::checkpoint(log, generation);
        MapSnapshot before = log.checkpoints.at(log.checkpoints.before(generation));
        newest.places = std::move(before.places);
        newest.versions = std::move(before.versions);
        return newest;
    }
};
using StaleCheckpoint = CutsReadBy<StaleCheckpointScan>;

/// What was programmed since the checkpoint is not looked at.
class NothingBehindScan final : public SpareScan {
  public:
    using SpareScan::SpareScan;

  private:
    [[nodiscard]] std::uint32_t first_unknown(BlockId, std::uint32_t) const override { return ~0u; }
};
using NothingBehind = CutsReadBy<NothingBehindScan>;

/// Checkpoints, journals and marks are programmed before or after what they follow.
class HastyLogPending final : public PendingOperations {
  public:
    using PendingOperations::PendingOperations;

  private:
    [[nodiscard]] bool records_keep_order(Origin origin) const override {
        return origin != Origin::kCheckpoint;
    }
};
using HastyLog = CutsAmid<HastyLogPending>;

/// What was superseded since the last mark is collected.
class GreedyMarkLog final : public MarkLog {
  public:
    using MarkLog::MarkLog;

  private:
    [[nodiscard]] bool keeps_superseded() const override { return false; }
};

/// A FLUSH gets no mark.
class UnsealedMarkLog final : public MarkLog {
  public:
    using MarkLog::MarkLog;

  private:
    [[nodiscard]] bool seals() const override { return false; }
};

template <typename Log>
std::unique_ptr<MapLogIf> make_broken(const Geometry& geometry, std::uint64_t,
                                      const MapLogParams& params,
                                      std::shared_ptr<MapLogContents> contents) {
    return std::make_unique<Log>(geometry, params, std::move(contents));
}

/// Marks forget which numbers the drive has gone back behind.
std::unique_ptr<MapLogIf> make_forgetful(const Geometry& geometry, std::uint64_t pages,
                                         const MapLogParams& params,
                                         std::shared_ptr<MapLogContents> contents) {
    if (contents != nullptr) {
        for (auto& mark : contents->marks) {
            mark.second.clear();
        }
    }
    return make_map_log(geometry, pages, params, std::move(contents));
}

template <typename Cuts>
bool is_found(CutCase each, int seeds = 20) {
    for (int seed = 1; seed <= seeds; ++seed) {
        each.seed = each.cuts.seed = static_cast<std::uint64_t>(seed);
        CutDrive drive = make_drive<Cuts>(each);
        try {
            play(drive, each, 50);
        } catch (const ModelError&) {
            return true;
        }
        if (drive.cuts().counters().lost_flushed + drive.cuts().counters().corrupt != 0) {
            return true;
        }
    }
    return false;
}

TEST(BrokenMapLogTest, AStaleCheckpointIsFound) {
    EXPECT_TRUE(is_found<StaleCheckpoint>(logged_case(MapLogKind::kCheckpoint, 60, 0)));
    EXPECT_TRUE(is_found<StaleCheckpoint>(logged_case(MapLogKind::kCheckpoint, 60, 10)));
}

TEST(BrokenMapLogTest, AScanThatDoesNotLookBehindTheCheckpointIsFound) {
    EXPECT_TRUE(is_found<NothingBehind>(logged_case(MapLogKind::kCheckpoint, 150, 0)));
    EXPECT_TRUE(is_found<NothingBehind>(logged_case(MapLogKind::kCheckpoint, 150, 20)));
}

TEST(BrokenMapLogTest, ALogThatDoesNotWaitIsFound) {
    EXPECT_TRUE(is_found<HastyLog>(logged_case(MapLogKind::kCheckpoint, 20, 0)));
    EXPECT_TRUE(is_found<HastyLog>(logged_case(MapLogKind::kCheckpoint, 100'000, 5)));
    EXPECT_TRUE(is_found<HastyLog>(logged_case(MapLogKind::kMarks, 5, 0)));
}

TEST(BrokenMapLogTest, CollectionOfWhatIsKeptIsFound) {
    CutCase each = logged_case(MapLogKind::kMarks, 1000, 0);
    each.make_log = make_broken<GreedyMarkLog>;
    EXPECT_TRUE(is_found<PowerCuts>(each));
}

TEST(BrokenMapLogTest, AFlushWithoutAMarkIsFound) {
    CutCase each = logged_case(MapLogKind::kMarks, 50, 0);
    each.make_log = make_broken<UnsealedMarkLog>;
    EXPECT_TRUE(is_found<PowerCuts>(each));
}

TEST(BrokenMapLogTest, NumbersThatComeBackAreFound) {
    CutCase each = logged_case(MapLogKind::kMarks, 50, 0);
    each.make_log = make_forgetful;
    EXPECT_TRUE(is_found<PowerCuts>(each));
}

} // namespace
} // namespace cavern::testing
