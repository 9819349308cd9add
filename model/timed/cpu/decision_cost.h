#pragma once

#include <cstdint>

#include "core/device/command_front.h"

namespace cavern {

/// What a command costs the processor that handles it, in clock cycles.
class DecisionCostIf {
  public:
    virtual ~DecisionCostIf() = default;
    /// To take the command up and to decide its `pages`: it goes on when these have passed.
    virtual std::uint64_t to_decide(const DeviceCommand& command, std::uint64_t pages) = 0;
    /// To hand its `operations` to the flash: the processor is busy with them after that.
    virtual std::uint64_t to_hand_on(std::uint64_t operations) = 0;
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

    std::uint64_t to_decide(const DeviceCommand& command, std::uint64_t pages) override {
        switch (command.op) {
        case RequestOp::kRead:
            return cycles_.command + pages * cycles_.read;
        case RequestOp::kWrite:
            return cycles_.command + pages * cycles_.write;
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
