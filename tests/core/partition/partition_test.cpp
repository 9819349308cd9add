// Adaptive partitioning: the parts, by the worked examples of the paper's rules and beside naive
// ones, and the whole in a drive.

#include "core/partition/adaptive_partition.h"

#include <algorithm>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/drive/precondition.h"
#include "core/ftl/dftl.h"
#include "core/ftl/fast.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

constexpr std::uint64_t kMiBytes = std::uint64_t{1} << 20;
/// SHIM Table I, SLC.
constexpr FlashTimes kSlc{72.8, 252.8, 1500};

// ---- ghost buffer -------------------------------------------------------------------------------

TEST(GhostBufferTest, ThePageThatLeftLongestAgoIsForgottenFirst) {
    GhostBuffer ghost(4, 3);
    for (const std::uint64_t lpn : {1, 2, 3, 1, 4}) {
        ghost.insert(Lpn{lpn});
    }
    EXPECT_EQ(ghost.pages(), (std::vector<Lpn>{Lpn{3}, Lpn{1}, Lpn{4}}));
    ghost.erase(Lpn{1});
    ghost.erase(Lpn{9});
    EXPECT_FALSE(ghost.contains(Lpn{1}));
    EXPECT_TRUE(ghost.contains(Lpn{3}));
    ghost.set_capacity(1);
    EXPECT_EQ(ghost.pages(), std::vector<Lpn>{Lpn{4}});
    ghost.set_capacity(0);
    ghost.insert(Lpn{5});
    EXPECT_EQ(ghost.size(), 0u);
    ghost.set_capacity(9);
    EXPECT_EQ(ghost.capacity(), 4u);
}

TEST(GhostBufferTest, ManyRandomStepsLeaveTheOrderOfANaiveList) {
    GhostBuffer ghost(50, 20);
    std::list<Lpn> naive;
    Random random(5);
    for (int step = 0; step < 200'000; ++step) {
        const Lpn lpn{random.below(80)};
        ASSERT_EQ(ghost.contains(lpn), std::count(naive.begin(), naive.end(), lpn) == 1);
        const std::uint64_t what = random.below(10);
        if (what < 7) {
            ghost.insert(lpn);
            naive.remove(lpn);
            naive.push_back(lpn);
        } else if (what < 9) {
            ghost.erase(lpn);
            naive.remove(lpn);
        } else {
            ghost.set_capacity(static_cast<std::uint32_t>(1 + random.below(50)));
        }
        while (naive.size() > ghost.capacity()) {
            naive.pop_front();
        }
        if (step % 100 == 0) {
            ASSERT_EQ(ghost.pages(), std::vector<Lpn>(naive.begin(), naive.end()));
        }
    }
}

// ---- ghost mapping ------------------------------------------------------------------------------

std::vector<std::uint64_t> bits_of(const GhostMap& ghost, std::uint64_t bits) {
    std::vector<std::uint64_t> set;
    for (std::uint64_t bit = 0; bit < bits; ++bit) {
        if (ghost.is_set(bit)) {
            set.push_back(bit);
        }
    }
    return set;
}

// docs/algorithms.md, GH-1.
TEST(GhostMapTest, BitsAndSizesAreThoseOfTheExample) {
    GhostMap ghost(16, 3.0, 4, false);
    for (const std::uint64_t lpn : {1, 17, 2, 3, 4}) {
        ghost.insert(Lpn{lpn});
    }
    EXPECT_EQ(bits_of(ghost, 16), (std::vector<std::uint64_t>{2, 3, 4}));
    EXPECT_EQ(ghost.size(), 4u);
    EXPECT_FALSE(ghost.take(Lpn{17}));
    EXPECT_TRUE(ghost.take(Lpn{2}));
    EXPECT_EQ(bits_of(ghost, 16), (std::vector<std::uint64_t>{3, 4}));
    EXPECT_EQ(ghost.size(), 3u);

    GhostMap crowded(8, 3.0, 9, false);
    for (std::uint64_t lpn = 0; lpn <= 72; lpn += 8) {
        crowded.insert(Lpn{lpn});
    }
    EXPECT_EQ(bits_of(crowded, 8), std::vector<std::uint64_t>{0});
    EXPECT_EQ(crowded.size(), 9u);
}

