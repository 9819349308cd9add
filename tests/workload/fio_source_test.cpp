#include "workload/fio_source.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/workload/workload_fixture.h"
#include "workload/fio_job_file.h"

namespace cavern {
namespace {

TimePs at = 0;

struct Sent {
    HostRequest request;
    TimePs begin;
    TimePs end;
};

/// What a drive of `capacity` bytes sees that answers each request after `service`.
std::vector<Sent> play(const std::string& text, TimePs service = 0, std::uint64_t capacity = kGiB) {
    at = 0;
    FioSource source(parse_fio_job_file(text, "j.fio"), capacity, false, 1, [] { return at; });
    std::vector<Sent> sent;
    std::multimap<TimePs, std::uint32_t> under_way;
    for (;;) {
        HostRequest request;
        while (source.next(request)) {
            sent.push_back({request, at, at + service});
            under_way.emplace(at + service, request.job);
        }
        const TimePs answer = under_way.empty() ? kNever : under_way.begin()->first;
        if (std::min(answer, source.ask_again_at()) == kNever) {
            return sent;
        }
        at = std::min(answer, source.ask_again_at());
        if (answer == at) {
            source.answered(under_way.begin()->second);
            under_way.erase(under_way.begin());
        }
    }
}

/// "W0+4 R8+4": operations with place and size in KiB.
std::string told(const std::vector<Sent>& sent) {
    std::string text;
    for (const Sent& one : sent) {
        const HostRequest& r = one.request;
        text += text.empty() ? "" : " ";
        if (r.op == RequestOp::kFlush) {
            text += "F";
            continue;
        }
        text += (r.op == RequestOp::kRead    ? "R"
                 : r.op == RequestOp::kWrite ? "W"
                 : r.op == RequestOp::kTrim  ? "T"
                                             : "Z") +
                std::to_string(r.offset / kKiB) + "+" + std::to_string(r.bytes / kKiB);
    }
    return text;
}

std::vector<TimePs> begins(const std::vector<Sent>& sent) {
    std::vector<TimePs> us;
    for (const Sent& one : sent) {
        us.push_back(one.begin / kUs);
    }
    return us;
}

using Times = std::vector<TimePs>;

// Sequences are those of fio 3.33 itself, with ioengine=psync on a file of filesize bytes, or of a
// drive's; this is what `write_iolog` says of each job.
TEST(FioSourceTest, OrderedJobsGoWhereFioGoes) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"rw=write\nsize=16k\n", "W0+4 W4+4 W8+4 W12+4"},
        {"rw=write:4k\nfilesize=24k\nsize=16k\n", "W0+4 W8+4 W16+4 W0+4"},
        {"rw=read:-8k\nfilesize=64k\nsize=16k\n", "R0+4 R56+4 R52+4 R48+4"},
        {"rw=read:-8k\noffset=64k\nfilesize=256k\nsize=12k\n", "R184+4 R180+4 R176+4"},
        {"rw=trimwrite\nsize=64k\nnumber_ios=2\n", "T0+4 W0+4 T4+4 W4+4"},
        {"rw=write\nsize=16k\nio_size=40k\n",
         "W0+4 W4+4 W8+4 W12+4 W0+4 W4+4 W8+4 W12+4 W0+4 W4+4"},
        {"rw=write\nsize=8k\nloops=2\n", "W0+4 W4+4 W0+4 W4+4"},
        {"rw=write\nsize=16k\nnumber_ios=6\n", "W0+4 W4+4 W8+4 W12+4"},
        {"rw=write\nfilesize=64k\nsize=8k\nloops=2\n", "W0+4 W4+4 W8+4 W12+4"},
        {"rw=write\nsize=16k\nnumber_ios=3\nloops=2\n", "W0+4 W4+4 W8+4 W12+4 W0+4 W4+4"},
        {"rw=write\nbs=12k\nfilesize=32k\nsize=32k\n", "W0+12 W12+12"},
        {"rw=write\nbs=12k\nsize=32k\n", "W0+12 W12+12 W24+12"},
        {"rw=write:4k\nsize=16k\n", "W0+4 W8+4"},
        {"rw=write:4k\noffset=4k\nsize=16k\nio_size=24k\n", "W4+4 W12+4 W4+4 W12+4 W4+4 W12+4"},
        {"rw=write\nsize=24k\nfsync=2\n", "W0+4 W4+4 F W8+4 W12+4 F W16+4 W20+4"},
        {"rw=write\nsize=8k\nend_fsync=1\n", "W0+4 W4+4 F"},
        {"rw=read\nfilesize=128k\nsize=32k\nzonemode=strided\nzonesize=16k\nzoneskip=16k\n",
         "R0+4 R4+4 R8+4 R12+4 R32+4 R36+4 R40+4 R44+4"},
        {"rw=read\nfilesize=128k\nsize=24k\nzonemode=strided\nzonesize=16k\nzonerange=8k\n"
         "zoneskip=8k\n",
         "R0+4 R4+4 R0+4 R4+4 R16+4 R20+4"},
        {"rw=read\nbs=12k\nfilesize=40k\nzonemode=strided\nzonesize=16k\nzoneskip=8k\n",
         "R0+12 R12+12 R24+12"},
        {"rw=write\nfilesize=64k\nsize=50%\nbs=16k\n", "W0+16 W16+16"},
    };
    for (const auto& [job, expected] : cases) {
        EXPECT_EQ(told(play("[j]\n" + job)), expected) << job;
    }
}

