#include "workload/fio_map.h"

#include <set>

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace cavern {
namespace {

TEST(FioMapTest, AgreesWithASetWhateverIsTaken) {
    for (const std::uint64_t blocks : {1u, 63u, 64u, 65u, 4095u, 4096u, 4097u, 20'000u}) {
        FioMap map(blocks);
        std::set<std::uint64_t> free;
        for (std::uint64_t i = 0; i < blocks; ++i) {
            free.insert(i);
        }
        Random random(blocks);
        while (!free.empty()) {
            const std::uint64_t block = random.below(blocks);
            const auto found = free.lower_bound(block);
            const std::uint64_t next = found == free.end() ? *free.begin() : *found;
            ASSERT_EQ(map.is_free(block), free.count(block) == 1);
            ASSERT_EQ(map.next_free(block), next);
            const std::uint64_t wanted = 1 + random.below(9);
            std::uint64_t expected = 0;
            while (expected < wanted && next + expected < blocks &&
                   free.erase(next + expected) == 1) {
                ++expected;
            }
            // Behind the last block all is free.
            expected = next + expected == blocks ? wanted : expected;
            ASSERT_EQ(map.take(next, wanted), expected);
        }
        EXPECT_EQ(map.next_free(0), std::nullopt);
        map.clear();
        EXPECT_EQ(map.next_free(blocks - 1), blocks - 1);
    }
}

} // namespace
} // namespace cavern
