#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "cosim/ibex_core.h"
#include "tests/cosim/rv32.h"

namespace cavern {

/// Wait cycles of 0 to `most`, drawn for each access.
class RandomWaits final : public ExtraWaitIf {
  public:
    RandomWaits(std::uint64_t seed, std::uint32_t most) : random_(seed), most_(most) {}
    std::uint32_t fetch() override { return static_cast<std::uint32_t>(random_() % (most_ + 1)); }
    std::uint32_t data() override { return static_cast<std::uint32_t>(random_() % (most_ + 1)); }

  private:
    std::mt19937_64 random_;
    std::uint32_t most_;
};

/// A processor's memory with code at the reset pc and at the vectors.
class ProcessorMemory {
  public:
    explicit ProcessorMemory(cpu::BusIf* bus = nullptr) : memory_(cpu::MemoryMap{}, bus) {}

    void put(std::uint32_t address, const rv32::Code& code) {
        EXPECT_TRUE(memory_.write(address, code.data(), code.bytes()));
    }
    void put_program(const rv32::Code& code) { put(memory_.map().reset_pc(), code); }
    /// Code of at most one word that a trap runs first: cause 0 for exceptions.
    void put_vector(std::uint32_t cause, const rv32::Code& code) {
        put(memory_.map().boot_address() + 4 * cause, code);
    }
    [[nodiscard]] cpu::MemorySystem& memory() { return memory_; }
    [[nodiscard]] std::uint32_t start() const { return memory_.map().reset_pc(); }
    [[nodiscard]] std::uint32_t data() const { return memory_.map().data.base; }

  private:
    cpu::MemorySystem memory_;
};

/// The next `count` instructions; fewer where the core is stuck.
inline std::vector<cpu::Retired> run(IbexCore& core, std::size_t count) {
    std::vector<cpu::Retired> all;
    while (all.size() < count && core.step(10'000)) {
        all.push_back(core.retired());
    }
    return all;
}

/// Instructions up to and including the one at `pc`.
inline std::vector<cpu::Retired> run_to(IbexCore& core, std::uint32_t pc) {
    std::vector<cpu::Retired> all;
    while ((all.empty() || all.back().pc != pc) && core.step(10'000)) {
        all.push_back(core.retired());
    }
    return all;
}

} // namespace cavern
