#include "core/base/divisor.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "core/base/random.h"
#include "core/base/units.h"

namespace cavern {
namespace {

std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> all;
    for (unsigned shift = 0; shift < 64; ++shift) {
        const std::uint64_t power = std::uint64_t{1} << shift;
        all.insert(all.end(), {power - 1, power, power + 1});
    }
    all.push_back(~std::uint64_t{0});
    Random random(1);
    for (int i = 0; i < 300; ++i) {
        all.push_back(random.next() >> random.below(64));
    }
    return all;
}

// As long as the product of both stays below 2^64.
TEST(DivisorTest, DividesAsTheProcessorDoes) {
    std::uint64_t wide = 0;
    for (const std::uint64_t value : numbers()) {
        if (value == 0 || value > 0xFFFF'FFFF) {
            continue;
        }
        const Divisor divisor(static_cast<std::uint32_t>(value));
        for (const std::uint64_t number : numbers()) {
            if (number > ~std::uint64_t{0} / value) {
                continue;
            }
            ASSERT_EQ(divisor.quotient(number), number / value) << number << " / " << value;
            if (number / value <= 0xFFFF'FFFF) {
                ASSERT_EQ(divisor.divide(number), number / value);
                wide += number > 0xFFFF'FFFF ? 1 : 0;
            }
        }
    }
    EXPECT_GT(wide, 1000u);
}

TEST(WideDivisorTest, DividesAsTheProcessorDoes) {
    for (const std::uint64_t value : numbers()) {
        if (value == 0) {
            continue;
        }
        const WideDivisor divisor(value);
        ASSERT_EQ(divisor.value(), value);
        for (const std::uint64_t number : numbers()) {
            ASSERT_EQ(divisor.divide(number), number / value) << number << " / " << value;
        }
    }
}

TEST(WideDivisorTest, TransferTimeIsTheSameOfARateAndItsDivisor) {
    for (const std::uint64_t rate :
         {std::uint64_t{1}, std::uint64_t{75'000'000}, kSecond, std::uint64_t{3'938'000'003}}) {
        const WideDivisor divisor(rate);
        for (const std::uint64_t bytes : numbers()) {
            ASSERT_EQ(transfer_time(bytes, divisor), transfer_time(bytes, rate))
                << bytes << " bytes at " << rate;
        }
    }
}

} // namespace
} // namespace cavern
