#include "core/base/counter.h"

#include <gtest/gtest.h>

namespace cavern::testing {
namespace {

struct Counters {
    std::uint64_t pages = 0;
    TimePs busy = 0;
    std::uint64_t hidden = 0; // not declared

    static constexpr auto declared =
        counters_of(counter(&Counters::pages, "pages", "pages", "Pages that passed."),
                    duration(&Counters::busy, "busy_ns", "Time that something was busy."));
};

struct Others {
    std::uint64_t pages = 0;
    static constexpr auto declared =
        counters_of(counter(&Others::pages, "pages", "pages", "Other pages."));
};

/// What a scheme adds to the counters of all of them.
struct More : Counters {
    std::uint64_t moves = 0;
    static constexpr auto declared =
        counters_of(counter(&More::moves, "moves", "pages", "Pages that moved."));
};

class Scheme {
  public:
    using Counters = Others;
};
class Plain {};

TEST(CounterTest, ADeclarationHasNameUnitSentenceAndValue) {
    Counters counters;
    counters.pages = 7;
    counters.busy = 1499 * kPs;
    const auto& [pages, busy] = Counters::declared;
    EXPECT_EQ(pages.name, "pages");
    EXPECT_EQ(pages.meaning, "Pages that passed.");
    EXPECT_EQ(pages.value(counters), 7u);
    EXPECT_EQ(busy.unit, "ns");
    EXPECT_EQ(busy.value(counters), 1u); // to the nearest nanosecond
    counters.busy = 1500 * kPs;
    EXPECT_EQ(busy.value(counters), 2u);
}

TEST(CounterTest, AViewFindsCountersByNameAndGivesZeroForOthers) {
    Counters counters;
    counters.pages = 7;
    const CounterView view = counters;
    EXPECT_EQ(view.value_of("pages"), 7u);
    ++counters.pages;
    EXPECT_EQ(view.value_of("pages"), 8u);
    EXPECT_EQ(view.value_of("hidden"), 0u);
    EXPECT_EQ(CounterView().value_of("pages"), 0u);
    EXPECT_EQ(CounterView().set(), nullptr);
}

TEST(CounterTest, AViewIsOfOneTypeOnly) {
    const Counters counters;
    const CounterView view = counters;
    EXPECT_EQ(view.as<Counters>(), &counters);
    EXPECT_EQ(view.as<Others>(), nullptr);
    EXPECT_EQ(CounterView().as<Counters>(), nullptr);
}

TEST(CounterTest, AStructThatDerivesDeclaresItsOwn) {
    More sum;
    More more;
    more.pages = 2;
    more.moves = 3;
    EXPECT_EQ(CounterView(more).value_of("pages"), 0u);
    EXPECT_EQ(CounterView(more).value_of("moves"), 3u);
    add_counters(sum, more);
    EXPECT_EQ(sum.moves, 3u);
    EXPECT_EQ(sum.pages, 0u);
    add_counters<Counters>(sum, more);
    add_counters<Counters>(sum, more);
    EXPECT_EQ(sum.pages, 4u);
}

TEST(CounterTest, AClassHasCountersOfItsOwnOrNone) {
    EXPECT_EQ(OwnCounters<Scheme>::set(), &CounterSet::of<Others>());
    EXPECT_EQ(OwnCounters<Plain>::set(), nullptr);
}

} // namespace
} // namespace cavern::testing
