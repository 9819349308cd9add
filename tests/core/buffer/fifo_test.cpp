#include "core/buffer/fifo.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/buffer/lru_page.h"
#include "tests/core/buffer/naive_page_policies.h"
#include "tests/core/buffer/policy_drill.h"
#include "tests/core/buffer/policy_script.h"

namespace cavern {
namespace {

using testing::DrillOptions;
using testing::first_difference_in_a_million_steps;
using testing::NaiveFifo;
using testing::PolicyScript;

using Lines = std::vector<std::string>;

// docs/algorithms.md, FIFO-1.
TEST(FifoTest, WorkedExampleEvictsTheOldestArrivalThoughItWasWrittenAgain) {
    EXPECT_EQ(PolicyScript("fifo", 2, 4).run("W1 W2 W1 W3"), Lines{"W3: [1]"});
    EXPECT_EQ(PolicyScript("lru-page", 2, 4).run("W1 W2 W1 W3"), Lines{"W3: [2]"});
}

auto naive_fifo(const DrillOptions&) {
    return std::make_unique<NaiveFifo>();
}

TEST(FifoSlowTest, AgreesWithItsNaiveTwinOverAMillionSteps) {
    EXPECT_EQ(first_difference_in_a_million_steps(
                  true, [](const DrillOptions& o) { return std::make_unique<Fifo>(o.capacity); },
                  naive_fifo),
              "");
}

TEST(FifoTest, TheNaiveTwinNoticesAPolicyThatCountsHits) {
    EXPECT_NE(first_difference_in_a_million_steps(
                  true, [](const DrillOptions& o) { return std::make_unique<LruPage>(o.capacity); },
                  naive_fifo),
              "");
}

} // namespace
} // namespace cavern
