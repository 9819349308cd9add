#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "cpu/bus_if.h"
#include "cpu/drive_registers_if.h"
#include "cpu/hart.h"
#include "cpu/machine_timer.h"
#include "cpu/memory_map.h"
#include "cpu/uart.h"

namespace cavern::cpu {

/// What the controller's processor reaches beside its memories: the registers of the drive, the
/// machine timer and the UART, and the interrupt lines of these. Entries of the operation queue are
/// taken while the firmware runs, one every `cycles_per_entry` at most; 0: as soon as they are
/// pushed.
class ControllerDevices final : public BusIf {
  public:
    /// The drive behind the registers. `cycle`: of the store that pushed the entry, or of the
    /// access before which there was time for it.
    using Taker = std::function<void(const FlashOperation& entry, std::uint64_t cycle)>;

    ControllerDevices(const MemoryMap& map, DriveRegistersIf& registers, Taker taker,
                      Uart::Sink log = {}, std::uint64_t cycles_per_entry = 0);

    BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override;
    BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                    std::uint64_t cycle) override;

    /// A request of the host comes; false: the queue is full.
    bool push_request(const HostRequest& request, std::uint64_t cycle);
    /// Takes all entries.
    void take_entries(std::uint64_t cycle);

    /// Levels of the lines at `cycle`, as mip has them.
    [[nodiscard]] std::uint32_t lines(std::uint64_t cycle) {
        if (cycle >= external_due_) {
            look_at_line(cycle);
        }
        return (external_ ? 1u << interrupt::kExternal : 0) |
               (timer_.line(cycle) ? 1u << interrupt::kTimer : 0);
    }
    /// The first cycle after `cycle` at which a line rises by time alone; Hart::kForever: none.
    [[nodiscard]] std::uint64_t rises_after(std::uint64_t cycle);

    [[nodiscard]] DriveRegistersIf& registers() { return registers_; }
    [[nodiscard]] std::optional<std::uint32_t> exit_status() const { return uart_.exit_status(); }

  private:
    void look_at_line(std::uint64_t cycle);
    void take_one(std::uint64_t cycle);

    MemoryMap map_;
    DriveRegistersIf& registers_;
    Taker taker_;
    MachineTimer timer_;
    Uart uart_;
    std::uint64_t cycles_per_entry_;
    std::uint64_t taken_ = 0; ///< cycle of the newest entry
    bool external_ = false;
    std::uint64_t external_due_ = 0; ///< cycle at which external_ may not hold any more
};

} // namespace cavern::cpu
