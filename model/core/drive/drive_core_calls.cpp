// The calls of the core, and who hears of them.

#include "core/drive/drive_core.h"

namespace cavern {

using Call = DecisionCall::Kind;

template <typename Decide>
auto DriveCore::told(const DecisionCall& call, Decide decide) {
    listener_->deciding(call);
    const auto decision = [&] {
        try {
            return decide();
        } catch (const ModelError& error) {
            listener_->failed(call, error);
            throw;
        }
    }();
    listener_->decided(call, Decision(decision));
    return decision;
}

WriteDecision DriveCore::write(Lpn lpn, std::uint32_t pages_in_command, SectorMask sectors) {
    if (listener_ == nullptr) {
        return decide_write(lpn, pages_in_command, sectors);
    }
    return told({Call::kWrite, lpn}, [=] { return decide_write(lpn, pages_in_command, sectors); });
}

WriteDecision DriveCore::write_through(Lpn lpn, std::uint32_t pages_in_command,
                                       SectorMask sectors) {
    if (listener_ == nullptr) {
        return decide_write_through(lpn, pages_in_command, sectors);
    }
    return told({Call::kWriteThrough, lpn},
                [=] { return decide_write_through(lpn, pages_in_command, sectors); });
}

ReadDecision DriveCore::read(Lpn lpn, SectorMask sectors) {
    if (listener_ == nullptr) {
        return decide_read(lpn, sectors);
    }
    return told({Call::kRead, lpn}, [=] { return decide_read(lpn, sectors); });
}

TrimDecision DriveCore::trim(Lpn first, std::uint64_t count) {
    if (listener_ == nullptr) {
        return decide_trim(first, count);
    }
    return told({Call::kTrim, first, count}, [=] { return decide_trim(first, count); });
}

const Batch* DriveCore::flush_step() {
    if (listener_ == nullptr) {
        return decide_flush_step();
    }
    return told({Call::kFlushStep}, [=] { return decide_flush_step(); });
}

const Batch* DriveCore::maintain(PlaneId plane, std::uint32_t copies) {
    if (listener_ == nullptr) {
        return decide_maintain(plane, copies);
    }
    return told({Call::kMaintain, kNoLpn, 0, plane, copies},
                [=] { return decide_maintain(plane, copies); });
}

const Batch& DriveCore::fill(const Lpn* lpns, std::size_t count) {
    if (listener_ == nullptr) {
        return decide_fill(lpns, count);
    }
    return *told({Call::kFill, lpns[0], count, {}, 0, lpns},
                 [=] { return &decide_fill(lpns, count); });
}

} // namespace cavern
