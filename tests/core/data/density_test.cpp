#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "core/base/random.h"
#include "core/data/density.h"

namespace cavern::testing {
namespace {

/// A page of bytes with so many values, each as frequent as the next.
std::vector<std::byte> page_of(std::uint64_t seed, std::uint32_t values, std::size_t bytes) {
    Random random(seed);
    std::vector<std::byte> page(bytes);
    for (std::byte& byte : page) {
        byte = static_cast<std::byte>(random.below(values));
    }
    return page;
}

bool is_dense(const std::vector<std::byte>& page) {
    return cavern::is_dense(page.data(), page.size());
}

TEST(DensityTest, RandomBytesAreDenseAndTextIsNot) {
    for (const std::size_t bytes : {512u, 2048u, 4096u, 16384u}) {
        for (std::uint64_t seed = 0; seed < 500; ++seed) {
            EXPECT_TRUE(is_dense(page_of(seed, 256, bytes))) << seed;
            EXPECT_FALSE(is_dense(page_of(seed, 64, bytes))) << seed; // base64
        }
    }
    EXPECT_FALSE(is_dense(page_of(0, 1, 4096)));
}

TEST(DensityTest, APageWhoseLastQuarterIsZerosIsNotDense) {
    std::vector<std::byte> page = page_of(1, 256, 4096);
    std::fill(page.begin() + 3072, page.end(), std::byte{0});
    EXPECT_FALSE(is_dense(page));
    EXPECT_TRUE(is_dense(page_of(1, 256, 3072)));
}

/// As fio fills its buffers: what no compressor takes an eighth of shall not be tried.
TEST(DensityTest, SectorsThatBeginWithZerosAreDense) {
    std::vector<std::byte> page = page_of(2, 256, 4096);
    for (std::size_t sector = 0; sector < page.size(); sector += 512) {
        std::fill_n(page.begin() + static_cast<std::ptrdiff_t>(sector), 40, std::byte{0});
    }
    EXPECT_TRUE(is_dense(page));
}

} // namespace
} // namespace cavern::testing
