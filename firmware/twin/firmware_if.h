#pragma once

#include <cstddef>
#include <cstdint>

#include "core/drive/drive_core.h"

namespace cavern {

/// Firmware that decides, behind the calls of DriveCore: its answers in the core's types, valid
/// until the next call. A call that it cannot answer throws ModelError with its reason.
class FirmwareIf {
  public:
    virtual ~FirmwareIf() = default;
    virtual WriteDecision write(Lpn lpn) = 0;
    virtual WriteDecision write_through(Lpn lpn) = 0;
    virtual ReadDecision read(Lpn lpn) = 0;
    virtual TrimDecision trim(Lpn first, std::uint64_t count) = 0;
    /// Null: nothing was dirty any more.
    virtual const Batch* flush_step() = 0;
    /// Null: there was nothing to do.
    virtual const Batch* maintain(PlaneId plane, std::uint32_t copies) = 0;
    /// Pages that preconditioning writes together, past the buffer.
    virtual const Batch& fill(const Lpn* lpns, std::size_t count) = 0;
};

} // namespace cavern
