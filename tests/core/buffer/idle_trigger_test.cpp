#include "core/buffer/idle_trigger.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/drive/drive_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::CoreParts;
using testing::geometry_of;
using testing::make_core;
using testing::RecordingLog;

// docs/algorithms.md, IDLE-1: page LRU, pages 1..7 resident, idle_low = 4, two dies.
class IdleExampleTest : public ::testing::Test {
  protected:
    IdleExampleTest() {
        CoreParts parts;
        parts.geometry = geometry_of(2, 1, 1, 16, 4);
        parts.ftl.overprovision = 0.5;
        parts.frames = 8;
        parts.eviction = "idle";
        parts.allocator = "least-loaded";
        parts.log = &log_;
        parts.triggers[*find_eviction_trigger("idle")] = IdleParams{kMs, 0.5};
        core_ = make_core(parts);
        for (std::uint64_t page = 1; page <= 7; ++page) {
            core_->write(Lpn{page});
        }
    }
    /// What the timed shell does when it asks after a silence; the pages that leave.
    std::vector<std::uint64_t> evict(TimePs silence) {
        std::vector<std::uint64_t> pages;
        BufferLoad load;
        for (;;) {
            load.in_flight = load.in_flight_units = static_cast<std::uint32_t>(programs_.size());
            load.idle_dies = core_->load()->idle_dies();
            load.idle_for = silence;
            const Batch* batch = core_->evict_ahead(load);
            if (batch == nullptr) {
                return pages;
            }
            for (const FlashOp& op : batch->ops) {
                const DieId die{static_cast<std::uint32_t>(raw(op.page) / (16 * 4))};
                core_->load()->submitted(die, true);
                programs_.push_back(die);
                pages.push_back(raw(op.lpn));
            }
        }
    }
    void complete_oldest() {
        core_->load()->completed(programs_.front());
        programs_.erase(programs_.begin());
    }
    using Pages = std::vector<std::uint64_t>;
    RecordingLog log_;
    std::unique_ptr<DriveCore> core_;
    std::vector<DieId> programs_;
};

TEST_F(IdleExampleTest, EveryIdleDieGetsAVictimDownToTheShare) {
    EXPECT_EQ(evict(kMs), (Pages{1, 2}));
    EXPECT_EQ(evict(2 * kMs), Pages{}); // both dies are busy
    complete_oldest();
    EXPECT_EQ(evict(2 * kMs), (Pages{3}));
    complete_oldest();
    complete_oldest();
    EXPECT_EQ(evict(3 * kMs), Pages{}); // half of the buffer is left
    EXPECT_EQ(core_->buffer()->used(), 4u);
}

TEST_F(IdleExampleTest, ASilenceTooShortOrACommandEvictsNothing) {
    EXPECT_EQ(evict(kMs - 1), Pages{});
    EXPECT_EQ(evict(0), Pages{});
    EXPECT_EQ(evict(kMs), (Pages{1, 2}));
    complete_oldest();
    EXPECT_EQ(evict(0), Pages{}); // a command has come
    EXPECT_EQ(evict(kMs), (Pages{3}));
}

TEST(IdleRateTest, NoMoreVictimsAreUnderWayThanDies) {
    IdleTrigger rate(kMs, 0.5, 2);
    BufferLoad load;
    load.capacity = 8;
    load.resident = 7;
    load.idle_dies = 1; // though all victims went to the other die
    load.idle_for = kMs;
    load.in_flight_units = 1;
    EXPECT_TRUE(rate.wants_more(load));
    load.in_flight_units = 2;
    EXPECT_FALSE(rate.wants_more(load));
    EXPECT_EQ(rate.idle_after(), kMs);
    EXPECT_TRUE(rate.works_ahead());
}

} // namespace
} // namespace cavern
