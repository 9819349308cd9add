#include "core/device/zone_admission.h"

namespace cavern {

ZoneAdmission admit_to_zone(ZoneStates& zones, DeviceCommand& command, std::uint32_t page_bytes) {
    ZoneAdmission admission;
    if (command.op != RequestOp::kWrite && command.op != RequestOp::kZone) {
        return admission;
    }
    const ZoneStates::Shape& shape = zones.shape();
    const std::uint64_t page = command.offset / page_bytes;
    const std::uint64_t pages = command.bytes / page_bytes;
    const std::uint64_t in_zone = page % shape.size;
    admission.zone = static_cast<std::uint32_t>(page / shape.size);
    const bool names_zone = command.zone != ZoneAction::kNone;
    if (command.offset % page_bytes != 0 || command.bytes % page_bytes != 0 ||
        admission.zone >= shape.zones || (names_zone && in_zone != 0)) {
        admission.status = zones.refuse_field();
        return admission;
    }
    switch (command.zone) {
    case ZoneAction::kNone:
        admission.status = zones.write(admission.zone, in_zone, pages);
        break;
    case ZoneAction::kAppend: {
        std::uint64_t at = 0;
        admission.status = zones.append(admission.zone, pages, at);
        command.offset += at * page_bytes;
        break;
    }
    case ZoneAction::kOpen:
        admission.status = zones.open(admission.zone);
        break;
    case ZoneAction::kClose:
        admission.status = zones.close(admission.zone);
        break;
    case ZoneAction::kFinish:
        admission.status = zones.finish(admission.zone);
        break;
    case ZoneAction::kReset:
        admission.empties = zones.state(admission.zone) != ZoneState::kEmpty;
        admission.status = zones.reset(admission.zone);
        break;
    }
    return admission;
}

} // namespace cavern
