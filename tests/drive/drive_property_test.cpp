// What must hold for the whole drive whatever the workload: progress with next to no memory, the
// promises of FLUSH and TRIM, decisions that do not depend on time, heavy collection.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "results/result_logs.h"
#include "tests/drive/drive_bench.h"
#include "tests/support/systemc_test.h"
#include "workload/generator.h"

namespace cavern::testing {
namespace {

constexpr std::uint32_t kPageBytes = 2048;

HostRequest request(RequestOp op, std::uint64_t lpn = 0, std::uint32_t pages = 1) {
    return {0, lpn * kPageBytes, op == RequestOp::kFlush ? 0 : pages * kPageBytes, op};
}

class DrivePropertyTest : public SystemcTest {
  protected:
    std::unique_ptr<DriveBench> make(const std::string& name,
                                     const std::vector<std::string>& overrides,
                                     const std::vector<HostRequest>& requests,
                                     const DriveBench::Options& options = {}) {
        return std::make_unique<DriveBench>(name.c_str(), small_drive(overrides), requests,
                                            options);
    }
    static std::vector<HostRequest> mixed(const Mix& mix,
                                          const std::vector<std::string>& overrides) {
        const SsdConfig config = small_drive(overrides);
        return random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes);
    }
    static const Answered& answer(const DriveBench& bench, std::uint64_t id) {
        for (const Answered& each : bench.answered()) {
            if (each.id == id) {
                return each;
            }
        }
        throw std::out_of_range("no such request");
    }
};

// ---- progress with next to no memory ------------------------------------------------------------

struct Tight {
    std::string name;
    std::vector<std::string> overrides;
};
void PrintTo(const Tight& tight, std::ostream* out) {
    *out << tight.name;
}

class TightMemoryTest : public DrivePropertyTest, public ::testing::WithParamInterface<Tight> {};

// 32 commands of up to eight pages on one to three frames. A deadlock ends the run with commands
// unanswered, which expect_sound() reports.
TEST_P(TightMemoryTest, EveryCommandIsAnswered) {
    Mix mix;
    mix.requests = 800;
    mix.reads = 20;
    mix.writes = 65;
    mix.trims = 10;
    mix.max_pages = 8;
    const auto bench = make("bench", GetParam().overrides, mixed(mix, GetParam().overrides));
    run();
    bench->expect_sound();
    EXPECT_GT(bench->ssd().core().ftl().counters().gc_runs, 10u);
}

std::vector<Tight> tight() {
    std::vector<Tight> all;
    for (const char* policy : {"none", "lru-page", "lru-block"}) {
        for (const char* size : {"2KiB", "4KiB", "6KiB"}) {
            for (const char* eviction : {"single", "cave"}) {
                for (const char* dram : {"banked", "ideal"}) {
                    std::string name = std::string(policy) + size + eviction + dram;
                    name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                    all.push_back(
                        {name,
                         {std::string("buffer.policy=") + policy,
                          std::string("buffer.size=") + size,
                          std::string("buffer.eviction=") + eviction,
                          std::string("dram.model=") + dram, "alloc.scheme=block-round-robin"}});
                }
            }
        }
    }
    // One die, few blocks, write-through, deep queues: blocks are programmed, collected, erased and
    // programmed again while their first programs still wait.
    for (const char* discipline : {"read-first", "fifo"}) {
        all.push_back(
            {std::string("oneDie") + (discipline[0] == 'f' ? "Fifo" : "ReadFirst"),
             {"nand.channels=1", "nand.ways=1", "nand.blocks_per_plane=8", "nand.pages_per_block=4",
              "ftl.overprovision=0.6", "buffer.policy=none", "buffer.size=1MiB", "dram.size=2MiB",
              std::string("scheduler.discipline=") + discipline}});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Of, TightMemoryTest, ::testing::ValuesIn(tight()),
                         [](const auto& test) { return test.param.name; });

// ---- heavy collection ---------------------------------------------------------------------------

TEST_F(DrivePropertyTest, AFullDriveUnderRandomWritesCollectsAndStaysSound) {
    const std::vector<std::string> overrides{"ftl.overprovision=0.26", "precondition.fill=1.0",
                                             "precondition.overwrite=1.0",
                                             "nand.strict_order=true"};
    Mix mix;
    mix.requests = 3000;
    mix.reads = 20;
    mix.writes = 78;
    mix.trims = 0;
    mix.max_pages = 2;
    const auto bench = make("bench", overrides, mixed(mix, overrides));
    run();
    bench->expect_sound();
    EXPECT_GT(bench->waf(), 1.5);
    // Programs of the dies are those the translation layer counted, host and copies.
    std::uint64_t programs = 0;
    std::uint64_t erases = 0;
    for (std::uint32_t die = 0; die < 4; ++die) {
        programs += bench->ssd().die(DieId{die}).statistics().programs;
        erases += bench->ssd().die(DieId{die}).statistics().erases;
    }
    const FtlCounters& counters = bench->ssd().core().ftl().counters();
    EXPECT_EQ(programs, counters.host_pages + counters.gc_pages);
    EXPECT_EQ(erases, counters.erases);
}

// ---- FLUSH and TRIM -----------------------------------------------------------------------------

class FlushTest : public DrivePropertyTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(FlushTest, CompletesWithTheLastProgramOfWhatCameBefore) {
    std::vector<HostRequest> requests;
    for (std::uint64_t lpn = 0; lpn < 12; ++lpn) {
        requests.push_back(request(RequestOp::kWrite, lpn));
    }
    requests.push_back(request(RequestOp::kFlush));
    const auto bench = make("bench", {"buffer.policy=" + GetParam(), "dram.model=ideal"}, requests);
    run();
    bench->expect_sound();
    std::uint64_t programs = 0;
    for (std::uint32_t die = 0; die < 4; ++die) {
        programs += bench->ssd().die(DieId{die}).statistics().programs;
    }
    EXPECT_EQ(programs, 12u);
    const Answered& flush = answer(*bench, 12);
    // The last thing that happens at all, and three rounds of programs do not fit in less.
    EXPECT_EQ(flush.completed, sc_core::sc_time_stamp().value());
    EXPECT_GE(flush.completed, 3 * 200 * kUs);
    // All a flush covers is in flash then and was not one step before.
    EXPECT_TRUE(bench->shadow().missing_after_flush(flush.dispatch + 1, flush.completed).empty());
    EXPECT_FALSE(
        bench->shadow().missing_after_flush(flush.dispatch + 1, flush.completed - 1).empty());
}

INSTANTIATE_TEST_SUITE_P(With, FlushTest, ::testing::Values("none", "lru-page", "lru-block"),
                         [](const auto& test) {
                             return test.param == "none"       ? "Through"
                                    : test.param == "lru-page" ? "PageLru"
                                                               : "BlockLru";
                         });

TEST_F(DrivePropertyTest, AFlushDoesNotWaitForWhatComesAfterIt) {
    std::vector<HostRequest> requests{request(RequestOp::kWrite, 0), request(RequestOp::kFlush)};
    for (std::uint64_t lpn = 1; lpn < 25; ++lpn) {
        requests.push_back(request(RequestOp::kWrite, lpn));
    }
    const auto bench = make("bench", {"buffer.policy=none", "dram.model=ideal"}, requests);
    run();
    bench->expect_sound();
    EXPECT_EQ(answer(*bench, 1).completed, answer(*bench, 0).completed);
    EXPECT_GT(answer(*bench, 25).completed, answer(*bench, 1).completed);
}

TEST_F(DrivePropertyTest, AFlushOfACleanDriveIsAnsweredAtOnce) {
    const auto bench = make("bench", {}, {request(RequestOp::kFlush)});
    run();
    EXPECT_EQ(answer(*bench, 0).completed, 0u);
    EXPECT_GT(bench->ssd().check_end_of_run(), 0u);
}

TEST_F(DrivePropertyTest, TwoFlushesAtOnceAreBothKept) {
    std::vector<HostRequest> requests;
    for (std::uint64_t lpn = 0; lpn < 6; ++lpn) {
        requests.push_back(request(RequestOp::kWrite, lpn));
    }
    requests.push_back(request(RequestOp::kFlush));
    requests.push_back(request(RequestOp::kWrite, 0));
    requests.push_back(request(RequestOp::kFlush));
    const auto bench = make("bench", {}, requests);
    run();
    bench->expect_sound();
    EXPECT_LT(answer(*bench, 6).completed, answer(*bench, 8).completed);
}

TEST_F(DrivePropertyTest, ATrimmedPageReadsAsZerosFromBufferAndFlash) {
    std::vector<HostRequest> requests{
        request(RequestOp::kWrite, 0, 4),                                   // will be in flash
        request(RequestOp::kFlush),       request(RequestOp::kWrite, 4, 4), // is in the buffer
        request(RequestOp::kTrim, 1, 6),                                    // pages 1..6
        request(RequestOp::kRead, 0, 8),
    };
    const auto bench = make("bench", {"host.queue_depth=1"}, requests);
    run();
    bench->expect_sound();
    EXPECT_EQ(bench->ssd().buffer_manager().statistics().zero_reads, 6u);
    EXPECT_EQ(bench->shadow().checked().flash, 1u);  // page 0
    EXPECT_EQ(bench->shadow().checked().frames, 1u); // page 7
    EXPECT_EQ(bench->ssd().core().ftl().mapped_pages(), 1u);
}

TEST_F(DrivePropertyTest, ATrimForgetsWholePagesOnly) {
    std::vector<HostRequest> requests{request(RequestOp::kWrite, 0, 4),
                                      request(RequestOp::kFlush),
                                      // From the middle of page 0 to the middle of page 3.
                                      {0, kPageBytes / 2, 3 * kPageBytes, RequestOp::kTrim},
                                      request(RequestOp::kRead, 0, 4)};
    const auto bench = make("bench", {"host.queue_depth=1"}, requests);
    run();
    bench->expect_sound();
    EXPECT_EQ(bench->ssd().buffer_manager().statistics().zero_reads, 2u);
    EXPECT_EQ(bench->shadow().checked().flash, 2u);
}

TEST_F(DrivePropertyTest, ATrimOfAPageOnItsWayToFlashDoesNotDisturbIt) {
    std::vector<HostRequest> requests;
    for (std::uint64_t lpn = 0; lpn < 20;
         ++lpn) { // 16 frames: the first pages are being programmed
        requests.push_back(request(RequestOp::kWrite, lpn));
    }
    requests.push_back(request(RequestOp::kTrim, 0, 20));
    requests.push_back(request(RequestOp::kRead, 0, 20));
    const auto bench = make("bench", {}, requests);
    run();
    bench->expect_sound();
    EXPECT_EQ(bench->ssd().buffer_manager().statistics().zero_reads, 20u);
    EXPECT_EQ(bench->ssd().core().ftl().mapped_pages(), 0u);
}

// ---- where reads are served from ----------------------------------------------------------------

TEST_F(DrivePropertyTest, APageBeingProgrammedIsReadFromItsFrame) {
    std::vector<HostRequest> requests;
    for (std::uint64_t lpn = 0; lpn < 20; ++lpn) {
        requests.push_back(request(RequestOp::kWrite, lpn));
    }
    for (std::uint64_t lpn = 0; lpn < 4; ++lpn) {
        requests.push_back(request(RequestOp::kRead, lpn));
    }
    const auto bench = make("bench", {}, requests);
    run();
    bench->expect_sound();
    EXPECT_EQ(bench->ssd().buffer_manager().statistics().in_flight_read_hits, 4u);
    EXPECT_EQ(bench->shadow().checked().flash, 0u);
}

// ---- warm-up ------------------------------------------------------------------------------------

TEST_F(DrivePropertyTest, AWarmUpIsLeftOutOfEveryStatistic) {
    std::vector<HostRequest> requests;
    for (std::uint64_t i = 0; i < 300; ++i) {
        requests.push_back(request(RequestOp::kWrite, (7 * i) % 200, 2));
    }
    DriveBench::Options options;
    options.warmup = 200;
    const auto bench = make("bench", {}, requests, options);
    const auto whole = make("whole", {}, requests);
    run();
    EXPECT_GT(bench->ssd().check_end_of_run(), 0u);
    EXPECT_EQ(bench->answered().size(), 100u);
    EXPECT_EQ(bench->ssd().statistics_since(), bench->answered().front().dispatch);
    const BufferCounters counters = bench->ssd().core().buffer_counters();
    EXPECT_EQ(counters.write_hits + counters.write_misses, 100u * 2);
    // A third of the run is counted, and the run itself is the same.
    EXPECT_LT(bench->ssd().channel(0).statistics().grants,
              whole->ssd().channel(0).statistics().grants / 2);
    EXPECT_LT(bench->ssd().core().ftl().counters().host_pages,
              whole->ssd().core().ftl().counters().host_pages / 2);
    EXPECT_TRUE(bench->shadow().decisions() == whole->shadow().decisions());
}

// ---- decisions do not depend on time ------------------------------------------------------------

class SameDecisionsTest : public DrivePropertyTest,
                          public ::testing::WithParamInterface<std::string> {};

// Several drives in one simulation, alike but for one choice that changes times only.
TEST_P(SameDecisionsTest, WhateverTheArbiterTheSdramTheLinkOrTheQueue) {
    const std::vector<std::string> base{"buffer.policy=" + GetParam(), "nand.ways=4",
                                        "buffer.eviction=cave", "alloc.scheme=block-round-robin"};
    Mix mix;
    mix.requests = 800;
    mix.mean_gap = 60 * kUs;
    mix.writes = 55;
    mix.reads = 38;
    const std::vector<HostRequest> requests = mixed(mix, base);
    std::vector<std::unique_ptr<DriveBench>> benches;
    for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
             {"channel.arbiter=tlm"},
             {"channel.arbiter=rtl"},
             {"channel.arbiter=lockstep"},
             {"channel.arbiter=tlm", "channel.policy=priority-age"},
             {"dram.model=ideal"},
             {"host.interface=sata"},
             {"host.queue_depth=1"},
             {"scheduler.discipline=fifo"},
             {"nand.t_program=\"900us\""}}) {
        std::vector<std::string> overrides = base;
        overrides.insert(overrides.end(), more.begin(), more.end());
        DriveBench::Options options;
        options.closed_loop = false;
        benches.push_back(
            make("bench_" + std::to_string(benches.size()), overrides, requests, options));
    }
    run();
    const std::string& decisions = benches[0]->shadow().decisions();
    EXPECT_GT(decisions.size(), 10'000u);
    for (const auto& bench : benches) {
        bench->expect_sound();
        EXPECT_TRUE(bench->shadow().decisions() == decisions) << bench->name();
    }
    // Times do differ, or the comparison would say nothing.
    EXPECT_NE(benches[0]->answered().back().completed, benches[1]->answered().back().completed);
    EXPECT_NE(benches[0]->answered().back().completed, benches[8]->answered().back().completed);
}

TEST_P(SameDecisionsTest, ButNotWhateverTheWorkload) {
    const std::vector<std::string> base{"buffer.policy=" + GetParam()};
    Mix mix;
    mix.requests = 200;
    const auto first = make("first", base, mixed(mix, base));
    mix.seed = 2;
    const auto second = make("second", base, mixed(mix, base));
    run();
    EXPECT_FALSE(first->shadow().decisions() == second->shadow().decisions());
}

INSTANTIATE_TEST_SUITE_P(With, SameDecisionsTest,
                         ::testing::Values("none", "lru-page", "lru-block"), [](const auto& test) {
                             return test.param == "none"       ? "Through"
                                    : test.param == "lru-page" ? "PageLru"
                                                               : "BlockLru";
                         });

// ---- jobs ---------------------------------------------------------------------------------------

/// Most requests of each operation outstanding at once, and how many there were.
class Outstanding final : public RequestLogIf {
  public:
    void completed(const CompletedRequest& done) override {
        spans_[done.request.op].push_back({done.where->arrival, done.completed});
    }
    [[nodiscard]] std::size_t most(RequestOp op) const {
        std::size_t most = 0;
        for (const auto& [begin, end] : spans_.at(op)) {
            const TimePs at = begin;
            most = std::max<std::size_t>(
                most,
                std::count_if(spans_.at(op).begin(), spans_.at(op).end(),
                              [at](const auto& s) { return s.first <= at && at < s.second; }));
        }
        return most;
    }
    [[nodiscard]] std::size_t count(RequestOp op) const { return spans_.at(op).size(); }

