// A drive that goes on with stored energy.

#include <gtest/gtest.h>

#include "core/recovery/drain.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

class DrainTest : public ::testing::Test {
  protected:
    static FlashOp program(std::uint32_t block, std::uint32_t page, std::uint64_t lpn) {
        FlashOp op(FlashOpKind::kProgram, Origin::kHost,
                   geometry_of(1, 2, 1, 4, 8).page(BlockId{block}, page), Lpn{lpn});
        op.version = static_cast<PageVersion>(lpn + 1);
        return op;
    }
    [[nodiscard]] Ppn page(std::uint32_t block, std::uint32_t index) const {
        return geometry_.page(BlockId{block}, index);
    }
    [[nodiscard]] RecoveryCounters counted(const Drain& drain) const {
        RecoveryCounters counters;
        drain.count({2 * kUs, 10 * kUs, 100 * kUs, 0, kUs}, counters);
        return counters;
    }
    static PageContent content(std::uint32_t version) {
        return PageContent::of_one_write({0, version});
    }

    Geometry geometry_ = geometry_of(1, 2, 1, 4, 8); // two dies of four blocks
    NandArray array_{geometry_, true};
    PageContents contents_{geometry_};
    DrainCosts costs_{1, 2, 5};
};

TEST_F(DrainTest, StopsWhereTheEnergyDoesNotSuffice) {
    Drain drain(array_, &contents_, 7, costs_);
    EXPECT_TRUE(drain.carry_out(program(0, 0, 10), content(1)));
    EXPECT_TRUE(drain.carry_out(program(4, 0, 11), content(2)));
    EXPECT_TRUE(drain.carry_out(program(0, 1, 12), content(3)));
    EXPECT_FALSE(drain.carry_out(program(0, 2, 13), content(4)));
    EXPECT_TRUE(drain.exhausted());
    EXPECT_FALSE(array_.is_programmed(page(0, 2)));
    EXPECT_TRUE(contents_.read(page(0, 2)).is_zeros());
    EXPECT_EQ(contents_.read(page(0, 1)).tag(0), content(3).tag(0));
    // Two programs on the first die, one on the other one beside them.
    EXPECT_EQ(counted(drain).drain_nj, 6'000'000'000u);
    EXPECT_EQ(counted(drain).drain_time, 2 * (10 + 1) * kUs);
    // What would still fit comes too late: it may rest on what was left out.
    Drain poor(array_, nullptr, 3, costs_);
    EXPECT_FALSE(poor.carry_out({FlashOpKind::kErase, Origin::kGc, page(0, 0)}, {}));
    EXPECT_FALSE(poor.carry_out(program(0, 2, 13), {}));
    EXPECT_EQ(counted(poor).drain_nj, 0u);
}

TEST_F(DrainTest, ACopyIsReadAndProgrammed) {
    array_.program(page(0, 0), Lpn{3}, 7);
    contents_.program(page(0, 0), content(9));
    FlashOp copy = FlashOp::copy(Origin::kGc, page(0, 0), page(1, 0), Lpn{3}, 0);
    copy.version = 7;
    Drain drain(array_, &contents_, 8, costs_);
    EXPECT_TRUE(drain.carry_out({FlashOpKind::kRead, Origin::kGc, page(0, 0), Lpn{3}}, {}));
    EXPECT_TRUE(drain.carry_out(copy, {}));
    EXPECT_EQ(contents_.read(page(1, 0)).tag(0), content(9).tag(0));
    EXPECT_EQ(array_.stored_version(page(1, 0)), 7u);
    EXPECT_EQ(counted(drain).drain_nj, 3'000'000'000u);
    EXPECT_EQ(counted(drain).drain_time, (2 + 1 + 10 + 1) * kUs);
    EXPECT_TRUE(drain.carry_out({FlashOpKind::kErase, Origin::kGc, page(0, 0)}, {}));
    EXPECT_EQ(array_.write_pointer(BlockId{0}), 0u);
    EXPECT_TRUE(contents_.read(page(0, 0)).is_zeros());
    EXPECT_FALSE(drain.exhausted());
}

TEST_F(DrainTest, WhatIsDoneCostsNothing) {
    array_.program(page(0, 0), Lpn{3}, 7);
    Drain drain(array_, &contents_, 0, costs_);
    EXPECT_TRUE(drain.carry_out(program(0, 0, 3), {}));
    EXPECT_TRUE(drain.carry_out({FlashOpKind::kErase, Origin::kGc, page(1, 0)}, {}));
    EXPECT_EQ(array_.erase_count(BlockId{1}), 0u);
    EXPECT_FALSE(drain.end(program(0, 1, 4), {})); // a die has begun it
    EXPECT_FALSE(array_.is_programmed(page(0, 1)));
}

TEST_F(DrainTest, ANandPageIsPaidForWhole) {
    Geometry units = geometry_of(1, 1, 1, 4, 8);
    units.page_bytes = 4096;
    units = units.in_units(2048);
    NandArray array(units, true);
    Drain drain(array, nullptr, 7, costs_);
    const auto put = [&](std::uint32_t unit) {
        return drain.carry_out(
            {FlashOpKind::kProgram, Origin::kHost, units.page(BlockId{0}, unit), Lpn{unit}}, {});
    };
    EXPECT_TRUE(put(0)); // both units of it
    EXPECT_TRUE(put(1));
    EXPECT_FALSE(put(2)); // four more would be too much
    EXPECT_EQ(counted(drain).drain_nj, 4'000'000'000u);
}

} // namespace
} // namespace cavern::testing
