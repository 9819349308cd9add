#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "cpu/bus_if.h"

namespace cavern::cpu {

/// The log of the firmware, and the end of its run. Registers, by offset: 0x0 write: a byte of the
/// log; 0x4 read: bit 0, ready (always); 0x8 write: the run ends with this exit status.
class Uart {
  public:
    using Sink = std::function<void(char byte, std::uint64_t cycle)>;

    explicit Uart(Sink sink = {}) : sink_(std::move(sink)) {}

    [[nodiscard]] BusAnswer load(std::uint32_t offset) const;
    BusAnswer store(std::uint32_t offset, std::uint32_t value, std::uint64_t cycle);
    /// The run has not ended.
    void reset() { exit_status_.reset(); }
    /// Nothing while the firmware has not ended the run.
    [[nodiscard]] std::optional<std::uint32_t> exit_status() const { return exit_status_; }

  private:
    Sink sink_;
    std::optional<std::uint32_t> exit_status_;
};

} // namespace cavern::cpu
