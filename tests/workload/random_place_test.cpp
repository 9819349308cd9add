#include "workload/random_place.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "workload/job_text.h"

namespace cavern {
namespace {

constexpr std::uint64_t kDraws = 400'000;

std::vector<double> counts_of(const char* distribution, std::uint64_t places,
                              std::uint64_t seed = 5) {
    const RandomPlace place(parse_distribution(distribution), places);
    Random random(seed);
    std::vector<double> counts(places);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
        counts.at(place.draw(random)) += 1;
    }
    return counts;
}

double chi_square(const std::vector<double>& seen, const std::vector<double>& expected) {
    double sum = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        sum += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
    }
    return sum;
}

std::vector<double> zipf_counts(double theta, std::size_t places) {
    std::vector<double> weights(places);
    for (std::size_t i = 0; i < places; ++i) {
        weights[i] = std::pow(static_cast<double>(i + 1), -theta);
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) {
        weight *= static_cast<double>(kDraws) / sum;
    }
    return weights;
}

TEST(RandomPlaceTest, ZipfSharesAreThoseOfTheFormula) {
    constexpr std::size_t kPlaces = 100;
    constexpr double kBound = 99 + 5 * 14.1; // of chi-square with 99 degrees of freedom
    for (const auto& [text, theta] :
         {std::pair{"zipf:0.5", 0.5}, std::pair{"zipf:1", 1.0}, std::pair{"zipf:1.3", 1.3}}) {
        std::vector<double> seen = counts_of(text, kPlaces);
        std::sort(seen.rbegin(), seen.rend()); // popular places lie anywhere
        EXPECT_LT(chi_square(seen, zipf_counts(theta, kPlaces)), kBound) << text;
        // The control: another theta is told apart.
        EXPECT_GT(chi_square(seen, zipf_counts(theta + 0.05, kPlaces)), kBound) << text;
    }
}

TEST(RandomPlaceTest, PopularPlacesAreSpreadOverTheRegion) {
    for (const char* text : {"zipf:1.2", "pareto:0.2"}) {
        const std::vector<double> seen = counts_of(text, 1000);
        std::vector<std::size_t> order(seen.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return seen[a] > seen[b]; });
        // Of the ten most popular no two are neighbours, and some lie in each half.
        order.resize(10);
        std::sort(order.begin(), order.end());
        for (std::size_t i = 1; i < order.size(); ++i) {
            EXPECT_GT(order[i] - order[i - 1], 1u) << text;
        }
        EXPECT_LT(order.front(), 500u) << text;
        EXPECT_GE(order.back(), 500u) << text;
    }
}

TEST(RandomPlaceTest, ParetoGivesAFifthOfThePlacesFourFifthsOfTheAccesses) {
    std::vector<double> seen = counts_of("pareto:0.2", 1000);
    std::sort(seen.rbegin(), seen.rend());
    const double fifth = std::accumulate(seen.begin(), seen.begin() + 200, 0.0) / kDraws;
    EXPECT_NEAR(fifth, 0.8, 0.01);
    // At every scale: of these, a fifth gets four fifths again.
    const double twentyfifth = std::accumulate(seen.begin(), seen.begin() + 40, 0.0) / kDraws;
    EXPECT_NEAR(twentyfifth, 0.64, 0.01);
}

TEST(RandomPlaceTest, ZonesGetTheirShares) {
    const std::vector<double> seen = counts_of("zoned:60/10:30/20:10/70", 1000);
    const auto share = [&](std::size_t from, std::size_t to) {
        return std::accumulate(seen.begin() + static_cast<std::ptrdiff_t>(from),
                               seen.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
               kDraws;
    };
    EXPECT_NEAR(share(0, 100), 0.6, 0.005);
    EXPECT_NEAR(share(100, 300), 0.3, 0.005);
    EXPECT_NEAR(share(300, 1000), 0.1, 0.005);
    EXPECT_EQ(counts_of("hotspot:80/20", 1000), counts_of("zoned:80/20:20/80", 1000));
    EXPECT_NE(counts_of("hotspot:80/20", 1000), counts_of("zoned:80/21:20/79", 1000));
}

TEST(RandomPlaceTest, EveryPlaceOfASmallRegionIsDrawnAndNoneBeyond) {
    for (const char* text : {"random", "zipf:0.9", "pareto:0.3", "hotspot:90/10"}) {
        for (const std::uint64_t places : {1u, 2u, 3u, 10u}) {
            const std::vector<double> seen = counts_of(text, places); // at() refuses others
            EXPECT_EQ(std::count(seen.begin(), seen.end(), 0.0), 0) << text << " " << places;
        }
    }
}

TEST(RandomPlaceTest, SeedDecides) {
    EXPECT_EQ(counts_of("zipf:1.1", 50, 1), counts_of("zipf:1.1", 50, 1));
    EXPECT_NE(counts_of("zipf:1.1", 50, 1), counts_of("zipf:1.1", 50, 2));
}

} // namespace
} // namespace cavern
