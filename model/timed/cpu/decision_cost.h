#pragma once

#include <cstdint>
#include <optional>

#include "core/base/strong_id.h"
#include "core/device/command_pages.h"

namespace cavern {

/// What a decision has brought.
struct DecisionWork {
    std::uint64_t operations = 0;     ///< for the flash
    std::uint64_t evictions = 0;      ///< pages that left the buffer
    std::uint64_t allocations = 0;    ///< pages that got a place in flash
    std::uint64_t map_operations = 0; ///< of those: reads and programs of the map
    std::uint64_t collected = 0;      ///< pages copied for collection, and blocks erased

    DecisionWork& operator+=(const DecisionWork& other) {
        operations += other.operations;
        evictions += other.evictions;
        allocations += other.allocations;
        map_operations += other.map_operations;
        collected += other.collected;
        return *this;
    }
};

class ProcessorLogIf;

/// What a command costs the processor that handles it, in clock cycles.
class DecisionCostIf {
  public:
    virtual ~DecisionCostIf() = default;
    /// A processor takes the command up, to decide its `pages`: it goes on when these cycles have
    /// passed.
    virtual std::uint64_t to_decide(const DeviceCommand& command, const CommandPages& pages) = 0;
    /// The command has gone on and brought this: the processor is busy for so long after that.
    virtual std::uint64_t to_hand_on(const DecisionWork& brought) = 0;
    /// Whether more than the operations costs something, and also where no command has asked.
    [[nodiscard]] virtual bool counts_work() const { return false; }
    /// A processor takes up what no command has asked for, DriveCore::maintain(): it is decided
    /// when these cycles have passed. to_hand_on() follows, of no operations.
    virtual std::uint64_t to_work_ahead(PlaneId /*plane*/, std::uint32_t /*copies*/) { return 0; }

    // ---- where firmware is executed

    struct Executed {
        std::uint64_t requests = 0; ///< that the firmware was asked
        std::uint64_t instructions = 0;
        std::uint64_t cycles = 0; ///< awake, until it sleeps again
        std::uint64_t line_misses = 0;
    };
    /// Since reset_statistics(), or since the first command; nothing: none is executed.
    [[nodiscard]] virtual std::optional<Executed> executed() const { return std::nullopt; }
    virtual void reset_statistics() {}
    /// What the firmware does is told to `log`, which outlives it.
    virtual void report_to(ProcessorLogIf& /*log*/) {}
};

/// `cpu.model = "cost"`: so many cycles for each thing.
class FixedCosts final : public DecisionCostIf {
  public:
    struct Cycles {
        std::uint32_t command = 0;   ///< each command
        std::uint32_t read = 0;      ///< each page read
        std::uint32_t write = 0;     ///< each page written
        std::uint32_t operation = 0; ///< each flash operation
        // Each of DecisionWork.
        std::uint32_t eviction = 0;
        std::uint32_t allocation = 0;
        std::uint32_t map_operation = 0;
        std::uint32_t collected = 0;

        [[nodiscard]] bool counts_work() const {
            return (eviction | allocation | map_operation | collected) != 0;
        }
        [[nodiscard]] std::uint64_t of(const DecisionWork& work) const {
            return work.operations * operation + work.evictions * eviction +
                   work.allocations * allocation + work.map_operations * map_operation +
                   work.collected * collected;
        }
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
        case RequestOp::kZone:
            break;
        }
        return cycles_.command;
    }
    std::uint64_t to_hand_on(const DecisionWork& brought) override { return cycles_.of(brought); }
    [[nodiscard]] bool counts_work() const override { return cycles_.counts_work(); }

  private:
    Cycles cycles_;
};

} // namespace cavern
