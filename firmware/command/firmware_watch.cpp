#include "firmware/command/firmware_watch.h"

#include <iostream>

#include <fmt/format.h>

#include "core/base/check.h"
#include "cpu/iss_processor.h"
#include "firmware/controller/drive_image.h"
#include "results/progress.h"

namespace cavern {

FirmwareWatch::FirmwareWatch(const RunOptions& options, const DrivePlan& config)
    : files_(options.firmware), period_(clock_period(config.cpu.hz)),
      trace_window_(options.firmware_trace_window), gdb_(options.firmware.gdb),
      needed_(shows_firmware(options.firmware)) {
    if (gdb_) {
        image_ = drive_image_file(config);
    }
}

void FirmwareWatch::starting(cpu::ProcessorIf& processor, const cpu::Program& program) {
    processor_ = &processor;
    files_.begin(program, processor.memory().map());
    trace(trace_window_.begin == 0);
    if (gdb_) {
        wait_for_debugger(processor);
    }
}

void FirmwareWatch::wait_for_debugger(cpu::ProcessorIf& processor) {
    auto* iss = dynamic_cast<cpu::IssProcessor*>(&processor);
    CAVERN_CHECK(iss != nullptr, "a debugger is refused where there is no interpreter");
    target_ = std::make_unique<cpu::HartDebugTarget>(iss->hart());
    server_ = std::make_unique<cpu::GdbServer>(*target_, *gdb_, &Progress::stopping);
    iss->debug(*this);
    std::cerr << fmt::format("waiting for a debugger: gdb-multiarch {}-ex "
                             "\"target remote localhost:{}\"\n",
                             image_.empty() ? image_ : image_ + ' ', server_->port());
}

cpu::Resume FirmwareWatch::hold(const cpu::DebugStop& stop) {
    const cpu::Resume resume = server_->hold(stop);
    killed_ = killed_ || resume == cpu::Resume::kKill;
    return resume;
}

DriveController FirmwareWatch::controller(const DrivePlan& config) {
    DriveController made = make_controller(config, needed_ ? this : nullptr);
    firmware_ = made.cost;
    return made;
}

void FirmwareWatch::ended(int status) {
    if (server_) {
        (void)hold({cpu::DebugStop::Why::kExit, {}, {}, static_cast<std::uint32_t>(status)});
    }
}

void FirmwareWatch::trace(bool on) {
    const bool traces = on && files_.trace() != nullptr;
    files_.trace_on(traces);
    if (traces || files_.counts()) {
        processor_->observe([this](const cpu::Retired& retired) { files_.add(retired); });
    } else {
        processor_->observe({});
    }
    tracing_ = traces;
}

void FirmwareWatch::woken(const Request& request) {
    woken_at_ = request.time;
    woken_cycle_ = request.cycle;
    if (files_.profile() != nullptr) {
        files_.profile()->skip(request.cycle);
    }
    // What fills the drive has no time, and comes before all that has.
    if (const bool on = trace_window_.contains(request.time.value_or(0)); on != tracing_) {
        trace(on);
    }
    if (tracing_) {
        files_.trace()->print("# {} {}\n", stamp(request.cycle), request.named());
    }
}

void FirmwareWatch::asleep(std::uint64_t cycle) {
    if (files_.profile() != nullptr) {
        files_.profile()->settle(cycle);
    }
}

void FirmwareWatch::printed(char byte, std::uint64_t cycle) {
    files_.print(byte, [this, cycle] { return stamp(cycle); });
}

void FirmwareWatch::statistics_begin() {
    if (files_.profile() != nullptr) {
        files_.profile()->forget();
    }
}

std::string FirmwareWatch::stamp(std::uint64_t cycle) const {
    if (!woken_at_) {
        return fmt::format("{:>15} {:>12}", '-', cycle);
    }
    const TimePs at = *woken_at_ + (cycle - woken_cycle_) * period_;
    return fmt::format("{:>15} {:>12}", to_ns(at), cycle);
}

std::unique_ptr<ControllerView> make_controller_view(const RunOptions& options,
                                                     const DrivePlan& config) {
    return std::make_unique<FirmwareWatch>(options, config);
}

} // namespace cavern
