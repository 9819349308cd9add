// Pages superseded while the map in flash has not been read: they count until it is.

#include "core/ftl/dftl.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/core/ftl/dftl_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::brief;
using testing::geometry_of;
using testing::Lines;
using testing::params_of;
using testing::read;
using testing::with_entries;
using testing::write;

class LazyInvalidationTest : public ::testing::TestWithParam<bool> {
  protected:
    /// Pages 0..3 in block 0, known to translation page 0, page 0 written anew to block 1 or 2
    /// while it was not cached.
    LazyInvalidationTest() {
        for (const std::uint64_t lpn : {0, 1, 2, 3}) {
            write(ftl, lpn);
        }
        FlashOpList ops;
        ftl.empty_cache(ops);
        write(ftl, 0);
    }
    static FtlParams params() {
        FtlParams p = params_of(0.9, 3, true);
        auto own = own_params<DftlParams>(p);
        own.lazy_invalidate = GetParam();
        p.own = own;
        return p;
    }
    Dftl ftl{with_entries(geometry_of(1, 1, 1, 40, 4), 4), params(), nullptr};
};

INSTANTIATE_TEST_SUITE_P(Of, LazyInvalidationTest, ::testing::Bool(), [](const auto& test) {
    return test.param ? std::string("Lazy") : std::string("AtOnce");
});

TEST_P(LazyInvalidationTest, APageSupersededUnseenCountsUntilItsTranslationPageIsRead) {
    EXPECT_EQ(ftl.space().block(BlockId{0}).valid, GetParam() ? 4u : 3u);
    ftl.check_invariants();
    write(ftl, 0); // the newer one is known: it does not count
    EXPECT_EQ(ftl.space().block(BlockId{0}).valid, GetParam() ? 4u : 3u);
    EXPECT_EQ(ftl.mapped_pages(), 4u);
    EXPECT_EQ(brief(read(ftl, 1)), (Lines{"read map 16"}));
    EXPECT_EQ(ftl.space().block(BlockId{0}).valid, 3u);
    ftl.check_invariants();
}

TEST_P(LazyInvalidationTest, WritingTheEntryBackReadsTheTranslationPage) {
    FlashOpList ops;
    ftl.empty_cache(ops);
    EXPECT_EQ(brief(ops), (Lines{"read map 16", "program map 16 after 0 copies"}));
    EXPECT_EQ(ftl.space().block(BlockId{0}).valid, 3u);
    ftl.check_invariants();
}

TEST_P(LazyInvalidationTest, ATrimmedPageCountsAsWell) {
    FlashOpList ops;
    ftl.trim(Lpn{3}, ops);
    EXPECT_TRUE(ops.empty());
    EXPECT_EQ(ftl.space().block(BlockId{0}).valid, GetParam() ? 4u : 2u);
    EXPECT_EQ(ftl.mapped_pages(), 3u);
    EXPECT_TRUE(read(ftl, 3).empty());
    ftl.check_invariants();
}

} // namespace
} // namespace cavern
