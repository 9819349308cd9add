#include "workload/generator.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/source_dir.h"
#include "tests/workload/workload_fixture.h"
#include "workload/filters.h"

namespace cavern {
namespace {

JobSpec job_of(Pattern pattern, std::uint64_t requests) {
    JobSpec job;
    job.pattern = pattern;
    job.size = 64 * kMiB;
    job.number_ios = requests;
    return job;
}

std::vector<HostRequest> generate(std::vector<JobSpec> jobs, std::uint64_t run_seed = 1) {
    Generator generator({"test", std::move(jobs)}, run_seed);
    return drain(generator);
}

double read_share(const std::vector<HostRequest>& requests) {
    const auto reads = std::count_if(requests.begin(), requests.end(),
                                     [](const HostRequest& r) { return r.op == RequestOp::kRead; });
    return static_cast<double>(reads) / static_cast<double>(requests.size());
}

TEST(GeneratorTest, SequentialJobGoesThroughItsRegionAndWraps) {
    JobSpec job = job_of(Pattern::kWrite, 10);
    job.block_bytes = 8192;
    job.size = 4 * 8192 + 512; // the last half block is not used
    job.offset = kMiB;
    const auto requests = generate({job});
    ASSERT_EQ(requests.size(), 10u);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        EXPECT_EQ(requests[i], (HostRequest{0, kMiB + i % 4 * 8192, 8192, RequestOp::kWrite}));
    }
}

TEST(GeneratorTest, NumberOfRequestsIsTheRegionInBlocksUnlessGiven) {
    JobSpec job = job_of(Pattern::kRead, 0);
    job.number_ios.reset();
    EXPECT_EQ(generate({job}).size(), 64 * kMiB / 4096);
}

TEST(GeneratorTest, SequentialMixKeepsAPlaceForEachDirection) {
    std::uint64_t next[2] = {0, 0};
    for (const HostRequest& request : generate({job_of(Pattern::kRw, 1000)})) {
        std::uint64_t& expected = next[request.op == RequestOp::kRead ? 0 : 1];
        ASSERT_EQ(request.offset, expected);
        expected += 4096;
    }
    EXPECT_GT(next[0], 0u);
    EXPECT_GT(next[1], 0u);
}

TEST(GeneratorTest, PatternsGiveTheirOperations) {
    EXPECT_EQ(read_share(generate({job_of(Pattern::kRead, 1000)})), 1.0);
    EXPECT_EQ(read_share(generate({job_of(Pattern::kRandRead, 1000)})), 1.0);
    EXPECT_EQ(read_share(generate({job_of(Pattern::kWrite, 1000)})), 0.0);
    EXPECT_EQ(read_share(generate({job_of(Pattern::kRandWrite, 1000)})), 0.0);
}

TEST(GeneratorTest, MixHasTheShareOfReadsAskedFor) {
    constexpr double kCount = 100'000;
    for (const std::uint32_t percent : {0u, 30u, 70u, 100u}) {
        JobSpec job = job_of(Pattern::kRandRw, static_cast<std::uint64_t>(kCount));
        job.rwmixread = percent;
        const double share = percent / 100.0;
        // Five standard deviations of a binomial share.
        const double bound = 5 * std::sqrt(share * (1 - share) / kCount);
        const double seen = read_share(generate({job}));
        EXPECT_NEAR(seen, share, bound);
        // The control: the bound tells a share from its neighbour one percent away.
        EXPECT_GT(std::abs(seen - (share + 0.01)), bound);
    }
}

/// Chi-square of the counts against equal shares.
double chi_square(const std::vector<std::uint64_t>& counts, double expected) {
    double sum = 0;
    for (const std::uint64_t count : counts) {
        const double off = static_cast<double>(count) - expected;
        sum += off * off / expected;
    }
    return sum;
}

TEST(GeneratorTest, RandomOffsetsAreUniformOverTheBlocksOfTheRegion) {
    constexpr std::uint64_t kBlocks = 100;
    constexpr std::uint64_t kRequests = 1'000'000;
    JobSpec job = job_of(Pattern::kRandWrite, kRequests);
    job.size = kBlocks * 4096;
    job.offset = 4096 * 7;
    std::vector<std::uint64_t> counts(kBlocks);
    for (const HostRequest& request : generate({job})) {
        ASSERT_EQ(request.offset % 4096, 0u);
        ++counts.at((request.offset - job.offset) / 4096);
    }
    // 99 degrees of freedom: mean 99, deviation 14; 99 + 5 * 14.
    constexpr double kBound = 169;
    EXPECT_LT(chi_square(counts, kRequests / kBlocks), kBound);
    // The control: a tenth of one block's share moved to another is noticed.
    counts[3] += 1500;
    counts[4] -= 1500;
    EXPECT_GT(chi_square(counts, kRequests / kBlocks), kBound);
}

TEST(GeneratorTest, FixedRateDoesNotDrift) {
    JobSpec job = job_of(Pattern::kRead, 30'001);
    job.rate_iops = 30'000; // 33.33 us apart
    const auto requests = generate({job});
    EXPECT_EQ(requests[0].arrival, 0u);
    EXPECT_EQ(requests[1].arrival, 33'333'333u);
    EXPECT_EQ(requests[3].arrival, 100'000'000u);
    EXPECT_EQ(requests[30'000].arrival, kSecond);
}

/// Mean and squared coefficient of variation of the gaps, and the share of them above the mean.
struct GapStatistics {
    double mean = 0;
    double variation = 0;
    double above_mean = 0;
};

GapStatistics gaps_of(const std::vector<HostRequest>& requests, double mean) {
    GapStatistics statistics;
    const auto count = static_cast<double>(requests.size());
    TimePs last = 0;
    for (const HostRequest& request : requests) {
        const auto gap = static_cast<double>(request.arrival - last);
        last = request.arrival;
        statistics.mean += gap / count;
        statistics.variation += (gap - mean) * (gap - mean) / mean / mean / count;
        statistics.above_mean += (gap > mean ? 1 : 0) / count;
    }
    return statistics;
}

TEST(GeneratorTest, PoissonGapsAreExponentialWithTheRateAskedFor) {
    constexpr std::uint64_t kRequests = 1'000'000;
    JobSpec job = job_of(Pattern::kRead, kRequests);
    job.rate_iops = 20'000;
    job.arrival = Arrival::kPoisson;
    const double mean = 50e6; // ps
    const double n = std::sqrt(static_cast<double>(kRequests));
    const GapStatistics seen = gaps_of(generate({job}), mean);
    EXPECT_NEAR(seen.mean, mean, 5 * mean / n);
    // The squared deviation of an exponential has variance 8 about its mean of 1.
    EXPECT_NEAR(seen.variation, 1.0, 5 * std::sqrt(8.0) / n);
    EXPECT_NEAR(seen.above_mean, std::exp(-1.0), 5 * 0.4823 / n);
    // The control: equal gaps have the mean but fail the other two.
    job.arrival = Arrival::kFixed;
    const GapStatistics fixed = gaps_of(generate({job}), mean);
    EXPECT_NEAR(fixed.mean, mean, 5 * mean / n);
    EXPECT_LT(fixed.variation, 0.5);
    EXPECT_LT(fixed.above_mean, 0.1);
}

TEST(GeneratorTest, SameSeedGivesTheSameRequestsAndAnotherSeedOthers) {
    JobSpec job = job_of(Pattern::kRandRw, 1000);
    job.rate_iops = 1000;
    job.arrival = Arrival::kPoisson;
    const auto first = generate({job}, 5);
    EXPECT_EQ(generate({job}, 5), first);
    EXPECT_NE(generate({job}, 6), first);
    job.seed = 42;
    const auto own = generate({job}, 5);
    EXPECT_NE(own, first);
    EXPECT_EQ(generate({job}, 6), own); // its own seed, whatever the run's
}

TEST(GeneratorTest, FirstRequestsOfASeedAreTheseOnEveryMachine) {
    JobSpec job = job_of(Pattern::kRandRw, 3);
    job.seed = 1;
    job.rate_iops = 1000;
    job.arrival = Arrival::kPoisson;
    // Worked out apart from this code, in Python's exact integers.
    EXPECT_EQ(generate({job}),
              (std::vector<HostRequest>{{566'561'575, 29'818'880, 4096, RequestOp::kWrite},
                                        {1'010'826'275, 35'098'624, 4096, RequestOp::kWrite},
                                        {1'296'334'959, 40'628'224, 4096, RequestOp::kRead}}));
}

TEST(GeneratorTest, JobsWithoutSeedsDiffer) {
    const JobSpec job = job_of(Pattern::kRandRead, 1000);
    const auto requests = generate({job, job});
    std::size_t equal = 0;
    for (std::size_t i = 0; i < requests.size(); i += 2) {
        equal += requests[i].offset == requests[i + 1].offset ? 1 : 0;
    }
    EXPECT_LT(equal, 10u);
}

TEST(GeneratorTest, ClosedJobsTakeTurns) {
    JobSpec reader = job_of(Pattern::kRead, 4);
    JobSpec writer = job_of(Pattern::kWrite, 2);
    std::string order;
    for (const HostRequest& request : generate({reader, writer})) {
        order += request.op == RequestOp::kRead ? 'R' : 'W';
    }
    EXPECT_EQ(order, "RWRWRR");
}

TEST(GeneratorTest, JobsWithRatesComeInOrderOfArrival) {
    JobSpec reader = job_of(Pattern::kRead, 3000);
    reader.rate_iops = 3000;
    JobSpec writer = job_of(Pattern::kWrite, 1000);
    writer.rate_iops = 1000;
    const auto requests = generate({reader, writer});
    ASSERT_EQ(requests.size(), 4000u);
    EXPECT_TRUE(std::is_sorted(
        requests.begin(), requests.end(),
        [](const HostRequest& a, const HostRequest& b) { return a.arrival < b.arrival; }));
    std::string order;
    for (std::size_t i = 0; i < 8; ++i) {
        order += requests[i].op == RequestOp::kRead ? 'R' : 'W';
    }
    // Every third read coincides with a write; at equal times they take turns.
    EXPECT_EQ(order, "RWRRWRRR");
}

/// Letters of the requests that come until none does.
std::string burst_of(Generator& generator) {
    std::string letters;
    for (HostRequest request; generator.next(request);) {
        EXPECT_EQ(request.job, request.op == RequestOp::kRead ? 0u : 1u);
        letters += request.op == RequestOp::kRead ? 'R' : 'W';
    }
    return letters;
}

TEST(GeneratorTest, AJobOfTheClosedLoopWaitsForItsOwnAnswers) {
    JobSpec reader = job_of(Pattern::kRead, 5);
    JobSpec writer = job_of(Pattern::kWrite, 6);
    reader.iodepth = 1;
    writer.iodepth = 3;
    Generator generator({"test", {reader, writer}});
    ASSERT_TRUE(generator.has_jobs());
    EXPECT_EQ(burst_of(generator), "RWWW");
    EXPECT_EQ(burst_of(generator), "");
    generator.answered(1);
    EXPECT_EQ(burst_of(generator), "W");
    generator.answered(0);
    EXPECT_EQ(burst_of(generator), "R");
    generator.answered(1);
    generator.answered(0);
    EXPECT_EQ(burst_of(generator), "WR"); // the reader was the last
    generator.answered(1);
    generator.answered(1);
    EXPECT_EQ(burst_of(generator), "W"); // it has no more
    generator.answered(0);
    EXPECT_EQ(burst_of(generator), "R");
}

TEST(GeneratorTest, ASingleJobAndJobsWithARateNeedNoAnswers) {
    JobSpec job = job_of(Pattern::kRead, 5);
    Generator alone({"test", {job}});
    EXPECT_FALSE(alone.has_jobs());
    EXPECT_EQ(burst_of(alone), "RRRRR");
    job.rate_iops = 1000;
    Generator paced({"test", {job, job}});
    EXPECT_FALSE(paced.has_jobs());
}

TEST(GeneratorTest, SpecTellsItsSizeAndDepth) {
    JobSpec first = job_of(Pattern::kRead, 100);
    first.iodepth = 8;
    JobSpec second = job_of(Pattern::kWrite, 50);
    second.offset = kGiB;
    const GeneratorSpec spec{"test", {first, second}};
    EXPECT_EQ(spec.requests(), 150u);
    EXPECT_EQ(spec.end(), kGiB + 64 * kMiB);
    EXPECT_EQ(spec.iodepth(), 9u);
    EXPECT_TRUE(spec.closed_loop());
    EXPECT_EQ(error_of([&] { require_within(spec, kGiB + 64 * kMiB); }), "none");
    EXPECT_EQ(error_of([&] { require_within(spec, kGiB + 64 * kMiB - 1); }),
              "test:0: job \"job\" ends at byte 1140850688, beyond the drive; the drive has "
              "1140850687 bytes; workload.out_of_range = \"wrap\" folds the rest into it");
}

TEST(GeneratorTest, FileIsReadWithUnitsAndDefaults) {
    const GeneratorSpec spec = parse_generator_spec("[[job]]\n"
                                                    "name = \"a\"\n"
                                                    "rw = \"randrw\"\n"
                                                    "rwmixread = 70\n"
                                                    "bs = \"16KiB\"\n"
                                                    "size = \"1GiB\"\n"
                                                    "offset = \"512MiB\"\n"
                                                    "number_ios = 12\n"
                                                    "seed = 9\n"
                                                    "iodepth = 4\n"
                                                    "rate_iops = 2000\n"
                                                    "arrival = \"poisson\"\n"
                                                    "\n"
                                                    "[[job]]\n"
                                                    "rw = \"write\"\n"
                                                    "size = 1048576\n"
                                                    "rate_iops = 1\n",
                                                    "w.toml");
    ASSERT_EQ(spec.jobs.size(), 2u);
    const JobSpec& a = spec.jobs[0];
    EXPECT_EQ(a.name, "a");
    EXPECT_EQ(a.pattern, Pattern::kRandRw);
    EXPECT_EQ(a.rwmixread, 70u);
    EXPECT_EQ(a.block_bytes, 16384u);
    EXPECT_EQ(a.size, kGiB);
    EXPECT_EQ(a.offset, 512 * kMiB);
    EXPECT_EQ(a.number_ios, 12u);
    EXPECT_EQ(a.seed, 9u);
    EXPECT_EQ(a.iodepth, 4u);
    EXPECT_EQ(a.rate_iops, 2000u);
    EXPECT_EQ(a.arrival, Arrival::kPoisson);
    EXPECT_EQ(a.line, 1u);
    const JobSpec& b = spec.jobs[1];
    EXPECT_EQ(b.pattern, Pattern::kWrite);
    EXPECT_EQ(b.block_bytes, 4096u);
    EXPECT_EQ(b.size, kMiB);
    EXPECT_EQ(b.requests(), 256u);
    EXPECT_FALSE(b.seed);
    EXPECT_EQ(b.line, 14u);
}

TEST(GeneratorTest, PositionIsTheJobInTheFileOrTheNumberOfTheRequest) {
    const GeneratorSpec spec =
        parse_generator_spec("\n[[job]]\nrw = \"read\"\nsize = \"8KiB\"\n", "w.toml");
    AddressFilter filter(std::make_unique<Generator>(spec), 4096, AddressPolicy::kError);
    EXPECT_EQ(error_of([&] { drain(filter); }).substr(0, 10), "w.toml:2: ");
    JobSpec job = job_of(Pattern::kRead, 10);
    AddressFilter built(std::make_unique<Generator>(GeneratorSpec{"built", {job}}), 8192,
                        AddressPolicy::kError);
    EXPECT_EQ(error_of([&] { drain(built); }).substr(0, 9), "built:3: ");
}

TEST(GeneratorTest, WritesCarryForceUnitAccessWhereTheJobSaysSo) {
    for (const bool fua : {false, true}) {
        GeneratorSpec spec = parse_generator_spec("[[job]]\nrw = \"randrw\"\nsize = \"1MiB\"\n"
                                                  "fsync = 4\nnumber_ios = 200\nwritefua = " +
                                                      std::string(fua ? "true" : "false"),
                                                  "jobs");
        Generator generator(spec);
        HostRequest request;
        while (generator.next(request)) {
            EXPECT_EQ(request.fua, fua && request.op == RequestOp::kWrite);
        }
    }
}

TEST(GeneratorTest, MistakesInAFileAreNamedWithTheirLine) {
    const std::string keys =
        "a job has the keys name, rw, rwmixread, bs, bssplit, bs_mean, size, offset, read_size, "
        "write_size, spread, random_distribution, cluster, percentage_random, number_ios, seed, "
        "iodepth, rate_iops, rate, interarrival, arrival, thinktime, thinktime_blocks, startdelay, "
        "runtime, "
        "fsync, writefua, stream, zone_size, zone_capacity, zone_append, numjobs, offset_increment";
    const std::string sizes = "a size in B, KiB, MiB, GiB, TiB (or KB, MB, GB, TB), such as "
                              "\"16MiB\", or a number of bytes, from 0B to 9223372036854775807B";
    const std::string patterns = "available: read, write, trim, randread, randwrite, randtrim, "
                                 "randrw, rw";
    const std::string no_size = " is no size; a size is such as 4KiB (in fio, 4k), and below 4GiB";
    const std::string job = "[[job]]\nrw = \"randrw\"\nsize = \"1MiB\"\n"; // three lines
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "1: the workload has no job; add a table [[job]]"},
        {"[[job]\n", "1: "},
        // What the parser asserted, or called unreachable, or quoted unprintable, before it
        // reported.
        {"[ [job]]\n", "1: "},
        {"a \xC2\xA1 = 1\n", "1: not TOML: Error while parsing key-value pair: expected '=', saw '?"
                             "?'; a workload file is TOML "
                             "with tables [[job]]"},
        {"rw = \"read\"\n", "1: unknown key \"rw\"; a workload file has tables [[job]] only"},
        {job + "[global]\nbs = 1\n",
         "4: unknown key \"global\"; a workload file has tables [[job]] only"},
        {"[job]\nrw = \"read\"\n", "1: job is no list of tables; write [[job]] with two brackets"},
        {job + "\nblocksize = \"4KiB\"\n", "5: unknown key \"blocksize\"; " + keys},
        {job + "iodpeth = 4\n", "4: unknown key \"iodpeth\"; did you mean \"iodepth\"? " + keys},
        // The first of the file, not of the alphabet.
        {job + "zone = 1\nbsplit = 2\n", "4: unknown key \"zone\"; " + keys},
        {job + "bs = \"4kib\"\n", "4: job.bs \"4kib\"" + no_size},
        {job + "bs = \"25us\"\n", "4: job.bs \"25us\"" + no_size},
        {job + "bs = \"4GiB\"\n", "4: job.bs \"4GiB\"" + no_size},
        {job + "bs = -4096\n", "4: job.bs \"-4096\"" + no_size},
        {job + "bs = 4096.5\n",
         "4: job.bs is a number with a fraction; a size such as \"4KiB\" or a "
         "number of bytes, or two as in \"4KiB,8KiB\""},
        {job + "bs = 1000\n",
         "1: job \"job\" has a bs that is no multiple of 512 bytes; bs is such as \"4KiB\""},
        {job + "offset = 100\n", "1: job \"job\" has an offset that is no multiple of 512 bytes; "
                                 "offset is such as \"1GiB\""},
        {job + "bs = \"2MiB\"\n",
         "1: job \"job\" has a region smaller than one block; size is at least bs, and with "
         "bs_mean 16 times that"},
        {job + "offset = \"8388608TiB\"\n",
         "4: job.offset = \"8388608TiB\" is out of range; " + sizes},
        {job + "offset = 9223372036854775296\n",
         "1: job \"job\" ends beyond byte 2^63; offset + size stays below that"},
        {job + "rwmixread = 101\n",
         "4: job.rwmixread = 101 is out of range; a number from 0 to 100"},
        {job + "number_ios = 0\n", "4: job.number_ios = 0 is out of range; a whole number from 1 "
                                   "to 9223372036854775807"},
        {job + "iodepth = 0\n",
         "4: job.iodepth = 0 is out of range; a whole number from 1 to 65536"},
        {job + "rate_iops = 0\n",
         "4: job.rate_iops = 0 is out of range; a whole number from 1 to 1000000000000"},
        {job + "arrival = \"uniform\"\n",
         "4: job.arrival = \"uniform\" is unknown; available: fixed, poisson"},
        {job + "arrival = \"poisson\"\n", "1: job \"job\" has arrival = \"poisson\" without "
                                          "rate_iops; rate_iops gives the mean rate"},
        {job + "name = true\n", "4: job.name is true or false; a text in quotes"},
        {"\n[[job]]\nrw = \"erase\"\nsize = \"1MiB\"\n",
         "3: job.rw = \"erase\" is unknown; " + patterns},
        {"\n[[job]]\nsize = \"1MiB\"\n", "2: a job needs job.rw; " + patterns},
        {"\n[[job]]\nrw = \"read\"\n", "2: a job needs job.size; " + sizes},
        {"[[job]]\nrw = \"read\"\nsize = \"1MiB\"\nrwmixread = 5\n",
         "4: rwmixread in a job that does not mix; rwmixread goes with rw = \"rw\" or \"randrw\""},
        {job + job + "rate_iops = 5\n", "1: job \"job\" has no rate_iops but another job has; "
                                        "either every job has a rate or none"},
    };
    EXPECT_EQ(error_of([&] { static_cast<void>(parse_generator_spec(job, "w.toml")); }), "none");
    for (const auto& [text, message] : cases) {
        const std::string error =
            error_of([&] { static_cast<void>(parse_generator_spec(text, "w.toml")); });
        if (message == "1: ") {
            EXPECT_EQ(error.substr(0, 10), "w.toml:1: ") << error;
        } else {
            EXPECT_EQ(error, "w.toml:" + message) << text;
        }
    }
    EXPECT_EQ(error_of([] { static_cast<void>(load_generator_spec("no-such.toml")); }),
              "no-such.toml:1: cannot be opened: No such file or directory; give the path of a "
              "readable file");
}

TEST(GeneratorTest, RateTooSlowForItsRequestsIsAUserError) {
    JobSpec job = job_of(Pattern::kRead, 10'000'000);
    job.rate_iops = 1; // 116 days
    Generator generator({"test", {job}});
    EXPECT_EQ(error_of([&] {
                  for (HostRequest request; generator.next(request);) {
                  }
              }),
              "test:0: job \"job\" lasts longer than 106 days; a higher rate_iops or a smaller "
              "number_ios");
}

TEST(GeneratorTest, ShippedWorkloadsLoad) {
    const std::string folder = testing::source_dir() + "/traces/workloads/";
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const GeneratorSpec spec = load_generator_spec(entry.path().string());
        EXPECT_GT(spec.requests(), 0u) << entry.path();
        ++files;
    }
    EXPECT_GE(files, 6u);
}

} // namespace
} // namespace cavern