  private:
    std::map<RequestOp, std::vector<std::pair<TimePs, TimePs>>> spans_;
};

class JobsTest : public DrivePropertyTest {
  protected:
    /// A reader and a writer in a closed loop.
    static GeneratorSpec jobs(std::uint32_t reader_depth, std::uint32_t writer_depth) {
        JobSpec reader;
        reader.pattern = Pattern::kRandRead;
        reader.block_bytes = kPageBytes;
        reader.size = 128 * kPageBytes;
        reader.number_ios = 200;
        reader.iodepth = reader_depth;
        JobSpec writer = reader;
        writer.pattern = Pattern::kRandWrite;
        writer.number_ios = 1000;
        writer.iodepth = writer_depth;
        return {"jobs", {reader, writer}};
    }
    const Outstanding& play(const GeneratorSpec& spec, std::uint32_t queue_depth,
                            const std::string& interface) {
        const SsdConfig config = small_drive(
            {"host.interface=" + interface, "precondition.fill=1.0", "host.queue_depth=32"});
        source_ = std::make_unique<Generator>(spec);
        HostInterface::Params host;
        host.queue_depth = queue_depth;
        host.closed_loop = true;
        SsdProbes probes;
        probes.requests = &outstanding_;
        ssd_ = std::make_unique<Ssd>("ssd", config, build_core(config, nullptr), *source_, host,
                                     probes);
        run();
        EXPECT_GT(ssd_->check_end_of_run(), 0u);
        EXPECT_EQ(outstanding_.count(RequestOp::kRead), 200u);
        EXPECT_EQ(outstanding_.count(RequestOp::kWrite), 1000u);
        return outstanding_;
    }

