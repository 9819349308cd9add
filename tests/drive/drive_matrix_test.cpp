// The whole drive under random mixed workloads, over the choices a configuration offers. Each run
// must come to rest with everything consistent; the monitors, the shadow and the model's own checks
// watch.

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "core/buffer/eviction_policy_table.h"
#include "tests/drive/drive_cases.h"
#include "tests/support/in_another_process.h"
#include "tests/support/nightly.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

class DriveMatrixTest : public SystemcTest, public ::testing::WithParamInterface<DriveCase> {};

TEST_P(DriveMatrixTest, ComesToRestSound) {
    const auto bench = make_bench(GetParam());
    run();
    bench->expect_sound();
    const Shadow::Checked& checked = bench->shadow().checked();
    const SsdConfig& config = bench->ssd().config();
    EXPECT_GT(checked.programs, 100u);
    EXPECT_GT(checked.flash + checked.frames, 100u);
    if (config.channel.arbiter == ArbiterKind::kLockstep) {
        for (std::uint32_t c = 0; c < DrivePlan(config).geometry.channels; ++c) {
            EXPECT_GT(bench->ssd().clocked_arbiter(c)->model().compared(), 100u);
            EXPECT_EQ(bench->ssd().clocked_arbiter(c)->model().mismatches(), 0u);
        }
    }
}

/// One line for each command answered: which, where, and all that it was told.
std::string transcript(const DriveBench& bench) {
    std::ostringstream text;
    for (const Answered& each : bench.answered()) {
        text << each.id << ' ' << each.request.offset << ' ' << each.request.arrival << ' '
             << each.dispatch << ' ' << each.completed << ' ' << each.pages << ' ' << each.hits
             << ' ' << each.frame_wait << ' ' << each.flash << '\n';
    }
    return text.str();
}

/// Whether or not the clock leaves the kernel behind, what is told and when must be the same.
TEST_P(DriveMatrixTest, AnswersAlikeWhereItsClockRunsAhead) {
    const auto run_drive = [&](bool ahead) {
        const auto bench = make_bench(GetParam(), ahead);
        run();
        bench->expect_sound();
        return transcript(*bench);
    };
    const std::string plain = in_another_process([&] { return run_drive(false); });
    const std::string ahead = run_drive(true);
    EXPECT_GT(ahead.size(), 10'000u);
    EXPECT_EQ(first_difference(ahead, plain), "");
}

Mix seeded(std::uint64_t seed) {
    Mix mix;
    mix.seed = seed;
    return mix;
}

Mix writes_mostly(std::uint64_t seed) {
    Mix mix = seeded(seed);
    mix.reads = 15;
    mix.writes = 80;
    mix.trims = 4;
    return mix;
}

std::vector<DriveCase> interfaces_and_depths() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 100;
    for (const std::string& interface : words_of_key("host.interface")) {
        for (const std::string policy : {"none", "lru-page", "lru-block"}) {
            for (const std::string depth : {"1", "4", "32"}) {
                DriveCase each;
                each.name = camel(interface) + camel(policy) + "Depth" + depth;
                each.overrides = {"host.interface=" + interface, "buffer.policy=" + policy,
                                  "host.queue_depth=" + depth};
                each.mix = seeded(++seed);
                loop_or_gap(each, 100 * kUs);
                cases.push_back(each);
            }
        }
    }
    return cases;
}

