#include "serve/serve_clock.h"

#include <chrono>

#include <gtest/gtest.h>

namespace cavern {
namespace {

using namespace std::chrono_literals;

constexpr Transport kMeasured{10us, 45us};

TEST(TransportTest, GrowsWithTheWaitBetweenTheTwoThatWereMeasured) {
    EXPECT_EQ(kMeasured.after(0us), 10us);
    EXPECT_EQ(kMeasured.after(50us), 10us);
    EXPECT_EQ(kMeasured.after(60us), 11us);
    EXPECT_EQ(kMeasured.after(225us), 10us + 17500ns);
    EXPECT_EQ(kMeasured.after(400us), 45us);
    EXPECT_EQ(kMeasured.after(1h), 45us);
}

TEST(TransportTest, MayShrinkWithTheWaitAsMeasured) {
    constexpr Transport kShrinks{45us, 10us};
    EXPECT_EQ(kShrinks.after(60us), 44us);
    EXPECT_EQ(kShrinks.after(1h), 10us);
}

TEST(ServeClockTest, ARequestIsDatedBackByWhatItsClientHasWaited) {
    ServeClock clock({10}, 0, kMeasured);
    const ServeClock::Wall::time_point first = ServeClock::Wall::now();
    clock.answered(first); // the first for ages
    EXPECT_EQ(clock.transport(), 45us);
    clock.answered(first + 20us);
    EXPECT_EQ(clock.transport(), 10us);
    clock.answered(first + 80us);
    EXPECT_EQ(clock.transport(), 11us);
}

} // namespace
} // namespace cavern
