// The referees of the whole drive can say no. A translation layer errs once, in one way a test, and
// the run stops, or the check at its end, with a message that names what was broken. The same runs
// without the error are sound.

#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/drive/broken_ftl.h"
#include "tests/drive/drive_bench.h"
#include "tests/support/list_source.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

struct Broken {
    std::string name;
    Fault fault;
    std::uint32_t after; ///< strikes at that chance
    std::string stops;   ///< words of the error that ends the run; empty: found after it
};
void PrintTo(const Broken& broken, std::ostream* out) {
    *out << broken.name;
}

SsdConfig full_drive(const std::string& allocator = "cwdp") {
    return small_drive(
        {"ftl.overprovision=0.3", "precondition.fill=1.0", "alloc.scheme=" + allocator});
}

/// Writes that make it collect, or reads alone; for reads of old versions both.
std::vector<HostRequest> requests_for(const SsdConfig& config, Fault fault, bool reads) {
    Mix mix;
    mix.requests = 800;
    mix.reads = !reads ? 0 : fault == Fault::kReadOld ? 50 : 100;
    mix.writes = 100 - mix.reads;
    mix.trims = 0;
    mix.max_pages = 1;
    std::vector<HostRequest> requests =
        random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes);
    requests.push_back({0, 0, 2048, RequestOp::kWrite}); // every socket is used
    return requests;
}

std::unique_ptr<DriveCore> broken_core(const SsdConfig& built, Fault fault, std::uint32_t after,
                                       DecisionLogIf* log) {
    CoreParts parts;
    parts.geometry = DrivePlan(built).geometry;
    parts.frames = DrivePlan(built).frames;
    parts.policy = built.buffer.policy->name;
    parts.allocator = built.alloc.scheme->name;
    parts.ftl.overprovision = built.ftl.params.overprovision;
    parts.log = log;
    // The preconditioning calls as well: 'after' counts from the first write of all.
    return make_core(parts,
                     std::make_unique<BrokenFtl>(make_ftl(parts), parts.geometry, fault, after));
}

class DriveFaultTest : public SystemcTest {
  protected:
    /// A full drive, and what is asked of it.
    std::unique_ptr<DriveBench> make(Fault fault, std::uint32_t after, bool reads,
                                     const std::string& allocator = "cwdp") {
        const SsdConfig config = full_drive(allocator);
        DriveBench::Options options;
        options.make_core = [fault, after](const SsdConfig& built, DecisionLogIf* log) {
            return broken_core(built, fault, after, log);
        };
        return std::make_unique<DriveBench>("bench", config, requests_for(config, fault, reads),
                                            options);
    }
};

/// Pages the preconditioning writes, each a chance to err.
constexpr std::uint32_t kFilled = 358;

class BrokenOrderTest : public DriveFaultTest, public ::testing::WithParamInterface<Broken> {};

TEST_P(BrokenOrderTest, StopsTheRunAndNamesTheRule) {
    const Broken& broken = GetParam();
    const bool reads = broken.fault == Fault::kReadElsewhere ||
                       broken.fault == Fault::kReadErased || broken.fault == Fault::kReadOld;
    const auto bench = make(broken.fault, broken.after, reads);
    EXPECT_EQ(bench->ssd().core().ftl().mapped_pages(), kFilled);
    const std::string error = run_to_error();
    EXPECT_NE(error.find(broken.stops), std::string::npos) << error;
    EXPECT_GT(sc_core::sc_time_stamp().value(), 0u); // in the run, not while it was prepared
}

INSTANTIATE_TEST_SUITE_P(
    Of, BrokenOrderTest,
    ::testing::Values(
        Broken{"PagesSwapped", Fault::kSwapPages, kFilled + 50, "is programmed after page"},
        Broken{"EraseLost", Fault::kLoseErase, 3,
               "is programmed again without an erase of its block"},
        Broken{"PageProgrammedTwice", Fault::kProgramTwice, kFilled,
               "is programmed again without an erase of its block"},
        Broken{"ReadOfAnotherPage", Fault::kReadElsewhere, 100,
               "the spare area of a page read names the logical page that was asked for"},
        Broken{"ReadOfAnOldVersion", Fault::kReadOld, 20,
               "a page read holds the newest version of its logical page"},
        Broken{"ReadOfAnErasedPage", Fault::kReadErased, 100, "is read but was never programmed"}),
    [](const auto& test) { return test.param.name; });

