#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/workload/workload_fixture.h"
#include "workload/generator.h"

namespace cavern {
namespace {

std::vector<HostRequest> drained(const std::string& text) {
    Generator generator(parse_generator_spec(text, "w.toml"));
    return drain(generator);
}

TEST(GeneratorPaceTest, PaceThinkTimeAndDelaysAddUp) {
    const auto arrivals = [](const std::string& more) {
        Generator generator(parse_generator_spec("[[job]]\nrw = \"write\"\nbs = \"4KiB\"\nsize = "
                                                 "\"1MiB\"\nnumber_ios = 6\n" +
                                                     more,
                                                 "w.toml"));
        std::vector<TimePs> us;
        for (const HostRequest& request : drain(generator)) {
            us.push_back(request.arrival / kUs);
        }
        return us;
    };
    using Times = std::vector<TimePs>;
    const std::string rate = "rate_iops = 1000\n";
    EXPECT_EQ(arrivals(rate), (Times{0, 1000, 2000, 3000, 4000, 5000}));
    EXPECT_EQ(arrivals(rate + "startdelay = \"2ms\"\n"),
              (Times{2000, 3000, 4000, 5000, 6000, 7000}));
    EXPECT_EQ(arrivals(rate + "thinktime = \"500us\"\nthinktime_blocks = 2\n"),
              (Times{0, 1000, 2500, 3500, 5000, 6000}));
    EXPECT_EQ(arrivals(rate + "runtime = \"3ms\"\n"), (Times{0, 1000, 2000}));
    EXPECT_EQ(arrivals("rate = \"4096000B/s\"\n")[2], 2000u);
}

TEST(GeneratorPaceTest, FixedInterarrivalIsThatOfIometer) {
    Generator generator(parse_generator_spec("[[job]]\nrw = \"randwrite\"\nbs = \"256KiB\"\n"
                                             "size = \"1GiB\"\nnumber_ios = 3\n"
                                             "interarrival = \"830us\"\n",
                                             "w.toml"));
    const auto requests = drain(generator);
    EXPECT_EQ(requests[1].arrival, 830 * kUs);
    EXPECT_EQ(requests[2].arrival, 1660 * kUs);
}

TEST(GeneratorPaceTest, PercentageRandomGivesRunsOfOneDirection) {
    const auto requests = drained("[[job]]\nrw = \"randrw\"\nrwmixread = 30\nsize = \"4GiB\"\n"
                                  "number_ios = 100000\npercentage_random = 25\n");
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

TEST(GeneratorPaceTest, SpreadLaysThePiecesOverTheWholeSpace) {
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

TEST(GeneratorPaceTest, SharesOfSizesAndOfDirectionsHold) {
    std::map<std::uint64_t, double> share;
    for (const HostRequest& request :
         drained("[[job]]\nrw = \"randread\"\nsize = \"1GiB\"\nnumber_ios = 100000\n"
                 "bssplit = \"4k/60:64k/:8k/20\"\n")) {
        share[request.bytes] += 1.0 / 100000;
        ASSERT_EQ(request.offset % 4096, 0u);
        ASSERT_LE(request.offset + request.bytes, kGiB);
    }
    ASSERT_EQ(share.size(), 3u);
    EXPECT_NEAR(share[4096], 0.6, 0.01);
    EXPECT_NEAR(share[8192], 0.2, 0.01);
    EXPECT_NEAR(share[65536], 0.2, 0.01);
    std::string ops;
    for (const HostRequest& request : drained("[[job]]\nrw = \"write\"\nsize = \"1MiB\"\n"
                                              "number_ios = 6\nfsync = 2\n")) {
        ops += request.op == RequestOp::kFlush ? 'F' : 'W';
    }
    EXPECT_EQ(ops, "WWFWWFWW");
}

} // namespace
} // namespace cavern
