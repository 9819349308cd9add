// In the place of firmware/command where CAVERN_FIRMWARE is OFF.

#include <CLI/CLI.hpp>

#include "app/built_without.h"
#include "app/controller_view.h"
#include "app/firmware_command.h"
#include "app/run_checks.h"

namespace cavern {
namespace {

class NoView final : public ControllerView {
  public:
    [[nodiscard]] DriveController controller(const DrivePlan& config) override {
        return make_controller(config);
    }
    void finish() override {}
    void commit() override {}
    void ended(int /*status*/) override {}
    [[nodiscard]] bool killed() const override { return false; }
    [[nodiscard]] bool has_changed() const override { return false; }
};

} // namespace

std::unique_ptr<ControllerView> make_controller_view(const RunOptions& /*options*/,
                                                     const DrivePlan& /*config*/) {
    return std::make_unique<NoView>();
}

void check_controller(const RunOptions& options, const ResolvedConfig& resolved) {
    if (shows_firmware(options.firmware)) {
        refuse_built_without("firmware");
    }
    check_decides(resolved);
}

void add_firmware_command(CLI::App& app, FirmwareCommandOptions& /*options*/) {
    app.add_subcommand("firmware", "is not in this program")->prefix_command();
}

int run_firmware_command(const FirmwareCommandOptions& /*options*/) {
    refuse_built_without("firmware");
}

} // namespace cavern
