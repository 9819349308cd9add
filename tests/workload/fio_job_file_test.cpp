#include "workload/fio_job_file.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/source_dir.h"
#include "tests/workload/workload_fixture.h"

namespace cavern {
namespace {

const std::string kSample = testing::source_dir() + "/tests/reference/traces/sample.job";

std::vector<HostRequest> generate(const std::string& text) {
    Generator generator(parse_fio_job_file(text, "j.fio"));
    return drain(generator);
}

TEST(FioJobFileTest, GlobalOptionsHoldForLaterJobsAndClonesFollow) {
    const GeneratorSpec spec = load_fio_job_file(kSample);
    ASSERT_EQ(spec.jobs.size(), 3u);
    const JobSpec& log = spec.jobs[0];
    EXPECT_EQ(log.name, "log");
    EXPECT_EQ(log.line, 7u);
    EXPECT_EQ(log.pattern, Pattern::kWrite);
    EXPECT_EQ(log.size, 64 * kMiB);
    EXPECT_EQ(log.rate, 10 * kMiB);
    EXPECT_EQ(log.fsync, 8u);
    EXPECT_EQ(log.requests(), 1024u);
    for (const std::size_t i : {1u, 2u}) {
        const JobSpec& users = spec.jobs[i];
        EXPECT_EQ(users.pattern, Pattern::kRandRw);
        EXPECT_EQ(users.rwmixread, 70);
        EXPECT_EQ(users.offset, i * 64 * kMiB);
        EXPECT_EQ(users.sizes(true).shares.size(), 2u);
        EXPECT_EQ(users.sizes(false).largest(), 8192u);
        EXPECT_EQ(users.distribution.kind, Popularity::kZipf);
        EXPECT_EQ(users.rate_iops, 1000u);
        EXPECT_EQ(users.arrival, Arrival::kPoisson);
        EXPECT_EQ(users.fsync, 0u);
    }
}

TEST(FioJobFileTest, WorkloadNamedFioIsReadAsAJobFile) {
    const TemporaryFile fio("[j]\nrw=read\nsize=1m\n", "job.fio");
    EXPECT_EQ(load_generator_spec(fio.path()).requests(), 256u);
    const TemporaryFile toml("[j]\nrw=read\nsize=1m\n", "job.toml");
    EXPECT_NE(error_of([&] { static_cast<void>(load_generator_spec(toml.path())); }), "none");
}

TEST(FioJobFileTest, SizesHaveTheSharesOfBssplit) {
    const auto requests =
        generate("[j]\nrw=randread\nsize=1g\nnumber_ios=100000\nbssplit=4k/60:64k/:8k/20\n");
    std::map<std::uint64_t, double> share;
    for (const HostRequest& request : requests) {
        share[request.bytes] += 1.0 / 100000;
        ASSERT_EQ(request.offset % 4096, 0u);
        ASSERT_LE(request.offset + request.bytes, kGiB);
    }
    ASSERT_EQ(share.size(), 3u);
    EXPECT_NEAR(share[4096], 0.6, 0.01);
    EXPECT_NEAR(share[8192], 0.2, 0.01);
    EXPECT_NEAR(share[65536], 0.2, 0.01);
}

TEST(FioJobFileTest, DirectionsMayDifferInSize) {
    for (const HostRequest& r :
         generate("[j]\nrw=randrw\nbs=4k,16k\nsize=16m\nnumber_ios=1000\n")) {
        ASSERT_EQ(r.bytes, r.op == RequestOp::kRead ? 4096u : 16384u);
    }
}

TEST(FioJobFileTest, PaceThinkTimeAndDelaysAddUp) {
    const std::string job = "[j]\nrw=write\nbs=4k\nsize=1m\nnumber_ios=6\nrate_iops=1000\n";
    const auto arrivals = [&](const std::string& more) {
        std::vector<TimePs> us;
        for (const HostRequest& request : generate(job + more)) {
            us.push_back(request.arrival / kUs);
        }
        return us;
    };
    using Times = std::vector<TimePs>;
    EXPECT_EQ(arrivals(""), (Times{0, 1000, 2000, 3000, 4000, 5000}));
    EXPECT_EQ(arrivals("startdelay=2ms\n"), (Times{2000, 3000, 4000, 5000, 6000, 7000}));
    EXPECT_EQ(arrivals("thinktime=500\nthinktime_blocks=2\n"),
              (Times{0, 1000, 2500, 3500, 5000, 6000}));
    EXPECT_EQ(arrivals("time_based\nruntime=3ms\n"), (Times{0, 1000, 2000}));
    const auto by_bytes = generate("[j]\nrw=write\nbs=8k\nsize=1m\nnumber_ios=3\nrate=8m\n");
    EXPECT_EQ(by_bytes[2].arrival, 2 * kSecond / 1024);
}

TEST(FioJobFileTest, FixedInterarrivalIsThatOfIometer) {
    Generator generator(parse_generator_spec("[[job]]\nrw = \"randwrite\"\nbs = \"256KiB\"\n"
                                             "size = \"1GiB\"\nnumber_ios = 3\n"
                                             "interarrival = \"830us\"\n",
                                             "w.toml"));
    const auto requests = drain(generator);
    EXPECT_EQ(requests[1].arrival, 830 * kUs);
    EXPECT_EQ(requests[2].arrival, 1660 * kUs);
}

TEST(FioJobFileTest, FlushFollowsEveryNthWrite) {
    std::string ops;
    for (const HostRequest& request :
         generate("[j]\nrw=write\nbs=4k\nsize=1m\nnumber_ios=6\nfsync=2\n")) {
        ops += request.op == RequestOp::kFlush ? 'F' : 'W';
    }
    EXPECT_EQ(ops, "WWFWWFWW");
}

TEST(FioJobFileTest, PercentageRandomGivesRunsOfOneDirection) {
    const auto requests = generate("[j]\nrw=randrw\nrwmixread=30\nbs=4k\nsize=4g\n"
                                   "number_ios=100000\npercentage_random=25\n");
    double random = 0;
    double reads = 0;
    for (std::size_t i = 1; i < requests.size(); ++i) {
        const HostRequest& before = requests[i - 1];
        if (requests[i].offset == before.offset + before.bytes) {
            ASSERT_EQ(requests[i].op, before.op);
        } else {
            random += 1.0 / 100000;
        }
        reads += requests[i].op == RequestOp::kRead ? 1.0 / 100000 : 0;
    }
    EXPECT_NEAR(random, 0.25, 0.01);
    EXPECT_NEAR(reads, 0.30, 0.02);
}

TEST(FioJobFileTest, SpreadLaysThePiecesOverTheWholeSpace) {
    const GeneratorSpec spec =
        parse_generator_spec("[[job]]\nrw = \"randwrite\"\nsize = \"64MiB\"\nspread = \"1GiB\"\n"
                             "number_ios = 20000\nbs_mean = \"16KiB\"\n",
                             "w.toml");
    Generator generator(spec);
    std::map<std::uint64_t, int> pieces;
    for (const HostRequest& request : drain(generator)) {
        ASSERT_LE(request.offset + request.bytes, kGiB);
        const std::uint64_t piece = request.offset / (64 * kMiB);
        ++pieces[piece];
        // Each of the 16 pieces of 4 MiB stands at the front of its 64 MiB.
        ASSERT_LE(request.offset % (64 * kMiB) + request.bytes, 4 * kMiB);
    }
    EXPECT_EQ(pieces.size(), 16u);
    EXPECT_EQ(spec.end(), kGiB);
}

TEST(FioJobFileTest, MistakesAreNamedWithTheirLine) {
    const std::string job = "[j]\nrw=randrw\nsize=1m\n"; // three lines
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "1: no section is a job; "},
        {"rw=read\n", "1: \"rw\" stands before any section; "},
        {"[j\nrw=read\n", "1: the heading \"[j\" is none; "},
        {"[j]\nrw=read\n", "1: job \"j\" has no size of its own; "},
        {job + "rw=erase\n", "4: rw \"erase\" is unknown; "},
        {job + "bs=4q\n", "4: bs \"4q\" is no size; "},
        {job + "size=20%\n", "1: job \"j\" has no size of its own; "},
        {job + "size=120%\n", "4: size \"120\" is too large; "},
        {job + "bssplit=4k/60:8k/60\n", "4: bssplit adds up to 120"},
        {job + "rwmixread=101\n", "4: rwmixread \"101\" is too large; "},
        {job + "random_distribution=normal:5\n",
         "4: random_distribution \"normal:5\" is unknown; "},
        {job + "random_distribution=zoned:60/10\n", "4: random_distribution has zones"},
        {job + "thinktime=5weeks\n", "4: thinktime \"5weeks\" is no time"},
        {job + "thinktime=5\n", "1: job \"j\" has a thinktime or startdelay but no pace"},
        {job + "wait_for=k\n", "1: job \"j\" waits for \"k\", which is no job"},
        {job + "ioengine=net\n", "4: ioengine \"net\" does something else"},
        {job + "bs=$b\n", "4: bs \"$b\" names a variable; "},
        {job + "include other.fio\n", "4: unknown key \"include other.fio\"; "},
        {job + "time_based\n", "1: job \"j\" is time_based without a runtime"},
        {job + "flow=2\n", "4: unknown key \"flow\"; "},
        {job + "rate_iops=100,200\n", "4: rate_iops \"100,200\" is no whole number"}};
    EXPECT_EQ(error_of([&] { generate(job); }), "none");
    for (const auto& [text, message] : cases) {
        const std::string error = error_of([&] { generate(text); });
        EXPECT_EQ(error.substr(0, 6 + message.size()), "j.fio:" + message) << text;
        EXPECT_NE(error.find("; "), std::string::npos) << error;
    }
}

