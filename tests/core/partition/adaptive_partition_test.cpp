// Adaptive partitioning, whole: in a drive, with ghosts and a tuner.

#include "core/partition/adaptive_partition.h"

#include <algorithm>
#include <list>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/drive/precondition.h"
#include "core/ftl/dftl.h"
#include "core/ftl/fast.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

/// SHIM Table I, SLC.
constexpr FlashTimes kSlc{72.8, 252.8, 1500};

TEST(AdaptivePartitionTest, MeansAreThoseOfTheCounters) {
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
