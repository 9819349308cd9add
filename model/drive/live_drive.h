#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>

#include "config/drive_plan.h"
#include "core/base/ring.h"
#include "core/drive/drive_core.h"
#include "drive/live_request.h"
#include "drive/live_source.h"
#include "drive/ssd.h"
#include "timed/tlm/slab.h"

namespace cavern {

/// A timed drive that takes requests while it runs, over the host link of its configuration. Its
/// time stands still but in step_to() and step_to_completion(), and nobody polls a clock in it: a
/// drive with nothing to do costs nothing to step.
///
///     const std::uint64_t number = drive.submit({LiveOp::kRead, false, false, 0, 4096, tag});
///     while (drive.outstanding() != 0) {
///         drive.step_to_completion(kNever);
///         for (LiveCompletion done; drive.poll(done);) { ... }
///     }
///
/// More requests may be outstanding than the link has tags: the rest wait, and their latency
/// counts from submit(). Zeros are a TRIM of the pages that they cover whole, if those read as
/// zeros then, and writes of the rest. One drive per process, as SystemC elaborates once. What
/// steps throws ModelError or UserError as the drive does; the drive is of no use then.
class LiveDrive final : private RequestLogIf, private HostDataIf {
  public:
    /// `probes.requests`, if any, is told of every command too. `probes.data` knows requests by
    /// their tags, and is not asked for zeros. Elaborates on the first step.
    LiveDrive(const DrivePlan& config, std::unique_ptr<DriveCore> core, const SsdProbes& probes);
    ~LiveDrive() override;
    LiveDrive(const LiveDrive&) = delete;
    LiveDrive& operator=(const LiveDrive&) = delete;

    /// Bytes that the drive exports.
    [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
    /// Of a mapping unit: what a TRIM can forget.
    [[nodiscard]] std::uint32_t page_bytes() const { return page_bytes_; }

    /// The host wants this now. Begins when time goes on. The request lies within the drive, has
    /// whole sectors, and moves less than 4 GiB. Returns its number, in the order of calls from 0.
    std::uint64_t submit(const LiveRequest& request);
    /// The oldest completion that has not been taken; false: there is none.
    bool poll(LiveCompletion& completion);
    /// Submitted, and not completed.
    [[nodiscard]] std::uint32_t outstanding() const { return submissions_.used(); }

    [[nodiscard]] TimePs now() const;
    /// When something happens next in the drive, or its time is held; kNever: nothing, unless
    /// something is submitted.
    [[nodiscard]] TimePs next_event() const;
    /// What is to happen before `time` happens, and it is `time`. A past time changes nothing.
    void step_to(TimePs time);
    /// The same, but stops where a request completes. With kNever time ends with the last thing
    /// that happens.
    void step_to_completion(TimePs limit);
    /// Time does not go on beyond this, whoever asks; kNever: it does.
    void hold_at(TimePs time) { hold_ = time; }
    /// The power goes now and comes back. What is outstanding is gone, without an answer. The drive
    /// goes on with what it recovers from its flash, which is judged by `probes.oracle`; its time
    /// has gone on by what that takes, statistics begin anew, and commands are numbered from 0
    /// again. Adds to `counters`. Throws ModelError where the drive that came back is not sound.
    void lose_power(RecoveryCounters& counters);
    /// No request comes any more: what is outstanding is done, and all that the drive does by
    /// itself, as long as `goes_on` says so, which is asked now and then. Returns whether nothing
    /// is left to do: then Ssd::check_end_of_run() holds.
    bool finish(const std::function<bool()>& goes_on = [] { return true; });

    /// Statistics begin anew; nothing is outstanding.
    void restart_statistics() { ssd_->restart_statistics(); }

    [[nodiscard]] const Ssd& ssd() const { return *ssd_; }
    /// See Ssd. What is in the write buffer alone is not there: flush first.
    [[nodiscard]] bool read_stored(Lpn page, std::byte* to) { return ssd_->read_stored(page, to); }

  private:
    enum class SubmissionId : std::uint32_t {};
    struct Submission {
        SubmissionId next = kNil<SubmissionId>;
        LiveCompletion completion;
        std::uint32_t commands = 0; ///< of the host, that are not completed
        bool flushes = false;       ///< a FLUSH follows when they are
    };
    /// A command of the host, by its number.
    struct Command {
        SubmissionId of{};
        std::uint64_t tag = 0; ///< of its submission
        bool zeros = false;    ///< what it writes
        bool done = false;
    };

    void completed(const CompletedRequest& request) override;
    void statistics_restarted() override;
    void take(std::uint64_t command, std::uint64_t offset, std::byte* to,
              std::uint32_t bytes) override;
    void give(std::uint64_t command, std::uint64_t offset, const std::byte* from,
              std::uint32_t bytes) override;
    void submit_zeros(SubmissionId id, const LiveRequest& request);
    void send(SubmissionId id, const HostRequest& command, bool zeros = false);
    void send_writes_of_zeros(SubmissionId id, std::uint64_t begin, std::uint64_t end);
    void step(TimePs limit, sc_core::sc_starvation_policy at_rest);
    [[nodiscard]] std::unique_ptr<Ssd> make_ssd(std::unique_ptr<DriveCore> core,
                                                std::unique_ptr<SsdFlash> flash);

    DrivePlan config_;
    SsdProbes probes_; ///< of the drive, with this object between
    std::uint32_t page_bytes_;
    std::uint64_t capacity_;
    bool trims_read_zeros_;
    RequestLogIf* log_;
    HostDataIf* data_;
    LiveSource source_;
    Slab<Submission, SubmissionId> submissions_;
    Ring<Command> commands_; ///< from the oldest that is not completed
    std::uint64_t first_command_ = 0;
    Ring<LiveCompletion> completions_;
    std::uint64_t next_number_ = 0;
    bool stops_at_completion_ = false;
    TimePs hold_ = kNever;
    std::unique_ptr<Ssd> ssd_;
};

} // namespace cavern
