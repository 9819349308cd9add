#pragma once

#include <cstdint>
#include <vector>

#include "core/base/counter.h"
#include "core/base/ring.h"
#include "core/device/command_front.h"
#include "timed/cpu/decision_cost.h"
#include "timed/cpu/processor_log.h"
#include "timed/tlm/event_queue.h"

namespace cavern {

/// Those whose commands the processors handle.
class ProcessedIf {
  public:
    virtual ~ProcessedIf() = default;
    /// The command has waited for a processor and been handled, which took `time` together. It is
    /// decided inside the call; returns what this brought. May bring new commands.
    virtual DecisionWork processed(CommandId id, const DeviceCommand& command, TimePs time) = 0;
    /// Work that a processor was given with work_ahead() is to be decided now.
    virtual void worked_ahead(PlaneId /*plane*/, std::uint32_t /*copies*/) {}
    /// A processor has nothing to do.
    virtual void processor_idle() {}
};

/// The processors of the controller. A command waits, in the order of arrival, until one is free.
/// That one is busy with it for as long as its decisions cost; then they are taken. With several
/// processors a command can be ready before an older one: it then waits for that, so that decisions
/// keep the order of arrival. A processor that has handed a command on first deals with the flash
/// operations that this brought, and then takes the next.
class Processors final : private EventHandlerIf {
  public:
    struct Params {
        std::uint32_t processors = 1;
        TimePs period = 0; ///< of the clock
        std::uint32_t page_bytes = 0;
        ProcessorLogIf* log = nullptr; ///< may be null
    };
    struct Statistics {
        std::uint64_t commands = 0;
        std::uint64_t cycles = 0;
        TimePs busy = 0;

        static constexpr auto declared =
            counters_of(counter(&Statistics::commands, "commands", "commands", "Commands handled."),
                        counter(&Statistics::cycles, "cycles", "cycles",
                                "Cycles that the processors were busy, added up over processors."),
                        duration(&Statistics::busy, "busy_ns",
                                 "Time that the processors were busy, added up over processors."));
    };

    Processors(EventQueue& events, const Params& params, DecisionCostIf& cost, ProcessedIf& client);

    void take(CommandId id, const DeviceCommand& command);
    /// Whether something may be decided for no command.
    [[nodiscard]] bool has_time() const { return !free_.empty() && waiting_.empty(); }
    /// A processor, which has_time(), is to decide what no command has asked for.
    /// ProcessedIf::worked_ahead() when it has; inside the call if that takes no cycles.
    void work_ahead(PlaneId plane, std::uint32_t copies);
    /// Something that no command has asked for has been decided, and has brought this.
    void brought(const DecisionWork& work);
    [[nodiscard]] bool counts_work() const { return cost_.counts_work(); }

    /// Up to now.
    [[nodiscard]] Statistics statistics() const;
    [[nodiscard]] std::uint32_t count() const { return params_.processors; }
    void reset_statistics();
    /// Nothing is being handled, or waits for it.
    [[nodiscard]] bool idle() const {
        return waiting_.empty() && handled_.empty() && !handed_on_ &&
               free_.size() == params_.processors;
    }

  private:
    struct Job {
        CommandId id{};
        DeviceCommand command;
        TimePs arrived = 0;
        bool done = false;
    };
    struct Ahead {
        PlaneId plane{};
        std::uint32_t copies = 0;
    };

    /// Of what they are busy with.
    [[nodiscard]] TimePs still_to_come() const;
    void start();
    void busy_for(std::uint64_t cycles, ProcessorWork work);
    void on_event(std::uint64_t what) override;
    void hand_on();

    EventQueue& events_;
    Params params_;
    DecisionCostIf& cost_;
    ProcessedIf& client_;
    Ring<Job> waiting_;
    Ring<Job> handled_;                 ///< in the order of arrival, until they are handed on
    std::uint64_t first_handled_ = 0;   ///< number of the first of those
    bool handed_on_ = false;            ///< since a processor has dealt with operations
    bool in_call_ = false;              ///< of the client
    DecisionWork brought_;              ///< that no processor has dealt with
    ProcessorWork gone_on_;             ///< the latest
    Ahead ahead_;                       ///< what a processor is to decide for no command
    std::vector<std::uint32_t> free_;   ///< processors
    std::vector<std::uint64_t> job_of_; ///< by processor: number of what it handles
    std::vector<TimePs> busy_until_;    ///< of each processor
    Statistics statistics_;             ///< with what they are busy with to its end
};

} // namespace cavern
