#include "core/base/units.h"

#include <gtest/gtest.h>

namespace cavern {
namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};

struct Readable {
    const char* text;
    Quantity quantity;
    std::uint64_t value;
};

TEST(UnitsTest, QuantitiesAreReadInBaseUnits) {
    for (const Readable& c : {
             Readable{"25us", Quantity::kTime, 25'000'000},
             Readable{"1.5ms", Quantity::kTime, 1'500'000'000},
             Readable{"63.36us", Quantity::kTime, 63'360'000},
             Readable{"0.001ns", Quantity::kTime, 1},
             Readable{".5us", Quantity::kTime, 500'000},
             Readable{"30 ns", Quantity::kTime, 30'000},
             Readable{"2s", Quantity::kTime, 2'000'000'000'000},
             Readable{"0ps", Quantity::kTime, 0},
             Readable{"2KiB", Quantity::kBytes, 2048},
             Readable{"0.5KiB", Quantity::kBytes, 512},
             Readable{"16MiB", Quantity::kBytes, 16'777'216},
             Readable{"1GiB", Quantity::kBytes, 1'073'741'824},
             Readable{"2TiB", Quantity::kBytes, 2'199'023'255'552},
             Readable{"4GB", Quantity::kBytes, 4'000'000'000},
             Readable{"2K", Quantity::kBytes, 2048},
             Readable{"4k", Quantity::kBytes, 4096},
             Readable{"8M", Quantity::kBytes, 8'388'608},
             Readable{"8m", Quantity::kBytes, 8'388'608},
             Readable{"1g", Quantity::kBytes, 1'073'741'824},
             Readable{"2T", Quantity::kBytes, 2'199'023'255'552},
             Readable{"7B", Quantity::kBytes, 7},
             Readable{"200MB/s", Quantity::kBytesPerSecond, 200'000'000},
             Readable{"200MT/s", Quantity::kBytesPerSecond, 200'000'000},
             Readable{"1.2GT/s", Quantity::kBytesPerSecond, 1'200'000'000},
             Readable{"1MiB/s", Quantity::kBytesPerSecond, 1'048'576},
             Readable{"400MHz", Quantity::kHertz, 400'000'000},
             Readable{"2.5GHz", Quantity::kHertz, 2'500'000'000},
         }) {
        const auto value = parse_quantity(c.text, c.quantity);
        ASSERT_TRUE(value.has_value()) << c.text;
        EXPECT_EQ(*value, c.value) << c.text;
    }
}

TEST(UnitsTest, MtPerSecondIsDecimalAndMibPerSecondIsNot) {
    EXPECT_NE(parse_quantity("200MT/s", Quantity::kBytesPerSecond),
              parse_quantity("200MiB/s", Quantity::kBytesPerSecond));
}

TEST(UnitsTest, TextThatIsNoSuchQuantityIsRefused) {
    for (const char* text : {"", "25", "us", "-1us", "+1us", " 1us", "1us ", "1..5us", "1e3us",
                             "1,5us", "25uS", "25 parsecs", "25MB", "25us/s", ".us", "0x10us"}) {
        EXPECT_FALSE(parse_quantity(text, Quantity::kTime).has_value()) << '"' << text << '"';
    }
    // fio has "mb" as 2^20, and "MB" is 10^6 here.
    EXPECT_FALSE(parse_quantity("2mb", Quantity::kBytes).has_value());
    EXPECT_FALSE(parse_quantity("2M", Quantity::kBytesPerSecond).has_value());
    EXPECT_FALSE(parse_quantity("2m", Quantity::kTime).has_value());
    EXPECT_FALSE(parse_quantity("2kib", Quantity::kBytes).has_value());
    EXPECT_FALSE(parse_quantity("200MB", Quantity::kBytesPerSecond).has_value());
    EXPECT_FALSE(parse_quantity("200Mb/s", Quantity::kBytesPerSecond).has_value());
    EXPECT_FALSE(parse_quantity("400MT/s", Quantity::kHertz).has_value());
}

TEST(UnitsTest, FractionsBelowTheBaseUnitAreRefused) {
    EXPECT_FALSE(parse_quantity("0.5ps", Quantity::kTime).has_value());
    EXPECT_FALSE(parse_quantity("0.0001ns", Quantity::kTime).has_value());
    EXPECT_FALSE(parse_quantity("1.0001KiB", Quantity::kBytes).has_value());
    EXPECT_TRUE(parse_quantity("1.125KiB", Quantity::kBytes).has_value());
}

TEST(UnitsTest, OverflowIsRefused) {
    EXPECT_EQ(parse_quantity("18446744s", Quantity::kTime), 18'446'744 * kSecond);
    EXPECT_FALSE(parse_quantity("18446745s", Quantity::kTime).has_value());
    EXPECT_FALSE(parse_quantity("18446744073709551616ps", Quantity::kTime).has_value());
    EXPECT_FALSE(parse_quantity("99999999999999999999999B", Quantity::kBytes).has_value());
    EXPECT_FALSE(parse_quantity("16777216TiB", Quantity::kBytes).has_value());
    EXPECT_EQ(parse_quantity("16777215TiB", Quantity::kBytes), kMax / (1024 * kGiB) * 1024 * kGiB);
}

TEST(UnitsTest, FormattedQuantitiesUseTheLargestUnitThatDivides) {
    EXPECT_EQ(format_quantity(25 * kUs, Quantity::kTime), "25us");
    EXPECT_EQ(format_quantity(63'360'000, Quantity::kTime), "63360ns");
    EXPECT_EQ(format_quantity(1, Quantity::kTime), "1ps");
    EXPECT_EQ(format_quantity(0, Quantity::kTime), "0ps");
    EXPECT_EQ(format_quantity(2048, Quantity::kBytes), "2KiB");
    EXPECT_EQ(format_quantity(2112, Quantity::kBytes), "2112B");
    EXPECT_EQ(format_quantity(0, Quantity::kBytes), "0B");
    EXPECT_EQ(format_quantity(200'000'000, Quantity::kBytesPerSecond), "200MB/s");
    EXPECT_EQ(format_quantity(400'000'000, Quantity::kHertz), "400MHz");
}

TEST(UnitsTest, WhatIsFormattedIsReadBackAsTheSame) {
    std::uint64_t checked = 0;
    for (const Quantity quantity :
         {Quantity::kTime, Quantity::kBytes, Quantity::kBytesPerSecond, Quantity::kHertz,
          Quantity::kVolts, Quantity::kAmperes, Quantity::kWatts, Quantity::kJoules}) {
        // Powers of 2, 3 and 10 and their neighbours reach every unit and miss every unit.
        for (const std::uint64_t base : {2u, 3u, 10u}) {
            for (std::uint64_t power = 1; power < kMax / 10 / base; power *= base) {
                for (const std::uint64_t value : {power - 1, power, power + 1}) {
                    const std::string text = format_quantity(value, quantity);
                    EXPECT_EQ(parse_quantity(text, quantity), value) << text;
                    ++checked;
                }
            }
        }
    }
    EXPECT_GT(checked, 1000u);
}

TEST(UnitsTest, TheLargestValueIsReadBack) {
    const std::string text = format_quantity(kMax, Quantity::kTime);
    EXPECT_EQ(text, "18446744073709551615ps");
    EXPECT_EQ(parse_quantity(text, Quantity::kTime), kMax);
}

TEST(UnitsTest, TransferTimeRoundsUpToAPicosecond) {
    EXPECT_EQ(transfer_time(2112, 33'333'333), 63'360'001);
    EXPECT_EQ(transfer_time(4096, 200'000'000), 20'480'000);
    EXPECT_EQ(transfer_time(0, 1), 0);
    EXPECT_EQ(transfer_time(1, 3 * kSecond), 1);
}

TEST(UnitsTest, ElectricalQuantitiesAreInMillivoltsNanoamperesMicrowattsAndFemtojoules) {
    EXPECT_EQ(parse_quantity("3.3V", Quantity::kVolts), 3300u);
    EXPECT_EQ(parse_quantity("15mA", Quantity::kAmperes), 15'000'000u);
    EXPECT_EQ(parse_quantity("0.5uA", Quantity::kAmperes), 500u);
    EXPECT_EQ(parse_quantity("1.5W", Quantity::kWatts), 1'500'000u);
    EXPECT_EQ(parse_quantity("40pJ", Quantity::kJoules), 40'000u);
    EXPECT_EQ(parse_quantity("0.1nA", Quantity::kAmperes), std::nullopt);
    EXPECT_EQ(parse_quantity("15V", Quantity::kAmperes), std::nullopt);
    EXPECT_EQ(format_quantity(3300, Quantity::kVolts), "3300mV");
    EXPECT_EQ(format_quantity(15'000'000, Quantity::kAmperes), "15mA");
}

} // namespace
} // namespace cavern
