// An access that finds nothing queued is settled at once, with the commands it would have in the
// queue.

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "tests/timed/dram/sdram_command_checker.h"
#include "tests/timed/dram/sdram_parts.h"

namespace cavern {
namespace {

/// Accesses of one row, none of which comes before the last column command of the one before.
void expect_alone_as_queued(const SdramTiming& timing, std::uint64_t seed, int accesses) {
    Random random(seed);
    SdramRecorder alone_commands(timing);
    SdramRecorder queued_commands(timing);
    FrFcfsScheduler alone(timing);
    FrFcfsScheduler queued(timing);
    alone.set_observer(&alone_commands);
    queued.set_observer(&queued_commands);
    const std::uint64_t row = std::uint64_t{timing.row_bytes} * timing.lanes();
    DramClock now = 0;
    for (int i = 0; i < accesses; ++i) {
        const std::uint64_t bytes = 1 + random.below(random.below(3) == 0 ? 100 : row);
        const std::uint64_t address =
            random.below(timing.banks * timing.ranks * 2) * row + random.below(row - bytes + 1);
        const bool is_write = random.below(2) != 0;
        queued.push(1, address, bytes, is_write, now);
        const DramClock ends = alone.push_alone(address, bytes, is_write, now);
        while (queued.completion_due() == kNoClock) {
            queued.advance(++now); // up to the clock behind the last command, no further
        }
        ASSERT_EQ(ends, queued.pop_completion().end) << "access " << i;
        const std::uint64_t pause = random.below(50);
        now += pause == 0 ? random.below(20'000) : pause < 20 ? random.below(200) : 0;
    }
    const auto a = alone_commands.sorted();
    const auto q = queued_commands.sorted();
    ASSERT_EQ(a.size(), q.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_TRUE(a[i].command == q[i].command && a[i].at == q[i].at && a[i].bank == q[i].bank &&
                    a[i].row == q[i].row)
            << "command " << i << " at " << a[i].at << ", " << q[i].at;
    }
    const SdramStatistics& s = alone.statistics();
    const SdramStatistics& t = queued.statistics();
    EXPECT_EQ(s.row_hits, t.row_hits);
    EXPECT_EQ(s.row_misses, t.row_misses);
    EXPECT_EQ(s.row_conflicts, t.row_conflicts);
    EXPECT_EQ(s.read_bursts, t.read_bursts);
    EXPECT_EQ(s.busy_clocks, t.busy_clocks);
    EXPECT_EQ(s.open_clocks, t.open_clocks);
    EXPECT_EQ(s.reads, t.reads);
}

TEST(SdramAloneTest, AnAccessAloneTakesTheCommandsOfAQueuedOne) {
    for (const SdramTiming& timing : parts()) {
        SCOPED_TRACE(::testing::Message() << timing.banks << " banks, groups " << timing.bank_groups
                                          << ", ranks " << timing.ranks << ", CL " << timing.cl);
        ASSERT_NO_FATAL_FAILURE(expect_alone_as_queued(timing, 1, 2000));
    }
}

} // namespace
} // namespace cavern
