// Drives with data whose power is lost: what comes back is compared by its bytes, and so is every
// read after that.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/recovery/sector_oracle.h"
#include "tests/core/recovery/broken_drive.h"
#include "tests/core/recovery/cut_fixture.h"
#include "tests/support/nightly.h"

namespace cavern::testing {
namespace {

// ---- which data a page may hold -----------------------------------------------------------------

class SectorOracleTest : public ::testing::Test {
  protected:
    static constexpr std::uint32_t kSectors = 4;

    static Geometry geometry() {
        Geometry geometry = geometry_of(1, 1, 1, 4, 8);
        geometry.page_bytes = kSectors * kSectorBytes;
        return geometry;
    }
    /// A write of sectors of page 1.
    PageChange write(std::uint64_t tick, std::uint32_t first, std::uint32_t count) {
        PageOfCommand page;
        data_.begin_write(page, tick, 0, (kSectors + first) * kSectorBytes,
                          static_cast<std::uint32_t>(count * kSectorBytes));
        data_.write(page, frames_, 0);
        return {tick, false, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(count),
                page.version};
    }
    [[nodiscard]] PageContent held() { return frames_.content(0); }

    DriveData data_{{geometry(), 16, DataStore::kFull}, nullptr};
    FrameContents frames_{data_.store(), 1};
};

TEST_F(SectorOracleTest, APageHoldsTheVersionOfItsTickOrANewerOne) {
    (void)write(0, 0, 4);
    const PageContent before = held();
    SectorOracle oracle(data_);
    std::vector<PageChange> changes{write(1, 0, 2)};
    const PageContent first = held();
    changes.push_back(write(2, 1, 2));
    const PageContent second = held();
    const Lpn page{1};
    EXPECT_TRUE(oracle.may_hold(page, changes, 0, before));
    EXPECT_TRUE(oracle.may_hold(page, changes, 0, second)); // newer than it must be
    EXPECT_FALSE(oracle.may_hold(page, changes, 1, before));
    EXPECT_TRUE(oracle.may_hold(page, changes, 1, first));
    EXPECT_FALSE(oracle.may_hold(page, changes, 2, first));
    EXPECT_TRUE(oracle.may_hold(page, changes, 2, second));
    EXPECT_FALSE(oracle.may_hold(Lpn{2}, {}, 0, before)); // of another page
    EXPECT_FALSE(oracle.may_hold(page, changes, 0, {}));  // zeros
    EXPECT_FALSE(oracle.may_hold(page, changes, 0, DriveData::torn()));

    oracle.settle(page, changes[0]);
    changes.erase(changes.begin());
    EXPECT_FALSE(oracle.may_hold(page, changes, 0, before));
    EXPECT_TRUE(oracle.may_hold(page, changes, 0, first));
}

TEST_F(SectorOracleTest, ATrimmedPageHoldsZeros) {
    (void)write(0, 0, 4);
    const PageContent before = held();
    SectorOracle oracle(data_);
    const Lpn page{1};
    data_.trim(1, page, 1);
    std::vector<PageChange> changes{{1, true, 0, kSectors, data_.versions().newest(kSectors)}};
    EXPECT_TRUE(oracle.may_hold(page, changes, 0, {}));
    EXPECT_TRUE(oracle.may_hold(page, changes, 0, before)); // the TRIM was lost
    EXPECT_FALSE(oracle.may_hold(page, changes, 1, before));
    EXPECT_TRUE(oracle.may_hold(page, changes, 1, {}));
}

/// What was lost never counts as newer than what came back, whatever is written next.
TEST_F(SectorOracleTest, ReadsGoByWhatCameBack) {
    (void)write(0, 0, 4);
    const PageContent before = held();
    SectorOracle oracle(data_);
    (void)write(1, 0, 4);
    const PageContent lost = held();
    oracle.recovered(Lpn{1}, before);
    const auto read = [this](const PageContent& content) {
        PageOfCommand page;
        data_.begin_read(page, 5, 0, kSectors * kSectorBytes, kSectors * kSectorBytes);
        page.content = content;
        data_.deliver(page);
    };
    EXPECT_NO_THROW(read(before));
    EXPECT_THROW(read(lost), ModelError);
    EXPECT_THROW(read({}), ModelError);
    (void)write(2, 0, 4);
    EXPECT_NO_THROW(read(held()));
    EXPECT_THROW(read(before), ModelError);
    oracle.recovered(Lpn{1}, {});
    EXPECT_NO_THROW(read({}));
    EXPECT_THROW(read(before), ModelError);
}

// ---- drives -------------------------------------------------------------------------------------

CutCase data_case(const std::string& ftl, DataStore store) {
    CutCase each = small_case(ftl);
    each.data = store;
    return each;
}

class DataCutsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(DataCutsTest, EveryPageHasTheDataOfItsVersion) {
    for (const DataStore store : {DataStore::kFull, DataStore::kFingerprint}) {
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
            CutCase each = data_case(GetParam(), store);
            each.seed = each.cuts.seed = seed;
            CutDrive drive = make_drive(each);
            play(drive, each, 60);
            const RecoveryCounters& counters = drive.cuts().counters();
            EXPECT_EQ(counters.lost_flushed + counters.corrupt + counters.wrong_data, 0u)
                << drive.cuts().oracle().first_fault();
            const std::uint64_t sectors = each.parts.geometry.page_bytes / kSectorBytes;
            EXPECT_EQ(counters.sectors_compared, 60 * drive.core().host_pages() * sectors);
            EXPECT_GT(counters.lost_unflushed, 15u);
            EXPECT_GT(drive.data()->statistics().sectors_compared, 1000u);
        }
    }
}

/// Data change nothing else.
TEST_P(DataCutsTest, RecoversAsADriveWithoutData) {
    RecoveryCounters with;
    RecoveryCounters without;
    for (const bool data : {false, true}) {
        const CutCase each =
            data_case(GetParam(), data ? DataStore::kFingerprint : DataStore::kNone);
        CutDrive drive = make_drive(each);
        play(drive, each, 30);
        (data ? with : without) = drive.cuts().counters();
    }
    EXPECT_EQ(with.recovered, without.recovered);
    EXPECT_EQ(with.torn_pages, without.torn_pages);
    EXPECT_EQ(with.pages_copied, without.pages_copied);
    EXPECT_EQ(with.time, without.time);
    EXPECT_EQ(without.sectors_compared, 0u);
}

TEST_P(DataCutsTest, SurvivesInOtherWays) {
    const std::vector<void (*)(CutCase&)> ways = {
        [](CutCase& c) { c.parts.policy = "none"; },
        [](CutCase& c) { c.parts.flush_keep = c.parts.cache_reads = true; },
        [](CutCase& c) {
            c.cuts.word_line = 3;
            c.cuts.ends_programs = true;
        },
        [](CutCase& c) {
            c.cuts.ends_programs = true;
            c.cuts.drains = true;
        },
        [](CutCase& c) { c.cuts.cuts_in_mount = 3; },
    };
    for (const auto way : ways) {
        CutCase each = data_case(GetParam(), DataStore::kFull);
        way(each);
        CutDrive drive = make_drive(each);
        play(drive, each, 60);
        const RecoveryCounters& counters = drive.cuts().counters();
        EXPECT_EQ(counters.lost_flushed + counters.corrupt + counters.wrong_data, 0u)
            << drive.cuts().oracle().first_fault();
        EXPECT_GT(counters.flushed, 60u);
    }
}

/// A page that a policy pads holds nothing of the write that made room for itself by that.
TEST(DataCutsPaddingTest, AWriteIsNotInThePaddingOfItsOwnBlock) {
    RecoveryCounters with;
    RecoveryCounters without;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        for (const DataStore store : {DataStore::kFingerprint, DataStore::kNone}) {
            CutCase each = data_case("page", store);
            each.parts.geometry = geometry_of(1, 1, 1, 24, 4);
            each.parts.policy = "bplru";
            each.parts.frames = 8;
            each.cuts.seed = seed;
            CutDrive drive = make_drive(each);
            drive.start();
            for (std::uint64_t page = 0; page < 32; page += 4) {
                drive.execute({RequestOp::kWrite, false, page * 2048, 2048});
            }
            drive.execute({RequestOp::kWrite, false, 2048, 2048}); // evicts what pads this page
            drive.cut();
            const RecoveryCounters& found = drive.cuts().counters();
            EXPECT_EQ(found.wrong_data + found.lost_flushed + found.corrupt, 0u) << seed;
            RecoveryCounters& sum = store == DataStore::kNone ? without : with;
            sum.lost_unflushed += found.lost_unflushed;
            sum.recovered += found.recovered;
        }
    }
    EXPECT_EQ(with.lost_unflushed, without.lost_unflushed);
    EXPECT_EQ(with.recovered, without.recovered);
    EXPECT_GE(without.lost_unflushed, 24u); // the last write never was in flash
}