TEST(FioSourceTest, AMapHasEachBlockOnceInEachPass) {
    const std::string job = "[j]\nrw=randwrite\nbs=4k\nsize=1m\n";
    const auto places = [](const std::vector<Sent>& sent) {
        std::set<std::uint64_t> all;
        for (const Sent& one : sent) {
            all.insert(one.request.offset);
        }
        return all;
    };
    const auto once = play(job);
    EXPECT_EQ(once.size(), 256u);
    EXPECT_EQ(places(once).size(), 256u);
    EXPECT_NE(told(once), told(play("[j]\nrw=write\nbs=4k\nsize=1m\n")));
    // The negative control: without a map 1 - 1/e of them.
    const auto repeated = play(job + "norandommap\n");
    EXPECT_EQ(repeated.size(), 256u);
    EXPECT_NEAR(static_cast<double>(places(repeated).size()), 256 * 0.632, 20);
    // A pass draws the same again, unless randrepeat=0.
    const auto twice = play(job + "loops=2\n");
    ASSERT_EQ(twice.size(), 512u);
    const std::vector<Sent> first(twice.begin(), twice.begin() + 256);
    const std::vector<Sent> second(twice.begin() + 256, twice.end());
    EXPECT_EQ(told(first), told(second));
    const auto anew = play(job + "loops=2\nrandrepeat=0\n");
    EXPECT_NE(told({anew.begin(), anew.begin() + 256}), told({anew.begin() + 256, anew.end()}));
    // An alignment of its own turns the map off, as fio says.
    EXPECT_LT(places(play(job + "ba=8k\n")).size(), 128u);
}

TEST(FioSourceTest, TheLastPartOfABlockIsLeftOutOfAMap) {
    for (const char* seed : {"1", "2", "3", "4"}) {
        const std::string job = "[j]\nrw=randrw\nbs=12k\nsize=1000k\nrandseed=";
        EXPECT_EQ(play(job + seed).size(), 83u) << seed;
    }
}

// 21 blocks and a part of one, which ends the job where it is drawn if the file ends there; of 16k
// it has 16.
TEST(FioSourceTest, TheLastPartOfABlockMayBePopular) {
    std::size_t shorter = 0;
    for (int seed = 1; seed <= 40; ++seed) {
        const auto sent = [&](const char* bs) {
            return play("[j]\nrw=randread\nrandom_distribution=zipf:1.2\nsize=256k\nbs=" +
                        std::string(bs) + "\nrandseed=" + std::to_string(seed) + "\n")
                .size();
        };
        EXPECT_EQ(sent("12k"), 22u);
        EXPECT_LE(sent("12k\nfilesize=256k"), 22u);
        shorter += sent("12k\nfilesize=256k") < 22 ? 1 : 0;
        EXPECT_EQ(sent("16k\nfilesize=256k"), 16u);
    }
    EXPECT_GT(shorter, 0u);
    EXPECT_LT(shorter, 40u);
}

