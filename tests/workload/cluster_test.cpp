// Popularity by neighbourhoods, beside the scattered form.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/workload/workload_fixture.h"
#include "workload/fit.h"
#include "workload/generator.h"
#include "workload/job_text.h"
#include "workload/random_place.h"

namespace cavern {
namespace {

constexpr std::uint64_t kDraws = 400'000;

std::vector<double> counts_of(const char* distribution, std::uint64_t places,
                              std::uint64_t cluster) {
    const RandomPlace place(parse_distribution(distribution), places, cluster);
    Random random(5);
    std::vector<double> counts(places);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
        counts.at(place.draw(random)) += 1;
    }
    return counts;
}

/// What the zipf of this theta gives `clusters` clusters, most popular first.
std::vector<double> zipf_counts(double theta, std::size_t clusters) {
    std::vector<double> weights(clusters);
    for (std::size_t i = 0; i < clusters; ++i) {
        weights[i] = std::pow(static_cast<double>(i + 1), -theta);
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) {
        weight *= static_cast<double>(kDraws) / sum;
    }
    return weights;
}

double chi_square(const std::vector<double>& seen, const std::vector<double>& expected) {
    double sum = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        sum += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
    }
    return sum;
}

/// Accesses of each cluster of `size` places.
std::vector<double> added_up(const std::vector<double>& places, std::size_t size) {
    std::vector<double> sums((places.size() + size - 1) / size);
    for (std::size_t i = 0; i < places.size(); ++i) {
        sums[i / size] += places[i];
    }
    return sums;
}

TEST(ClusterTest, ClustersHaveTheSharesOfTheFormulaAndTheirPlacesEqualOnes) {
    constexpr std::size_t kClusters = 100;
    constexpr std::size_t kSize = 8;
    constexpr double kBound = 99 + 5 * 14.1; // of chi-square with 99 degrees of freedom
    const auto error = [&](std::size_t drawn_by) {
        std::vector<double> sums =
            added_up(counts_of("zipf:1", kClusters * kSize, drawn_by), kSize);
        std::sort(sums.rbegin(), sums.rend()); // popular clusters lie anywhere
        return chi_square(sums, zipf_counts(1.0, kClusters));
    };
    EXPECT_LT(error(kSize), kBound);
    // The controls: places each by themselves, clusters of another size.
    EXPECT_GT(error(1), kBound);
    EXPECT_GT(error(kSize / 2), kBound);

    const std::vector<double> places = counts_of("zipf:1", kClusters * kSize, kSize);
    const std::vector<double> sums = added_up(places, kSize);
    std::vector<double> expected;
    for (const double sum : sums) {
        expected.insert(expected.end(), kSize, sum / kSize);
    }
    EXPECT_LT(chi_square(places, expected), 700 + 5 * std::sqrt(2 * 700.0));
}

TEST(ClusterTest, AClusterOfOnePlaceIsTheScatteredForm) {
    for (const char* text : {"zipf:0.9", "pareto:0.2"}) {
        const RandomPlace scattered(parse_distribution(text), 1000);
        const RandomPlace ones(parse_distribution(text), 1000, 1);
        const RandomPlace twos(parse_distribution(text), 1000, 2);
        Random a(3);
        Random b(3);
        Random c(3);
        int others = 0;
        for (int i = 0; i < 1000; ++i) {
            const std::uint64_t place = scattered.draw(a);
            EXPECT_EQ(place, ones.draw(b));
            others += place != twos.draw(c) ? 1 : 0;
        }
        EXPECT_GT(others, 800);
    }
}

TEST(ClusterTest, ALastClusterMayBeSmaller) {
    for (const char* text : {"zipf:0.9", "pareto:0.3"}) {
        for (const std::uint64_t places : {1u, 3u, 4u, 5u, 10u}) {
            const std::vector<double> seen = counts_of(text, places, 4); // at() refuses others
            EXPECT_EQ(std::count(seen.begin(), seen.end(), 0.0), 0) << text << " " << places;
        }
    }
}

JobSpec job_of(std::optional<std::uint64_t> cluster) {
    JobSpec job;
    job.pattern = Pattern::kRandRw;
    job.size = 64 * kMiB;
    job.number_ios = 100'000;
    job.distribution = parse_distribution("zipf:1.2");
    job.cluster = cluster;
    return job;
}

