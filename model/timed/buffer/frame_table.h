#pragma once

#include <cstdint>
#include <vector>

#include "core/base/sectors.h"
#include "core/base/strong_id.h"
#include "core/base/units.h"
#include "core/buffer/eviction_policy.h"
#include "timed/buffer/ids.h"
#include "timed/tlm/flash_client_if.h"
#include "timed/tlm/slab.h"

namespace cavern {

/// One page of a host command being served.
struct PageTask {
    TaskId next = kNil<TaskId>;
    CommandId command{};
    RecordId record = kNil<RecordId>; ///< page record written to or served from
    std::uint32_t bytes = 0;          ///< of the page that the command covers
    std::uint64_t host_offset = 0;
    TimePs since = 0; ///< start of the wait being measured: for one thing at a time
    TimePs frame_wait = 0;
    TimePs flash = 0;
    RecordId source = kNil<RecordId>; ///< page record whose frame it is read from
    /// Of a page on its way into its frame: its number among those of the record. Of one that waits
    /// for the data: the last number that it waits for.
    std::uint64_t number = 0;
    TaskId older = kNil<TaskId>; ///< those on their way into the same frame, in decision order
    TaskId newer = kNil<TaskId>;
    bool keeps = false;     ///< a page read that stays in the buffer
    SectorSpan wanted = {}; ///< of such a page: all of it, or the rest that its frame lacks
    bool data_here = false; ///< of such a page: it has come from the die
    bool lost = false;      ///< it could not be corrected
};
using TaskQueue = SlabQueue<PageTask, TaskId>;

/// A page that has, or waits for, a physical frame of the write buffer: resident, or evicted with
/// its program still under way, or both gone and only kept for data in motion.
struct PageRecord {
    RecordId next = kNil<RecordId>;
    Lpn lpn = kNoLpn;
    FrameSlot frame = kNil<FrameSlot>;
    std::uint32_t inbound = 0;  ///< pages decided to come into its frame and not yet there
    std::uint64_t numbered = 0; ///< such pages so far
    TaskId oldest_inbound = kNil<TaskId>;
    TaskId newest_inbound = kNil<TaskId>;
    std::uint32_t readers = 0;
    std::uint32_t withheld = 0;          ///< frames that stay free when it gets one
    BatchId needs_batch = kNil<BatchId>; ///< batch to be programmed before a frame is granted
    BatchId in_batch = kNil<BatchId>;    ///< batch it was evicted in
    TaskId through_task = kNil<TaskId>;  ///< write-through: task its program completes
    std::uint64_t eviction = 0;          ///< sequence number of its eviction
    bool resident = false;
    bool in_flight = false;
    bool fetch_wanted = false; ///< the scheduler waits for its data
    bool lost = false;         ///< data in its frame could not be corrected
    std::uint64_t whole = 0;   ///< number of the last page written whole into its frame
    OpId fetch_op{};
    /// Of a program whose page stays in the buffer: the record of that page, whose frame has the
    /// data.
    RecordId keeper = kNil<RecordId>;
    RecordId latest_drain = kNil<RecordId>; ///< of such a page: the latest of those programs
    SlabQueue<PageRecord, RecordId> drains; ///< those that wait for data on its way into the frame
    TaskQueue writers;                      ///< tasks that wait for the frame
    TaskQueue waiting_readers;              ///< tasks that wait for data, the least number first
};

/// Physical frames and who waits for them. The core reuses a frame number the moment its victim is
/// chosen; here the frame is free only when the program has completed, and the new page waits for
/// it. Grants are strictly first come first served in decision order, which cannot deadlock: a page
/// waits only for victims chosen before it.
class FrameTable {
  public:
    /// `frames` physical ones; the core numbers `core_frames` of its own. Behind the frames,
    /// `passing` slots are for pages that only pass (see wait_to_pass).
    explicit FrameTable(std::uint32_t frames, std::uint32_t core_frames = 0,
                        std::uint32_t passing = 0);
    /// At most so many frames, up to all there are, are in use when a page is granted one that
    /// queues for it from now on. Pages in the queue keep the limit they came with: victims chosen
    /// since may wait behind their programs.
    void set_limit(std::uint32_t frames) { withheld_ = frames_ - frames; }

