// The memory that an entry of DFTL's mapping cache takes.

#include <gtest/gtest.h>

#include "core/ftl/dftl.h"
#include "tests/core/ftl/dftl_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

/// Entries cached after 12 pages of different translation pages were written, in 96 bytes.
std::size_t cached_of_twelve(std::uint64_t entry_bytes) {
    FtlParams params = params_of(0.9, 0);
    DftlParams own = own_params<DftlParams>(params);
    own.entries = 0;
    own.entry_bytes = entry_bytes;
    params.own = own;
    params.map_cache_bytes = 96;
    Dftl ftl(with_entries(geometry_of(1, 1, 1, 80, 4), 4), params, nullptr);
    EXPECT_EQ(ftl.cache_bytes(), 96u);
    for (std::uint64_t lpn = 0; lpn < 12; ++lpn) {
        write(ftl, lpn);
    }
    EXPECT_GT(ftl.check_invariants(), 10u);
    return cached(ftl).size();
}

TEST(DftlEntryTest, MemoryHoldsAsManyEntriesAsFit) {
    EXPECT_EQ(cached_of_twelve(8), 12u);
    EXPECT_EQ(cached_of_twelve(24), 4u);
    EXPECT_EQ(cached_of_twelve(11), 8u);
    EXPECT_EQ(cached_of_twelve(64), 1u);
}

TEST(DftlEntryTest, AnEntryIsWhatTheMapGrowsByAndAGhostRemembers) {
    FtlParams params = params_of(0.5, 5);
    DftlParams own = own_params<DftlParams>(params);
    own.entry_bytes = 24;
    params.own = own;
    const MapMemory map = dftl_map_memory(geometry_of(1, 1, 1, 40, 4), params);
    EXPECT_EQ(map.bytes, 120u); // 5 entries
    EXPECT_EQ(map.unit, 24u);
    EXPECT_EQ(map.least, 24u);
    EXPECT_EQ(map.ghost_entry, 24u);
}

TEST(DftlEntryTest, ResizingCountsInEntries) {
    FtlParams params = params_of(0.9, 8);
    DftlParams own = own_params<DftlParams>(params);
    own.entry_bytes = 24;
    params.own = own;
    Dftl ftl(with_entries(geometry_of(1, 1, 1, 40, 4), 4), params, nullptr);
    for (const std::uint64_t lpn : {0, 1, 2, 4, 8, 9, 12, 13}) {
        write(ftl, lpn);
    }
    EXPECT_EQ(cached(ftl).size(), 8u);
    FlashOpList ops;
    ftl.resize_cache(4 * 24 + 23, ops);
    EXPECT_EQ(cached(ftl).size(), 4u);
}

} // namespace
} // namespace cavern::testing
