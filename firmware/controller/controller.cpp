#include "drive/controller.h"

#include <utility>

#include "core/base/check.h"
#include "firmware/controller/drive_image.h"
#include "firmware/controller/firmware_parts.h"
#include "firmware/controller/processor_firmware.h"
#include "firmware/twin/decision_lockstep.h"
#include "firmware/twin/firmware_core.h"

namespace cavern {
namespace {

/// `cpu.decides = "lockstep"`: the core decides, and firmware is asked as well.
class ComparedParts final : public DecidingParts {
  public:
    explicit ComparedParts(std::shared_ptr<FirmwareIf> firmware) : firmware_(std::move(firmware)) {}
    [[nodiscard]] std::unique_ptr<DecisionLogIf> make_listener() override {
        return std::make_unique<DecisionLockstep>(firmware_);
    }

  private:
    std::shared_ptr<FirmwareIf> firmware_;
};

ProcessorCore core_of(CpuModel model) {
    return model == CpuModel::kRtl        ? ProcessorCore::kIbex
           : model == CpuModel::kLockstep ? ProcessorCore::kLockstep
                                          : ProcessorCore::kIss;
}

std::unique_ptr<DecidingParts> parts_of(const DrivePlan& config,
                                        std::shared_ptr<FirmwareIf> firmware) {
    if (config.cpu.decides == Decides::kFirmware) {
        return std::make_unique<GuidedParts>(std::move(firmware));
    }
    return std::make_unique<ComparedParts>(std::move(firmware));
}

} // namespace

std::unique_ptr<DecidingParts> make_deciding_parts(const DrivePlan& config) {
    if (config.cpu.decides == Decides::kCore) {
        return std::make_unique<DecidingParts>();
    }
    return parts_of(config, std::make_shared<FirmwareCore>(firmware_params(config)));
}

DriveController make_controller(const DrivePlan& config, FirmwareWatchIf* watch) {
    const CpuConfig& cpu = config.cpu;
    if (!executes_firmware(cpu.model)) {
        return {make_deciding_parts(config), nullptr};
    }
    CAVERN_CHECK(cpu.decides != Decides::kCore, "firmware that is executed decides");
    ProcessorFirmware::Params params;
    params.core = core_of(cpu.model);
    params.rtl_registers = cpu.registers == CpuRegisters::kRtl;
    params.watchdog = cpu.watchdog;
    params.period = clock_period(cpu.hz);
    params.page_bytes = config.geometry.page_bytes;
    params.transactions = config.fidelity != Fidelity::kUntimed;
    params.seed = config.seed;
    params.watch = watch;
    const auto firmware = std::make_shared<ProcessorFirmware>(firmware_params(config),
                                                              read_drive_image(config), params);
    return {parts_of(config, firmware), firmware};
}

Refused controller_why_not(const DrivePlan& config) {
    if (config.cpu.decides == Decides::kCore) {
        return std::nullopt;
    }
    return firmware_why_not(firmware_params(config));
}

} // namespace cavern