class UnbrokenTest : public DriveFaultTest, public ::testing::WithParamInterface<bool> {};

TEST_P(UnbrokenTest, IsSound) {
    const auto bench = make(Fault::kNone, 1, GetParam());
    run();
    bench->expect_sound();
    EXPECT_GT(bench->shadow().checked().programs + bench->shadow().checked().flash, 500u);
}

INSTANTIATE_TEST_SUITE_P(With, UnbrokenTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Reads" : "Writes"; });

TEST_F(DriveFaultTest, AWrongSpareAreaIsFoundAtTheEndAndByTheShadow) {
    // The last copy of a page is the one that stays: strike late.
    const auto bench = make(Fault::kWrongSpareArea, 800, false);
    run();
    EXPECT_FALSE(bench->shadow().contradictions().empty());
    try {
        static_cast<void>(bench->ssd().check_end_of_run());
        FAIL() << "the check found nothing";
    } catch (const ModelError& error) {
        EXPECT_NE(std::string(error.what()).find("with its logical page and the newest version"),
                  std::string::npos);
    }
}

// Nothing in the drive can notice this: it keeps no data. The shadow does.
TEST_F(DriveFaultTest, AReadThatForgetsItsPageIsFoundByTheShadow) {
    const auto bench = make(Fault::kForgetMapping, 100, true);
    run();
    EXPECT_EQ(bench->shadow().unserved(), 1u);
    EXPECT_NE(bench->ssd().buffer_manager().statistics().zero_reads,
              bench->shadow().checked().zeros);
}

// The drive cannot notice this either: only after a loss of power would a page be missing. Pages
// change their die when they are written again, so that the order of a die does not save them.
TEST_F(DriveFaultTest, WherePagesChangeTheirDieNoneIsLostByAnErase) {
    const auto bench = make(Fault::kNone, 1, false, "block-round-robin");
    run();
    bench->expect_sound();
    EXPECT_GT(bench->erases(), 50u);
}

TEST_F(DriveFaultTest, AnEraseBeforeTheNewVersionIsProgrammedIsFoundByTheShadow) {
    const auto bench = make(Fault::kSupersedesNone, 1, false, "block-round-robin");
    run();
    ASSERT_FALSE(bench->shadow().contradictions().empty());
    for (const std::string& contradiction : bench->shadow().contradictions()) {
        EXPECT_NE(contradiction.find("no erase takes the newest version in flash of a page"),
                  std::string::npos)
            << contradiction;
    }
}

// ---- without time -------------------------------------------------------------------------------

/// What stops the run without time, or the check at its end.
std::string untimed_error(Fault fault) {
    const SsdConfig config = full_drive();
    UntimedDrive drive(config, broken_core(config, fault, 20, nullptr));
    ListSource source(requests_for(config, fault, true));
    try {
        drive.run(source, 0, nullptr);
        static_cast<void>(drive.check_end_of_run());
    } catch (const ModelError& error) {
        return error.what();
    }
    return "";
}

TEST(UntimedFaultTest, AReadOfAnotherPageOrVersionStopsTheRun) {
    EXPECT_EQ(untimed_error(Fault::kNone), "");
    const std::string old = untimed_error(Fault::kReadOld);
    EXPECT_NE(old.find("a page read holds the newest version of its logical page"),
              std::string::npos)
        << old;
    const std::string other = untimed_error(Fault::kReadElsewhere);
    EXPECT_NE(other.find("the spare area of a page read names the logical page"), std::string::npos)
        << other;
}

} // namespace
} // namespace cavern::testing
