#include "core/buffer/ccf_lru.h"

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
using testing::NaiveCcfLru;
using testing::PolicyScript;

using Lines = std::vector<std::string>;
using Pages = std::vector<std::uint64_t>;

// docs/algorithms.md, CCF-1.
TEST(CcfLruTest, WorkedExampleDropsColdCleanPagesThenTakesHeatAway) {
    PolicyScript script("ccf-lru", 4, 4);
    EXPECT_EQ(script.run("W1 R2 W3 R2 W1 R4 R5 W6 W7 R8 R9"),
              (Lines{"R5: drop [4]", "W6: drop [5]", "W7: [3]", "R8: [6]", "R9: drop [2]"}));
    EXPECT_EQ(script.left(), (Pages{1, 7, 8, 9}));
    EXPECT_EQ(script.counters().evicted_pages, 2u);
    EXPECT_EQ(script.counters().dropped_pages, 3u);
}

TEST(CcfLruTest, PagesFirstWrittenHotGetASecondRound) {
    const char* script = "W1 W2 W1 W3 W4";
    EXPECT_EQ(PolicyScript("ccf-lru", 3, 4).run(script), Lines{"W4: [2]"});
    const CcfLruParams params{false};
    // All three are hot; 2 is the first to come round again.
    EXPECT_EQ(PolicyScript("ccf-lru", 3, 4, params).run(script), Lines{"W4: [2]"});
    // Of a page written once and one written twice, the first stays hot with the option, and the
    // older leaves.
    EXPECT_EQ(PolicyScript("ccf-lru", 2, 4).run("W1 W1 W2 W3"), Lines{"W3: [2]"});
    EXPECT_EQ(PolicyScript("ccf-lru", 2, 4, params).run("W1 W1 W2 W3"), Lines{"W3: [1]"});
}

auto ccf_lru(const DrillOptions& o, bool new_dirty_cold) {
    return std::make_unique<CcfLru>(o.capacity, new_dirty_cold);
}

TEST(CcfLruSlowTest, AgreesWithItsNaiveTwinOverAMillionSteps) {
    for (const bool cold : {false, true}) {
        EXPECT_EQ(first_difference_in_a_million_steps(
                      true, [cold](const DrillOptions& o) { return ccf_lru(o, cold); },
                      [cold](const DrillOptions&) { return std::make_unique<NaiveCcfLru>(cold); }),
                  "")
            << cold;
    }
}

TEST(CcfLruTest, TheNaiveTwinNoticesPagesThatStartHot) {
    EXPECT_NE(first_difference_in_a_million_steps(
                  true, [](const DrillOptions& o) { return ccf_lru(o, false); },
                  [](const DrillOptions&) { return std::make_unique<NaiveCcfLru>(true); }),
              "");
}

} // namespace
} // namespace cavern
