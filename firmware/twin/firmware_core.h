#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/drive/drive_core.h"
#include "firmware/drive/drive.h"
#include "firmware/twin/firmware_if.h"
#include "firmware/twin/firmware_params.h"

namespace cavern {

/// The firmware of the drive, built for the host. Versions of pages are numbered here; firmware has
/// no use for them.
class FirmwareCore final : public FirmwareIf {
  public:
    /// Throws ModelError with the reason if the firmware cannot decide so (firmware_why_not).
    explicit FirmwareCore(const FirmwareParams& params);
    FirmwareCore(const FirmwareCore&) = delete; // the firmware gives operations to this
    FirmwareCore& operator=(const FirmwareCore&) = delete;

    WriteDecision write(Lpn lpn) override;
    WriteDecision write_through(Lpn lpn) override;
    ReadDecision read(Lpn lpn) override;
    TrimDecision trim(Lpn first, std::uint64_t count) override;
    const Batch* flush_step() override;
    const Batch* maintain(PlaneId plane, std::uint32_t copies) override;
    const Batch& fill(const Lpn* lpns, std::size_t count) override;

    [[nodiscard]] const drive_config& config() const { return config_; }

  private:
    static void take(void* context, const drive_operation* operation);
    /// The firmware's decision as a batch.
    const Batch& batch_of(const drive_decision& decision);

    Geometry geometry_;
    drive_config config_;
    std::vector<std::uint64_t> memory_;
    PageVersions versions_;
    FlashOpList ops_;
    std::vector<Victim> victims_;
    std::vector<FrameId> trimmed_;
    std::vector<drive_victim> filled_; ///< scratch
    const std::vector<FrameId> none_;
    Batch batch_;
    drive* drive_ = nullptr; ///< in memory_
};

} // namespace cavern