    Outstanding outstanding_;
    std::unique_ptr<Generator> source_;
    std::unique_ptr<Ssd> ssd_;
};

TEST_F(JobsTest, KeepTheirOwnDepthOverADirectLink) {
    const Outstanding& seen = play(jobs(1, 31), 32, "direct");
    EXPECT_EQ(seen.most(RequestOp::kRead), 1u);
    EXPECT_EQ(seen.most(RequestOp::kWrite), 31u);
}

TEST_F(JobsTest, KeepTheirOwnDepthOverNvme) {
    const Outstanding& seen = play(jobs(2, 7), 9, "nvme");
    EXPECT_EQ(seen.most(RequestOp::kRead), 2u);
    EXPECT_EQ(seen.most(RequestOp::kWrite), 7u);
}

TEST_F(JobsTest, ShareTheDepthOfTheDeviceInTurnWhereTheyAskForMore) {
    const Outstanding& seen = play(jobs(16, 16), 4, "direct");
    EXPECT_LE(seen.most(RequestOp::kRead), 4u);
    EXPECT_LE(seen.most(RequestOp::kWrite), 4u);
}

/// Untimed, a command is answered behind those sent before it: one read for 31 writes.
TEST(UntimedJobsTest, SendInProportionToTheirDepths) {
    class Counted final : public RequestSourceIf {
      public:
        explicit Counted(Generator& source) : source_(source) {}
        bool next(HostRequest& request) override {
            if (!source_.next(request)) {
                return false;
            }
            letters += request.op == RequestOp::kRead ? 'R' : 'W';
            return true;
        }
        [[nodiscard]] bool has_jobs() const override { return source_.has_jobs(); }
        void answered(std::uint32_t job) override { source_.answered(job); }
        std::string letters;

      private:
        Generator& source_;
    };
    JobSpec reader;
    reader.pattern = Pattern::kRandRead;
    reader.block_bytes = kPageBytes;
    reader.size = 128 * kPageBytes;
    reader.number_ios = 100;
    JobSpec writer = reader;
    writer.pattern = Pattern::kRandWrite;
    writer.iodepth = 3;
    for (const char* aware : {"false", "true"}) {
        Generator generator({"jobs", {reader, writer}});
        Counted source(generator);
        const SsdConfig config = small_drive({std::string("buffer.ncq_aware=") + aware});
        UntimedDrive drive(config, build_core(config, nullptr));
        drive.run(source, 0, nullptr, 4);
        EXPECT_EQ(source.letters.size(), 200u);
        EXPECT_EQ(source.letters.substr(0, 12), "RWWWRWWWRWWW") << aware;
        EXPECT_EQ(std::count(source.letters.begin(), source.letters.begin() + 120, 'R'), 30);
        EXPECT_GT(drive.check_end_of_run(), 0u);
    }
}

// ---- request logs, to the byte ------------------------------------------------------------------

class RequestLogTest : public DrivePropertyTest {
  protected:
    RequestLogTest()
        : folder_(std::filesystem::temp_directory_path() /
                  ("cavern-drive-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~RequestLogTest() override { std::filesystem::remove_all(folder_); }

    /// Contents of the request logs of drives that differ in `choices`.
    std::vector<std::string> logs(const std::vector<std::vector<std::string>>& choices) {
        const std::vector<std::string> base{"nand.ways=4", "nand.channels=1",
                                            "channel.arbiter_clock=50MHz"};
        Mix mix;
        mix.requests = 400;
        const std::vector<HostRequest> requests = mixed(mix, base);
        std::vector<std::unique_ptr<RequestCsv>> files;
        std::vector<std::unique_ptr<DriveBench>> benches;
        for (const std::vector<std::string>& choice : choices) {
            std::vector<std::string> overrides = base;
            overrides.insert(overrides.end(), choice.begin(), choice.end());
            files.push_back(std::make_unique<RequestCsv>(path(files.size())));
            DriveBench::Options options;
            options.log = files.back().get();
            benches.push_back(
                make("bench_" + std::to_string(benches.size()), overrides, requests, options));
        }
        run();
        std::vector<std::string> contents;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            benches[i]->expect_sound();
            files[i]->commit();
            std::ifstream file(path(i));
            contents.emplace_back(std::istreambuf_iterator<char>(file),
                                  std::istreambuf_iterator<char>());
            EXPECT_GT(contents.back().size(), 400u * 20u);
        }
        edges_ = {};
        for (const auto& bench : benches) {
            const ClockedArbiter* arbiter = bench->ssd().clocked_arbiter(0);
            edges_.push_back(arbiter != nullptr ? arbiter->edges() : 0);
        }
        return contents;
    }
    std::string path(std::size_t number) const {
        return (folder_ / (std::to_string(number) + ".csv")).string();
    }

    std::filesystem::path folder_;
    std::vector<std::uint64_t> edges_;
};

TEST_F(RequestLogTest, IsTheSameWithAndWithoutClockGating) {
    const auto contents = logs({{"channel.arbiter=rtl"},
                                {"channel.arbiter=rtl", "channel.gate_clock=false"},
                                {"channel.arbiter=lockstep", "channel.gate_clock=false"},
                                {"channel.arbiter=tlm"}});
    EXPECT_TRUE(contents[0] == contents[1]);
    EXPECT_TRUE(contents[0] == contents[2]);
    EXPECT_FALSE(contents[0] == contents[3]); // grants at clock edges are later
    EXPECT_GT(edges_[1], 100 * edges_[0]);    // the gate saved what it promises
}

TEST_F(RequestLogTest, IsTheSameForEverySeedOfTheRtlsUninitialisedState) {
    const auto contents = logs({{"channel.arbiter=rtl", "seed=1"},
                                {"channel.arbiter=rtl", "seed=99"},
                                {"channel.arbiter=rtl", "seed=1"}});
    EXPECT_TRUE(contents[0] == contents[1]);
    EXPECT_TRUE(contents[0] == contents[2]);
}

} // namespace
} // namespace cavern::testing
