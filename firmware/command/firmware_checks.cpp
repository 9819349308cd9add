#include "app/controller_view.h"
#include "app/run_checks.h"
#include "config/config_show.h"
#include "config/resolved_config.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "firmware/command/firmware_files.h"
#include "firmware/controller/drive_image.h"
#include "keys/key_value.h"

namespace cavern {
namespace {

/// What is to be shown of the firmware has to be executed.
void check_watch(const RunOptions& options, const ResolvedConfig& resolved) {
    check_firmware_options(options.firmware, "firmware-");
    const CpuModel model = resolved.config.cpu.model;
    const std::string is = ", and cpu.model is " + in_quotes(bare_value(resolved, "cpu.model"));
    if (options.firmware.gdb && model != CpuModel::kIss) {
        throw UserError("<command line>", 1, "--gdb sees the interpreter" + is,
                        "add --set cpu.model=iss");
    }
    for (const FirmwareFileRow& row : kFirmwareFiles) {
        if (!(options.firmware.*row.path).empty() && !executes_firmware(model)) {
            throw UserError("<command line>", 1,
                            std::string("--firmware-") + row.name +
                                " needs a processor that executes firmware" + is,
                            "add --set cpu.model=iss (or rtl, lockstep)");
        }
    }
}

/// The image can be executed. Its own mistakes are reported where it is named.
void check_image(const ResolvedConfig& resolved, const FirmwareOptions& options) {
    if (!executes_firmware(resolved.config.cpu.model)) {
        return;
    }
    try {
        check_firmware_options(options, read_drive_image(resolved.config));
    } catch (const UserError& error) {
        const SettingOrigin at = latest_origin(resolved, {"cpu.firmware"})
                                     .value_or(*latest_origin(resolved, {"cpu.model"}));
        const std::string text = error.what();
        const std::size_t what = text.find(": ");
        const std::size_t right = text.rfind("; ");
        CAVERN_CHECK(what != std::string::npos && right != std::string::npos && what < right,
                     "an error says what is wrong and what would be right");
        const std::string& path = resolved.config.cpu.firmware;
        throw UserError(at.file, at.line,
                        (path.empty() ? "the firmware" : "\"" + path + "\"") + ": " +
                            text.substr(what + 2, right - what - 2),
                        text.substr(right + 2));
    }
}

} // namespace

void check_controller(const RunOptions& options, const ResolvedConfig& resolved) {
    check_decides(resolved);
    check_watch(options, resolved);
    check_image(resolved, options.firmware);
}

} // namespace cavern
