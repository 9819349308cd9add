#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/drive/page_versions.h"
#include "cpu/controller_devices.h"
#include "cpu/processor_if.h"
#include "cpu/program.h"
#include "cpu/request_runner.h"
#include "firmware/controller/firmware_timeline.h"
#include "firmware/controller/firmware_watch_if.h"
#include "firmware/controller/processor_bus.h"
#include "firmware/twin/firmware_if.h"
#include "firmware/twin/firmware_params.h"
#include "timed/cpu/decision_cost.h"

namespace cavern {

/// Which processor executes the firmware.
enum class ProcessorCore : std::uint8_t {
    kIss,      ///< the interpreter
    kIbex,     ///< the RTL
    kLockstep, ///< both, compared
};

/// The memory map of a controller whose firmware has tables for such a drive: as much SDRAM as they
/// take, and no less than by default. Nothing: they do not fit into the address space.
[[nodiscard]] std::optional<cpu::MemoryMap> controller_map(const FirmwareParams& drive);

/// Compiled firmware that decides, on the processor of the controller, behind the registers. A
/// command that is taken up with to_decide() goes to the firmware whole, and its answers are kept
/// for the calls of its pages, which follow in order; several commands may come before (a command
/// waits in turn). A call that finds none asks by itself, and takes no time.
///
/// Whatever the firmware does wrong throws FirmwareError: RequestRunner, and an answer that fits no
/// call or names what the drive does not have.
class ProcessorFirmware final : public FirmwareIf, public DecisionCostIf {
  public:
    struct Params {
        ProcessorCore core = ProcessorCore::kIss;
        bool rtl_registers = false;           ///< the RTL of the block, else its C++ form
        std::uint64_t watchdog = 100'000'000; ///< instructions that a request may take
        TimePs period = 2500;                 ///< of the processor's clock
        std::uint32_t page_bytes = 4096;      ///< of a page of the host
        bool transactions = false;            ///< accesses are TLM transactions
        std::uint64_t seed = 1;               ///< of RTL without a reset
        std::uint64_t cycles_per_entry = 0;   ///< as ControllerDevices
        FirmwareWatchIf* watch = nullptr;     ///< outlives it; may be null
    };

    /// `program` was read for controller_map(drive). The firmware is started here. Throws
    /// ModelError if the drive is none that the firmware can be (firmware_why_not), FirmwareError
    /// if it does not start.
    ProcessorFirmware(const FirmwareParams& drive, cpu::Program program, const Params& params);
    ~ProcessorFirmware() override;

    WriteDecision write(Lpn lpn) override;
    WriteDecision write_through(Lpn lpn) override;
    ReadDecision read(Lpn lpn) override;
    TrimDecision trim(Lpn first, std::uint64_t count) override;
    const Batch* flush_step() override;
    const Batch* maintain(PlaneId plane, std::uint32_t copies) override;
    const Batch& fill(const Lpn* lpns, std::size_t count) override;

    std::uint64_t to_decide(const DeviceCommand& command, const CommandPages& pages) override;
    std::uint64_t to_hand_on(const DecisionWork& brought) override;
    std::uint64_t to_work_ahead(PlaneId plane, std::uint32_t copies) override;

    [[nodiscard]] Executed statistics() const {
        Executed all = statistics_;
        all.line_misses = processor_->memory().line_cache().misses - misses_before_;
        return all;
    }
    [[nodiscard]] std::optional<Executed> executed() const override { return statistics(); }
    void reset_statistics() override {
        statistics_ = {};
        for (FirmwareWatchIf* const watch : watches_) {
            watch->statistics_begin();
        }
        misses_before_ = processor_->memory().line_cache().misses;
    }
    void report_to(ProcessorLogIf& log) override;
    [[nodiscard]] cpu::ProcessorIf& processor() { return *processor_; }
    [[nodiscard]] const cpu::Program& program() const { return program_; }
    /// Null where accesses are no transactions.
    [[nodiscard]] const ProcessorBus* bus() const { return bus_.get(); }

  private:
    using Entry = cpu::FlashOperation;
    struct Answer {
        cpu::HostRequest of; ///< `page` is the one decided
        Entry entry;         ///< kind kAnswer
        std::size_t first_op = 0, ops = 0;
        std::size_t first_drop = 0, drops = 0;
    };

    void build(const FirmwareParams& drive, const Params& params);
    void catch_up();
    /// Asks the firmware, and keeps its answers. Returns the cycles until it rang.
    std::uint64_t ask(const cpu::HostRequest& request);
    /// Time begins, if it has not; what filled the drive is not counted.
    void begin_time();
    void keep_answers(const cpu::HostRequest& request);
    [[nodiscard]] FlashOp op_of(const Entry& entry, std::size_t number) const;
    /// The next answer, which is to be one to this; ops_ holds its operations.
    Answer take_answer(const cpu::HostRequest& wanted);
    const Batch& batch_of(const Answer& answer, bool victims = true);
    [[nodiscard]] std::string name_of(const cpu::HostRequest& request) const;
    [[noreturn]] void refuse(const cpu::HostRequest& request, const std::string& what) const;

    cpu::Program program_;
    TimePs period_;
    std::uint32_t page_bytes_;
    Geometry geometry_;
    std::vector<FirmwareWatchIf*> watches_;
    cpu::RequestRunner runner_;
    std::unique_ptr<cpu::DriveRegistersIf> registers_;
    std::unique_ptr<cpu::ControllerDevices> devices_;
    std::unique_ptr<ProcessorBus> bus_;
    std::unique_ptr<cpu::ProcessorIf> processor_;
    std::unique_ptr<ControllerTarget> target_;
    std::unique_ptr<FirmwareTimeline> timeline_; ///< null: nobody listens
    std::optional<std::uint64_t> cycle_at_zero_; ///< of the processor, when time began
    std::uint64_t host_request_ = 0;             ///< number of the latest one
    std::uint64_t after_doorbell_ = 0;           ///< cycles, of the latest of them
    Executed statistics_;
    std::uint64_t misses_before_ = 0;

    std::vector<Answer> answers_;
    std::size_t next_answer_ = 0;
    FlashOpList all_ops_;            ///< of answers_
    std::vector<FrameId> all_drops_; ///< of answers_

    PageVersions versions_;
    FlashOpList ops_;
    std::vector<Victim> victims_;
    std::vector<FrameId> trimmed_;
    const std::vector<FrameId> none_;
    Batch batch_;
};

} // namespace cavern