    RecordId create(Lpn lpn);
    [[nodiscard]] PageRecord& operator[](RecordId record) { return records_[record]; }
    [[nodiscard]] const PageRecord& operator[](RecordId record) const { return records_[record]; }

    /// The page becomes the one that the core means by `frame`.
    void settle(RecordId record, FrameId frame) {
        records_[record].resident = true;
        record_of_[raw(frame)] = record;
    }
    /// A page that the core has in `frame` already, and whose data are there.
    void adopt(Lpn lpn, FrameId frame);
    /// The page that the core means by `frame`.
    [[nodiscard]] RecordId record_of(FrameId frame) const { return record_of_[raw(frame)]; }
    /// A record for a program of a page that stays, whose frame it holds until it is done.
    RecordId create_drain(RecordId page);
    /// Whose frame has the data of a program.
    [[nodiscard]] RecordId holder(RecordId program) const {
        const RecordId keeper = records_[program].keeper;
        return keeper == kNil<RecordId> ? program : keeper;
    }
    /// Nothing goes into the frame of the page before `drain` gets its data.
    void await_data(RecordId page, RecordId drain) { records_[page].drains.push(records_, drain); }
    /// The next that waits so; kNil: none.
    RecordId pop_drain(RecordId page) {
        SlabQueue<PageRecord, RecordId>& drains = records_[page].drains;
        return drains.empty() ? kNil<RecordId> : drains.pop(records_);
    }
    /// That page leaves the buffer unwritten.
    void drop(FrameId frame);

    /// Queues a record for a frame; with a batch not before that batch is programmed.
    void wait_for_frame(RecordId record, BatchId batch);
    /// Queues a record of a page that the buffer does not keep (a write with FUA) for a slot of its
    /// own, so that no page leaves a full buffer for it. Without such slots, for a frame.
    void wait_to_pass(RecordId record);
    /// Next record that can have a frame now; it has it on return. kNil when none can.
    RecordId grant_next();

    /// `units` victims with `pages` pages to be programmed.
    BatchId create_batch(std::uint32_t pages, std::uint32_t units);
    /// Victims of batches that are not programmed to the last page.
    [[nodiscard]] std::uint32_t units_in_flight() const { return units_in_flight_; }
    void page_programmed(BatchId batch);

    /// Frees record and frame if nothing uses them any more.
    void retire_if_unused(RecordId record);

    [[nodiscard]] std::uint32_t records_in_use() const { return records_.used(); }
    [[nodiscard]] std::uint32_t free_frames() const {
        return static_cast<std::uint32_t>(free_.size());
    }
    /// Of pages in the buffer, and of those that leave it.
    [[nodiscard]] std::uint32_t frames_in_use() const { return frames_ - free_frames(); }
    [[nodiscard]] bool someone_waits() const { return !waiting_.empty() || !passing_.empty(); }

  private:
    struct Batch {
        BatchId next = kNil<BatchId>;
        std::uint32_t remaining = 0;
        std::uint32_t units = 0;
        bool awaited = false;
    };

    Slab<PageRecord, RecordId> records_;
    Slab<Batch, BatchId> batches_;
    [[nodiscard]] RecordId grant_passing();

    SlabQueue<PageRecord, RecordId> waiting_;
    SlabQueue<PageRecord, RecordId> passing_; ///< those that wait for a slot to pass
    std::vector<RecordId> record_of_;         ///< by the core's frame number
    std::vector<FrameSlot> free_;
    std::vector<FrameSlot> free_passing_;
    bool has_passing_;
    std::uint32_t frames_;
    std::uint32_t withheld_ = 0; ///< frames that are to stay free
    std::uint32_t units_in_flight_ = 0;
};

} // namespace cavern
