#include "workload/fit.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/source_dir.h"
#include "tests/workload/workload_fixture.h"
#include "workload/trace_statistics.h"

namespace cavern {
namespace {

const char* const kTarget = R"([target]
name = "t"
requests = 60000
reads_percent = 33
read_mean_kib = 13.6
write_mean_kib = 20
random_percent = 50
read_footprint_gib = 0.05
write_footprint_gib = 0.1
address_space_gib = 8
interarrival_us = 830
)";

TraceStatistics measured(const GeneratorSpec& spec) {
    TraceStatistics statistics(1, spec.end(), {}, false);
    Generator generator(spec);
    for (HostRequest request; generator.next(request);) {
        statistics.add(request);
    }
    return statistics;
}

TEST(FitTest, GeneratedRequestsHaveTheStatisticsAskedFor) {
    const FitTarget target = parse_fit_target(kTarget, "t.toml");
    const Fit fit = fit_job(target);
    ASSERT_EQ(fit.figures.size(), 7u);
    for (const FitFigure& figure : fit.figures) {
        EXPECT_LT(std::abs(figure.error()), 0.01) << figure.name;
    }
    // Measured here from the text that is written, not from what the fit says of itself.
    const TraceStatistics s =
        measured(parse_generator_spec(kTarget + fit_to_toml(target, fit), "t.toml"));
    EXPECT_EQ(s.requests(), 60000u);
    EXPECT_NEAR(static_cast<double>(s.of(RequestOp::kRead).count) / 60000, 0.33, 0.0033);
    EXPECT_NEAR(s.of(RequestOp::kRead).mean_bytes() / 1024, 13.6, 0.136);
    EXPECT_NEAR(s.of(RequestOp::kWrite).mean_bytes() / 1024, 20, 0.2);
    EXPECT_NEAR(s.random_share(), 0.5, 0.005);
    EXPECT_NEAR(s.footprint().read * 4096 / static_cast<double>(kGiB), 0.05, 0.0005);
    EXPECT_NEAR(s.footprint().written * 4096 / static_cast<double>(kGiB), 0.1, 0.001);
    EXPECT_NEAR(static_cast<double>(s.duration()) / 59999 / static_cast<double>(kUs), 830, 10);
}

TEST(FitTest, WhatCannotBeReachedShowsInTheFigures) {
    std::string text = kTarget;
    text.replace(text.find("= 0.1\n"), 6, "= 7.0\n"); // 40,000 writes of 20 KiB are 0.77 GiB
    const Fit fit = fit_job(parse_fit_target(text, "t.toml"));
    double worst = 0;
    for (const FitFigure& figure : fit.figures) {
        worst = std::max(worst, std::abs(figure.error()));
    }
    EXPECT_GT(worst, 0.5);
}

// Only writes, over less than the address space: the region is in pieces all over it, and reads,
// which there are none of, do not keep it in one.
TEST(FitTest, WhatNeverOccursNeedsNoRegionOfItsOwn) {
    for (const char* op : {"read", "write"}) {
        std::string text = "[target]\nrequests = 60000\nreads_percent = ";
        text += op[0] == 'r' ? "100\n" : "0\n";
        text += std::string(op) + "_mean_kib = 20\n" + op + "_footprint_gib = 0.1\n";
        text += "address_space_gib = 8\n";
        const FitTarget target = parse_fit_target(text, "t.toml");
        const Fit fit = fit_job(target);
        EXPECT_EQ(fit.job.spread, 8 * kGiB) << op;
        EXPECT_LT(fit.job.size, kGiB / 8) << op;
        for (const FitFigure& figure : fit.figures) {
            EXPECT_LT(std::abs(figure.error()), 0.01) << op << ' ' << figure.name;
        }
    }
}

TEST(FitTest, ShippedFitsHaveTheStatisticsTheirTargetsNameWithinOnePercent) {
    const std::string folder = testing::source_dir() + "/traces/workloads/";
    for (const char* name : {"cave-general", "cave-sysmark", "cave-general-whole",
                             "cave-sysmark-whole", "cave-oltp", "shim-sysmrk"}) {
        const std::string path = folder + name + "-fitted.toml";
        std::ifstream in(path);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        const FitTarget target = parse_fit_target(text, path);
        GeneratorSpec spec = parse_generator_spec(text, path);
        EXPECT_EQ(spec.requests(), target.requests) << name;
        if (!target.write_footprint) {
            spec.jobs.at(0).number_ios = 200'000; // enough for means and shares
        }
        const TraceStatistics s = measured(spec);
        const auto near = [&](double reached, const std::optional<double>& wanted) {
            if (wanted) {
                EXPECT_NEAR(reached / *wanted, 1.0, 0.01) << name;
            }
        };
        EXPECT_NEAR(static_cast<double>(s.of(RequestOp::kRead).count) /
                        static_cast<double>(s.requests()),
                    target.read_share, 0.01)
            << name;
        near(s.of(RequestOp::kRead).mean_bytes(), target.read_mean);
        near(s.of(RequestOp::kWrite).mean_bytes(), target.write_mean);
        near(s.random_share(), target.random_share);
        near(s.footprint().read * 4096, target.read_footprint);
        near(s.footprint().written * 4096, target.write_footprint);
        EXPECT_LE(spec.end(), target.address_space) << name;
    }
}

TEST(FitTest, MistakesInATargetAreNamedWithTheirLine) {
    const auto error = [](const std::string& text) {
        return error_of([&] { static_cast<void>(parse_fit_target(text, "t.toml")); });
    };
    EXPECT_EQ(error(kTarget), "none");
    EXPECT_EQ(error("[[job]]\n").substr(0, 35), "t.toml:1: there is no table [target");
    EXPECT_EQ(error(std::string(kTarget) + "colour = 3\n").substr(0, 32),
              "t.toml:12: unknown key \"colour\";");
    EXPECT_EQ(error(std::string(kTarget) + "seed = \"x\"\n"),
              "t.toml:12: target.seed is a text; a whole number from 0 to 1000000000000000");
    EXPECT_EQ(
        error("[target]\nrequests = 5\n"),
        "t.toml:2: target.requests = 5 is out of range; a whole number from 1000 to 1000000000");
    EXPECT_EQ(error("[target]\nrequests = 5000\n"),
              "t.toml:1: a target needs target.address_space_gib; a number from 0.01 to 1048576");
    EXPECT_EQ(error("[target]\nrequests = 5000\naddress_space_gib = 1\nread_footprint_gib = 2\n")
                  .substr(0, 32),
              "t.toml:1: a footprint is larger ");
}

} // namespace
} // namespace cavern
