#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "config/drive_plan.h"
#include "core/data/untimed_data.h"
#include "core/device/command_front.h"
#include "core/drive/drive_core.h"
#include "core/drive/precondition.h"
#include "core/nand/nand_array.h"
#include "core/recovery/power_cuts.h"
#include "drive/drive_beginning.h"
#include "drive/flash_periods.h"
#include "drive/run_observer.h"
#include "workload/request.h"

namespace cavern {

/// The drive without time (`fidelity = "untimed"`): the command front takes the requests one after
/// the other, and every flash operation is done when it is decided. Where power is lost
/// (power_loss.cuts), some are under way for a while, and after a cut the drive goes on with a core
/// built from its flash, whose counters begin anew. Gives the counts of a timed run
/// (those that do not depend on time) and CAVE's execution time, at memory speed.
class UntimedDrive final : private CommandSinkIf {
  public:
    struct OpCount {
        std::uint64_t requests = 0;
        std::uint64_t bytes = 0;
    };

    /// Preconditions the drive, or has `beginning`, which may be null, do so. `core` is for this
    /// configuration; `observer` may be null; `host` as for SsdProbes::data.
    UntimedDrive(const DrivePlan& config, std::unique_ptr<DriveCore> core,
                 RunObserverIf* observer = nullptr, HostDataIf* host = nullptr,
                 DriveBeginningIf* beginning = nullptr);

    /// Plays `source` to its end. Counters begin after `warmup` requests. `observer` may be null.
    /// Where the core looks at commands that wait, `queue_depth` of them are kept in the device: as
    /// one is done, the next arrives. Jobs (RequestSourceIf::has_jobs) see so many outstanding in
    /// any case.
    void run(RequestSourceIf& source, std::uint64_t warmup, RunObserverIf* observer,
             std::uint32_t queue_depth = 1);

    /// After the run: core and array consistent. Throws ModelError; returns facts checked.
    [[nodiscard]] std::uint64_t check_end_of_run() const;

    /// For a drive that goes on with them; this one is of no use any more.
    [[nodiscard]] std::unique_ptr<DriveCore> take_core() { return std::move(core_); }
    [[nodiscard]] NandArray take_array() { return std::move(array_); }

    [[nodiscard]] const DrivePlan& config() const { return config_; }
    [[nodiscard]] const DriveCore& core() const { return *core_; }
    [[nodiscard]] DriveCore& core() { return *core_; }
    [[nodiscard]] const NandArray& array() const { return array_; }
    [[nodiscard]] const PreconditionResult& preconditioned() const { return preconditioned_; }
    /// Requests played, the warm-up among them.
    [[nodiscard]] std::uint64_t completed() const { return completed_; }
    /// Operations of the flash, those of the warm-up among them.
    [[nodiscard]] std::uint64_t flash_ops() const {
        return flash_ops_before_ + periods_.total().operations();
    }
    /// Since the end of the warm-up.
    [[nodiscard]] const OpCount& count(RequestOp op) const {
        return by_op_[static_cast<std::size_t>(op)];
    }
    /// Bytes of these that the host wrote before the last cut of power.
    [[nodiscard]] std::uint64_t written_before_cut() const { return written_before_cut_; }
    [[nodiscard]] std::uint64_t zero_reads() const { return zero_reads_; }
    [[nodiscard]] const FlashPeriods& periods() const { return periods_; }
    /// Null where no data are kept.
    [[nodiscard]] const DriveData* data() const { return data_.get(); }
    /// Null where power is not lost.
    [[nodiscard]] const PowerCuts* cuts() const { return cuts_.get(); }

  private:
    friend class CommandFront<UntimedDrive>;

    void on_write(CommandId, const PageAccess& page, const WriteDecision& decision) override {
        if (moves_ != nullptr) {
            write_data(page, decision);
        } else {
            carry_out(decision.batch);
        }
    }
    void on_read(CommandId, const PageAccess&, const ReadDecision& decision) override;
    void evict_ahead() override {
        core_->evict_ahead_untimed([this](const Batch& batch) { carry_out(batch); });
    }
    void on_trim(CommandId, const TrimDecision& decision) override;
    void on_refused(CommandId) override { refused_ = true; }
    void on_flush(CommandId, const Batch& batch) override { carry_out(batch); }
    void on_completion(const Batch& batch) override { carry_out(batch); }
    void on_resize(const Batch& batch) override { carry_out(batch); }
    void on_decided(CommandId id) override;
    void carry_out(const Batch& batch);
    void write_data(const PageAccess& page, const WriteDecision& decision);
    void read_data(const PageAccess& page, const ReadDecision& decision);
    void decided(const HostRequest& request);
    void cut_power();
    [[nodiscard]] DeviceCommand command(CommandId id, std::uint64_t number) const {
        const HostRequest& request = outstanding_[raw(id)];
        return {request.op, request.fua,    request.offset, request.bytes,
                number,     request.stream, request.zone};
    }

    DrivePlan config_;
    std::unique_ptr<DriveCore> core_;
    std::optional<CommandFront<UntimedDrive>> front_;
    NandArray array_;
    std::unique_ptr<DriveData> data_; ///< null: none are kept
    std::unique_ptr<UntimedData> moves_;
    PageOfCommand page_;              ///< scratch
    std::unique_ptr<PowerCuts> cuts_; ///< null: power is not lost
    PreconditionResult preconditioned_;
    std::vector<HostRequest> outstanding_; ///< by CommandId
    std::array<OpCount, kRequestOps> by_op_{};
    std::uint64_t written_before_cut_ = 0;
    bool refused_ = false; ///< the request at hand
    std::uint64_t completed_ = 0;
    std::uint64_t flash_ops_before_ = 0; ///< the end of the warm-up
    std::uint64_t zero_reads_ = 0;
    FlashPeriods periods_; ///< since the end of the warm-up
};

// Of every request; compilers leave them calls.

[[gnu::always_inline]] inline void UntimedDrive::on_decided(CommandId id) {
    const HostRequest& request = outstanding_[raw(id)];
    const std::uint64_t bytes = refused_ ? 0 : request.bytes;
    refused_ = false;
    OpCount& count = by_op_[static_cast<std::size_t>(request.op)];
    ++count.requests;
    count.bytes += bytes;
    ++completed_;
    const MapCacheIf* map = core_->ftl().map_cache();
    periods_.end_request(moves_data(request.op) ? bytes : 0,
                         map != nullptr ? map->cache_bytes() : 0);
}

[[gnu::always_inline]] inline void UntimedDrive::carry_out(const Batch& batch) {
    if (batch.ops.empty()) {
        return;
    }
    periods_.add(batch.ops);
    if (cuts_ != nullptr) {
        cuts_->add(batch.ops);
        return; // data move as they are done
    }
    apply_untimed(batch.ops, array_);
    if (moves_ != nullptr) {
        moves_->carry_out(batch.ops);
    }
}

} // namespace cavern
