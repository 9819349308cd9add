#include "core/base/lazy_array.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <utility>

#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

TEST(LazyArrayTest, BeginsAsZerosAndKeepsWhatIsWritten) {
    LazyArray<std::uint32_t> array(1000);
    EXPECT_EQ(array.size(), 1000u);
    for (std::size_t i = 0; i < array.size(); ++i) {
        ASSERT_EQ(array[i], 0u);
        array[i] = static_cast<std::uint32_t>(i) + 1;
    }
    const LazyArray<std::uint32_t>& same = array;
    for (std::size_t i = 0; i < same.size(); ++i) {
        ASSERT_EQ(same[i], i + 1);
    }
}

TEST(LazyArrayTest, MayBeEmpty) {
    const LazyArray<std::uint64_t> array(0);
    EXPECT_EQ(array.size(), 0u);
}

TEST(LazyArrayTest, MovesItsContents) {
    LazyArray<std::uint32_t> from(10);
    from[3] = 33;
    const LazyArray<std::uint32_t> to(std::move(from));
    EXPECT_EQ(to.size(), 10u);
    EXPECT_EQ(to[3], 33u);
}

TEST(LazyArrayTest, WhatIsNotTouchedTakesNoMemory) {
    if (testing::kSanitized) {
        GTEST_SKIP() << "the sanitizer touches a shadow of it";
    }
    const std::uint64_t before = testing::resident_bytes();
    LazyArray<std::uint64_t> array(std::size_t{1} << 29); // 4 GiB
    array[0] = 1;
    array[array.size() - 1] = 2;
    EXPECT_LT(testing::resident_bytes(), before + (std::uint64_t{1} << 20));
    // The measure itself works: a million touched pages of 4 KiB would be seen, 4096 are.
    for (std::size_t i = 0; i < 4096; ++i) {
        array[i * 512] = 3;
    }
    EXPECT_GE(testing::resident_bytes(), before + (std::uint64_t{16} << 20));
}

} // namespace
} // namespace cavern
