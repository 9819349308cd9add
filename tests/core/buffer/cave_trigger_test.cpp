#include "core/buffer/cave_trigger.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/buffer/eviction_trigger_table.h"
#include "core/buffer/lru_block.h"
#include "core/buffer/write_buffer.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::RecordingLog;

using Lines = std::vector<std::string>;

/// docs/algorithms.md, CAVE-1: block LRU, K = 8, Np = 4.
class CaveExampleTest : public ::testing::Test {
  protected:
    void run(std::uint32_t victims) {
        buffer = std::make_unique<WriteBuffer>(8, geometry_of(1, 1, 1, 16, 4),
                                               std::make_unique<LruBlock>(8, 4),
                                               std::make_unique<CaveTrigger>(victims), false, &log);
        for (const std::uint64_t lpn : {0, 1, 4, 8, 12, 16, 20, 24, 2, 5, 8}) {
            buffer->write(Lpn{lpn});
        }
    }
    RecordingLog log;
    std::unique_ptr<WriteBuffer> buffer;
};

TEST_F(CaveExampleTest, FourVictimsLeaveAtOnce) {
    run(4);
    EXPECT_EQ(log.lines,
              (Lines{"W0 miss", "W1 miss", "W4 miss", "W8 miss", "W12 miss", "W16 miss", "W20 miss",
                     "W24 miss", "W2 miss", "evict block 0 [0,1]", "evict block 1 [4]",
                     "evict block 2 [8]", "evict block 3 [12]", "W5 miss", "W8 miss"}));
    EXPECT_EQ(buffer->counters().write_hits, 0u);
    EXPECT_EQ(buffer->counters().evicted_pages, 5u);
    EXPECT_EQ(buffer->counters().victims, 4u);
    EXPECT_EQ(buffer->counters().eviction_events, 1u);
}

TEST_F(CaveExampleTest, OneVictimKeepsThePageThatIsWrittenAgain) {
    run(1);
    EXPECT_EQ(log.starting_with("evict"), (Lines{"evict block 0 [0,1]"}));
    EXPECT_EQ(log.lines.back(), "W8 hit");
    EXPECT_EQ(buffer->counters().write_hits, 1u);
    EXPECT_EQ(buffer->counters().evicted_pages, 2u);
}

TEST_F(CaveExampleTest, FewerUnitsThanVictimsEmptyTheBuffer) {
    run(32);
    EXPECT_EQ(log.starting_with("evict").size(), 7u);
    EXPECT_EQ(buffer->used(), 3u); // pages 2, 5 and 8, written after the eviction
}

TEST(CaveRateTest, CaveTakesAsManyVictimsAsDiesUnlessTold) {
    EvictionTriggerContext context{geometry_of(8, 4, 2, 8, 4)};
    context.geometry.dies_per_way = 2;
    EXPECT_EQ(find_eviction_trigger("cave")->make(context)->units_on_full(), 64u);
    EXPECT_EQ(find_eviction_trigger("cave")->make(context, CaveParams{5})->units_on_full(), 5u);
    EXPECT_EQ(find_eviction_trigger("single")->make(context)->units_on_full(), 1u);
}

TEST(CaveRateTest, NoVictimAtAllIsRefused) {
    EXPECT_THROW(CaveTrigger{0}, ModelError);
}

} // namespace
} // namespace cavern
