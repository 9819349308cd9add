#include "timed/host/link_direction.h"

#include <map>

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace cavern {
namespace {

TEST(LinkTimelineTest, TakesTheFirstGapThatIsLongEnough) {
    LinkTimeline line;
    EXPECT_EQ(line.take(0, 100, 10), 110u);
    EXPECT_EQ(line.take(0, 0, 50), 50u);
    EXPECT_EQ(line.take(0, 0, 50), 100u); // fits the gap exactly
    EXPECT_EQ(line.take(0, 0, 1), 111u);  // all is one stretch now
    EXPECT_EQ(line.take(0, 200, 5), 205u);
    EXPECT_EQ(line.busy(105), 105u);
    EXPECT_EQ(line.busy(203), 114u);
    EXPECT_EQ(line.take(0, 100, 90), 295u); // the gap before 200 is a little short
    EXPECT_EQ(line.busy(kNever), 206u);
    EXPECT_EQ(line.busy(0), 0u); // all of it is to come
}

/// Moment by moment.
TEST(LinkTimelineTest, AgreesWithALineOfMoments) {
    LinkTimeline line;
    std::map<TimePs, bool> taken;
    Random random(5);
    TimePs now = 0;
    for (int i = 0; i < 20'000; ++i) {
        now += random.below(12);
        const TimePs from = now + random.below(30);
        const TimePs duration = 1 + random.below(8);
        TimePs begin = from;
        for (TimePs at = from; at < begin + duration; ++at) {
            if (taken.count(at) != 0) {
                begin = at + 1;
            }
        }
        for (TimePs at = begin; at < begin + duration; ++at) {
            taken[at] = true;
        }
        ASSERT_EQ(line.take(now, from, duration), begin + duration) << "step " << i;
        taken.erase(taken.begin(), taken.lower_bound(now));
    }
}

TEST(LinkDirectionTest, DataGoFirstComeFirstServed) {
    LinkDirection link(10);
    EXPECT_EQ(link.data(0, 0, 100), 100u);
    EXPECT_EQ(link.data(0, 0, 100), 200u);
    EXPECT_EQ(link.data(20, 500, 100), 600u);
    EXPECT_EQ(link.busy(50), 50u);
    EXPECT_EQ(link.busy(300), 200u); // the pause counts for nothing
    EXPECT_EQ(link.busy(550), 250u);
    EXPECT_EQ(link.busy(kNever), 300u);
}

TEST(LinkDirectionTest, AControlPacketWaitsForOnePacketOfData) {
    LinkDirection link(10);
    EXPECT_EQ(link.control(0, 0, 3), 3u);
    static_cast<void>(link.data(5, 5, 1000));
    EXPECT_EQ(link.control(6, 6, 3), 19u);
}

TEST(LinkDirectionTest, OrForTheRestOfTheData) {
    LinkDirection link(10);
    static_cast<void>(link.data(0, 0, 100));
    EXPECT_EQ(link.control(96, 96, 3), 103u);
}

TEST(LinkDirectionTest, ItsTimeIsMadeUpForByTheNextData) {
    LinkDirection link(10);
    static_cast<void>(link.data(0, 0, 100));
    static_cast<void>(link.control(1, 1, 7));
    EXPECT_EQ(link.data(2, 2, 100), 207u);
    EXPECT_EQ(link.data(2, 2, 100), 307u);
}

TEST(LinkDirectionTest, OrByAPause) {
    LinkDirection link(10);
    static_cast<void>(link.control(0, 0, 7));
    EXPECT_EQ(link.data(4, 4, 100), 107u); // the first four have passed
    static_cast<void>(link.control(50, 50, 7));
    EXPECT_EQ(link.data(200, 200, 100), 300u);
}

TEST(LinkDirectionTest, TheLinkCarriesNoMoreThanItCan) {
    LinkDirection link(10);
    TimePs end = 0;
    TimePs asked = 0;
    for (int i = 0; i < 1000; ++i) {
        static_cast<void>(link.control(0, 0, 3));
        end = link.data(0, 0, 20);
        asked += 23;
    }
    EXPECT_EQ(end, asked);
    EXPECT_EQ(link.busy(kNever), asked);
}

} // namespace
} // namespace cavern