/// NVMe: one queue and several, round robin and weighted, few commands in the controller,
/// interrupts one by one and together, orders that look at what waits.
std::vector<DriveCase> queue_pairs() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 130;
    for (const char* queues : {"1", "3", "16"}) {
        for (const char* arbitration : {"round-robin", "weighted"}) {
            for (const char* slots : {"1", "5", "256"}) {
                DriveCase each;
                each.name = std::string("Queues") + queues +
                            (arbitration == std::string("weighted") ? "Weighted" : "InTurn") +
                            "Slots" + slots;
                each.overrides = {
                    "host.interface=nvme",
                    "host.generation=4",
                    "host.queue_depth=8",
                    std::string("host.queues=") + queues,
                    std::string("host.nvme.arbitration=") + arbitration,
                    "host.nvme.priorities=[\"low\",\"urgent\",\"high\",\"medium\"]",
                    std::string("host.nvme.slots=") + slots,
                    seed % 2 != 0 ? "host.nvme.interrupt_threshold=4" : "host.nvme.burst=3",
                    "host.nvme.interrupt_time=30us",
                    seed % 3 != 0 ? "buffer.ncq_aware=true" : "buffer.cache_reads=true"};
                each.mix = seeded(++seed);
                loop_or_gap(each, 100 * kUs);
                cases.push_back(each);
            }
        }
    }
    return cases;
}

/// Whether the buffer keeps pages that are read: only where the policy was made for it.
std::string keeps_reads(const std::string& policy) {
    const EvictionPolicyRow* row = find_eviction_policy(policy);
    return std::string("buffer.cache_reads=") +
           (row != nullptr && row->needs_read_cache ? "true" : "false");
}

/// Writes with force unit access among others, over orders, rates and links.
std::vector<DriveCase> unit_access() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 170;
    for (const std::string& policy : words_of_key("buffer.policy")) {
        for (const std::string& trigger : words_of_key("buffer.eviction")) {
            DriveCase each;
            each.name = camel(policy) + camel(trigger);
            each.overrides = {"buffer.policy=" + policy,
                              "buffer.eviction=" + trigger,
                              seed % 2 != 0 ? "host.interface=nvme" : "host.interface=sata",
                              seed % 3 != 0 ? "buffer.size=32KiB" : "buffer.size=2KiB",
                              keeps_reads(policy),
                              policy != "none" && seed % 5 == 0 ? "buffer.ncq_aware=true"
                                                                : "buffer.read_touch=false"};
            each.mix = seeded(++seed);
            each.mix.fua = 40;
            loop_or_gap(each, 100 * kUs);
            cases.push_back(each);
        }
    }
    cases.push_back(
        {"QueuedTrim",
         {"host.interface=sata", "host.sata.queued_trim=true", "host.sata.handshake=300ns"},
         seeded(++seed)});
    cases.back().mix.trims = 30;
    cases.push_back({"FuaOnlyInMergedBlocks",
                     {"ftl.scheme=bast", "ftl.log_blocks=4", "alloc.scheme=stripe-block",
                      "buffer.policy=lru-block"},
                     seeded(++seed)});
    cases.back().mix.fua = 100;
    return cases;
}

/// Pages that stay when a FLUSH writes them, over orders, rates and links: written again before
/// their program has them, dropped before it is done, flushed twice.
std::vector<DriveCase> flushes_that_keep() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 600;
    for (const std::string& policy : words_of_key("buffer.policy")) {
        for (const bool keep : {false, true}) {
            if (policy == "none") {
                continue; // nothing to flush
            }
            for (const char* size : {"2KiB", "32KiB"}) {
                DriveCase each;
                each.name = camel(policy) + (keep ? "Keep" : "Free") + size;
                each.overrides = {"buffer.policy=" + policy,
                                  std::string("buffer.flush_keep=") + (keep ? "true" : "false"),
                                  std::string("buffer.size=") + size,
                                  seed % 3 != 0 ? "buffer.cache_reads=true" : keeps_reads(policy),
                                  seed % 2 != 0 ? "buffer.eviction=cave"
                                                : "buffer.eviction=linear-threshold",
                                  policy != "none" && seed % 5 == 0 ? "buffer.ncq_aware=true"
                                                                    : "buffer.read_touch=false"};
                each.mix = seeded(++seed);
                each.mix.reads = 35;
                each.mix.writes = 50;
                each.mix.trims = 3;
                each.mix.fua = 10;
                loop_or_gap(each, 100 * kUs);
                cases.push_back(each);
            }
        }
    }
    return cases;
}