TEST(FioSourceTest, TheMapCutsARequestAtWhatIsDone) {
    std::set<std::uint64_t> done;
    std::uint64_t bytes = 0;
    for (const Sent& one : play("[j]\nrw=randread\nbsrange=4k-64k\nsize=1m\n")) {
        for (std::uint64_t i = 0; i < one.request.bytes; i += 4 * kKiB) {
            EXPECT_TRUE(done.insert(one.request.offset + i).second);
        }
        bytes += one.request.bytes;
    }
    EXPECT_EQ(bytes, kMiB);
    EXPECT_EQ(done.size(), 256u);
}

TEST(FioSourceTest, RandomPlacesComeInSequences) {
    const auto ends = play("[j]\nrw=randread:4\nbs=4k\nsize=1g\nnumber_ios=40\nnorandommap\n");
    ASSERT_EQ(ends.size(), 40u);
    for (std::size_t i = 1; i < ends.size(); ++i) {
        const HostRequest& before = ends[i - 1].request;
        EXPECT_EQ(ends[i].request.offset == before.offset + before.bytes, i % 4 != 0) << i;
    }
    const auto same = play("[j]\nrw=randread:3\nrw_sequencer=identical\nbs=4k\nsize=1g\n"
                           "number_ios=30\nnorandommap\n");
    for (std::size_t i = 1; i < same.size(); ++i) {
        EXPECT_EQ(same[i].request.offset == same[i - 1].request.offset, i % 3 != 0) << i;
    }
}

TEST(FioSourceTest, FlushesOfAMixFollowReadsToo) {
    // fio: no flush follows a flush, but one follows each read as long as no write is in between.
    std::uint64_t writes = 0;
    bool flushed = false;
    for (const Sent& one : play("[j]\nrw=rw\nbs=4k\nsize=4m\nfsync=4\n")) {
        if (one.request.op == RequestOp::kFlush) {
            EXPECT_EQ(writes % 4, 0u);
            EXPECT_FALSE(flushed);
            flushed = true;
            continue;
        }
        EXPECT_TRUE(flushed || writes == 0 || writes % 4 != 0);
        flushed = false;
        writes += one.request.op == RequestOp::kWrite ? 1 : 0;
    }
    EXPECT_GT(writes, 400u);
}

TEST(FioSourceTest, ASynchronousEngineHasOneUnderWay) {
    const std::string job = "[j]\nrw=read\nbs=4k\nsize=64k\niodepth=4\ndirect=1\n";
    EXPECT_EQ(begins(play(job + "ioengine=psync\nnumber_ios=3\n", 10 * kUs)), (Times{0, 10, 20}));
    EXPECT_EQ(begins(play(job + "number_ios=3\n", 10 * kUs)), (Times{0, 10, 20}));
    EXPECT_EQ(begins(play(job + "ioengine=libaio\nnumber_ios=6\n", 10 * kUs)),
              (Times{0, 0, 0, 0, 10, 10}));
    EXPECT_EQ(parse_fio_job_file(job, "j.fio").notes.size(), 1u);
    EXPECT_TRUE(parse_fio_job_file(job + "ioengine=libaio\n", "j.fio").notes.empty());
}

TEST(FioSourceTest, AFullQueueWaitsForABatchOrUntilItIsLow) {
    const std::string job =
        "[j]\nioengine=null\nrw=read\nbs=4k\nsize=64k\nnumber_ios=8\niodepth=4\n";
    EXPECT_EQ(begins(play(job, 10 * kUs)), (Times{0, 0, 0, 0, 10, 10, 10, 10}));
    // One answer is enough for the next; where answers come one by one, a batch is told apart.
    const auto one_by_one = [&](const std::string& more) {
        std::size_t most = 0;
        at = 0;
        FioSource source(parse_fio_job_file(job + more, "j.fio"), kGiB, false, 1,
                         [] { return at; });
        std::size_t under_way = 0;
        for (HostRequest request; source.next(request);) {
            ++under_way;
        }
        EXPECT_EQ(under_way, 4u);
        std::size_t answers = 0;
        for (HostRequest request; !source.next(request);) {
            source.answered(0);
            most = ++answers;
        }
        return most;
    };
    EXPECT_EQ(one_by_one(""), 1u);
    EXPECT_EQ(one_by_one("iodepth_batch_complete_min=3\n"), 3u);
    EXPECT_EQ(one_by_one("iodepth_batch_complete_min=32\n"), 4u);
    EXPECT_EQ(one_by_one("iodepth_low=2\n"), 2u);
}

