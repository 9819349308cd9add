#include "timed/host/nvme_queue.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace cavern {
namespace {

using Tags = std::vector<std::uint32_t>;
using Signal = CompletionQueue::Signal;

TEST(SubmissionQueueTest, TheControllerSeesWhatADoorbellTold) {
    SubmissionQueue queue(4);
    queue.push(7);
    queue.push(8);
    EXPECT_FALSE(queue.rung());
    queue.ring();
    EXPECT_TRUE(queue.rung());
    EXPECT_EQ(queue.waiting(), 0u); // the doorbell is on its way
    queue.told(queue.tail());
    EXPECT_EQ(queue.waiting(), 2u);
    EXPECT_EQ(queue.pop(), 7u);
    EXPECT_EQ(queue.waiting(), 1u);
}

TEST(SubmissionQueueTest, GoesRoundWithoutLosingACommand) {
    SubmissionQueue queue(3);
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < 100; ++i) {
        while (queue.waiting() < 3) {
            queue.push(100 + i * 3 + queue.waiting());
            queue.told(queue.tail());
        }
        next = queue.pop();
        EXPECT_GE(next, 100u);
    }
    EXPECT_FALSE(queue.empty());
}

TEST(SubmissionQueueTest, AnEntryTooManyIsReported) {
    SubmissionQueue queue(2);
    queue.push(0);
    queue.push(1);
    EXPECT_THROW(queue.push(2), ModelError);
}

TEST(SubmissionQueueTest, FetchingWhatWasNotToldIsReported) {
    SubmissionQueue queue(2);
    queue.push(0);
    EXPECT_THROW(static_cast<void>(queue.pop()), ModelError);
}

TEST(CompletionQueueTest, EveryEntryHasItsInterruptByDefault) {
    CompletionQueue queue(4, 1);
    EXPECT_EQ(queue.post(3), Signal::kInterrupt);
    EXPECT_EQ(queue.post(4), Signal::kInterrupt);
    EXPECT_EQ(queue.take(), (Tags{3, 4}));
    EXPECT_TRUE(queue.empty());
}

TEST(CompletionQueueTest, AnInterruptWaitsForItsThreshold) {
    CompletionQueue queue(8, 3);
    EXPECT_EQ(queue.post(1), Signal::kTimer);
    EXPECT_EQ(queue.post(2), Signal::kNothing);
    EXPECT_EQ(queue.post(3), Signal::kInterrupt);
    EXPECT_EQ(queue.post(4), Signal::kTimer); // the next aggregation
}

TEST(CompletionQueueTest, OrForItsTime) {
    CompletionQueue queue(8, 3);
    EXPECT_EQ(queue.post(1), Signal::kTimer);
    EXPECT_TRUE(queue.time_over(queue.aggregation()));
    EXPECT_FALSE(queue.time_over(queue.aggregation())); // nothing awaits one
}

TEST(CompletionQueueTest, TheTimerOfAnAggregationThatIsOverIsVoid) {
    CompletionQueue queue(8, 2);
    static_cast<void>(queue.post(1));
    const std::uint32_t first = queue.aggregation();
    EXPECT_EQ(queue.post(2), Signal::kInterrupt);
    EXPECT_EQ(queue.post(3), Signal::kTimer);
    EXPECT_FALSE(queue.time_over(first));
    EXPECT_TRUE(queue.time_over(queue.aggregation()));
}

TEST(CompletionQueueTest, AnEntryTooManyIsReported) {
    CompletionQueue queue(1, 1);
    static_cast<void>(queue.post(1));
    EXPECT_THROW(static_cast<void>(queue.post(2)), ModelError);
}

} // namespace
} // namespace cavern