/// Pages written and read in part, and mapping units that share NAND pages, over orders and ways to
/// collect.
std::vector<DriveCase> parts_of_pages() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 800;
    for (const std::string& policy : words_of_key("buffer.policy")) {
        for (const char* unit : {"2KiB", "1KiB", "512B"}) {
            for (const char* size : {"4KiB", "32KiB"}) {
                DriveCase each;
                each.name = camel(policy) + "Unit" + unit + "Buffer" + size;
                each.overrides = {std::string("ftl.unit=") + unit,
                                  "buffer.policy=" + policy,
                                  std::string("buffer.size=") + size,
                                  seed % 2 != 0 ? "nand.column_change=true" : "nand.planes=2",
                                  seed % 3 != 0 ? keeps_reads(policy) : "buffer.cache_reads=true",
                                  seed % 5 < 2 ? "buffer.flush_keep=true" : "host.interface=nvme",
                                  seed % 7 < 3 ? "ftl.gc_pace=paced" : "dram.model=ideal",
                                  seed % 3 == 1 ? "ftl.gc_placement=die"
                                                : "buffer.eviction=linear-threshold",
                                  seed % 4 == 1 ? "buffer.ncq_aware=true" : "alloc.scheme=pcwd"};
                if (policy == "none") { // nothing to keep, nothing to pin
                    each.overrides[4] = "buffer.cache_reads=false";
                    each.overrides.back() = "alloc.scheme=cwdp";
                }
                each.mix = seeded(++seed);
                each.mix.fua = 10;
                loop_or_gap(each, 100 * kUs);
                cases.push_back(each);
            }
        }
    }
    return cases;
}

/// Commands that wait, and pin what they will use, over orders, rates and links.
std::vector<DriveCase> queue_awareness() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 150;
    for (const std::string& policy : words_of_key("buffer.policy")) {
        for (const std::string& trigger : words_of_key("buffer.eviction")) {
            if (policy == "none") {
                continue; // nothing to pin
            }
            DriveCase each;
            each.name = camel(policy) + camel(trigger);
            each.overrides = {"buffer.ncq_aware=true",
                              "buffer.policy=" + policy,
                              "buffer.eviction=" + trigger,
                              seed % 2 != 0 ? "host.interface=sata" : "host.interface=direct",
                              std::string("buffer.ncq_max_pinned=") +
                                  (seed % 3 != 0 ? "1.0" : "0.5"),
                              keeps_reads(policy)};
            each.mix = seeded(++seed);
            loop_or_gap(each, 100 * kUs);
            cases.push_back(each);
        }
    }
    cases.push_back(
        {"InTurnThrough", {"buffer.dispatch=in-turn", "buffer.policy=none"}, seeded(++seed)});
    cases.push_back({"InTurnCave",
                     {"buffer.dispatch=in-turn", "buffer.eviction=cave", "buffer.size=4KiB"},
                     seeded(++seed)});
    return cases;
}

/// Batches, who they wait for, and every way to choose a plane.
std::vector<DriveCase> placement() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 200;
    for (const char* block : {"all", "first"}) {
        for (const char* mode : {"free", "sticky"}) {
            for (const char* policy : {"lru-page", "lru-block"}) {
                cases.push_back({std::string("Cave") +
                                     (block == std::string("all") ? "All" : "First") +
                                     (mode == std::string("free") ? "Free" : "Sticky") +
                                     (policy == std::string("lru-page") ? "Pages" : "Blocks"),
                                 {"buffer.eviction=cave", "alloc.scheme=block-round-robin",
                                  std::string("buffer.cave.block=") + block,
                                  std::string("alloc.block-round-robin.mode=") + mode,
                                  std::string("buffer.policy=") + policy},
                                 writes_mostly(++seed)});
            }
        }
    }
    for (const char* order : {"cwdp", "cwpd", "cdwp", "cdpw", "cpwd", "cpdw", "wcdp", "wcpd",
                              "wdcp", "wdpc", "wpcd", "wpdc", "dcwp", "dcpw", "dwcp", "dwpc",
                              "dpcw", "dpwc", "pcwd", "pcdw", "pwcd", "pwdc", "pdcw", "pdwc"}) {
        std::string name = "Order";
        for (const char* letter = order; *letter != 0; ++letter) {
            name += static_cast<char>(*letter - 'a' + 'A');
        }
        Mix mix = writes_mostly(++seed);
        mix.requests = 600;
        cases.push_back({name,
                         {std::string("alloc.scheme=") + order, "nand.planes=2", "nand.dies=2",
                          "nand.ways=1", "buffer.policy=none"},
                         mix});
    }
    return cases;
}

