#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/drive/batch.h"
#include "timed/buffer/controller_memory.h"
#include "timed/buffer/frame_table.h"
#include "timed/buffer/ids.h"
#include "timed/buffer/map_traffic.h"
#include "timed/buffer/mover.h"
#include "timed/channel/flash_scheduler.h"
#include "timed/cpu/decision_cost.h"

namespace cavern {

/// Programs on their way. The life of an evicted page:
///   1. carry_out: its record is in flight and in a batch, its program is submitted
///   2. the scheduler fetches the data (fetch_data) when the program is near the head of its die's
///      queue; if data is still on its way into the frame, after that (data_complete)
///   3. programmed: the frame may go, the batch is one page nearer to its end
/// The program of a page that stays (a FLUSH with buffer.flush_keep) has a record of its own, which
/// takes the data from the frame of the page: the page may be written again, or leave, meanwhile.
/// What the host writes before the data is taken is programmed with it.
/// A page copied within the flash passes through a page of the SDRAM for copies: store_copy,
/// then fetch_copy.
class Programs final : private MoveDoneIf {
  public:
    Programs(FrameTable& frames, MemoryIf& memory, const ControllerMemory& map, MapTraffic& entries)
        : frames_(frames), memory_(memory), map_(map), entries_(entries) {}
    void connect(FlashScheduler& scheduler) { scheduler_ = &scheduler; }
    /// From now on data move, by way of this.
    void use(DataPath& data) { data_ = &data; }

    struct CarriedOut {
        BatchId batch = kNil<BatchId>; ///< of the pages that are being programmed
        OpId last = kNoOp;             ///< operation
    };
    /// Frames of pages that left go, or become pages in flight; operations go to the scheduler,
    /// with a note whose data each program writes: of a page without a frame, that of `through`.
    /// `look_up`: a read of the host will wait for the last of them.
    CarriedOut carry_out(const Batch& batch, RecordId through = kNil<RecordId>,
                         bool look_up = false) {
        return batch.empty() ? CarriedOut{} : carry_out_all(batch, through, look_up);
    }

    /// A batch that evicts nothing; FlashClientIf::operation_done(`awaited_by`) tells of each
    /// operation.
    void carry_out_for(std::uint32_t awaited_by, const Batch& batch);

    /// When the data of a program is in the channel's page buffer: of `record`, or of a copy.
    /// kNever: FlashScheduler::data_ready tells.
    TimePs fetch_data(OpId op, RecordId record);
    /// The page has its frame: what is missing of the data is on its way there.
    [[nodiscard]] bool data_is_coming(RecordId page) const {
        return frames_[frames_.holder(page)].frame != kNil<FrameSlot>;
    }
    TimePs fetch_copy(OpId op, std::uint32_t copy_page);
    /// When a page read for a copy is in the SDRAM; kNever: FlashScheduler::data_stored tells.
    TimePs store_copy(OpId op, std::uint32_t copy_page);
    /// The same of what a page of the host lacks, which goes to its frame, or, while the page waits
    /// for one, to a staging page.
    TimePs store_rest(OpId op, RecordId record, SectorSpan read);
    /// Nothing is on its way into the frame of the record any more.
    void data_complete(RecordId record);

    struct Programmed {
        std::uint64_t eviction = 0;         ///< number of the eviction
        TaskId through_task = kNil<TaskId>; ///< that waited for the program
    };
    Programmed programmed(RecordId record);

    /// Flash operations of all kinds so far.
    [[nodiscard]] std::uint64_t operations() const { return scheduler_->queues().submitted(); }
    /// From now on what decisions bring is counted, or not.
    void count_work(bool count) { counts_work_ = count; }
    [[nodiscard]] bool counts_work() const { return counts_work_; }
    /// What has been counted since the last call, but for the number of operations.
    DecisionWork take_work() { return std::exchange(work_, {}); }
    /// Pages evicted and not programmed yet.
    [[nodiscard]] std::uint64_t outstanding() const { return outstanding_; }
    /// Pages evicted so far; the next gets this number.
    [[nodiscard]] std::uint64_t evictions() const { return evictions_; }

  private:
    void add_work(const Batch& batch);
    CarriedOut carry_out_all(const Batch& batch, RecordId through, bool look_up);
    TimePs fetch_frame(RecordId record);
    void fetch_awaited(RecordId record);
    void moved(MoveTicket ticket, TimePs at) override;

    FrameTable& frames_;
    MemoryIf& memory_;
    const ControllerMemory& map_;
    MapTraffic& entries_;
    FlashScheduler* scheduler_ = nullptr;
    DataPath* data_ = nullptr;            ///< null: no data are kept
    std::vector<std::uint32_t> contexts_; ///< scratch: record per operation of a batch
    std::uint64_t evictions_ = 0;
    std::uint64_t outstanding_ = 0;
    bool counts_work_ = false;
    DecisionWork work_;
};

} // namespace cavern
