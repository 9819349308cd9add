// The host's ledger of commands stands over every run. A link that errs once (a command, an answer
// or a completion lost, doubled or out of place) is caught in the whole drive, on each kind of
// link; the same run without the error is sound.

#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/error.h"
#include "tests/drive/drive_bench.h"
#include "tests/drive/faulty_transport.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

struct Case {
    std::string name;
    CarryFault fault;
    bool stops; ///< else found at the end
    std::string words;
};
void PrintTo(const Case& c, std::ostream* out) {
    *out << c.name;
}

struct Link {
    std::string name;
    std::vector<std::string> overrides;
};
void PrintTo(const Link& link, std::ostream* out) {
    *out << link.name;
}

constexpr std::uint32_t kRequests = 400;

class DriveLedgerTest : public SystemcTest,
                        public ::testing::WithParamInterface<std::tuple<Link, Case>> {
  protected:
    static std::unique_ptr<DriveBench> make(const Link& link, CarryFault fault) {
        std::vector<std::string> overrides{"ftl.overprovision=0.3", "precondition.fill=1.0"};
        overrides.insert(overrides.end(), link.overrides.begin(), link.overrides.end());
        const SsdConfig config = small_drive(overrides);
        Mix mix;
        mix.requests = kRequests;
        mix.reads = 50;
        mix.writes = 50;
        mix.trims = 0;
        DriveBench::Options options;
        options.around_transport = [fault](std::unique_ptr<HostTransportIf> inner) {
            return std::make_unique<FaultyTransport>(std::move(inner), fault, kRequests / 2);
        };
        return std::make_unique<DriveBench>(
            "bench", config,
            random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes),
            options);
    }
};

TEST_P(DriveLedgerTest, CatchesAnErrorOfTheLinkAndNamesIt) {
    const auto& [link, c] = GetParam();
    const auto bench = make(link, c.fault);
    if (c.stops) {
        const std::string error = run_to_error();
        EXPECT_NE(error.find(c.words), std::string::npos) << error;
        EXPECT_GT(sc_core::sc_time_stamp().value(), 0u);
        return;
    }
    run();
    if (c.fault == CarryFault::kNone) {
        bench->expect_sound();
        EXPECT_EQ(bench->ssd().host().completed(), kRequests);
        return;
    }
    EXPECT_LT(bench->ssd().host().completed(), kRequests);
    try {
        static_cast<void>(bench->ssd().check_end_of_run());
        FAIL() << "the check found nothing";
    } catch (const ModelError& error) {
        EXPECT_NE(std::string(error.what()).find(c.words), std::string::npos) << error.what();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Of, DriveLedgerTest,
    ::testing::Combine(
        ::testing::Values(Link{"Direct", {"host.interface=direct", "host.queue_depth=8"}},
                          Link{"Sata", {"host.interface=sata", "host.generation=3"}},
                          Link{"Nvme",
                               {"host.interface=nvme", "host.generation=3", "host.queues=2",
                                "host.queue_depth=8"}}),
        ::testing::Values(
            Case{"NoError", CarryFault::kNone, false, ""},
            Case{"CommandLost", CarryFault::kLoseCommand, false, "no command is lost: 1"},
            Case{"AnswerLost", CarryFault::kLoseAnswer, false, "no command is lost: 1"},
            Case{"CompletionLost", CarryFault::kLoseCompletion, false, "no command is lost: 1"},
            Case{"CommandDoubled", CarryFault::kDeliverTwice, true,
                 "a command reaches the device once"},
            Case{"CompletionDoubled", CarryFault::kCompleteTwice, true,
                 "a command is completed when answered, and once"},
            Case{"CompletionUnserved", CarryFault::kCompleteUnserved, true,
                 "a command is completed when answered, and once"},
            Case{"TagOfAnother", CarryFault::kDeliverAnother, true,
                 "a command reaches the device once"})),
    [](const auto& test) { return std::get<0>(test.param).name + std::get<1>(test.param).name; });

} // namespace
} // namespace cavern::testing
