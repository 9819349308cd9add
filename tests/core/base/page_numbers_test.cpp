#include "core/base/page_numbers.h"

#include <map>

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace cavern {
namespace {

constexpr std::uint64_t kTebi = std::uint64_t{1} << 40;

TEST(PageNumbersTest, NumbersComeBackAsTheyWereSetInBothWidths) {
    for (const std::uint64_t most : {std::uint64_t{0xFFFF'FFFF}, PageNumbers::kMost}) {
        CountedPageNumbers numbers(200'000, most);
        EXPECT_EQ(numbers.most(), most);
        EXPECT_EQ(numbers.size(), 200'000u);
        EXPECT_EQ(numbers.count_used(), 0u);
        std::map<std::size_t, std::uint64_t> expected;
        Random random(most);
        for (int i = 0; i < 20'000; ++i) {
            const std::size_t place = random.below(numbers.size());
            const std::uint64_t number = random.below(4) == 0 ? 0 : random.below(most + 1);
            numbers.set(place, number);
            expected[place] = number;
        }
        numbers.set(199'999, most);
        expected[199'999] = most;
        std::uint64_t used = 0;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const auto found = expected.find(i);
            const std::uint64_t number = found == expected.end() ? 0 : found->second;
            ASSERT_EQ(numbers.get(i), number) << i;
            used += number != 0 ? 1 : 0;
        }
        EXPECT_EQ(numbers.count_used(), used);
    }
}

TEST(PageNumbersTest, APageOfMoreThan32BitsTakesFiveBytesAndOnlyWhereItIsWritten) {
    CountedPageNumbers numbers(kTebi / 16, PageNumbers::kMost); // 320 GiB of address space
    numbers.set(0, 1);
    numbers.set(numbers.size() - 1, kTebi - 1);
    numbers.set(numbers.size() / 2, std::uint64_t{7} << 32);
    EXPECT_EQ(numbers.get(0), 1u);
    EXPECT_EQ(numbers.get(numbers.size() - 1), kTebi - 1);
    EXPECT_EQ(numbers.get(numbers.size() / 2), std::uint64_t{7} << 32);
    EXPECT_EQ(numbers.get(1), 0u);
    EXPECT_EQ(numbers.count_used(), 3u);
}

} // namespace
} // namespace cavern