TEST(FioSourceTest, RatesAreThoseOfEachDirection) {
    const std::string job = "[j]\nioengine=null\nbs=4k\nsize=1m\n";
    EXPECT_EQ(begins(play(job + "rw=write\nnumber_ios=4\nrate_iops=1000\n")),
              (Times{0, 1000, 2000, 3000}));
    EXPECT_EQ(begins(play("[j]\nrw=write\nbs=8k\nsize=1m\nnumber_ios=3\nrate=8m\n"))[2],
              2 * kSecond / kUs / 1024);
    const auto counts = [&](const std::string& rates) {
        std::map<RequestOp, int> of;
        for (const Sent& one : play(job + "size=1g\nrw=randrw\nruntime=1s\ntime_based\n" + rates)) {
            ++of[one.request.op];
        }
        return std::pair(of[RequestOp::kRead], of[RequestOp::kWrite]);
    };
    EXPECT_EQ(counts("rate_iops=900,100\n"), std::pair(900, 100));
    EXPECT_EQ(counts("rate_iops=300\n"), std::pair(300, 300));
    const auto [reads, writes] = counts("rate_iops=1000\nrate_process=poisson\n");
    EXPECT_NEAR(reads, 1000, 120);
    EXPECT_NEAR(writes, 1000, 120);
}

TEST(FioSourceTest, TheQueueBoundsWhatARateAsksFor) {
    // 1,000 per second of a drive that takes 2 ms: 500 with one under way, all with two.
    const std::string job = "[j]\nioengine=libaio\nrw=write\nbs=4k\nsize=1g\nrate_iops=1000\n"
                            "io_submit_mode=offload\nruntime=1s\ntime_based\n";
    EXPECT_EQ(play(job, 2 * kMs).size(), 500u);
    EXPECT_NEAR(static_cast<double>(play(job + "iodepth=4\n", 2 * kMs).size()), 1000, 2);
    // fio's own thread waits for what is under way before it sleeps.
    const std::string inline_job = "[j]\nioengine=libaio\niodepth=4\nrw=write\nbs=4k\nsize=1g\n"
                                   "rate_iops=1000\nnumber_ios=3\n";
    EXPECT_EQ(begins(play(inline_job, 200 * kUs)), (Times{0, 1200, 2200}));
}

TEST(FioSourceTest, AThinktimeIsCaughtUpWithUnlessTheRateIgnoresIt) {
    const std::string job =
        "[j]\nrw=write\nbs=4k\nsize=1m\nnumber_ios=6\nthinktime=2500\nthinktime_blocks=2\n";
    EXPECT_EQ(begins(play(job)), (Times{0, 0, 2500, 2500, 5000, 5000}));
    EXPECT_EQ(begins(play(job + "rate_iops=1000\n")), (Times{0, 1000, 3500, 3500, 6000, 6000}));
    const Times ignored = begins(play(job + "rate_iops=1000\nrate_ignore_thinktime=1\n"));
    EXPECT_EQ(ignored[2], 3500u);
    EXPECT_GE(ignored[3], 4400u);
    // Half a block in each pause.
    EXPECT_EQ(begins(play("[j]\nrw=write\nbs=4k\nsize=1m\nnumber_ios=4\nthinktime=500\n"
                          "rate_iops=1000\nrate_ignore_thinktime=1\n")),
              (Times{0, 1000, 2500, 4000}));
}

