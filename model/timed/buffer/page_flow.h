#pragma once

#include <cstdint>

#include "core/base/counter.h"
#include "core/device/command_front.h"
#include "timed/buffer/controller_memory.h"
#include "timed/buffer/frame_table.h"
#include "timed/buffer/ids.h"
#include "timed/buffer/mover.h"
#include "timed/buffer/programs.h"
#include "timed/buffer/stages.h"
#include "timed/channel/flash_queues.h"
#include "timed/tlm/event_queue.h"

namespace cavern {

/// The commands that pages belong to, as the flow of pages sees them.
class PageOwnerIf {
  public:
    virtual ~PageOwnerIf() = default;
    /// A page of the command is done; how long it waited for its frame, and for the flash. May
    /// bring the next command.
    virtual void page_done(CommandId command, TimePs frame_wait, TimePs flash) = 0;
    /// The data of a page of the command, which will be done, are lost.
    virtual void page_failed(CommandId /*command*/) {}
    /// Frames have been granted, or there is nobody to grant one. May bring decisions.
    virtual void frames_granted() = 0;
    /// `bytes` more of the command go over the link; returns how many went before.
    virtual std::uint32_t count_link_bytes(CommandId command, std::uint32_t bytes) = 0;
};

/// Pages of host commands in motion, after they have been decided. The data waits for physical
/// frames; decisions never wait for data.
///   write       1 frame granted  2 link -> 3 SDRAM frame  (through: 4 programmed)  done
///   read, hit   1 SDRAM frame, when the writes decided before it have arrived -> 2 link  done
///   read, miss  1 die -> 2 SDRAM staging -> 3 link  done
///   read, kept  1 frame granted, and page from the die or another frame -> 2 SDRAM frame -> as a
///               hit; also where the frame has a part of the page already
///   never written  link  done
class PageFlow final : private MoveDoneIf, private EventHandlerIf {
  public:
    struct Params {
        bool insert_awaits_batch = false; ///< an insert waits for its whole batch, not for a frame
        bool in_turn = false;             ///< commands wait until no page waits for a frame
        /// A read moves only the pieces of so many bytes that it touches; 0: the whole page.
        std::uint32_t read_grain = 0;
        bool may_lose = false; ///< a page may be uncorrectable
    };
    struct Statistics {
        TimePs stall = 0;
        std::uint64_t in_flight_read_hits = 0;
        std::uint64_t zero_reads = 0;

        static constexpr auto declared = counters_of(
            duration(&Statistics::stall, "stall_ns",
                     "Time that pages waited for a frame, added up over pages: those written, and "
                     "those read into the buffer once their data have come; depends on timing."),
            counter(&Statistics::in_flight_read_hits, "in_flight_read_hits", "pages",
                    "Reads served from a page that had left the buffer and was not programmed "
                    "yet; depends on timing."),
            counter(&Statistics::zero_reads, "zero_reads", "pages",
                    "Reads of pages never written: answered with zeros, no flash read."));
    };

    PageFlow(EventQueue& events, const Params& params, const ControllerMemory& map,
             FrameTable& frames, MemoryIf& memory, LinkIf& link, Programs& programs,
             MapTraffic& entries);
    void connect(FlashQueues& flash, PageOwnerIf& owner) {
        flash_ = &flash;
        owner_ = &owner;
    }

    /// From now on data move, by way of this.
    void use(DataPath& data) { data_ = &data; }

    /// Takes over a page that was decided, and carries its batch out.
    void write(CommandId command, const PageAccess& page, const WriteDecision& decision);
    void read(CommandId command, const PageAccess& page, const ReadDecision& decision);

    /// Starts the pages that can have a frame now.
    void grant_frames() {
        if (frames_.someone_waits()) {
            grant_waiting();
        }
        if (params_.in_turn) {
            owner_->frames_granted();
        }
    }
    /// The page of a host read has arrived in the controller.
    void page_read(TaskId task);
    /// The same of a page that cannot be corrected: the command fails.
    void page_lost(TaskId task);
    /// The program that a page written through waits for is done.
    void page_written_through(TaskId task);

    [[nodiscard]] const PageTask& task(TaskId task) const { return tasks_[task]; }
    [[nodiscard]] std::uint32_t tasks_in_use() const { return tasks_.used(); }
    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = {}; }

  private:
    TaskId start(CommandId command, const PageAccess& page);
    RecordId insert(TaskId task, const PageAccess& page, const WriteDecision& decision);
    void read_into_buffer(TaskId task, const PageAccess& page, const ReadDecision& decision);
    void read_to_keep(TaskId task, Lpn lpn, const ReadDecision& decision, OpId look_up);
    void complete(TaskId task, const PageAccess& page, const ReadDecision& decision);
    /// Bytes of the page that come from the die.
    [[nodiscard]] std::uint32_t bytes_read(const PageTask& page) const;
    [[nodiscard]] std::uint32_t first_read(const PageTask& page) const;
    void read_from_flash(TaskId task, Lpn lpn, const ReadDecision& decision, OpId look_up);
    void serve_from_record(TaskId task, RecordId record);
    void serve_from_frame(TaskId task);
    void serve_kept(TaskId task);
    void grant_waiting();
    void add_inbound(RecordId record, TaskId task);
    void remove_inbound(RecordId record, TaskId task);
    void serve_readers(RecordId record);
    void start_fill(TaskId task);
    void filled(TaskId task);
    void page_is_here(TaskId task);
    void keep_page(TaskId task);
    void note_loss(RecordId record, const PageTask& page);
    void stop_reading(RecordId record);
    void fail(TaskId task);
    void finish(TaskId task);

    void access(PageStage stage, TaskId task, MoveDirection direction, std::uint64_t address,
                std::uint32_t bytes);
    void over_link(PageStage stage, TaskId task);
    void moved(MoveTicket ticket, TimePs at) override;
    void await(PageStage stage, TaskId task, TimePs at);
    void on_event(std::uint64_t what) override;
    void arrived(PageStage stage, TaskId task);

    EventQueue& events_;
    Params params_;
    const ControllerMemory& map_;
    FrameTable& frames_;
    MemoryIf& memory_;
    LinkIf& link_;
    Programs& programs_;
    MapTraffic& entries_;
    FlashQueues* flash_ = nullptr;
    PageOwnerIf* owner_ = nullptr;
    DataPath* data_ = nullptr; ///< null: no data are kept
    Slab<PageTask, TaskId> tasks_;
    Statistics statistics_;
};

} // namespace cavern