TEST(FioJobFileTest, ADriveGivesSizeToAJobThatHasNone) {
    const GeneratorSpec spec = parse_fio_job_file("[j]\nrw=read\n[k]\noffset=50%\nsize=25%\n"
                                                  "rw=read\n[l]\noffset=8k\nrw=read\n",
                                                  "j.fio");
    ASSERT_TRUE(spec.needs_drive());
    const GeneratorSpec placed = place_on(spec, kMiB);
    ASSERT_FALSE(placed.needs_drive());
    EXPECT_EQ(placed.jobs[0].size, kMiB);
    EXPECT_EQ(placed.jobs[1].offset, kMiB / 2);
    EXPECT_EQ(placed.jobs[1].size, kMiB / 4);
    EXPECT_EQ(placed.jobs[2].offset, 8 * kKiB);
    EXPECT_EQ(placed.jobs[2].size, kMiB - 8 * kKiB);
    const std::string beyond = error_of([] {
        static_cast<void>(place_on(parse_fio_job_file("[j]\nrw=read\noffset=2m\n", "j.fio"), kMiB));
    });
    EXPECT_NE(beyond.find("begins at byte 2097152, beyond the drive"), std::string::npos) << beyond;
}

TEST(FioJobFileTest, JobsBehindAStonewallWaitForThoseBefore) {
    const GeneratorSpec spec = parse_fio_job_file("[global]\nbs=4k\nsize=16k\n[a]\nrw=write\n"
                                                  "[b]\nrw=write\n[c]\nstonewall\nrw=read\n",
                                                  "j.fio");
    Generator generator(spec);
    HostRequest request;
    std::string order;
    while (generator.next(request)) {
        order += request.op == RequestOp::kRead ? 'R' : 'W';
        generator.answered(request.job);
    }
    EXPECT_EQ(order, "WWWWWWWWRRRR");
}

TEST(FioJobFileTest, WhatSaysHowFioWorksIsIgnored) {
    EXPECT_EQ(generate("# c\n; c\n[global]\nioengine=libaio\ndirect=1\ngroup_reporting\n"
                       "[j]\nfilename=/dev/sdb\nrw=read\nsize=1m\n"),
              generate("[j]\nrw=read\nsize=1m\n"));
}

} // namespace
} // namespace cavern
