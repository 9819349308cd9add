// The whole drive over a map that lies in flash: translation pages are read and written as ordinary
// operations, and reads of the host wait for those of their look-up.

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/ftl/dftl.h"
#include "core/ftl/ftl_table.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/drive/broken_ftl.h"
#include "tests/drive/drive_bench.h"
#include "tests/support/list_source.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

/// Pages of 512 bytes, so that a translation page maps 128: two or three of them a plane.
std::vector<std::string> dftl(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"ftl.scheme=dftl",          "alloc.scheme=stripe-page",
                                 "nand.page_size=512B",      "nand.spare_size=16B",
                                 "nand.blocks_per_plane=64", "ftl.dftl.cmt=24",
                                 "buffer.size=8KiB",         "precondition.fill=0.9"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

struct Case {
    std::string name;
    std::vector<std::string> overrides;
    std::uint64_t seed = 1;
};
void PrintTo(const Case& each, std::ostream* out) {
    *out << each.name;
}

Mix mix_of(std::uint64_t seed) {
    Mix mix;
    mix.seed = seed;
    mix.requests = 1200;
    mix.reads = 40;
    mix.writes = 52;
    mix.trims = 5;
    mix.mean_gap = seed % 3 != 0 ? 0 : 300 * kUs;
    return mix;
}

std::vector<Case> cases() {
    std::vector<Case> all;
    std::uint64_t seed = 900;
    const auto add = [&](const std::string& name, const std::vector<std::string>& more) {
        all.push_back({name, dftl(more), ++seed});
    };
    for (const char* mode : {"original", "shim"}) {
        const std::string write_miss = std::string("ftl.dftl.write_miss=") + mode;
        const std::string suffix = mode[0] == 'o' ? "Original" : "Shim";
        add("Through" + suffix, {"buffer.policy=none", write_miss});
        add("PageLru" + suffix, {write_miss});
        add("BlockLruCave" + suffix,
            {"buffer.policy=lru-block", "buffer.eviction=cave", write_miss});
        add("Bplru" + suffix, {"buffer.policy=bplru", write_miss});
        add("CachedReads" + suffix,
            {"buffer.policy=cflru", "buffer.cache_reads=true", write_miss, "buffer.size=4KiB"});
        add("OneEntryFifo" + suffix,
            {"ftl.dftl.cmt=1", "scheduler.discipline=fifo", "buffer.size=1KiB", write_miss});
    }
    add("Segmented", {"ftl.dftl.slru=true"});
    add("TwoPlanes", {"nand.planes=2", "nand.blocks_per_plane=32"});
    add("OneDieDeep", {"nand.channels=1", "nand.ways=1", "nand.blocks_per_plane=128",
                       "buffer.policy=none", "nand.strict_order=true"});
    add("SharedFrontier", {"ftl.gc_shared_frontier=true", "nand.strict_order=true"});
    add("Lockstep", {"channel.arbiter=lockstep"});
    // 16 pages of memory that change sides every ten requests.
    for (const char* policy : {"lru-page", "lru-block", "bplru"}) {
        for (const char* rate : {"single", "cave"}) {
            const std::string order = policy[0] == 'b'   ? "Bplru"
                                      : policy[4] == 'p' ? "PageLru"
                                                         : "BlockLru";
            const std::string suffix = rate[0] == 's' ? "Single" : "Cave";
            add("Adaptive" + order + suffix,
                {"ftl.partition=adaptive", "ftl.dftl.cmt=0", "ftl.map_cache=4KiB",
                 "buffer.size=4KiB", "ftl.adaptive.interval=10", "ftl.adaptive.ratio=0.05",
                 "ftl.adaptive.tune_scale=20", std::string("buffer.policy=") + policy,
                 std::string("buffer.eviction=") + rate});
        }
    }
    for (const char* policy : {"lru-page", "lru-block"}) {
        add(std::string("AdaptiveFast") + (policy[4] == 'p' ? "PageLru" : "BlockLru"),
            {"ftl.scheme=fast", "alloc.scheme=stripe-block", "ftl.log_blocks=64",
             "buffer.size=4KiB", "ftl.adaptive.interval=10", "ftl.partition=adaptive",
             std::string("buffer.policy=") + policy});
    }
    return all;
}

class DriveDftlTest : public SystemcTest, public ::testing::WithParamInterface<Case> {};

INSTANTIATE_TEST_SUITE_P(Of, DriveDftlTest, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

// 512 pages over 4 planes with translation pages of 128 entries: one of each plane is rewritten.
TEST_F(SystemcTest, ATrimIsAnsweredWhenItsTranslationPagesAreRewritten) {
    HostRequest trim;
    trim.op = RequestOp::kTrim;
    trim.bytes = 512 * 512;
    DriveBench bench("bench", small_drive(dftl({"dram.model=ideal"})), {trim, trim});
    run();
    EXPECT_EQ(bench.ssd().core().ftl().location(Lpn{0}), kNoPpn);
    EXPECT_GE(bench.programs(), 4u);
    ASSERT_EQ(bench.answered().size(), 2u);
    for (const Answered& each : bench.answered()) {
        // Read and program of a translation page; the second finds nothing to do.
        EXPECT_EQ(each.flash > 225 * kUs, each.id == 0) << each.flash;
        EXPECT_LE(each.flash, each.completed - each.dispatch);
        EXPECT_EQ(each.pages, 512u);
    }
    EXPECT_GT(bench.ssd().check_end_of_run(), 0u);
}

std::vector<std::uint64_t> counts_of(const FtlIf& ftl) {
    const FtlCounters& f = ftl.counters();
    const MapCacheCounters& c = ftl.map_cache()->cache_counters();
    std::vector<std::uint64_t> counts{f.host_pages,   f.gc_pages,  f.padding_pages, f.erases,
                                      f.gc_runs,      c.read_hits, c.read_misses,   c.write_hits,
                                      c.write_misses, c.evictions};
    for (const CounterView own : {ftl.own_counters(), ftl.map_cache()->own_cache_counters()}) {
        for (std::size_t i = 0; own.set() != nullptr && i < own.set()->counters().size(); ++i) {
            counts.push_back(own.value(i));
        }
    }
    return counts;
}

TEST_P(DriveDftlTest, ComesToRestSoundWithTheCountsOfARunWithoutTime) {
    const Case& each = GetParam();
    const SsdConfig config = small_drive(each.overrides);
    const std::vector<HostRequest> requests = random_requests(
        mix_of(each.seed), capacity_of(config), DrivePlan(config).geometry.page_bytes);
    DriveBench::Options options;
    options.closed_loop = each.seed % 3 != 0;
    DriveBench bench("bench", config, requests, options);
    run();
    bench.expect_sound();

    // Operations of the dies are those the translation layer counted: programs are those of host
    // pages, copies, padding and translation pages.
    const FtlIf& ftl = bench.ssd().core().ftl();
    const FtlCounters& counters = ftl.counters();
    EXPECT_EQ(bench.programs(), counters.host_pages + counters.gc_pages + counters.merge_pages +
                                    counters.padding_pages +
                                    ftl.own_counters().value_of("map_pages_written"));
    EXPECT_EQ(bench.erases(), counters.erases);
    EXPECT_GT(counters.erases, 40u);
    if (const AdaptivePartition* partition = bench.ssd().core().partition()) {
        EXPECT_EQ(partition->decisions(), 120u);
        EXPECT_GT(partition->moved_bytes(), 8192u);
    }
    const MapCacheCounters& cached = ftl.map_cache()->cache_counters();
    const CounterView own = ftl.map_cache()->own_cache_counters();
    if (ftl.table_pages() != 0) {
        EXPECT_GT(cached.read_misses, 50u);
        EXPECT_GT(own.value_of("batches"), 50u);
        EXPECT_GT(own.value_of("table_collections"), 1u);
    } else {
        EXPECT_GT(own.value_of("log_collections"), 20u);
    }

    ListSource source(requests);
    UntimedDrive untimed(config, build_core(config, nullptr));
    untimed.run(source, 0, nullptr);
    EXPECT_GT(untimed.check_end_of_run(), 0u);
    EXPECT_EQ(counts_of(untimed.core().ftl()), counts_of(ftl));
    if (const AdaptivePartition* partition = untimed.core().partition()) {
        EXPECT_EQ(partition->map_bytes(), bench.ssd().core().partition()->map_bytes());
        EXPECT_EQ(partition->moved_bytes(), bench.ssd().core().partition()->moved_bytes());
    }
    EXPECT_EQ(untimed.flash_ops() - bench.ssd().scheduler().queues().submitted(),
              bench.ssd().buffer_manager().statistics().in_flight_read_hits);
}

// ---- time ---------------------------------------------------------------------------------------

// The part of CAVE with pages of 512 bytes at 30 ns a byte and a cycle; a host link of 200 MB/s.
constexpr std::uint32_t kPageBytes = 512;
constexpr TimePs kCommand = 7 * 30 * kNs;
constexpr TimePs kTransfer = 528 * 30 * kNs;
constexpr TimePs kTr = 25 * kUs;
constexpr TimePs kTprog = 200 * kUs;
constexpr TimePs kLink = 2'560 * kNs;
constexpr TimePs kFlashRead = kCommand + kTr + kTransfer;

class DftlLatencyTest : public SystemcTest {
  protected:
    static SsdConfig config(const std::vector<std::string>& more) {
        std::vector<std::string> all = dftl({"dram.model=ideal", "host.queue_depth=1"});
        all.insert(all.end(), more.begin(), more.end());
        return small_drive(all);
    }
    void play(const std::vector<std::string>& more, RequestOp op,
              const std::vector<std::uint64_t>& lpns, const DriveBench::Options& options = {}) {
        std::vector<HostRequest> requests;
        for (const std::uint64_t lpn : lpns) {
            requests.push_back({0, lpn * kPageBytes, kPageBytes, op});
        }
        bench_ = std::make_unique<DriveBench>("bench", config(more), requests, options);
        run();
        bench_->expect_sound();
    }
    [[nodiscard]] std::vector<TimePs> latencies() const {
        std::vector<TimePs> all(bench_->answered().size());
        for (const Answered& each : bench_->answered()) {
            all[each.id] = each.completed - each.dispatch;
        }
        return all;
    }
    std::unique_ptr<DriveBench> bench_;
};

/// What dftl counts of its own.
const Dftl::Counters& own(const FtlIf& ftl) {
    return *ftl.own_counters().as<Dftl::Counters>();
}

TEST_F(DftlLatencyTest, AReadOfACachedEntryTakesNoLookUp) {
    play({"ftl.dftl.cmt=4096"}, RequestOp::kRead, {0, 5}); // every entry is there since the fill
    EXPECT_EQ(latencies(), std::vector<TimePs>(2, kFlashRead + kLink));
    EXPECT_EQ(own(bench_->ssd().core().ftl()).map_pages_read, 0u);
}

// Room for one entry, which the fill left dirty: the read of page 0 evicts it, whose translation
// page is read first of all; page 4 evicts a clean one.
TEST_F(DftlLatencyTest, AReadThatMissesTheCacheTakesOneReadOfAPageLonger) {
    play({"ftl.dftl.cmt=1"}, RequestOp::kRead, {0, 0, 4, 4});
    EXPECT_EQ(latencies(), (std::vector<TimePs>{3 * kFlashRead + kLink, kFlashRead + kLink,
                                                2 * kFlashRead + kLink, kFlashRead + kLink}));
    const FtlIf& ftl = bench_->ssd().core().ftl();
    EXPECT_EQ(own(ftl).map_pages_read, 3u);
    EXPECT_EQ(own(ftl).map_pages_written, 1u);
    EXPECT_EQ(ftl.map_cache()->cache_counters().read_hits, 2u);
}

TEST_F(DftlLatencyTest, AWriteWaitsForTheTranslationPagesOfItsLookUp) {
    // The first evicts a dirty entry as above, the second hits. Data come over the link meanwhile.
    play({"ftl.dftl.cmt=1", "buffer.policy=none"}, RequestOp::kWrite, {0, 0});
    EXPECT_EQ(latencies(), (std::vector<TimePs>{2 * kFlashRead + kCommand + kTransfer + kTprog,
                                                kLink + kCommand + kTransfer + kTprog}));
}

TEST_F(DftlLatencyTest, AWriteThatMakesAnEntryWaitsOnlyForTheOneEvicted) {
    play({"ftl.dftl.cmt=1", "buffer.policy=none", "ftl.dftl.write_miss=shim"}, RequestOp::kWrite,
         {0, 0});
    EXPECT_EQ(latencies(), (std::vector<TimePs>{kFlashRead + kCommand + kTransfer + kTprog,
                                                kLink + kCommand + kTransfer + kTprog}));
}

/// A layer that keeps the cost of its look-ups to itself.
class FreeLookUps final : public FtlIf {
  public:
    explicit FreeLookUps(std::unique_ptr<FtlIf> inner) : inner_(std::move(inner)) {
        parts_.map_in_flash = inner_->parts().map_in_flash;
    }
    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override {
        inner_->write(lpn, target, ops);
    }
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override { inner_->pad(lpn, target, ops); }
    [[nodiscard]] Ppn read(Lpn lpn, FlashOpList&) override {
        FlashOpList unseen;
        return inner_->read(lpn, unseen);
    }
    [[nodiscard]] Ppn location(Lpn lpn) const override { return inner_->location(lpn); }
    [[nodiscard]] std::uint64_t mapped_pages() const override { return inner_->mapped_pages(); }
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override {
        return inner_->valid_count(block);
    }
    void trim(Lpn lpn, FlashOpList& ops) override { inner_->trim(lpn, ops); }
    [[nodiscard]] bool has_room(PlaneId, Lpn) const override { return true; }
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn,
                                                   std::optional<DieId> target) const override {
        return inner_->destination(lpn, target);
    }
    [[nodiscard]] std::uint64_t logical_pages() const override { return inner_->logical_pages(); }
    [[nodiscard]] const FtlCounters& counters() const override { return inner_->counters(); }
    [[nodiscard]] CounterView own_counters() const override { return inner_->own_counters(); }
    [[nodiscard]] std::uint64_t programs() const override { return inner_->programs(); }
    void reset_counters() override { inner_->reset_counters(); }
    std::uint64_t check_invariants() const override { return inner_->check_invariants(); }

  private:
    std::unique_ptr<FtlIf> inner_;
};

// The negative control of the latencies above, and of what counts the operations.
TEST_F(DftlLatencyTest, LookUpsKeptFromTheDiesTakeNoTime) {
    DriveBench::Options options;
    options.make_core = [](const SsdConfig& built, DecisionLogIf* log) {
        CoreParts parts;
        parts.geometry = DrivePlan(built).geometry;
        parts.allocator = "stripe-page";
        parts.log = log;
        return make_core(parts, std::make_unique<FreeLookUps>(find_ftl("dftl")->make(
                                    parts.geometry, DrivePlan(built).ftl_params, log)));
    };
    std::vector<HostRequest> requests{{0, 4 * kPageBytes, kPageBytes, RequestOp::kRead}};
    DriveBench bench("bench", config({"ftl.dftl.cmt=1"}), requests, options);
    run();
    EXPECT_EQ(bench.answered().front().completed, kFlashRead + kLink);
    EXPECT_THROW((void)bench.ssd().check_end_of_run(), ModelError); // the write-back is missing
}

} // namespace
} // namespace cavern::testing
