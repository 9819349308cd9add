#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/drive/drive_core.h"
#include "firmware/firmware_if.h"

namespace cavern {

/// Decision core and firmware side by side: each call goes to both, and what they answer is
/// compared: hit, frame, place of a read, victims in order, units, dropped frames, and each field
/// of each flash operation in order. The first difference throws ModelError, which names the
/// request, the call and both answers.
///
/// Who has asked the core already gives its answer to a check_ function, before the core is asked
/// again:
///
///     void on_read(CommandId id, const PageAccess& page, const ReadDecision& decision) override {
///         lockstep_.begin_request(raw(id));
///         lockstep_.check_read(page.lpn, decision);
///         ...
///
/// Who asks for both uses the calls of DriveCore, which return the core's answer.
class DecisionLockstep {
  public:
    /// Both made for the same drive, with nothing written or with all of it checked.
    DecisionLockstep(DriveCore& core, FirmwareIf& firmware) : core_(core), firmware_(firmware) {}

    /// The calls that follow are for the host's request of this number.
    void begin_request(std::uint64_t number) { request_ = number; }

    WriteDecision write(Lpn lpn);
    WriteDecision write_through(Lpn lpn);
    ReadDecision read(Lpn lpn);
    TrimDecision trim(Lpn first, std::uint64_t count = 1);
    const Batch* flush_step();
    const Batch* maintain(PlaneId plane, std::uint32_t copies);

    void check_write(Lpn lpn, const WriteDecision& core);
    void check_write_through(Lpn lpn, const WriteDecision& core);
    void check_read(Lpn lpn, const ReadDecision& core);
    void check_trim(Lpn first, std::uint64_t count, const TrimDecision& core);
    /// Null: nothing was dirty any more.
    void check_flush_step(const Batch* core);
    /// Null: there was nothing to do.
    void check_maintain(PlaneId plane, std::uint32_t copies, const Batch* core);
    /// Of preconditioning (Refill).
    void check_fill(const Lpn* lpns, std::size_t count, const FlashOpList& core);

    /// Calls compared so far, and flash operations among their answers.
    [[nodiscard]] std::uint64_t calls() const { return calls_; }
    [[nodiscard]] std::uint64_t operations() const { return operations_; }

    /// What either answers, in one form.
    struct Answer {
        bool hit = false;
        FrameId frame = kNoFrame;
        Ppn page = kNoPpn;
        PageVersion version = 0;
        bool looked_up = false;
        bool completes = false;
        std::uint64_t pages = 0;                      ///< trimmed
        const std::vector<FrameId>* frames = nullptr; ///< of those
        const Batch* batch = nullptr;                 ///< null: there was nothing to do
    };

  private:
    /// `ask` gives the firmware's answer; `call` the text of the call, where that is needed.
    template <typename Ask, typename Call>
    void compare(const Answer& core, Ask ask, Call call);

    DriveCore& core_;
    FirmwareIf& firmware_;
    std::uint64_t request_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t operations_ = 0;
};

} // namespace cavern
