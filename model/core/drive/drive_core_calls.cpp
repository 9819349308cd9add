// The calls of the core, and who hears of them.

#include "core/base/error.h"
#include "core/drive/drive_core.h"

namespace cavern {

using Call = DecisionCall::Kind;

template <typename Act>
auto DriveCore::told(Act act, const DecisionCall& call) {
    listener_->deciding(call);
    const auto decision = [&] {
        try {
            return act();
        } catch (const ModelError& error) {
            listener_->failed(call, error);
            throw;
        }
    }();
    listener_->decided(call, Decision(decision));
    return decision;
}

WriteDecision DriveCore::write(Lpn lpn, std::uint32_t pages_in_command, SectorMask sectors) {
    return decide([=] { return decide_write(lpn, pages_in_command, sectors); }, Call::kWrite, lpn);
}

WriteDecision DriveCore::write_through(Lpn lpn, std::uint32_t pages_in_command,
                                       SectorMask sectors) {
    return decide([=] { return decide_write_through(lpn, pages_in_command, sectors); },
                  Call::kWriteThrough, lpn);
}

ReadDecision DriveCore::read(Lpn lpn, SectorMask sectors) {
    return decide([=] { return decide_read(lpn, sectors); }, Call::kRead, lpn);
}

TrimDecision DriveCore::trim(Lpn first, std::uint64_t count) {
    return decide([=] { return decide_trim(first, count); }, Call::kTrim, first, count);
}

const Batch* DriveCore::flush_step() {
    return decide([=] { return decide_flush_step(); }, Call::kFlushStep);
}

const Batch* DriveCore::maintain(PlaneId plane, std::uint32_t copies) {
    return decide([=] { return decide_maintain(plane, copies); }, Call::kMaintain, kNoLpn, 0, plane,
                  copies);
}

const Batch& DriveCore::fill(const Lpn* lpns, std::size_t count) {
    return *decide([=] { return &decide_fill(lpns, count); }, Call::kFill, lpns[0], count, {}, 0,
                   lpns);
}

} // namespace cavern
