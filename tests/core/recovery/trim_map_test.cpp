#include "core/drive/trim_map.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace cavern::testing {
namespace {

TEST(TrimMapTest, RecordsAreTheLastPagesOfTheDrive) {
    const TrimMap small(100, 2048); // 16,384 bits a record
    EXPECT_EQ(small.records(), 1u);
    EXPECT_EQ(small.first_record(), Lpn{99});
    const TrimMap large(40'000, 2048);
    EXPECT_EQ(large.records(), 3u);
    EXPECT_EQ(large.record_of(Lpn{0}), Lpn{39'997});
    EXPECT_EQ(large.record_of(Lpn{16'384}), Lpn{39'998});
    // As many pages as the records hold bits for, and a record for each began.
    const TrimMap exact(2 * 16'385, 2048);
    EXPECT_EQ(exact.records(), 2u);
}

TEST(TrimMapTest, ARecordSaysWhatWasTrimmedWhenItWasWritten) {
    TrimMap map(100, 2048);
    map.trim(Lpn{3}, 4);
    map.written(Lpn{5});
    map.keep(map.first_record(), 7, 0);
    map.trim(Lpn{50}, 1);
    map.keep(map.first_record(), 9, 0);
    EXPECT_EQ(map.read(map.first_record(), 7), (TrimContents::Ranges{{3, 5}, {6, 7}}));
    EXPECT_EQ(map.read(map.first_record(), 9), (TrimContents::Ranges{{3, 5}, {6, 7}, {50, 51}}));
    EXPECT_THROW((void)map.read(map.first_record(), 8), ModelError);
}

/// A record may be found as long as what follows it may be under way.
TEST(TrimMapTest, RecordsAreKeptAsLongAsFlashMayHoldThem) {
    TrimMap map(100, 2048);
    const Lpn record = map.first_record();
    for (PageVersion version = 1; version <= 20'000; ++version) {
        map.keep(record, version, version);
    }
    EXPECT_NO_THROW((void)map.read(record, 1));
    map.keep(record, 30'000, 10);
    EXPECT_THROW((void)map.read(record, 19'989), ModelError);
    EXPECT_NO_THROW((void)map.read(record, 19'990));
    map.forget_but(record, 19'995);
    EXPECT_NO_THROW((void)map.read(record, 19'995));
    EXPECT_THROW((void)map.read(record, 30'000), ModelError);
    map.forget_but(record, 0);
    EXPECT_THROW((void)map.read(record, 19'995), ModelError);
}

} // namespace
} // namespace cavern::testing