/// Each rate ahead of a full buffer, with each way to choose a die and a buffer that keeps reads or
/// not.
std::vector<DriveCase> rates_ahead() {
    struct Word {
        const char* name;
        std::string value;
    };
    std::vector<DriveCase> cases;
    std::uint64_t seed = 500;
    for (const Word& rate : {Word{"Linear", "linear-threshold"}, Word{"Idle", "idle"},
                             Word{"All", "[\"cave\",\"linear-threshold\",\"idle\"]"}}) {
        for (const Word& scheme :
             {Word{"StripeBlock", "stripe-block"}, Word{"LeastLoaded", "least-loaded"},
              Word{"Adaptive", "adaptive"}}) {
            for (const Word& policy : {Word{"Pages", "lru-page"}, Word{"Blocks", "lru-block"}}) {
                for (const bool keeps : {false, true}) {
                    DriveCase each;
                    each.name = std::string(rate.name) + scheme.name + policy.name +
                                (keeps ? "Keeping" : "");
                    each.overrides = {"buffer.eviction=" + rate.value,
                                      "alloc.scheme=" + scheme.value,
                                      "buffer.policy=" + policy.value,
                                      keeps ? "buffer.cache_reads=true" : "buffer.read_touch=true",
                                      "alloc.adaptive.epoch=100",
                                      "nand.planes=2",
                                      "buffer.idle.after=150us"};
                    each.mix = seeded(++seed);
                    each.mix.requests = 700;
                    each.closed_loop = seed % 4 == 0;
                    each.mix.mean_gap = each.closed_loop ? 0 : 150 * kUs;
                    cases.push_back(each);
                }
            }
        }
    }
    // Hardly any frames: pages that are read wait for those that are written, and the reverse.
    for (const char* size : {"2KiB", "4KiB", "6KiB"}) {
        for (const char* rate : {"single", "cave", "idle"}) {
            DriveCase each;
            each.name = std::string("KeepingTight") + size + rate;
            each.overrides = {std::string("buffer.size=") + size,
                              std::string("buffer.eviction=") + rate, "buffer.cache_reads=true",
                              "alloc.scheme=least-loaded"};
            each.mix = seeded(++seed);
            each.mix.max_pages = 8;
            cases.push_back(each);
        }
    }
    return cases;
}

std::vector<DriveCase> flash() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 300;
    for (const char* planes : {"1", "2", "4"}) {
        for (const std::string& discipline : words_of_key("scheduler.discipline")) {
            cases.push_back({std::string("Planes") + planes + camel(discipline),
                             {std::string("nand.planes=") + planes, "alloc.scheme=pcwd",
                              "scheduler.discipline=" + discipline, "buffer.eviction=cave"},
                             writes_mostly(++seed)});
        }
    }
    const std::vector<std::string> tlc{"nand.part=tlc-16k",        "nand.pages_per_block=12",
                                       "nand.blocks_per_plane=16", "buffer.size=256KiB",
                                       "dram.size=4MiB",           "alloc.scheme=pcwd"};
    cases.push_back({"TlcFourPlanes", tlc, writes_mostly(++seed)});
    std::vector<std::string> alone = tlc;
    alone.push_back("nand.multi_plane=false");
    cases.push_back({"TlcWithoutMultiPlane", alone, writes_mostly(++seed)});
    std::vector<std::string> through = tlc;
    through.insert(through.end(),
                   {"buffer.policy=none", "host.interface=sata", "host.generation=3"});
    cases.push_back({"TlcThroughSata", through, seeded(++seed)});
    cases.push_back({"SharedFrontier",
                     {"ftl.gc_shared_frontier=true", "ftl.overprovision=0.3"},
                     writes_mostly(++seed)});
    cases.push_back({"HighWatermark", {"ftl.gc_low=2", "ftl.gc_high=4"}, writes_mostly(++seed)});
    cases.push_back(
        {"ManyWays",
         {"nand.channels=1", "nand.ways=16", "nand.blocks_per_plane=8", "ftl.overprovision=0.6"},
         writes_mostly(++seed)});
    cases.push_back({"OneDie", {"nand.channels=1", "nand.ways=1"}, writes_mostly(++seed)});
    return cases;
}

