#include "cpu/memory_system.h"

#include <array>

#include <fmt/format.h>
#include <sys/mman.h>

#include "core/base/check.h"

namespace cavern::cpu {

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "memory words are copied as the host has them, which must be little-endian"
#endif

namespace {

bool power_of_two(std::uint32_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

// Mapped pages follow the size that precedes them.
constexpr std::size_t kHeader = 4096;

} // namespace

// The system gives zeroed pages when they are first touched: 64 MiB cost nothing until used.
MemorySystem::Memory MemorySystem::allocate(std::uint32_t bytes) {
    const std::size_t length = bytes + kHeader;
    void* pages = ::mmap(nullptr, length, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CAVERN_CHECK(pages != MAP_FAILED, fmt::format("no {} bytes for a memory", bytes));
    std::memcpy(pages, &length, sizeof(length));
    return Memory(static_cast<std::uint8_t*>(pages) + kHeader);
}

void MemorySystem::Release::operator()(std::uint8_t* memory) const {
    void* pages = memory - kHeader;
    std::size_t length = 0;
    std::memcpy(&length, pages, sizeof(length));
    ::munmap(pages, length);
}

MemorySystem::MemorySystem(const MemoryMap& map, BusIf* bus, LineCostIf* lines)
    : map_(map), bus_(bus), lines_(lines), instruction_(allocate(map.instruction.size)),
      data_(allocate(map.data.size)), sdram_(allocate(map.sdram.size)) {
    const std::array<MemoryRegion, 6> regions = {map.instruction, map.data, map.registers,
                                                 map.timer,       map.uart, map.sdram};
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const MemoryRegion& region = regions[i];
        CAVERN_CHECK(region.base % 4 == 0 && region.size % 4 == 0, "regions are whole words");
        CAVERN_CHECK(region.size == 0 || region.base + (region.size - 1) >= region.base,
                     "a region ends before the address space does");
        for (std::size_t j = 0; j < i; ++j) {
            CAVERN_CHECK(!region.contains(regions[j].base) || regions[j].size == 0,
                         "regions do not overlap");
            CAVERN_CHECK(!regions[j].contains(region.base) || region.size == 0,
                         "regions do not overlap");
        }
    }
    CAVERN_CHECK(map.instruction.base % 256 == 0, "Ibex aligns its boot address to 256 bytes");
    CAVERN_CHECK(power_of_two(map.line_bytes) && map.line_bytes >= 4 &&
                     power_of_two(map.cache_bytes) && map.cache_bytes >= map.line_bytes,
                 "sizes of the line cache are powers of two");
    cache_.resize(map.cache_bytes / map.line_bytes);
    line_mask_ = map.cache_bytes / map.line_bytes - 1;
    while ((1u << line_shift_) < map.line_bytes) {
        ++line_shift_;
    }
}

std::uint8_t* MemorySystem::direct(std::uint32_t address, std::uint32_t bytes) {
    if (map_.data.contains(address, bytes)) {
        return data_.get() + (address - map_.data.base);
    }
    if (map_.sdram.contains(address, bytes)) {
        return sdram_.get() + (address - map_.sdram.base);
    }
    if (map_.instruction.contains(address, bytes)) {
        return instruction_.get() + (address - map_.instruction.base);
    }
    return nullptr;
}

bool MemorySystem::read(std::uint32_t address, void* to, std::uint32_t bytes) {
    const std::uint8_t* from = direct(address, bytes);
    if (from != nullptr) {
        std::memcpy(to, from, bytes);
    }
    return from != nullptr;
}

bool MemorySystem::write(std::uint32_t address, const void* from, std::uint32_t bytes) {
    std::uint8_t* to = direct(address, bytes);
    if (to == nullptr) {
        return false;
    }
    std::memcpy(to, from, bytes);
    if (map_.instruction.contains(address)) {
        code_changed();
    }
    return true;
}

void MemorySystem::empty_cache() {
    for (Line& line : cache_) {
        line = {};
    }
}

BusAnswer MemorySystem::load_elsewhere(std::uint32_t address, std::uint32_t size,
                                       std::uint64_t cycle) {
    if (const std::uint8_t* from = hit(address, false); from != nullptr) {
        return {word_of(from, size), 0, false};
    }
    if (const std::uint32_t offset = address - map_.sdram.base; offset < map_.sdram.size) {
        return {word_of(sdram_.get() + offset, size), replace_line(address, false, cycle), false};
    }
    if (const std::uint32_t offset = address - map_.instruction.base;
        offset < map_.instruction.size) {
        return {word_of(instruction_.get() + offset, size), 0, false};
    }
    if (bus_ == nullptr) {
        return {0, 0, true};
    }
    BusAnswer answer = bus_->load(address, size, cycle);
    answer.wait_cycles += map_.bus_wait_cycles;
    return answer;
}

BusAnswer MemorySystem::store_elsewhere(std::uint32_t address, std::uint32_t value,
                                        std::uint32_t size, std::uint64_t cycle) {
    if (std::uint8_t* to = hit(address, true); to != nullptr) {
        std::memcpy(to, &value, size);
        return {};
    }
    if (const std::uint32_t offset = address - map_.sdram.base; offset < map_.sdram.size) {
        std::memcpy(sdram_.get() + offset, &value, size);
        return {0, replace_line(address, true, cycle), false};
    }
    if (const std::uint32_t offset = address - map_.instruction.base;
        offset < map_.instruction.size) {
        std::memcpy(instruction_.get() + offset, &value, size);
        code_changed();
        return {};
    }
    if (bus_ == nullptr) {
        return {0, 0, true};
    }
    BusAnswer answer = bus_->store(address, low_bytes(value, size), size, cycle);
    answer.wait_cycles += map_.bus_wait_cycles;
    return answer;
}

std::uint32_t MemorySystem::replace_line(std::uint32_t address, bool write, std::uint64_t cycle) {
    const std::uint32_t number = address >> line_shift_;
    const std::uint32_t base = number << line_shift_;
    Line& line = cache_[number & line_mask_];
    ++counts_.misses;
    std::uint32_t wait = 0;
    if (line.dirty) {
        ++counts_.write_backs;
        wait += lines_ != nullptr ? lines_->write_back(line.tag - 1, map_.line_bytes, cycle)
                                  : map_.line_write_back_cycles;
    }
    wait += lines_ != nullptr ? lines_->fill(base, map_.line_bytes, cycle + wait)
                              : map_.line_fill_cycles;
    line = {base + 1, write};
    return wait;
}

} // namespace cavern::cpu