/// Of the requests that begin in the hottest 128 KiB, the share of their hottest page.
double share_of_one_page(const JobSpec& job) {
    Generator generator({"test", {job}});
    std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> pages;
    for (const HostRequest& request : drain(generator)) {
        ++pages[request.offset / (128 * kKiB)][request.offset / 4096];
    }
    std::pair<std::uint64_t, std::uint64_t> hottest; // requests of the block, of its page
    for (const auto& [block, counts] : pages) {
        std::pair<std::uint64_t, std::uint64_t> now;
        for (const auto& [page, count] : counts) {
            now = {now.first + count, std::max(now.second, count)};
        }
        hottest = std::max(hottest, now);
    }
    return static_cast<double>(hottest.second) / static_cast<double>(hottest.first);
}

TEST(ClusterTest, ABlockIsHotAsAWhole) {
    EXPECT_NEAR(share_of_one_page(job_of(128 * kKiB)), 1.0 / 32, 0.01);
    EXPECT_GT(share_of_one_page(job_of(std::nullopt)), 0.8); // the control: one page of it is
    JobSpec spread = job_of(128 * kKiB);
    spread.spread = 8 * kGiB;
    EXPECT_NEAR(share_of_one_page(spread), 1.0 / 32, 0.01);
}

std::string error_in(const std::string& keys) {
    const std::string job = "[[job]]\nrw = \"randwrite\"\nsize = \"64MiB\"\n"; // three lines
    return error_of([&] { static_cast<void>(parse_generator_spec(job + keys, "w.toml")); });
}

TEST(ClusterTest, MistakesAreNamed) {
    const std::string zipf = "random_distribution = \"zipf:1\"\n";
    EXPECT_EQ(error_in(zipf + "cluster = \"128KiB\"\n"), "none");
    EXPECT_EQ(error_in(zipf + "cluster = \"96KiB\"\n"), "none");
    for (const char* cluster : {"0", "2048", "\"6KiB\"", "\"128MiB\""}) {
        EXPECT_EQ(error_in(zipf + "cluster = " + cluster + "\n"),
                  "w.toml:1: job \"job\" has a cluster that is no multiple of its bs, or larger "
                  "than its region; cluster is such as \"128KiB\"");
    }
    for (const char* distribution : {"random", "hotspot:90/10"}) {
        EXPECT_EQ(error_in("random_distribution = \"" + std::string(distribution) +
                           "\"\ncluster = \"128KiB\"\n"),
                  "w.toml:1: job \"job\" has a cluster, but a random_distribution without popular "
                  "places; cluster goes with zipf or pareto");
    }
    EXPECT_EQ(error_in(zipf + "cluster = \"96KiB\"\nspread = \"1GiB\"\n"),
              "w.toml:1: job \"job\" has a cluster that does not fit into the pieces of its "
              "spread; cluster is a power of two up to 4MiB there");
    EXPECT_EQ(error_in(zipf + "cluster = \"128q\"\n").substr(0, 22), "w.toml:5: job.cluster ");
}

constexpr const char* kTarget = "[target]\nrequests = 20000\nwrite_mean_kib = 20\n"
                                "write_footprint_gib = 0.05\naddress_space_gib = 8\n";

TEST(ClusterTest, AFitKeepsTheClusterItIsGiven) {
    const FitTarget target = parse_fit_target(
        std::string(kTarget) + "distribution = \"zipf:1\"\ncluster = \"128KiB\"\n", "t.toml");
    const Fit fit = fit_job(target);
    for (const FitFigure& figure : fit.figures) {
        EXPECT_LT(std::abs(figure.error()), 0.01) << figure.name;
    }
    const std::string text = fit_to_toml(target, fit);
    EXPECT_EQ(parse_generator_spec(text, "t.toml").jobs.at(0).cluster, 128 * kKiB);
    // The control: popular places scattered need another region for the same footprint.
    FitTarget scattered = target;
    scattered.cluster.reset();
    const auto region = static_cast<double>(*fit.job.write_size);
    EXPECT_GT(std::abs(static_cast<double>(*fit_job(scattered).job.write_size) / region - 1), 0.05);
}

TEST(ClusterTest, AFitRefusesAClusterWithoutPopularPlaces) {
    const auto error = [](const std::string& keys) {
        return error_of([&] { static_cast<void>(parse_fit_target(kTarget + keys, "t.toml")); });
    };
    const std::string no_places =
        "t.toml:1: the target has a cluster that is no multiple of its bs, or a distribution "
        "without popular places; cluster goes with zipf or pareto, and is at least bs";
    EXPECT_EQ(error("cluster = \"128KiB\"\n"), no_places);
    EXPECT_EQ(error("cluster = \"2KiB\"\ndistribution = \"zipf:1\"\n"), no_places);
    EXPECT_EQ(
        error("cluster = \"3KiB\"\ndistribution = \"zipf:1\"\n"),
        "t.toml:6: target.cluster is no size of a neighbourhood; it is a power of two up to 4MiB, "
        "such as \"128KiB\"");
}

} // namespace
} // namespace cavern
