// In the place of firmware/controller where CAVERN_FIRMWARE is OFF.

#include "core/base/error.h"
#include "drive/controller.h"

namespace cavern {

Refused controller_why_not(const DrivePlan& config) {
    if (config.cpu.decides == Decides::kCore && !executes_firmware(config.cpu.model)) {
        return std::nullopt;
    }
    return Refusal{{"cpu.decides", "cpu.model"},
                   "this program is built without firmware",
                   "one that is built with -DCAVERN_FIRMWARE=ON"};
}

std::unique_ptr<DecidingParts> make_deciding_parts(const DrivePlan& config) {
    if (const auto lacks = controller_why_not(config)) {
        throw UserError(config.name, lacks->what, lacks->right);
    }
    return std::make_unique<DecidingParts>();
}

DriveController make_controller(const DrivePlan& config, FirmwareWatchIf* /*watch*/) {
    return {make_deciding_parts(config), nullptr};
}

} // namespace cavern
