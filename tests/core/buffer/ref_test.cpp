#include "core/buffer/ref.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/buffer/naive_page_policies.h"
#include "tests/core/buffer/policy_drill.h"
#include "tests/core/buffer/policy_script.h"

namespace cavern {
namespace {

using testing::DrillOptions;
using testing::first_difference_in_a_million_steps;
using testing::NaiveRef;
using testing::PolicyScript;

using Lines = std::vector<std::string>;

constexpr const char* kScript = "W4 W0 W1 W8 W5 W12 W13 W9 W2 W16";

Lines evictions(bool refill_lru, std::uint32_t window) {
    RefParams params;
    params.window = window;
    params.refill_lru = refill_lru;
    return PolicyScript("ref", 6, 4, params).run(kScript);
}

// docs/algorithms.md, REF-1.
TEST(RefTest, WorkedExampleStaysWithTheBlockRecentlyEvicted) {
    EXPECT_EQ(evictions(false, 0), (Lines{"W13: [0]", "W9: [1]", "W2: [4]", "W16: [5]"}));
}

TEST(RefTest, WorkedExampleFallsBackToTheLruPageIfAsked) {
    EXPECT_EQ(evictions(true, 0), (Lines{"W13: [4]", "W9: [5]", "W2: [0]", "W16: [1]"}));
}

TEST(RefTest, AWindowOfOnePageIsLru) {
    EXPECT_EQ(evictions(false, 1), PolicyScript("lru-page", 6, 4).run(kScript));
}

TEST(RefTest, ABlockDroppedFromTheRememberedOnesIsNotPreferred) {
    RefParams params;
    params.window = 2;
    params.refill_lru = true;
    for (const std::uint32_t victims : {1u, 2u}) {
        params.victims = victims;
        // 0 and 4 leave as LRU pages; then, of 8 and 1 in the window, the LRU page, or the page of
        // block 0 if that is remembered beside block 1.
        EXPECT_EQ(PolicyScript("ref", 6, 4, params).run("W0 W4 W8 W1 W12 W16 W20 W24 W28"),
                  (Lines{"W20: [0]", "W24: [4]", victims == 1 ? "W28: [8]" : "W28: [1]"}));
    }
}

struct Params {
    std::uint32_t window_share; ///< sixteenths of the buffer
    std::uint32_t victims;
    bool refill_lru;
};

std::uint32_t window(const DrillOptions& o, const Params& p) {
    return std::max(1u, o.capacity * p.window_share / 16);
}

auto ref(const DrillOptions& o, const Params& p) {
    return std::make_unique<Ref>(o.capacity, o.pages_per_block, window(o, p), p.victims,
                                 p.refill_lru);
}

auto naive_ref(const DrillOptions& o, const Params& p) {
    return std::make_unique<NaiveRef>(o.pages_per_block, window(o, p), p.victims, p.refill_lru);
}

TEST(RefSlowTest, AgreesWithItsNaiveTwinOverAMillionSteps) {
    const Params p{12, 1, false};
    EXPECT_EQ(first_difference_in_a_million_steps(
                  false, [&](const DrillOptions& o) { return ref(o, p); },
                  [&](const DrillOptions& o) { return naive_ref(o, p); }),
              "");
}

TEST(RefSlowTest, AgreesWithItsNaiveTwinThatRemembersSeveralBlocks) {
    const Params p{10, 3, false};
    EXPECT_EQ(first_difference_in_a_million_steps(
                  true, [&](const DrillOptions& o) { return ref(o, p); },
                  [&](const DrillOptions& o) { return naive_ref(o, p); }),
              "");
}

TEST(RefSlowTest, AgreesWithItsNaiveTwinThatFallsBackToTheLruPage) {
    const Params p{16, 2, true};
    EXPECT_EQ(first_difference_in_a_million_steps(
                  false, [&](const DrillOptions& o) { return ref(o, p); },
                  [&](const DrillOptions& o) { return naive_ref(o, p); }),
              "");
}

TEST(RefTest, TheNaiveTwinNoticesOtherParameters) {
    const Params right{12, 2, false};
    for (const Params& wrong : {Params{11, 2, false}, Params{12, 1, false}, Params{12, 2, true}}) {
        EXPECT_NE(first_difference_in_a_million_steps(
                      false, [&](const DrillOptions& o) { return ref(o, wrong); },
                      [&](const DrillOptions& o) { return naive_ref(o, right); }),
                  "");
    }
}

} // namespace
} // namespace cavern
