#pragma once

#include <cstdint>

#include "core/base/strong_id.h"
#include "core/device/command_pages.h"

namespace cavern {

/// What a command costs the processor that handles it, in clock cycles.
class DecisionCostIf {
  public:
    virtual ~DecisionCostIf() = default;
    /// A processor takes the command up, to decide its `pages`: it goes on when these cycles have
    /// passed.
    virtual std::uint64_t to_decide(const DeviceCommand& command, const CommandPages& pages) = 0;
    /// The command has gone on and brought so many operations for the flash: the processor is busy
    /// for so long after that.
    virtual std::uint64_t to_hand_on(std::uint64_t operations) = 0;
    /// A processor takes up what no command has asked for, DriveCore::maintain(): it is decided
    /// when these cycles have passed. to_hand_on() follows, of no operations.
    virtual std::uint64_t to_work_ahead(PlaneId /*plane*/, std::uint32_t /*copies*/) { return 0; }
};

/// `cpu.model = "cost"`: so many cycles for each thing.
class FixedCosts final : public DecisionCostIf {
  public:
    struct Cycles {
        std::uint32_t command = 0;   ///< each command
        std::uint32_t read = 0;      ///< each page read
        std::uint32_t write = 0;     ///< each page written
        std::uint32_t operation = 0; ///< each flash operation
    };
    explicit FixedCosts(const Cycles& cycles) : cycles_(cycles) {}

    std::uint64_t to_decide(const DeviceCommand& command, const CommandPages& pages) override {
        switch (command.op) {
        case RequestOp::kRead:
            return cycles_.command + pages.count() * cycles_.read;
        case RequestOp::kWrite:
            return cycles_.command + pages.count() * cycles_.write;
        case RequestOp::kTrim:
        case RequestOp::kFlush:
            break;
        }
        return cycles_.command;
    }
    std::uint64_t to_hand_on(std::uint64_t operations) override {
        return operations * cycles_.operation;
    }

  private:
    Cycles cycles_;
};

} // namespace cavern
