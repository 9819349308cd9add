#include "cosim/rtl_fault.h"

namespace cavern {

namespace {

constexpr std::uint32_t kEcall = 0x00000073;
constexpr std::uint32_t kEbreak = 0x00100073;
constexpr std::uint32_t kCompressedEbreak = 0x9002;

} // namespace

cpu::Fault fault_of_last(const IbexCore& core, const cpu::MemorySystem& memory) {
    const cpu::Retired& retired = core.retired();
    cpu::Fault fault{cpu::FaultKind::kNone, retired.pc, retired.instruction, retired.pc};
    for (std::size_t i = 0; i < core.accesses(); ++i) {
        const DataAccess& access = core.access(i);
        if (access.fault) {
            fault.kind = access.write ? cpu::FaultKind::kStore : cpu::FaultKind::kLoad;
            fault.address = access.address;
            return fault;
        }
    }
    if (!retired.trap) {
        const std::uint32_t bytes = retired.read_mask | retired.write_mask; // 1, 3 or 15
        if ((retired.memory_address & (bytes >> 1 & 1 ? (bytes == 3 ? 1u : 3u) : 0u)) != 0) {
            fault.kind = cpu::FaultKind::kMisaligned;
            fault.address = retired.memory_address;
        }
        return fault;
    }
    if (memory.fetch(retired.pc & ~3u).fault || memory.fetch((retired.pc + 2) & ~3u).fault) {
        fault.kind = cpu::FaultKind::kFetch;
        fault.instruction = 0;
    } else if (retired.instruction != kEcall && retired.instruction != kEbreak &&
               retired.instruction != kCompressedEbreak) {
        fault.kind = cpu::FaultKind::kIllegal;
    }
    return fault;
}

} // namespace cavern