// ---- what is broken on purpose ------------------------------------------------------------------

/// A copy gets the right spare area, and the data of the page behind.
class StrayCopiesPending final : public PendingOperations {
  public:
    StrayCopiesPending(NandArray& array, std::uint32_t word_line, std::uint64_t seed)
        : PendingOperations(array, word_line, seed), pages_(array.geometry().pages()) {}

  private:
    [[nodiscard]] Ppn source_of_copy(Ppn read) const override {
        return Ppn{(raw(read) + 1) % pages_};
    }
    std::uint64_t pages_;
};
using StrayCopies = CutsAmid<StrayCopiesPending>;

/// Of one that reads nothing: what the recovery itself finds.
template <typename Cuts>
RecoveryCounters found_by(const CutCase& each) {
    CutDrive drive = make_drive<Cuts>(each);
    CutLoad load(drive, each.parts.geometry, each.seed);
    drive.start();
    for (int i = 0; i < 600;) {
        const DeviceCommand command = load.next();
        if (command.op != RequestOp::kRead) {
            drive.execute(command);
            drive.settle();
            ++i;
        }
    }
    try {
        drive.cut();
    } catch (const ModelError&) {
        // A check behind the oracle has found it as well.
    }
    return drive.cuts().counters();
}

TEST_P(DataCutsTest, AStalePageIsFoundByItsData) {
    CutCase each = data_case(GetParam(), DataStore::kFingerprint);
    std::uint64_t wrong = 0;
    for (each.seed = 1; each.seed <= 20; ++each.seed) {
        wrong += found_by<NoSequence>(each).wrong_data; // or none, where it cannot even be built
        EXPECT_EQ(found_by<PowerCuts>(each).wrong_data, 0u);
    }
    EXPECT_GT(wrong, 0u);
}

