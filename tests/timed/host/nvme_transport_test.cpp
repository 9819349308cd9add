// NVMe over PCIe against a device that does as it is told: each step of a command at its time, who
// is fetched when, what is told to the host when.

#include "timed/host/nvme_transport.h"

#include <gtest/gtest.h>
#include <memory>
#include <numeric>

#include "core/base/error.h"
#include "tests/timed/host/host_bench.h"

namespace cavern::testing {
namespace {

using T = NvmeTransport;

class NvmeTransportTest : public HostBench {
  protected:
    NvmeTransportTest() {
        nvme_.link = {3, 4, 256, 512};
        nvme_.memory_latency = 500 * kNs;
        nvme_.queue_depth = 32;
        device_.moves_data = true;
    }
    void start(std::uint32_t queues = 1, bool closed_loop = false) {
        nvme_.arbiter.classes.resize(queues, QueueClass::kMedium);
        HostInterface::Params params;
        params.queue_depth = nvme_.queue_depth * queues;
        params.closed_loop = closed_loop;
        build_with(std::make_unique<NvmeTransport>(clock_, nvme_), params);
    }
    [[nodiscard]] TimePs packet(std::uint64_t bytes) const {
        return PcieLink(nvme_.link).packet_time(1, bytes);
    }
    /// A read of host memory in which nothing is in the way.
    [[nodiscard]] TimePs fetch(std::uint64_t bytes) const {
        const PcieLink link(nvme_.link);
        return link.request_time(0, bytes) + nvme_.memory_latency + link.data_time(0, bytes);
    }
    [[nodiscard]] TimePs data(std::uint64_t bytes) const {
        return PcieLink(nvme_.link).data_time(0, bytes);
    }
    /// From the doorbell to the command in the device.
    [[nodiscard]] TimePs arrival() const {
        return packet(T::kDoorbellBytes) + fetch(T::kEntryBytes);
    }
    /// From the answer to the interrupt.
    [[nodiscard]] TimePs completion() const {
        return packet(T::kCompletionBytes) + packet(T::kInterruptBytes);
    }

