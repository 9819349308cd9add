#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "cpu/bus_if.h"
#include "cpu/memory_map.h"

namespace cavern::cpu {

struct LineCacheCounts {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t write_backs = 0;
};

/// All that the processor can address: two tightly coupled memories, SDRAM behind a line cache, and
/// a bus for the rest. It answers with data and with wait cycles, so that an interpreter and an RTL
/// core in front of it see the same memory. Data always are those of memory: the line cache holds
/// tags alone, so direct access is coherent with it.
///
/// An access lies within one word: address % 4 + size <= 4, size 1 to 4. A core splits what crosses
/// a word in two, as Ibex does.
class MemorySystem {
  public:
    /// `bus` null: an address outside the memories faults. `lines` null: the map's constants hold.
    explicit MemorySystem(const MemoryMap& map, BusIf* bus = nullptr, LineCostIf* lines = nullptr);

    [[nodiscard]] const MemoryMap& map() const { return map_; }
    void set_line_cost(LineCostIf* lines) { lines_ = lines; }

    /// The word at `address`, a multiple of 4. Faults outside the instruction memory.
    [[nodiscard]] BusAnswer fetch(std::uint32_t address) const {
        const std::uint32_t offset = address - map_.instruction.base;
        if (offset >= map_.instruction.size) {
            return {0, 0, true};
        }
        return {word_of(instruction_.get() + offset, 4), 0, false};
    }

    BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) {
        if (const std::uint32_t offset = address - map_.data.base; offset < map_.data.size) {
            return {word_of(data_.get() + offset, size), 0, false};
        }
        return load_elsewhere(address, size, cycle);
    }

    BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                    std::uint64_t cycle) {
        if (const std::uint32_t offset = address - map_.data.base; offset < map_.data.size) {
            std::memcpy(data_.get() + offset, &value, size);
            return {};
        }
        return store_elsewhere(address, value, size, cycle);
    }

    /// The bytes at an address of the SDRAM whose line is in the cache: a hit, with no wait cycles.
    /// Null otherwise, and nothing is counted.
    [[nodiscard]] std::uint8_t* hit(std::uint32_t address, bool write) {
        const std::uint32_t offset = address - map_.sdram.base;
        const std::uint32_t number = address >> line_shift_;
        Line& line = cache_[number & line_mask_];
        if (offset >= map_.sdram.size || line.tag != (number << line_shift_) + 1) {
            return nullptr;
        }
        ++counts_.hits;
        line.dirty |= write;
        return sdram_.get() + offset;
    }

    /// The bytes themselves, for DMI, DMA and debuggers, without time: null unless all `bytes` lie
    /// in one memory. Whoever writes into the instruction memory calls code_changed() afterwards.
    [[nodiscard]] std::uint8_t* direct(std::uint32_t address, std::uint32_t bytes);
    /// Copies without time; false, and nothing is done, unless all bytes lie in one memory.
    [[nodiscard]] bool read(std::uint32_t address, void* to, std::uint32_t bytes);
    [[nodiscard]] bool write(std::uint32_t address, const void* from, std::uint32_t bytes);

    /// Grows with every change of the instruction memory: what was decoded before may be stale.
    [[nodiscard]] std::uint64_t code_version() const { return code_version_; }
    void code_changed() { ++code_version_; }

    /// Forgets all lines, without a cost.
    void empty_cache();
    [[nodiscard]] const LineCacheCounts& line_cache() const { return counts_; }

  private:
    struct Line {
        std::uint32_t tag = 0; ///< address of the line, plus 1 when valid
        bool dirty = false;
    };
    struct Release {
        void operator()(std::uint8_t* memory) const;
    };
    using Memory = std::unique_ptr<std::uint8_t[], Release>;

    static Memory allocate(std::uint32_t bytes);
    /// Hosts are little-endian, like RISC-V (checked in memory_system.cpp).
    static std::uint32_t word_of(const std::uint8_t* from, std::uint32_t size) {
        std::uint32_t value = 0;
        std::memcpy(&value, from, size);
        return value;
    }
    BusAnswer load_elsewhere(std::uint32_t address, std::uint32_t size, std::uint64_t cycle);
    BusAnswer store_elsewhere(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                              std::uint64_t cycle);
    std::uint32_t replace_line(std::uint32_t address, bool write, std::uint64_t cycle);

    MemoryMap map_;
    BusIf* bus_;
    LineCostIf* lines_;
    Memory instruction_;
    Memory data_;
    Memory sdram_;
    std::vector<Line> cache_;
    std::uint32_t line_shift_ = 0;
    std::uint32_t line_mask_ = 0; ///< of the number of a line, to its place in the cache
    LineCacheCounts counts_;
    std::uint64_t code_version_ = 0;
};

} // namespace cavern::cpu