TEST(FioSourceTest, TimeBasedRunsGoRound) {
    const auto sent = play("[j]\nrw=write\nbs=4k\nsize=8k\ntime_based\nruntime=50us\n", 10 * kUs);
    EXPECT_EQ(told(sent), "W0+4 W4+4 W0+4 W4+4 W0+4");
    const auto ramped =
        play("[j]\nrw=write\nbs=4k\nsize=8k\ntime_based\nruntime=50us\nramp_time=20us\n", 10 * kUs);
    EXPECT_EQ(ramped.size(), 7u);
    const auto random =
        play("[j]\nrw=randwrite\nbs=4k\nsize=8k\ntime_based\nruntime=60us\n", 10 * kUs);
    EXPECT_EQ(random.size(), 6u);
}

TEST(FioSourceTest, JobsBeginBehindOthersAndEndWithThem) {
    const std::string two = "[global]\nbs=4k\nsize=16k\n[a]\nrw=write\n[b]\nrw=write\n";
    std::string order;
    for (const Sent& one : play(two + "[c]\nstonewall\nrw=read\n", kUs)) {
        order += one.request.op == RequestOp::kRead ? 'R' : 'W';
    }
    EXPECT_EQ(order, "WWWWWWWWRRRR");
    EXPECT_EQ(play(two + "[c]\nwait_for=a\nrw=read\n", kUs).back().begin, 7 * kUs);
    EXPECT_EQ(begins(play("[a]\nrw=read\nbs=4k\nsize=4k\nstartdelay=3ms\n")), (Times{3000}));
    // exitall: the reader ends with the first to end.
    const std::string exits = "[global]\nbs=4k\n[a]\nrw=write\nsize=16k\n[r]\nrw=read\nsize=64k\n";
    EXPECT_EQ(play(exits, kUs).size(), 20u);
    EXPECT_EQ(play("[global]\nexitall\n" + exits, kUs).size(), 8u);
}

TEST(FioSourceTest, FlowsKeepTheirShares) {
    std::map<std::uint32_t, int> of;
    for (const Sent& one : play("[global]\nbs=4k\nsize=1g\nruntime=10ms\ntime_based\n"
                                "ioengine=libaio\niodepth=8\n[a]\nrw=write\nflow=1\n[b]\n"
                                "rw=randread\nflow=8\n",
                                10 * kUs)) {
        ++of[one.request.job];
    }
    EXPECT_GT(of[0], 100);
    EXPECT_NEAR(static_cast<double>(of[1]) / of[0], 8, 0.2);
}

TEST(FioSourceTest, AFlowHasTheJobsThatRunAlone) {
    // One that is held back by a stonewall, and one that has ended, have no share.
    const auto sent = play("[global]\nbs=4k\nsize=64k\n[a]\nrw=write\nflow=1\n[b]\nstonewall\n"
                           "rw=read\nflow=8\n[c]\nrw=read\nflow=1\n",
                           kUs);
    EXPECT_EQ(sent.size(), 48u);
    EXPECT_EQ(told({sent.begin(), sent.begin() + 2}), "W0+4 W4+4");
}

TEST(FioSourceTest, LoopsOfAnySizeGoOn) {
    at = 0;
    // 2^62 bytes, four times.
    FioSource source(parse_fio_job_file("[j]\nrw=write\nbs=4k\nsize=64k\nloops=4\n"
                                        "io_size=4611686018427387904\n",
                                        "j.fio"),
                     kGiB, false, 1, [] { return at; });
    HostRequest request;
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(source.next(request)) << i;
        source.answered(0);
    }
}

TEST(FioSourceTest, APauseBeyondAllTimeIsAMistake) {
    const std::string error =
        error_of([] { static_cast<void>(play("[j]\nrw=write\nbs=16m\nsize=1g\nrate=1\n")); });
    EXPECT_EQ(error, "j.fio:1: job \"j\" waits longer than 106 days; a higher rate or a shorter "
                     "pause");
}

TEST(FioSourceTest, ThinktimeMayCountTheTimeInsteadOfTheBlocks) {
    const std::string job = "[j]\nrw=write\nbs=4k\nsize=1m\nnumber_ios=8\nthinktime=100\n";
    EXPECT_EQ(begins(play(job, 10 * kUs)), (Times{0, 110, 220, 330, 440, 550, 660, 770}));
    // 130 us of work and thought before: after the 13th request of 10 us.
    const Times timed = begins(play(job + "number_ios=15\nthinktime_iotime=30\n", 10 * kUs));
    EXPECT_EQ(timed[12], 120u);
    EXPECT_EQ(timed[13], 230u);
}

