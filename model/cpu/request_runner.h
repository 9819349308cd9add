#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cpu/controller_devices.h"
#include "cpu/processor_if.h"

namespace cavern::cpu {

/// Hands requests to firmware, one at a time, and runs the processor until it sleeps again.
/// Whatever keeps the firmware from answering throws FirmwareError: which request, what, and where
/// as address, function and source line.
class RequestRunner {
  public:
    /// The cost of a request.
    struct Cost {
        std::uint64_t to_doorbell = 0;    ///< cycles from the interrupt to the store that rings
        std::uint64_t after_doorbell = 0; ///< cycles from then on, until it sleeps
        std::uint64_t instructions = 0;
    };

    /// `watchdog`: instructions that a request may take.
    explicit RequestRunner(std::uint64_t watchdog) : watchdog_(watchdog) {}

    /// Before anything else. All outlive it.
    void connect(ProcessorIf& processor, ControllerDevices& devices, const Program& program) {
        processor_ = &processor;
        devices_ = &devices;
        program_ = &program;
    }
    /// For ControllerDevices: the log of the firmware, of which the last line is kept.
    void log(char byte);

    /// Puts the image into memory and runs until the firmware sleeps, ready for requests. What it
    /// is to find in the SDRAM is there already.
    void start(std::uint64_t max_instructions);
    /// The request is given a tag, and its arrival is now. `name` names it in errors.
    Cost run(HostRequest request, const std::function<std::string()>& name);
    /// Entries that the firmware has pushed for the request, without the doorbell.
    [[nodiscard]] const std::vector<FlashOperation>& entries() const { return entries_; }

    /// For ControllerDevices.
    void take(const FlashOperation& entry, std::uint64_t cycle);

  private:
    /// Until it sleeps, and for a `request` has rung.
    void run_to_sleep(const std::function<std::string()>& name, std::uint64_t max_instructions,
                      bool request);
    [[noreturn]] void stop(const std::string& name, const std::string& what) const;
    void check_doorbell(const std::function<std::string()>& name) const;

    std::uint64_t watchdog_;
    ProcessorIf* processor_ = nullptr;
    ControllerDevices* devices_ = nullptr;
    const Program* program_ = nullptr;
    std::vector<FlashOperation> entries_;
    std::optional<FlashOperation> bell_;
    bool rings_again_ = false; ///< or pushes behind the doorbell
    std::uint64_t bell_cycle_ = 0;
    std::uint16_t tag_ = 0;
    std::string line_;
    bool line_ends_ = true;
};

} // namespace cavern::cpu
