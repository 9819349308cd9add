#include "tests/core/recovery/cut_drive.h"

#include <utility>

#include "core/drive/array_check.h"

namespace cavern::testing {

CutDrive::CutDrive(const Geometry& geometry, bool strict_order, PowerCuts::MakeCore make_core,
                   const MakeCuts& make_cuts)
    : geometry_(geometry), make_core_(std::move(make_core)), array_(geometry, strict_order, true),
      cuts_(make_cuts(array_)), core_(make_core_({})),
      front_(std::make_unique<CommandFront<CutDrive>>(*core_, geometry_, *this)) {}

void CutDrive::execute(const DeviceCommand& command) {
    DeviceCommand numbered = command;
    numbered.request = requests_++;
    front_->take_up(CommandId{0}, numbered);
    cuts_->decided(*core_, numbered.request, command.op, command.fua);
    if (core_->ftl().maintains()) { // as if a die were idle
        const PlaneId plane{static_cast<std::uint32_t>(numbered.request % geometry_.planes())};
        if (const Batch* batch = core_->maintain(plane, 2)) {
            carry_out(*batch);
        }
    }
}

void CutDrive::cut() {
    front_.reset();
    core_ = cuts_->cut(*core_, make_core_);
    front_ = std::make_unique<CommandFront<CutDrive>>(*core_, geometry_, *this);
}

void CutDrive::check() {
    cuts_->finish();
    (void)core_->check_invariants();
    check_array_follows_core(*core_, array_);
}

} // namespace cavern::testing