    NvmeTransport::Params nvme_;
};

TEST_F(NvmeTransportTest, ALoneReadIsADoorbellAFetchItsDataAnEntryAndAnInterrupt) {
    start();
    device_.service = 20 * kUs;
    add(RequestOp::kRead, 5 * kUs, 4096);
    finish();
    const TimePs here = 5 * kUs + arrival();
    EXPECT_EQ(done_,
              (std::vector<Done>{{0, 5 * kUs, here, here + 20 * kUs + data(4096) + completion()}}));
}

TEST_F(NvmeTransportTest, TheDataOfALoneWriteAreReadFromHostMemory) {
    start();
    device_.service = 20 * kUs;
    add(RequestOp::kWrite, 0, 4096);
    finish();
    EXPECT_EQ(device_.dispatched_at[0], arrival());
    EXPECT_EQ(device_.moved_at[0], arrival() + 20 * kUs + fetch(4096));
    EXPECT_EQ(done_[0].completed, device_.moved_at[0] + completion());
}

TEST_F(NvmeTransportTest, MoreThanTwoPagesOfDataNeedTheirList) {
    start();
    add(RequestOp::kRead, 0, 8192);
    add(RequestOp::kRead, 1 * kMs, 131'072);
    finish();
    EXPECT_EQ(device_.dispatched_at[0], arrival());
    EXPECT_EQ(device_.dispatched_at[1], 1 * kMs + arrival() + fetch(31 * 8));
}

TEST_F(NvmeTransportTest, ADeallocateBringsItsRangesAndAFlushNothing) {
    start();
    add(RequestOp::kTrim, 0, 131'072);
    add(RequestOp::kFlush, 1 * kMs);
    finish();
    EXPECT_EQ(device_.dispatched_at[0], arrival() + fetch(T::kRangeBytes));
    EXPECT_EQ(device_.dispatched_at[1], 1 * kMs + arrival());
    EXPECT_EQ(done_[1].completed, 1 * kMs + arrival() + completion());
}

TEST_F(NvmeTransportTest, FlushAndDeallocateRunWithOthers) {
    start();
    device_.service = 100 * kUs;
    for (const RequestOp op : {RequestOp::kWrite, RequestOp::kFlush, RequestOp::kTrim}) {
        add(op);
    }
    finish();
    EXPECT_EQ(device_.most, 3u);
}

TEST_F(NvmeTransportTest, CommandsIssuedTogetherShareADoorbell) {
    start();
    device_.moves_data = false;
    device_.service = 10 * kUs;
    for (int i = 0; i < 8; ++i) {
        add(RequestOp::kRead);
    }
    finish();
    const PcieLink link(nvme_.link);
    // Each fetched by itself, and each with its entry and interrupt; the host may take several
    // completions with one doorbell.
    const TimePs each =
        link.request_time(0, T::kEntryBytes) + link.data_time(0, T::kEntryBytes) + completion();
    const TimePs doorbells = host_->transport().link_busy() - 8 * each;
    EXPECT_GE(doorbells, 2 * packet(T::kDoorbellBytes));
    EXPECT_LE(doorbells, 9 * packet(T::kDoorbellBytes));
}

TEST_F(NvmeTransportTest, ABurstIsFetchedWithOneRead) {
    nvme_.arbiter.burst = 8;
    start();
    device_.service = 10 * kUs;
    for (int i = 0; i < 8; ++i) {
        add(RequestOp::kRead);
    }
    finish();
    for (std::uint64_t id = 0; id < 8; ++id) {
        EXPECT_EQ(device_.dispatched_at[id], packet(T::kDoorbellBytes) + fetch(8 * T::kEntryBytes));
    }
}

TEST_F(NvmeTransportTest, SoftwareTimePassesBeforeTheDoorbell) {
    nvme_.turnaround = 7 * kUs;
    start();
    add(RequestOp::kRead);
    finish();
    EXPECT_EQ(device_.dispatched_at[0], 7 * kUs + arrival());
}

TEST_F(NvmeTransportTest, ReadsAndWritesHaveTheirOwnDirections) {
    start();
    for (int i = 0; i < 16; ++i) {
        add(i % 2 == 0 ? RequestOp::kRead : RequestOp::kWrite, 0, 131'072);
    }
    finish();
    const TimePs one_way = 8 * data(131'072);
    EXPECT_GT(done_.back().completed, one_way);
    EXPECT_LT(done_.back().completed, one_way + one_way / 20);
}

TEST_F(NvmeTransportTest, AFetchDoesNotWaitForAllDataAskedFor) {
    start();
    add(RequestOp::kWrite, 0, 1 << 20);
    add(RequestOp::kFlush, 20 * kUs);
    finish();
    EXPECT_GT(device_.moved_at[0], 250 * kUs);
    // At most a packet of the data each time the two meet.
    EXPECT_LE(device_.dispatched_at[1], 20 * kUs + arrival() + 2 * packet(256));
}

TEST_F(NvmeTransportTest, TheControllerHoldsSoManyCommands) {
    nvme_.slots = 2;
    start();
    device_.hold = true;
    for (int i = 0; i < 5; ++i) {
        add(RequestOp::kFlush);
    }
    device_.script.at(100 * kUs, [this] {
        EXPECT_EQ(device_.dispatched.size(), 2u);
        device_.answer(1);
    });
    device_.script.at(200 * kUs, [this] {
        EXPECT_EQ(device_.dispatched.size(), 3u);
        // The completion entry is on its way before the fetch.
        EXPECT_EQ(device_.dispatched_at[2],
                  100 * kUs + packet(T::kCompletionBytes) + fetch(T::kEntryBytes));
        device_.hold = false;
        device_.answer(0);
        device_.answer(2);
    });
    finish();
    EXPECT_EQ(device_.most, 2u);
}

TEST_F(NvmeTransportTest, CommandsReachTheDeviceInTheOrderFetched) {
    start();
    device_.service = 30 * kUs;
    for (int i = 0; i < 60; ++i) {
        add(RequestOp::kRead, 0, i % 3 == 0 ? 262'144 : 4096); // every third has a list to wait for
    }
    finish();
    for (std::uint64_t id = 0; id < 60; ++id) {
        EXPECT_EQ(device_.dispatched[id], id);
    }
}

TEST_F(NvmeTransportTest, CommandsGoToTheQueuesInTurn) {
    start(4);
    device_.service = 10 * kUs;
    for (int i = 0; i < 40; ++i) {
        add(RequestOp::kRead, 0, 4096);
    }
    finish();
    for (const QueueStatistics& queue : host_->transport().queues()) {
        EXPECT_EQ(queue.requests, 10u);
        EXPECT_EQ(queue.bytes, 10u * 4096);
    }
}

TEST_F(NvmeTransportTest, AFullQueueIsPassedOver) {
    nvme_.queue_depth = 2;
    start(2);
    device_.hold = true;
    for (int i = 0; i < 6; ++i) {
        add(RequestOp::kFlush); // 0 and 2 to the first queue, 1 and 3 to the second
    }
    device_.script.at(100 * kUs, [this] {
        EXPECT_EQ(device_.dispatched.size(), 4u);
        device_.answer(1);
        device_.answer(3);
    });
    device_.script.at(200 * kUs, [this] {
        EXPECT_EQ(device_.dispatched.size(), 6u);
        EXPECT_EQ(host_->transport().queues()[1].requests, 2u);
        for (const std::uint64_t id : {0, 2, 4, 5}) {
            device_.answer(id);
        }
    });
    finish();
    EXPECT_EQ(host_->transport().queues()[0].requests, 2u);
    EXPECT_EQ(host_->transport().queues()[1].requests, 4u);
}

TEST_F(NvmeTransportTest, WeightedClassesShareASaturatedDevice) {
    nvme_.arbiter.weighted = true;
    nvme_.arbiter.weights = {5, 3, 2};
    nvme_.arbiter.classes = {QueueClass::kHigh, QueueClass::kMedium, QueueClass::kLow};
    nvme_.slots = 8;
    start(3, true);
    for (int i = 0; i < 6000; ++i) {
        add(RequestOp::kRead, 0, 4096);
    }
    finish();
    const auto& queues = host_->transport().queues();
    EXPECT_NEAR(static_cast<double>(queues[0].requests) / 6000, 0.5, 0.01);
    EXPECT_NEAR(static_cast<double>(queues[1].requests) / 6000, 0.3, 0.01);
    EXPECT_NEAR(static_cast<double>(queues[2].requests) / 6000, 0.2, 0.01);
}

TEST_F(NvmeTransportTest, InterruptsWaitForTheirThreshold) {
    nvme_.interrupt_threshold = 3;
    nvme_.interrupt_time = 100 * kUs;
    start();
    device_.hold = true;
    for (int i = 0; i < 4; ++i) {
        add(RequestOp::kFlush);
    }
    const TimePs entry = packet(T::kCompletionBytes);
    const TimePs signal = packet(T::kInterruptBytes);
    for (std::uint64_t id = 0; id < 4; ++id) {
        device_.script.at((10 + id) * kUs, [this, id] { device_.answer(id); });
    }
    finish();
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(done_[i].completed, 12 * kUs + entry + signal);
    }
    EXPECT_EQ(done_[3].completed, 13 * kUs + entry + 100 * kUs + signal);
}

TEST_F(NvmeTransportTest, TheHostMayTakeMoreThanTheInterruptWasFor) {
    start();
    device_.hold = true;
    add(RequestOp::kFlush);
    add(RequestOp::kFlush);
    device_.script.at(10 * kUs, [this] {
        device_.answer(0);
        device_.answer(1);
    });
    finish();
    const TimePs entry = packet(T::kCompletionBytes);
    // The second entry has come when the first interrupt has; its own finds nothing.
    EXPECT_EQ(done_[0].completed, done_[1].completed);
    EXPECT_EQ(done_[0].completed, 10 * kUs + 2 * entry + packet(T::kInterruptBytes));
}

TEST_F(NvmeTransportTest, ACommandLeftInTheControllerIsReported) {
    start();
    device_.hold = true;
    add(RequestOp::kRead);
    run();
    EXPECT_THROW(static_cast<void>(host_->check_idle()), ModelError);
    EXPECT_THROW(static_cast<void>(host_->transport().check_idle()), ModelError);
}

} // namespace
} // namespace cavern::testing
