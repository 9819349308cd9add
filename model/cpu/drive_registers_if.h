#pragma once

#include <cstdint>
#include <optional>

#include "cpu/bus_if.h"
#include "register_table.h" // made from rtl/regs/cavern_regs.rdl

namespace cavern::cpu {

/// Where a register is, from the start of the block.
[[nodiscard]] constexpr std::uint32_t offset_of(regs::RegisterId id) {
    return regs::kRegisters[static_cast<std::size_t>(id)].address;
}

/// An entry of the request queue (request.* of the block).
struct HostRequest {
    regs::Opcode opcode = regs::Opcode::kRead;
    bool fua = false;
    std::uint16_t tag = 0;
    std::uint32_t page = 0;
    std::uint32_t pages = 0;
    std::uint64_t arrival = 0; ///< cycle of the processor's clock
};

/// An entry that the firmware has pushed: an operation (operation.*), or with kind kDecided its
/// doorbell, in which only `tag` and `result` count. Kinds and origins may be numbers without a
/// name.
struct FlashOperation {
    regs::Operation kind = regs::Operation::kDecided;
    regs::Origin origin = regs::Origin::kHost;
    bool last = false; ///< of its batch
    std::uint16_t tag = 0;
    std::uint8_t result = 0;
    std::uint32_t logical_page = 0;
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    std::uint32_t frame = 0;
    bool waits = false;      ///< for operation `after` of its batch
    std::uint32_t after = 0; ///< counted from 0
    bool copies = false;     ///< a program: of what operation `after` has read
    std::uint32_t supersedes = 0;
    std::uint32_t units = 0; ///< of an answer, as hit and done
    bool hit = false;
    bool done = false;
};

struct DmaDescriptor {
    bool to_flash = false;
    std::uint16_t tag = 0;
    std::uint32_t frame = 0;
    std::uint32_t page = 0;
    std::uint8_t first = 0;   ///< sector of 512 bytes
    std::uint8_t sectors = 0; ///< 0: the whole page
};

/// The values of geometry.*.
struct RegisterGeometry {
    std::uint8_t channels = 0;
    std::uint8_t ways = 0;
    std::uint8_t planes = 0;
    std::uint32_t blocks = 0;
    std::uint32_t pages = 0;
    std::uint32_t page_bytes = 0;
    std::uint32_t logical_pages = 0;
    std::uint32_t frames = 0;
    std::uint32_t clock_khz = 0;
};

struct WindowAnswer {
    std::uint32_t data = 0;
    std::uint32_t wait_cycles = 0;
    bool outside = false; ///< the space has no such word
};

/// The memories behind the window. `word` counts words of 4 bytes from the start of the space.
class WindowIf {
  public:
    virtual ~WindowIf() = default;
    virtual WindowAnswer load(regs::Space space, std::uint64_t word, std::uint64_t cycle) = 0;
    /// Bytes of which bit i of `strobes` is 0 stay as they are.
    virtual WindowAnswer store(regs::Space space, std::uint64_t word, std::uint32_t value,
                               std::uint32_t strobes, std::uint64_t cycle) = 0;
};

/// The register block (rtl/regs/cavern_regs.rdl, docs/verification/registers.md) from both sides:
/// the processor's, a bus, and the drive's, which are the calls below. One caller at a time; each
/// call is done when it returns. `cycle` is one of the processor's clock, and orders nothing but
/// the moderation of interrupts: it may lie before that of an earlier call.
class DriveRegistersIf : public BusIf {
  public:
    /// All is as after a reset: registers, queues, interrupts. Geometry and idleness stay.
    virtual void reset() = 0;
    virtual void set_geometry(const RegisterGeometry& geometry) = 0;
    virtual void set_idle(bool host, bool flash) = 0;

    /// The firmware has said that it takes requests (control.control.ready).
    [[nodiscard]] virtual bool ready() = 0;
    /// False, and nothing is changed: the queue is full.
    virtual bool push_request(const HostRequest& request, std::uint64_t cycle) = 0;
    virtual std::optional<FlashOperation> take_operation(std::uint64_t cycle) = 0;
    virtual std::optional<DmaDescriptor> take_descriptor(std::uint64_t cycle) = 0;
    virtual void complete_descriptor(std::uint64_t cycle) = 0;
    /// Adds to counters.busy_cycles.
    virtual void add_busy_cycles(std::uint32_t cycles) = 0;

    /// The interrupt line at `cycle`.
    [[nodiscard]] virtual bool interrupt(std::uint64_t cycle) = 0;
    /// Where the line is low at `cycle` and rises by time alone: when.
    [[nodiscard]] virtual std::optional<std::uint64_t> interrupt_due(std::uint64_t cycle) = 0;
};

} // namespace cavern::cpu
