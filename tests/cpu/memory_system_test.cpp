#include "cpu/memory_system.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace cavern::cpu {
namespace {

constexpr std::uint32_t kSdram = 0x8000'0000;

struct CountingCost final : LineCostIf {
    std::uint32_t fill(std::uint32_t address, std::uint32_t bytes, std::uint64_t cycle) override {
        filled = address;
        last_bytes = bytes;
        last_cycle = cycle;
        return 100;
    }
    std::uint32_t write_back(std::uint32_t address, std::uint32_t, std::uint64_t) override {
        written = address;
        return 1000;
    }
    std::uint32_t filled = 0;
    std::uint32_t written = 0;
    std::uint32_t last_bytes = 0;
    std::uint64_t last_cycle = 0;
};

TEST(MemorySystemTest, KeepsWhatIsStoredInEachMemory) {
    MemorySystem memory{MemoryMap{}};
    for (const std::uint32_t base :
         {0x0010'0000u, 0x0020'0000u, 0x0023'FFFCu, kSdram, 0x83FF'FFFCu}) {
        EXPECT_FALSE(memory.store(base, 0xDDCC'BBAA, 4, 0).fault);
        EXPECT_EQ(memory.load(base, 4, 0).data, 0xDDCC'BBAAu);
        EXPECT_EQ(memory.load(base + 1, 2, 0).data, 0xCCBBu);
        EXPECT_FALSE(memory.store(base + 3, 0x1FF, 1, 0).fault);
        EXPECT_EQ(memory.load(base, 4, 0).data, 0xFFCC'BBAAu);
    }
}

TEST(MemorySystemTest, FaultsWhereNothingIs) {
    MemorySystem memory{MemoryMap{}};
    for (const std::uint32_t address :
         {0u, 0x000F'FFFCu, 0x0014'0000u, 0x0024'0000u, 0x4000'0000u, 0x7FFF'FFFCu, 0x8400'0000u}) {
        EXPECT_TRUE(memory.load(address, 4, 0).fault) << address;
        EXPECT_TRUE(memory.store(address, 0, 4, 0).fault) << address;
    }
}

TEST(MemorySystemTest, FetchesFromTheInstructionMemoryAlone) {
    MemorySystem memory{MemoryMap{}};
    EXPECT_FALSE(memory.fetch(0x0010'0000).fault);
    EXPECT_FALSE(memory.fetch(0x0013'FFFC).fault);
    EXPECT_TRUE(memory.fetch(0x0014'0000).fault);
    EXPECT_TRUE(memory.fetch(0x0020'0000).fault);
    EXPECT_TRUE(memory.fetch(kSdram).fault);
}

TEST(MemorySystemTest, AMissCostsAFillAndADirtyVictimAWriteBack) {
    MemoryMap map;
    map.line_bytes = 32;
    map.cache_bytes = 128; // four lines
    CountingCost cost;
    MemorySystem memory(map, nullptr, &cost);
    EXPECT_EQ(memory.load(kSdram + 36, 4, 7).wait_cycles, 100u);
    EXPECT_EQ(cost.filled, kSdram + 32);
    EXPECT_EQ(cost.last_bytes, 32u);
    EXPECT_EQ(cost.last_cycle, 7u);
    EXPECT_EQ(memory.load(kSdram + 63, 1, 8).wait_cycles, 0u);
    EXPECT_EQ(memory.store(kSdram + 32, 1, 4, 9).wait_cycles, 0u) << "now it is dirty";
    EXPECT_EQ(memory.load(kSdram + 32 + 128, 4, 10).wait_cycles, 1100u);
    EXPECT_EQ(cost.written, kSdram + 32);
    EXPECT_EQ(cost.last_cycle, 1010u) << "the fill follows the write-back";
    EXPECT_EQ(memory.load(kSdram + 32, 4, 11).wait_cycles, 100u) << "a clean victim just goes";
    EXPECT_EQ(memory.store(kSdram, 1, 4, 12).wait_cycles, 100u) << "a store allocates";
    EXPECT_EQ(memory.line_cache().hits, 2u);
    EXPECT_EQ(memory.line_cache().misses, 4u);
    EXPECT_EQ(memory.line_cache().write_backs, 1u);
    memory.empty_cache();
    EXPECT_EQ(memory.load(kSdram, 4, 13).wait_cycles, 100u);
}

TEST(MemorySystemTest, WithoutACostTheMapsConstantsHold) {
    const MemoryMap map;
    MemorySystem memory(map);
    EXPECT_EQ(memory.store(kSdram, 1, 4, 0).wait_cycles, map.line_fill_cycles);
    EXPECT_EQ(memory.load(kSdram + map.cache_bytes, 4, 0).wait_cycles,
              map.line_fill_cycles + map.line_write_back_cycles);
}

TEST(MemorySystemTest, DirectAccessIsCoherentWithTheLineCache) {
    MemorySystem memory{MemoryMap{}};
    memory.store(kSdram + 8, 0x1111'1111, 4, 0);
    std::uint32_t value = 0;
    ASSERT_TRUE(memory.read(kSdram + 8, &value, 4));
    EXPECT_EQ(value, 0x1111'1111u);
    value = 0x2222'2222;
    ASSERT_TRUE(memory.write(kSdram + 8, &value, 4));
    EXPECT_EQ(memory.load(kSdram + 8, 4, 0).data, 0x2222'2222u);
}

TEST(MemorySystemTest, DirectAccessStaysWithinOneMemory) {
    MemorySystem memory{MemoryMap{}};
    EXPECT_NE(memory.direct(0x0023'FFF0, 16), nullptr);
    EXPECT_EQ(memory.direct(0x0023'FFF0, 17), nullptr);
    EXPECT_EQ(memory.direct(0x4000'0000, 4), nullptr);
    EXPECT_EQ(memory.direct(0xFFFF'FFFC, 8), nullptr);
}

TEST(MemorySystemTest, CountsChangesOfTheCode) {
    MemorySystem memory{MemoryMap{}};
    const std::uint64_t before = memory.code_version();
    memory.store(0x0020'0000, 1, 4, 0);
    EXPECT_EQ(memory.code_version(), before);
    memory.store(0x0010'0000, 1, 4, 0);
    EXPECT_GT(memory.code_version(), before);
}

TEST(MemorySystemTest, RefusesAMapThatOverlaps) {
    MemoryMap map;
    map.data.base = map.instruction.base + 0x100;
    EXPECT_THROW(MemorySystem{map}, ModelError);
    MemoryMap odd;
    odd.line_bytes = 48;
    EXPECT_THROW(MemorySystem{odd}, ModelError);
}

} // namespace
} // namespace cavern::cpu