/// Which nothing else can find: spare areas are right.
TEST_P(DataCutsTest, DataThatWentAstrayAreFound) {
    const CutCase each = data_case(GetParam(), DataStore::kFingerprint);
    const RecoveryCounters counters = found_by<StrayCopies>(each);
    EXPECT_GT(counters.wrong_data, 0u);
    EXPECT_EQ(counters.lost_flushed + counters.corrupt, 0u);
}

INSTANTIATE_TEST_SUITE_P(Layers, DataCutsTest, ::testing::ValuesIn(few_of(recoverable_layers())),
                         test_name);
INSTANTIATE_TEST_SUITE_P(SlowLayers, DataCutsTest,
                         ::testing::ValuesIn(rest_of(recoverable_layers())), test_name);

/// A map log moves pages in ways of its own.
TEST(DataCutsLogTest, CheckpointsAndMarksBringBackTheData) {
    for (const MapLogKind kind : {MapLogKind::kCheckpoint, MapLogKind::kMarks}) {
        CutCase each = logged_case(kind, 100, kind == MapLogKind::kMarks ? 0 : 20);
        each.data = DataStore::kFull;
        CutDrive drive = make_drive(each);
        play(drive, each, 60);
        const RecoveryCounters& counters = drive.cuts().counters();
        EXPECT_EQ(counters.lost_flushed + counters.corrupt + counters.wrong_data, 0u)
            << drive.cuts().oracle().first_fault();
        EXPECT_GT(counters.checkpoints, 60u);
    }
}

} // namespace
} // namespace cavern::testing
