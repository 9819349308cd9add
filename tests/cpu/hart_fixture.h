#pragma once

#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/hart.h"
#include "cpu/memory_system.h"

namespace cavern::cpu {

/// A bus that remembers accesses; what is at kReads can be loaded, at kWrites stored.
class ScriptedBus final : public BusIf {
  public:
    struct Access {
        bool write;
        std::uint32_t address;
        std::uint32_t value;
        std::uint32_t size;
        std::uint64_t cycle;
    };
    static constexpr std::uint32_t kBase = 0x4000'0000;

    BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override {
        accesses.push_back({false, address, 0, size, cycle});
        return {answer, wait_cycles, address - kBase >= 0x1000};
    }
    BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                    std::uint64_t cycle) override {
        accesses.push_back({true, address, value, size, cycle});
        if (hart != nullptr) {
            hart->set_interrupts(value);
            hart->request_stop();
        }
        return {0, wait_cycles, address - kBase >= 0x1000};
    }

    std::vector<Access> accesses;
    std::uint32_t answer = 0;
    std::uint32_t wait_cycles = 0;
    Hart* hart = nullptr; ///< its lines are what is stored
};

/// A hart whose program a test writes word by word at the reset pc.
class HartTest : public testing::Test {
  protected:
    static constexpr std::uint32_t kStart = 0x0010'0080;
    static constexpr std::uint32_t kData = 0x0020'0000;
    static constexpr std::uint32_t kVectors = 0x0010'0000;

    void write(std::uint32_t address, std::initializer_list<std::uint32_t> words) {
        for (const std::uint32_t word : words) {
            ASSERT_TRUE(memory.write(address, &word, 4));
            address += 4;
        }
    }
    void program(std::initializer_list<std::uint32_t> words) { write(kStart, words); }
    /// Executes one instruction that must not stop the hart.
    Retired step() {
        Retired retired;
        EXPECT_EQ(hart.step(&retired), Stop::kInstructions);
        return retired;
    }
    /// Cycles that the next instruction takes.
    std::uint64_t cost() {
        const std::uint64_t before = hart.cycle();
        step();
        return hart.cycle() - before;
    }
    std::uint32_t word_at(std::uint32_t address) {
        std::uint32_t word = 0;
        EXPECT_TRUE(memory.read(address, &word, 4));
        return word;
    }

    ScriptedBus bus;
    MemorySystem memory{MemoryMap{}, &bus};
    Hart hart{memory};
};

} // namespace cavern::cpu