TEST(FioSourceTest, FlushesUnderWayBringNoThinktime) {
    const std::string job = "[j]\nioengine=io_uring\niodepth=4\nrw=write\nbs=4k\nsize=16k\n"
                            "fsync=1\nthinktime=100\nthinktime_blocks=8\n";
    EXPECT_EQ(begins(play(job, 10 * kUs)), (Times{0, 0, 0, 0, 10, 10, 10}));
}

TEST(FioSourceTest, LibaioWaitsForItsFlushesAndTrims) {
    const std::string job = "[j]\nioengine=libaio\niodepth=4\nbs=4k\nsize=16k\n";
    EXPECT_EQ(begins(play(job + "rw=trim\n", 10 * kUs)), (Times{0, 10, 20, 30}));
    EXPECT_EQ(begins(play("[j]\nioengine=null\niodepth=4\nbs=4k\nsize=16k\nrw=trim\n", 10 * kUs)),
              (Times{0, 0, 0, 0}));
    EXPECT_EQ(begins(play(job + "rw=write\nfsync=2\n", 10 * kUs)), (Times{0, 0, 0, 10, 10}));
}

TEST(FioSourceTest, DurableWritesAreThoseOfSync) {
    for (const char* key : {"sync=1\n", "sync=dsync\n", "sync=sync\n", "sync\n", "writefua=1\n"}) {
        for (const Sent& one : play(std::string("[j]\nrw=rw\nsize=64k\n") + key)) {
            EXPECT_EQ(one.request.fua, one.request.op == RequestOp::kWrite) << key;
        }
    }
    for (const char* key : {"sync=0\n", "sync=none\n", ""}) {
        EXPECT_FALSE(play(std::string("[j]\nrw=write\nsize=4k\n") + key)[0].request.fua) << key;
    }
}

TEST(FioSourceTest, SizesHaveTheirShares) {
    std::map<std::uint64_t, double> share;
    for (const Sent& one : play("[j]\nrw=randread\nnorandommap\nsize=1g\nio_size=100g\n"
                                "number_ios=100000\nbssplit=4k/60:64k/:8k/20\n")) {
        share[one.request.bytes] += 1.0 / 100000;
        ASSERT_EQ(one.request.offset % 4096, 0u);
    }
    ASSERT_EQ(share.size(), 3u);
    EXPECT_NEAR(share[4096], 0.6, 0.01);
    EXPECT_NEAR(share[8192], 0.2, 0.01);
    EXPECT_NEAR(share[65536], 0.2, 0.01);
    for (const Sent& one : play("[j]\nrw=randrw\nbs=4k,16k\nsize=16m\nnumber_ios=1000\n")) {
        ASSERT_EQ(one.request.bytes, one.request.op == RequestOp::kRead ? 4096u : 16384u);
    }
    for (const Sent& one : play("[j]\nrw=randrw\nbs=,16k\nsize=16m\nnumber_ios=1000\n")) {
        ASSERT_EQ(one.request.bytes, one.request.op == RequestOp::kRead ? 4096u : 16384u);
    }
    // The first size is that of a place in order, the second that of a random one.
    for (const Sent& one : play("[j]\nrw=randread\npercentage_random=50\nbs=4k,8k\nsize=16m\n"
                                "bs_is_seq_rand=1\nnorandommap\n")) {
        ASSERT_TRUE(one.request.bytes == 4096 || one.request.bytes == 8192);
    }
}

TEST(FioSourceTest, AWriteByZonesGoesWhereItsZoneGoesOn) {
    const std::string job =
        "[j]\nrw=write\nbs=4k\nsize=16k\nio_size=24k\nzonemode=zbd\nzonesize=8k\n";
    EXPECT_EQ(told(play(job)), "W0+4 W4+4 W8+4 W12+4 Z0+0 W0+4 W4+4");
    // The write goes with its reset, at 40 us.
    EXPECT_EQ(told(play(job + "runtime=45us\n", 10 * kUs)), "W0+4 W4+4 W8+4 W12+4 Z0+0 W0+4");
}

} // namespace
} // namespace cavern
