// Commands of the NAND part in a whole drive, against a formula from data-sheet values; SDRAM is
// ideal.

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/drive/drive_bench.h"
#include "tests/drive/drive_times.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

constexpr TimePs kSuspendCommand = 4 * 30 * kNs;
constexpr TimePs kTsuspend = 20 * kUs;
constexpr TimePs kTresume = 5 * kUs;

class DriveCommandsTest : public SystemcTest {
  protected:
    void play(const std::vector<std::string>& more, const std::vector<HostRequest>& requests) {
        std::vector<std::string> all{
            "dram.model=ideal",      "alloc.scheme=pcwd",   "buffer.policy=none",
            "nand.channels=1",       "nand.ways=1",         "host.duplex=full",
            "precondition.fill=0.5", "nand.t_suspend=20us", "nand.t_resume=5us"};
        all.insert(all.end(), more.begin(), more.end());
        DriveBench::Options options;
        options.closed_loop = false;
        bench_ = std::make_unique<DriveBench>("bench", small_drive(all), requests, options);
        run();
        bench_->expect_sound();
    }
    [[nodiscard]] TimePs latency(std::size_t id) const {
        for (const Answered& each : bench_->answered()) {
            if (each.id == id) {
                return each.completed - each.request.arrival;
            }
        }
        return 0;
    }
    static HostRequest page(RequestOp op, std::uint64_t lpn, TimePs arrival) {
        return {arrival, lpn * kPageBytes, kPageBytes, op};
    }

    std::unique_ptr<DriveBench> bench_;
};

/// A page is written at time 0, and another is read while it is programmed.
class DriveSuspendTest : public DriveCommandsTest {
  protected:
    void play_both(const std::string& suspend) {
        play({suspend}, {page(RequestOp::kWrite, 0, 0), page(RequestOp::kRead, 9, 100 * kUs)});
    }
    static constexpr TimePs kRead = kCommand + kTr + kPage;
    static constexpr TimePs kProgram = kLink + kCommand + kPage + kTprog;
};

// The read waits for the command and for the die to stop. The array works during that command, but
// not during the one that resumes.
TEST_F(DriveSuspendTest, AReadWaitsForASuspendAndNotForTheProgram) {
    play_both("nand.program_suspend=true");
    EXPECT_EQ(latency(1), kSuspendCommand + kTsuspend + kRead + kLink);
    EXPECT_EQ(latency(0), kProgram + kTsuspend + kRead + kSuspendCommand + kTresume);
}

TEST_F(DriveSuspendTest, WithoutSuspendTheReadWaitsForTheProgram) {
    play_both("nand.erase_suspend=true");
    EXPECT_EQ(latency(1), kProgram - 100 * kUs + kRead + kLink);
    EXPECT_EQ(latency(0), kProgram);
}

/// Four pages in four planes. The first read comes alone, before the others have crossed the link.
class DrivePlanesTest : public DriveCommandsTest {
  protected:
    void play_four(const std::string& how) {
        std::vector<HostRequest> requests;
        for (std::uint64_t lpn = 0; lpn < 4; ++lpn) {
            requests.push_back(page(RequestOp::kRead, lpn, lpn == 0 ? 0 : 10 * kUs));
        }
        play({"nand.planes=4", how}, requests);
    }
    static constexpr TimePs kFirst = kCommand + kTr + kPage;
};

TEST_F(DrivePlanesTest, ReadsOfFourPlanesShareOneTr) {
    play_four("nand.multi_plane_read=true");
    const TimePs out = 7 * 30 * kNs + kPage;
    EXPECT_EQ(latency(0), kFirst + kLink);
    for (std::size_t id = 1; id < 4; ++id) {
        EXPECT_EQ(latency(id) + 10 * kUs, kFirst + 3 * kCommand + kTr + id * out + kLink);
    }
}

TEST_F(DrivePlanesTest, WithoutMultiPlaneEachReadTakesItsOwnTr) {
    play_four("nand.multi_plane_read=false");
    for (std::size_t id = 1; id < 4; ++id) {
        EXPECT_EQ(latency(id) + 10 * kUs, (id + 1) * kFirst + kLink);
    }
}

/// Pages of one block: the first read comes alone, the others wait for the die. The first page to
/// be written crosses the link while the others are decided.
class DriveCacheTest : public DriveCommandsTest {
  protected:
    static constexpr std::uint32_t kPages = 4;
    void play_block(RequestOp op, const std::string& how) {
        std::vector<HostRequest> requests;
        for (std::uint64_t lpn = 0; lpn < kPages; ++lpn) {
            requests.push_back(page(op, lpn, lpn == 0 ? 0 : 10 * kUs));
        }
        play({how}, requests);
    }
    [[nodiscard]] TimePs end(std::size_t id) const {
        return latency(id) + (id == 0 ? 0 : 10 * kUs);
    }
    static constexpr TimePs kCycle = 30 * kNs;
};

TEST_F(DriveCacheTest, ReadsOfABlockFollowEachOtherAtTheTimeOfTheArrayOrOfTheBus) {
    play_block(RequestOp::kRead, "nand.cache_read=true");
    for (std::size_t id = 0; id < kPages; ++id) {
        EXPECT_EQ(end(id),
                  kCommand + kTr + kCycle + kPage + id * std::max(kTr, kPage + kCycle) + kLink);
    }
}

TEST_F(DriveCacheTest, WithoutCacheReadsEachReadTakesItsOwnTr) {
    play_block(RequestOp::kRead, "nand.cache_program=true");
    for (std::size_t id = 0; id < kPages; ++id) {
        EXPECT_EQ(end(id), (id + 1) * (kCommand + kTr + kPage) + kLink);
    }
}

TEST_F(DriveCacheTest, ProgramsOfABlockFollowEachOtherAtTheTimeOfTheArrayOrOfTheBus) {
    play_block(RequestOp::kWrite, "nand.cache_program=true");
    const TimePs in = kCommand + kPage;
    for (std::size_t id = 0; id < kPages; ++id) {
        EXPECT_EQ(end(id), kLink + in + kTprog + id * std::max(kTprog, in));
    }
}

TEST_F(DriveCacheTest, WithoutCacheProgramsEachTakesItsOwnDataIn) {
    play_block(RequestOp::kWrite, "nand.cache_read=true");
    for (std::size_t id = 0; id < kPages; ++id) {
        EXPECT_EQ(end(id), kLink + (id + 1) * (kCommand + kPage + kTprog));
    }
}

} // namespace
} // namespace cavern::testing