std::vector<DriveCase> arbiters_and_memory() {
    std::vector<DriveCase> cases;
    std::uint64_t seed = 400;
    for (const std::string& arbiter : words_of_key("channel.arbiter")) {
        for (const std::string& policy : words_of_key("channel.policy")) {
            for (const std::string& dram : words_of_key("dram.model")) {
                cases.push_back({camel(arbiter) + camel(policy) + camel(dram),
                                 {"channel.arbiter=" + arbiter, "channel.policy=" + policy,
                                  "dram.model=" + dram, "channel.age_limit=2000", "nand.ways=4"},
                                 writes_mostly(++seed)});
            }
        }
    }
    cases.push_back({"LockstepAgeOfPages",
                     {"channel.arbiter=lockstep", "channel.policy=priority-age", "nand.ways=4",
                      "channel.age_limit_pages=2"},
                     writes_mostly(++seed)});
    cases.push_back({"FullDuplex", {"host.duplex=full"}, seeded(++seed)});
    cases.push_back({"SlowLink", {"host.bandwidth=5MB/s"}, seeded(++seed)});
    cases.push_back({"FastLink", {"host.bandwidth=8GB/s", "dram.model=ideal"}, seeded(++seed)});
    cases.push_back({"Turnaround", {"host.turnaround=7us", "host.queue_depth=3"}, seeded(++seed)});
    cases.push_back({"ReadTouch", {"buffer.read_touch=true"}, seeded(++seed)});
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Host, DriveMatrixTest,
                         ::testing::ValuesIn(few_of(interfaces_and_depths())), name_of);
INSTANTIATE_TEST_SUITE_P(SlowHost, DriveMatrixTest,
                         ::testing::ValuesIn(rest_of(interfaces_and_depths())), name_of);
INSTANTIATE_TEST_SUITE_P(SlowNvme, DriveMatrixTest, ::testing::ValuesIn(queue_pairs()), name_of);
INSTANTIATE_TEST_SUITE_P(SlowFua, DriveMatrixTest, ::testing::ValuesIn(unit_access()), name_of);
INSTANTIATE_TEST_SUITE_P(SlowFlush, DriveMatrixTest, ::testing::ValuesIn(flushes_that_keep()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(SlowParts, DriveMatrixTest, ::testing::ValuesIn(parts_of_pages()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(SlowAware, DriveMatrixTest, ::testing::ValuesIn(queue_awareness()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(SlowPlacement, DriveMatrixTest, ::testing::ValuesIn(placement()), name_of);
INSTANTIATE_TEST_SUITE_P(SlowAhead, DriveMatrixTest, ::testing::ValuesIn(rates_ahead()), name_of);
INSTANTIATE_TEST_SUITE_P(SlowFlash, DriveMatrixTest, ::testing::ValuesIn(flash()), name_of);
INSTANTIATE_TEST_SUITE_P(SlowArbiter, DriveMatrixTest, ::testing::ValuesIn(arbiters_and_memory()),
                         name_of);

} // namespace
} // namespace cavern::testing