TEST(GhostMapTest, TheBitToGoIsFoundAcrossWordsAndRoundTheEnd) {
    GhostMap ghost(256, 3.0, 3, false);
    for (const std::uint64_t lpn : {200, 70, 5, 250}) {
        ghost.insert(Lpn{lpn});
    }
    EXPECT_EQ(bits_of(ghost, 256), (std::vector<std::uint64_t>{70, 200, 250}));
    ghost.insert(Lpn{6});
    EXPECT_EQ(bits_of(ghost, 256), (std::vector<std::uint64_t>{70, 200, 250})); // 6 is next
    ghost.set_capacity(1);
    EXPECT_EQ(bits_of(ghost, 256), std::vector<std::uint64_t>{250});
    ghost.set_capacity(2);
    ghost.insert(Lpn{10});
    ghost.insert(Lpn{20});
    EXPECT_EQ(bits_of(ghost, 256), (std::vector<std::uint64_t>{10, 20})); // 250, behind the cursor
    ghost.clear();
    EXPECT_EQ(ghost.size() + ghost.bits_set(), 0u);
}

TEST(GhostMapTest, WithRoomNearlyEveryEntryThatLeftIsFoundOnceAndFewOthers) {
    GhostMap ghost(1u << 20, 3.0, 10'000);
    for (std::uint64_t lpn = 0; lpn < 10'000; ++lpn) {
        ghost.insert(Lpn{lpn * 37});
    }
    std::uint64_t wrong = 0;
    for (std::uint64_t lpn = 0; lpn < 10'000; ++lpn) {
        wrong += ghost.is_set(0) && ghost.take(Lpn{lpn * 37 + 1}) ? 1 : 0;
    }
    std::uint64_t found = 0;
    for (std::uint64_t lpn = 0; lpn < 10'000; ++lpn) {
        found += ghost.take(Lpn{lpn * 37}) ? 1 : 0;
    }
    EXPECT_LT(wrong, 200u);
    EXPECT_GT(found, 9'700u);
    for (std::uint64_t lpn = 0; lpn < 10'000; ++lpn) {
        EXPECT_FALSE(ghost.take(Lpn{lpn * 37}));
    }
}

TEST(GhostMapTest, ItsSizeIsNeverBeyondItsCapacityNorBelowItsBitsByMoreThanAlpha) {
    GhostMap ghost(256, 3.0, 100);
    Random random(8);
    for (int step = 0; step < 100'000; ++step) {
        if (random.below(3) == 0) {
            (void)ghost.take(Lpn{random.below(1000)});
        } else {
            ghost.insert(Lpn{random.below(1000)});
        }
        if (random.below(50) == 0) {
            ghost.set_capacity(random.below(600));
        }
        ASSERT_LE(ghost.size(), ghost.capacity());
        ASSERT_LE(ghost.bits_set(), 256u);
        ASSERT_LE(ghost.bits_set(), ghost.size() + 1);
    }
}

// ---- profit and division ------------------------------------------------------------------------

DftlMeans example_means() {
    DftlMeans means;
    means.batch_entries = 4;
    means.read_misses = 0.25;
    means.write_misses = 0.5;
    means.table_collection = 4500;
    means.data_collection = 9000;
    return means;
}

PartitionTuner::Params half_of(std::uint64_t total) {
    PartitionTuner::Params params;
    params.total = total;
    params.map = total / 2;
    return params;
}

// docs/algorithms.md, AP-1.
TEST(PartitionTunerTest, FactorsAndStepAreThoseOfTheExampleWithDftl) {
    const ProfitFactors factors = dftl_profit(kSlc, example_means(), 64);
    EXPECT_DOUBLE_EQ(factors.map_read, 72.8);
    EXPECT_DOUBLE_EQ(factors.map_write, 98.978125);
    EXPECT_DOUBLE_EQ(factors.buffer_read, 91.0);
    EXPECT_DOUBLE_EQ(factors.buffer_write, 442.9140625);
    const GhostHits hits{200, 150, 10, 40};
    const GhostProfit profit{map_profit(hits, factors), buffer_profit(hits, factors), 2 * kMiBytes,
                             8 * kMiBytes};
    EXPECT_DOUBLE_EQ(profit.map, 29406.71875);
    EXPECT_DOUBLE_EQ(profit.buffer, 18626.5625);
    PartitionTuner tuner(half_of(16 * kMiBytes));
    const PartitionChange change = tuner.tune(profit);
    EXPECT_NEAR(change.map_benefit / change.buffer_benefit, 6.315, 0.0005);
    EXPECT_TRUE(change.to_map);
    EXPECT_EQ(change.moved, 50u);
    EXPECT_EQ(tuner.map_bytes(), 8 * kMiBytes + 50);
    EXPECT_EQ(tuner.buffer_bytes(), 8 * kMiBytes - 50);
}

// docs/algorithms.md, AP-2.
TEST(PartitionTunerTest, FactorsAndStepAreThoseOfTheExampleWithFast) {
    FastMeans means;
    means.associated_set = 8;
    means.log_collection = 60'000;
    const ProfitFactors factors = fast_profit(kSlc, means, 64);
    EXPECT_DOUBLE_EQ(factors.map_write, 22338.4 / 8);
    EXPECT_DOUBLE_EQ(factors.map_read, 0);
    EXPECT_DOUBLE_EQ(factors.buffer_read, 72.8);
    EXPECT_DOUBLE_EQ(factors.buffer_write, 1190.3);
    const GhostHits hits{0, 30, 100, 50};
    const GhostProfit profit{map_profit(hits, factors), buffer_profit(hits, factors), kMiBytes / 2,
                             4 * kMiBytes};
    EXPECT_DOUBLE_EQ(profit.map, 83769);
    EXPECT_DOUBLE_EQ(profit.buffer, 66795);
    PartitionTuner::Params params = half_of(8 * kMiBytes);
    params.unit = 256; // the map of one log block
    PartitionTuner tuner(params);
    EXPECT_EQ(tuner.tune(profit).moved, 2568u);
    EXPECT_EQ(tuner.map_bytes(), 4 * kMiBytes + 2568);
}

TEST(PartitionTunerTest, TheFormulaOfTheTableWouldGiveAnotherFactor) {
    // The negative control of AP-1: T_two in the place of T_dwo.
    DftlMeans means = example_means();
    means.data_collection = means.table_collection;
    EXPECT_NE(dftl_profit(kSlc, means, 64).buffer_write, 442.9140625);
}

TEST(PartitionTunerTest, EqualBenefitsMoveNothing) {
    PartitionTuner tuner(half_of(1000));
    EXPECT_EQ(tuner.tune({0, 0, 100, 100}).moved, 0u);
    EXPECT_EQ(tuner.tune({5, 10, 100, 200}).moved, 0u);
    EXPECT_EQ(tuner.tune({5, 10, 0, 0}).moved, 0u); // no ghost, no benefit
    EXPECT_EQ(tuner.map_bytes(), 500u);
}

TEST(PartitionTunerTest, TheRatioIsBoundedAndNoSideLosesItsLeast) {
    PartitionTuner::Params params = half_of(100'000);
    params.least_buffer = 2048;
    PartitionTuner tuner(params);
    EXPECT_EQ(tuner.tune({1, 0, 100, 100}).moved, 8000u); // 1000 entries
    EXPECT_EQ(tuner.map_bytes(), 58'000u);
    EXPECT_EQ(tuner.tune({1, 1e-9, 100, 100}).moved, 8000u);
    for (int i = 0; i < 20; ++i) {
        tuner.tune({1, 0, 100, 100});
    }
    EXPECT_EQ(tuner.buffer_bytes(), 2048u);
    for (int i = 0; i < 40; ++i) {
        tuner.tune({0, 1, 100, 100});
    }
    EXPECT_EQ(tuner.map_bytes(), 8u);
    params.scale = 2.5;
    params.ratio_most = 3;
    PartitionTuner scaled(params);
    EXPECT_EQ(scaled.tune({0, 1, 100, 100}).moved, 60u); // 8 * 2.5 * 3
    params.map = 4;
    EXPECT_THROW(PartitionTuner{params}, ModelError);
}

TEST(PartitionTunerTest, ASideWithoutAHitHasABoundOfItsOwn) {
    PartitionTuner::Params params = half_of(100'000);
    params.ratio_of_none = 64;
    PartitionTuner tuner(params);
    EXPECT_EQ(tuner.tune({1, 0, 100, 100}).moved, 512u);       // 64 entries
    EXPECT_EQ(tuner.tune({1, 1e-9, 100, 100}).moved, 8000u);   // a hit, however cheap
    EXPECT_EQ(tuner.tune({1, 0.0039, 100, 100}).moved, 2051u); // not bounded at all
    EXPECT_EQ(tuner.tune({0, 1, 0, 100}).moved, 512u);         // a ghost of no size
    params.ratio_most = 10;
    EXPECT_EQ(PartitionTuner(params).tune({1, 0, 100, 100}).moved, 80u); // the lower of the two
}

// docs/algorithms.md, AP-3.
TEST(PartitionTunerTest, OneHitMoreBoundsTheRatioAndLeavesTheDirection) {
    PartitionTuner::Params params = half_of(1000 * kMiBytes);
    params.extra_hits = 1;
    params.buffer_entry = 2048;
    const auto moved = [&params](const GhostProfit& profit) {
        return PartitionTuner(params).tune(profit);
    };
    // 30 hits beside none, each worth 100 and 400: (3000 + 100) / 1 MiB by 400 / 4 MiB is 31.
    const PartitionChange rare = moved({3000, 0, kMiBytes, 4 * kMiBytes, 100, 400});
    EXPECT_TRUE(rare.to_map);
    EXPECT_EQ(rare.moved, 8u * 31);
    // With hits on both sides it changes little: 1001 hits by 101.
    EXPECT_EQ(moved({1e5, 1e4, kMiBytes, kMiBytes, 100, 100}).moved, 79u); // 8 * 9.91
    // One hit of the map has the greater benefit; with a dear one more the buffer's would be
    // greater. The map grows all the same, by one entry.
    const PartitionChange little = moved({100, 0, kMiBytes, kMiBytes, 100, 400});
    EXPECT_TRUE(little.to_map);
    EXPECT_EQ(little.moved, 8u);
    // A ghost of no size has room for one entry: its hit weighs most, and the step is the least.
    EXPECT_EQ(moved({0, 4000, 0, kMiBytes, 100, 400}).moved, 8u);
    EXPECT_FALSE(moved({0, 4000, 0, kMiBytes, 100, 400}).to_map);
    // No hit anywhere: nothing is known, and nothing moves.
    EXPECT_EQ(moved({0, 0, kMiBytes, 4 * kMiBytes, 100, 400}).moved, 0u);
    // The control: without the hit the ratio of the first is the bound.
    params.extra_hits = 0;
    EXPECT_EQ(moved({3000, 0, kMiBytes, 4 * kMiBytes, 100, 400}).moved, 8000u);
}

TEST(PartitionTunerTest, MeansAreThoseOfTheCounters) {
    Dftl::CacheCounters count;
    Fast::CacheCounters logs;
    EXPECT_EQ(dftl_means(count, kSlc).batch_entries, 1.0);
    EXPECT_EQ(dftl_means(count, kSlc).data_collection, 0.0);
    count.batches = 10;
    count.batch_entries = 40;
    count.read_hits = 30;
    count.read_misses = 10;
    count.write_hits = count.write_misses = 7;
    count.table_collections = 4;
    count.table_copies = 8;
    count.data_collections = 2;
    count.data_copies = 50;
    count.gc_batches = 10;
    logs.log_collections = 2;
    logs.log_valid_pages = 24;
    logs.log_merges = 6;
    logs.log_reads = logs.log_programs = 100;
    logs.log_erases = 10;
    EXPECT_DOUBLE_EQ(fast_means(logs, kSlc).associated_set, 4);
    EXPECT_DOUBLE_EQ(fast_means(logs, kSlc).log_collection, 50 * 325.6 + 5 * 1500);
    EXPECT_EQ(fast_means({}, kSlc).associated_set, 1.0);
    EXPECT_EQ(fast_means({}, kSlc).log_collection, 0.0);
    const DftlMeans means = dftl_means(count, kSlc);
    EXPECT_DOUBLE_EQ(means.batch_entries, 4);
    EXPECT_DOUBLE_EQ(means.read_misses, 0.25);
    EXPECT_DOUBLE_EQ(means.write_misses, 0.5);
    EXPECT_DOUBLE_EQ(means.table_collection, 2 * 325.6 + 1500);
    EXPECT_DOUBLE_EQ(means.data_collection, 30 * 325.6 + 1500);
}

TEST(AdaptivePartitionTest, AGhostHitIsWorthWhatTheLayerWouldSave) {
    MapCounts count;
    count.entries.batches = 2;
    count.entries.batch_entries = 8;
    count.logs.log_valid_pages = 24;
    count.logs.log_merges = 6;
    AdaptivePartition::Params p;
    p.total_bytes = 4096;
    p.page_bytes = 16;
    p.pages_per_block = 64;
    p.times = kSlc;
    const ProfitFactors cached = AdaptivePartition(p).factors_of(count);
    EXPECT_DOUBLE_EQ(cached.map_read, 72.8);
    EXPECT_DOUBLE_EQ(cached.map_write, (72.8 + 252.8) / 4);
    // Log blocks: a hit saves a merge, and reads need no map in flash.
    p.map.kind = MapKind::kLogs;
    const ProfitFactors logged = AdaptivePartition(p).factors_of(count);
    EXPECT_DOUBLE_EQ(logged.map_read, 0);
    EXPECT_DOUBLE_EQ(logged.map_write, (64 * (72.8 + 252.8) + 1500) / 4);
}

// ---- whole --------------------------------------------------------------------------------------

/// A drive of DFTL under a buffer, its memory of 80 pages of 16 bytes divided as it goes.
class AdaptiveDriveTest : public ::testing::Test {
  protected:
    AdaptivePartition::Params params() const {
        AdaptivePartition::Params p;
        p.total_bytes = 80 * 16;
        p.interval = 20;
        p.bitmap_bytes = 512;
        p.page_bytes = 16;
        p.pages_per_block = 4;
        p.times = kSlc;
        return p;
    }
    void build(const AdaptivePartition::Params& partition, const char* scheme = "dftl") {
        parts.geometry = geometry_of(1, 1, 1, 120, 4);
        parts.geometry.page_bytes = 16; // four entries a translation page
        parts.allocator = scheme[0] == 'd' ? "stripe-page" : "stripe-block";
        parts.frames = AdaptivePartition::most_pages(partition);
        parts.ftl.overprovision = 0.5;
        parts.ftl.map_cache_most = partition.total_bytes;
        parts.log = &log;
        core = make_core(parts, find_ftl(scheme)->make(parts.geometry, parts.ftl, &log));
        array = std::make_unique<NandArray>(parts.geometry, scheme[0] == 'd');
        core->partition_by(std::make_unique<AdaptivePartition>(partition));
    }
    void write(std::uint64_t lpn) {
        apply_untimed(core->write(Lpn{lpn}).batch.ops, *array);
        end();
    }
    void read(std::uint64_t lpn) {
        apply_untimed(core->read(Lpn{lpn}).batch.ops, *array);
        end();
    }
    void end() {
        if (const Batch* batch = core->end_request()) {
            flushed += batch->ops.size();
            apply_untimed(batch->ops, *array);
        }
    }
    /// Pages in flash and pages in the buffer, those in both counted twice.
    std::uint64_t mapped_or_resident(const std::vector<bool>& written) const {
        std::uint64_t pages = 0;
        for (std::uint64_t lpn = 0; lpn < written.size(); ++lpn) {
            const bool mapped = core->ftl().location(Lpn{lpn}) != kNoPpn;
            const bool resident = core->buffer()->is_resident(Lpn{lpn});
            EXPECT_EQ(mapped || resident, written[lpn]);
            pages += (mapped ? 1 : 0) + (resident ? 1 : 0);
        }
        return pages;
    }
    CoreParts parts;
    RecordingLog log;
    std::unique_ptr<DriveCore> core;
    std::unique_ptr<NandArray> array;
    std::size_t flushed = 0;
};

TEST_F(AdaptiveDriveTest, ReadsOfManyPagesMoveMemoryToTheMapAndWritesToFewBackToTheBuffer) {
    build(params());
    EXPECT_EQ(core->buffer()->capacity(), 40u);
    EXPECT_EQ(core->ftl().map_cache()->cache_bytes(), 640u);
    for (std::uint64_t lpn = 0; lpn < 200; ++lpn) {
        write(lpn);
    }
    // 100 pages: more than 80 entries, fewer than the memory could hold.
    for (int round = 0; round < 30; ++round) {
        for (std::uint64_t lpn = 0; lpn < 100; ++lpn) {
            read(lpn);
        }
    }
    const std::uint64_t map = core->ftl().map_cache()->cache_bytes();
    EXPECT_GT(map, 800u);
    EXPECT_LT(core->buffer()->capacity(), 31u);
    EXPECT_EQ(core->partition()->map_bytes() + core->partition()->buffer_bytes(), 1280u);
    // 50 pages written round and round: a buffer of 50 pages takes them, one of 30 never hits.
    for (int round = 0; round < 60; ++round) {
        for (std::uint64_t lpn = 0; lpn < 50; ++lpn) {
            write(lpn);
        }
    }
    EXPECT_LT(core->ftl().map_cache()->cache_bytes(), map);
    EXPECT_GT(core->buffer()->capacity(), 40u);
    EXPECT_GT(flushed, 0u); // shrinking is work for the flash
    EXPECT_GT(core->check_invariants(), 100u);
    expect_array_follows(*core, *array);
}

TEST_F(AdaptiveDriveTest, RandomRequestsKeepEveryInvariantAndLoseNothing) {
    AdaptivePartition::Params p = params();
    p.tune_scale = 5;
    build(p);
    Random random(12);
    std::vector<bool> written(core->ftl().logical_pages(), false);
    std::uint32_t least = 80;
    std::uint32_t most = 0;
    for (int step = 0; step < 100'000; ++step) {
        const bool hot = step / 10'000 % 2 == 0;
        const std::uint64_t lpn = random.below(hot ? 60 : written.size());
        const std::uint64_t what = random.below(20);
        if (what == 0) {
            apply_untimed(core->trim(Lpn{lpn}).batch.ops, *array);
            written[lpn] = false;
            end();
        } else if (what < (hot ? 4u : 14u)) {
            const ReadDecision decision = core->read(Lpn{lpn});
            apply_untimed(decision.batch.ops, *array);
            ASSERT_EQ(decision.hit || decision.page != kNoPpn, written[lpn]);
            if (decision.page != kNoPpn) {
                ASSERT_EQ(array->read(decision.page), Lpn{lpn});
            }
            end();
        } else {
            write(lpn);
            written[lpn] = true;
        }
        if (step % 500 == 0) {
            ASSERT_GT(core->check_invariants(), 0u);
            expect_array_follows(*core, *array);
        }
        least = std::min(least, core->buffer()->capacity());
        most = std::max(most, core->buffer()->capacity());
        ASSERT_EQ(core->buffer()->capacity(), core->partition()->buffer_pages());
        ASSERT_EQ(core->ftl().map_cache()->cache_bytes(), core->partition()->map_bytes());
    }
    EXPECT_LT(least, 10u);
    EXPECT_GT(most, 60u);
    EXPECT_EQ(core->partition()->requests(), 100'000u);
    EXPECT_EQ(core->partition()->decisions(), 5'000u);
}

// The ghost buffer sees what a larger buffer would have: with the sizes held fast, its hits and the
// buffer's together are the hits of a buffer of both sizes.
TEST_F(AdaptiveDriveTest, HitsOfTheGhostAreThoseOfALargerBuffer) {
    AdaptivePartition::Params p = params();
    p.interval = 1u << 30;
    build(p);
    const std::uint32_t ghost = core->partition()->ghost_buffer().capacity();
    EXPECT_EQ(ghost + core->buffer()->capacity(), 80u);
    std::list<std::uint64_t> larger; // oldest first
    std::uint64_t hits = 0;
    Random random(4);
    for (int step = 0; step < 20'000; ++step) {
        const std::uint64_t lpn = random.below(random.below(2) == 0 ? 60 : 200);
        const auto found = std::find(larger.begin(), larger.end(), lpn);
        if (found != larger.end()) {
            ++hits;
            larger.erase(found);
        }
        larger.push_back(lpn);
        if (larger.size() > 80) {
            larger.pop_front();
        }
        write(lpn);
    }
    EXPECT_EQ(core->buffer_counters().write_hits + core->partition()->hits().buffer_writes, hits);
    EXPECT_GT(core->partition()->hits().buffer_writes, 1'000u);
}

// FAST: half of the memory maps log blocks of four pages, 16 bytes each.
TEST_F(AdaptiveDriveTest, WithFastLogBlocksComeAndGo) {
    AdaptivePartition::Params p = params();
    parts.geometry = geometry_of(1, 1, 1, 120, 4);
    parts.ftl.log_blocks = 41;
    p.map = fast_map_memory(parts.geometry, parts.ftl);
    EXPECT_EQ(p.map.bytes, 41u * 16);
    EXPECT_EQ(p.map.least, 32u);
    p.tune_scale = 2;
    build(p, "fast");
    const auto& fast = dynamic_cast<const Fast&>(core->ftl());
    EXPECT_EQ(fast.random_logs(), 39u);
    Random random(6);
    std::vector<bool> written(core->ftl().logical_pages(), false);
    std::uint32_t least = 100;
    std::uint32_t most = 0;
    for (int step = 0; step < 40'000; ++step) {
        const bool small = step / 8'000 % 2 == 0;
        // Pages that a buffer holds, or more than it can.
        const std::uint64_t lpn = small ? random.below(55) : random.below(230);
        write(lpn);
        written[lpn] = true;
        if (step % 500 == 0) {
            ASSERT_GT(core->check_invariants(), 0u);
            expect_array_follows(*core, *array);
        }
        least = std::min(least, fast.random_logs());
        most = std::max(most, fast.random_logs());
        ASSERT_EQ(core->buffer()->capacity(), core->partition()->buffer_pages());
        ASSERT_EQ(fast.cache_bytes(), core->partition()->map_bytes());
    }
    EXPECT_GT(core->partition()->mean_map_bytes(), 16.0 * least);
    EXPECT_LT(core->partition()->mean_map_bytes(), 16.0 * (most + 2));
    EXPECT_LT(least, 20u);
    EXPECT_GT(most, 45u);
    EXPECT_EQ(core->ftl().mapped_pages() + core->buffer()->used(), mapped_or_resident(written));
    const Fast::CacheCounters& count = fast.cache_counters();
    EXPECT_GT(count.write_hits, 100u);
    EXPECT_GT(count.write_misses, 100u);
    EXPECT_EQ(count.log_collections, fast.reclaims().blocks);
    EXPECT_EQ(count.log_valid_pages, fast.reclaims().valid_pages);
    EXPECT_EQ(count.log_merges, fast.reclaims().merged);
    EXPECT_EQ(count.log_programs, fast.reclaims().programs);
}

// A page that a reclaim merged out of the log and the host writes again would have been in a larger
// log; a page written again in the log is a hit of the log itself.
TEST(GhostLogTest, AWriteOfAPageThatLeftTheLogIsAHitOfTheGhost) {
    FtlParams ftl;
    ftl.overprovision = 0.5;
    ftl.log_blocks = 3;
    const Geometry geometry = geometry_of(1, 1, 1, 40, 4);
    Fast fast(geometry, ftl, nullptr);
    AdaptivePartition::Params p;
    p.total_bytes = 4096;
    p.page_bytes = 16;
    p.pages_per_block = 4;
    p.map = fast_map_memory(geometry, ftl);
    AdaptivePartition partition(p);
    FlashOpList ops;
    for (std::uint64_t lpn = 0; lpn < 40; ++lpn) {
        fast.write(Lpn{lpn}, PlaneId{0}, ops);
    }
    fast.set_listener(&partition);
    for (const std::uint64_t lpn : {1, 5, 9, 13, 17, 21, 25, 29, 33}) { // the ninth reclaims four
        fast.write(Lpn{lpn}, PlaneId{0}, ops);
    }
    EXPECT_EQ(fast.reclaims().blocks, 1u);
    EXPECT_EQ(partition.ghost_map().size(), 4u);
    EXPECT_EQ(partition.hits().map_writes, 0u);
    fast.write(Lpn{17}, PlaneId{0}, ops); // still in the log
    EXPECT_EQ(partition.hits().map_writes, 0u);
    fast.write(Lpn{5}, PlaneId{0}, ops);
    EXPECT_EQ(partition.hits().map_writes, 1u);
    EXPECT_EQ(partition.ghost_map().size(), 3u);
    EXPECT_EQ(partition.hits().map_reads, 0u);
}

TEST_F(AdaptiveDriveTest, PreconditioningTeachesNothing) {
    build(params());
    precondition(*core, *array, {1.0, true, 0.5}, 3);
    EXPECT_EQ(core->partition()->requests(), 0u);
    EXPECT_EQ(core->partition()->ghost_map().size(), 0u);
    for (std::uint64_t lpn = 0; lpn < 19; ++lpn) {
        write(lpn);
    }
    EXPECT_EQ(core->partition()->decisions(), 0u);
    write(19);
    EXPECT_EQ(core->partition()->decisions(), 1u);
    EXPECT_EQ(log.starting_with("tune").size(), 1u);
}

TEST_F(AdaptiveDriveTest, MeansGoOnWhereCountersBeginAgain) {
    build(params());
    for (std::uint64_t lpn = 0; lpn < 200; ++lpn) {
        write(lpn % 150);
    }
    const std::uint64_t before = core->partition()->map_bytes();
    core->reset_counters(); // the end of a warm-up
    EXPECT_EQ(core->partition()->map_bytes(), before);
    EXPECT_EQ(core->partition()->requests(), 200u);
    EXPECT_GT(core->partition()->check_invariants(), 0u);
}

} // namespace
} // namespace cavern::testing
