// Mean raw bit errors by page type and mode of the block.

#include "timed/channel/read_errors.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

constexpr std::uint64_t kBits = 8 * 512;

class ReadErrorRatesTest : public ::testing::Test {
  protected:
    ReadErrorRatesTest() {
        geometry_ = geometry_of(1, 1, 1, 4, 12);
        geometry_.slc_blocks = 1;
        geometry_.slc_pages = 4;
    }
    /// Of the first pages of a block.
    std::vector<double> means(const ErrorParams& params, std::uint32_t block,
                              std::size_t pages) const {
        const NandArray array(geometry_, false);
        const ReadErrors errors(geometry_, array, params, kBits, 1);
        std::vector<double> all;
        for (std::uint32_t i = 0; i < pages; ++i) {
            all.push_back(errors.mean(geometry_.page(BlockId{block}, i), 0));
        }
        return all;
    }
    static ErrorParams coded(PageCoding coding) {
        ErrorParams params;
        params.model = BitErrors::kTlc72;
        params.cycles = 1000;
        params.coding = coding;
        return params;
    }

    Geometry geometry_;
};

TEST_F(ReadErrorRatesTest, PagesOfAllTypesAndModesErrAlikeUnlessTold) {
    const double mean = bit_error_rate(BitErrors::kTlc72).at(1000, 0, 0) * kBits;
    EXPECT_EQ(means(coded(PageCoding::kEven), 1, 4), std::vector<double>(4, mean));
    EXPECT_EQ(means(coded(PageCoding::kEven), 0, 2), std::vector<double>(2, mean));
}

TEST_F(ReadErrorRatesTest, PagesShareTheErrorsOfAWordLineAsTheirReadVoltages) {
    const double even = means(coded(PageCoding::kEven), 1, 1)[0];
    const auto check = [&](PageCoding coding, const std::vector<double>& voltages) {
        const std::vector<double> found = means(coded(coding), 1, 2 * voltages.size());
        double sum = 0;
        double all = 0;
        for (std::size_t i = 0; i < voltages.size(); ++i) {
            EXPECT_NEAR(found[i] / found[0], voltages[i] / voltages[0], 1e-12) << i;
            EXPECT_EQ(found[i + voltages.size()], found[i]) << "of the next word line";
            sum += found[i];
            all += even;
        }
        EXPECT_NEAR(sum, all, 1e-9) << "the mean of the types stays";
    };
    check(PageCoding::k12, {1, 2});
    check(PageCoding::k124, {1, 2, 4});
    check(PageCoding::k232, {2, 3, 2});
    check(PageCoding::k1248, {1, 2, 4, 8});
}

TEST_F(ReadErrorRatesTest, BlocksInSlcModeHaveAShareOfTheirOwn) {
    ErrorParams params = coded(PageCoding::k124);
    params.slc_scale = 0.25;
    const double even = means(coded(PageCoding::kEven), 1, 1)[0];
    for (const double mean : means(params, 0, 3)) {
        EXPECT_DOUBLE_EQ(mean, 0.25 * even);
    }
    EXPECT_NE(means(params, 1, 1)[0], 0.25 * even);
}

/// Several mapping units of a NAND page are of its type.
TEST_F(ReadErrorRatesTest, UnitsOfAPageErrAlike) {
    geometry_.page_bytes = 2048;
    geometry_ = geometry_.in_units(1024);
    const std::vector<double> found = means(coded(PageCoding::k124), 1, 6);
    EXPECT_EQ(found[0], found[1]);
    EXPECT_NEAR(found[2] / found[0], 2.0, 1e-12);
    EXPECT_NEAR(found[5] / found[0], 4.0, 1e-12);
}

} // namespace
} // namespace cavern::testing
