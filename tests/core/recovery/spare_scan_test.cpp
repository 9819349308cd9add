#include "core/recovery/spare_scan.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/recovery/torn.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

constexpr std::uint32_t kPages = 4; ///< of a block

class SpareScanTest : public ::testing::Test {
  protected:
    Ppn page(std::uint32_t block, std::uint32_t index) const {
        return geometry_.page(BlockId{block}, index);
    }
    std::uint64_t place(std::uint32_t block, std::uint32_t index) const {
        return raw(page(block, index)) + 1;
    }

    Geometry geometry_ = geometry_of(1, 1, 1, 4, kPages);
    NandArray array_{geometry_, false, true};
};

// docs/algorithms.md, REC-1.
TEST_F(SpareScanTest, TheNewestIntactPageWins) {
    array_.program(page(0, 0), Lpn{0}, 1);
    array_.program(page(0, 1), Lpn{1}, 2);
    array_.program(page(0, 2), Lpn{0}, 3);
    array_.program(page(1, 0), Lpn{2}, 4);
    tear_program(array_, page(1, 1), 1);
    SpareScan scan(array_, 3);
    scan.run();
    EXPECT_EQ(scan.places(), (std::vector<std::uint64_t>{place(0, 2), place(0, 1), place(1, 0)}));
    EXPECT_EQ(scan.versions(), (std::vector<PageVersion>{3, 2, 4}));
    EXPECT_EQ(scan.latest(), 4u);
    EXPECT_EQ(scan.torn(), 1u);
    EXPECT_EQ(scan.blocks()[0].wanted, 2u);
    EXPECT_EQ(scan.blocks()[1].next, 2u);
    // Blocks that are not full are read one page further, erased ones at their first page.
    EXPECT_EQ(scan.spares(), 4u + 3 + 1 + 1);
}

TEST_F(SpareScanTest, ACopyDoesNotBeatANewerWrite) {
    array_.program(page(0, 0), Lpn{0}, 1);
    array_.program(page(1, 0), Lpn{0}, 2);
    array_.program(page(2, 0), Lpn{0}, 1); // collected late
    SpareScan scan(array_, 1);
    scan.run();
    EXPECT_EQ(scan.places()[0], place(1, 0));
}

TEST_F(SpareScanTest, OfABlockThatWasBeingErasedNothingIsTaken) {
    array_.program(page(0, 0), Lpn{0}, 1);
    array_.program(page(0, 1), Lpn{1}, 2);
    Random random(1);
    tear_erase(array_, BlockId{0}, random);
    SpareScan scan(array_, 2);
    scan.run();
    EXPECT_EQ(scan.places(), (std::vector<std::uint64_t>{0, 0}));
    EXPECT_EQ(scan.spares(), 1u + 3);
    EXPECT_THROW(array_.program(page(0, 2), Lpn{0}, 3), ModelError);
    array_.erase(BlockId{0});
    array_.program(page(0, 0), Lpn{0}, 3);
}

TEST_F(SpareScanTest, APageThatIsDroppedIsAsIfItWereNowhere) {
    array_.program(page(0, 0), Lpn{0}, 1);
    array_.program(page(0, 1), Lpn{1}, 2);
    SpareScan scan(array_, 2);
    scan.run();
    scan.drop(1);
    scan.drop(1);
    EXPECT_EQ(scan.places(), (std::vector<std::uint64_t>{place(0, 0), 0}));
    EXPECT_EQ(scan.versions(), (std::vector<PageVersion>{1, 0}));
    EXPECT_EQ(scan.blocks()[0].wanted, 1u);
}

TEST_F(SpareScanTest, TornPagesAreNoData) {
    array_.program(page(0, 0), Lpn{0}, 1);
    EXPECT_EQ(tear_program(array_, page(0, 1), 2), 2u); // with the page on its word line
    EXPECT_EQ(tear_program(array_, page(0, 2), 2), 1u); // the first of its own
    EXPECT_THROW((void)array_.read(page(0, 0)), ModelError);
    EXPECT_EQ(array_.stored_lpn(page(0, 0)), kNoLpn);
}

} // namespace
} // namespace cavern::testing
