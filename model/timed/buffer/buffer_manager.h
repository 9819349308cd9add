#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "core/base/counter.h"
#include "core/base/divisor.h"
#include "core/base/geometry.h"
#include "core/drive/drive_core.h"
#include "timed/buffer/frame_table.h"
#include "timed/channel/flash_scheduler.h"
#include "timed/tlm/at_initiator.h"
#include "timed/tlm/at_target.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/extensions.h"
#include "timed/tlm/nand_protocol.h"
#include "timed/tlm/payload_pool.h"
#include "timed/tlm/slab.h"

namespace cavern {

/// The device's data mover (AT). Takes host commands, has the core decide every page at once and in
/// command order, then lets the data follow: host link to frame, frame to die, die to staging page
/// to host link, all through the SDRAM. Because decisions never wait for data, they do not depend
/// on time; back-pressure acts on the data, which waits for physical frames.
///   write  frame granted -> link -> SDRAM -> (acknowledged; write-through, FUA: program)
///   read   hit: SDRAM -> link; miss: die -> SDRAM -> SDRAM -> link; never written: link. Where the
///          buffer keeps pages read, a miss takes a frame and passes through it
/// With `in_turn` a command is decided when the pages of those before it have frames; until then it
/// waits in arrival order, and the core, if it looks at them, knows of commands that wait.
/// A command is answered when all its pages are done. FLUSH is answered when all pages evicted up
/// to it are programmed.
class BufferManager final : public sc_core::sc_module,
                            public AtRequestIf,
                            public AtResponseIf,
                            public FlashClientIf,
                            private EventHandlerIf {
  public:
    struct Params {
        Geometry geometry;
        std::uint32_t frames = 0;  ///< physical frames of the write buffer
        std::uint32_t staging = 0; ///< page slots of the SDRAM behind the frames, for flash reads
        bool insert_awaits_batch =
            false; ///< an insert waits for its whole batch, not for one frame
        bool in_turn =
            false; ///< a command is taken up when no page of those before it awaits a frame
        TimePs collect_after =
            kNever; ///< silence of the host before idle dies collect; kNever: never
    };
    struct Statistics {
        TimePs stall = 0;
        std::uint64_t in_flight_read_hits = 0;
        std::uint64_t zero_reads = 0;

        static constexpr auto declared = counters_of(
            duration(&Statistics::stall, "stall_ns",
                     "Time that page writes waited for a frame, added up over pages; depends on "
                     "timing."),
            counter(&Statistics::in_flight_read_hits, "in_flight_read_hits", "pages",
                    "Reads served from a page that had left the buffer and was not programmed "
                    "yet; depends on timing."),
            counter(&Statistics::zero_reads, "zero_reads", "pages",
                    "Reads of pages never written: answered with zeros, no flash read."));
    };

    AtTarget host_target{"host_target", *this};
    AtInitiator link_initiator{"link_initiator", *this};
    AtInitiator sdram_initiator{"sdram_initiator", *this};

    BufferManager(const sc_core::sc_module_name& name, EventQueue& clock, const Params& params,
                  DriveCore& core, ActivityLogIf* activity);
    ~BufferManager() override;

    /// Must be called once before the simulation starts.
    void connect(FlashScheduler& scheduler) { scheduler_ = &scheduler; }

    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = {}; }
    /// Victims with pages that are not programmed yet, and such pages: for observers.
    [[nodiscard]] std::uint32_t victims_under_way() const { return frames_.units_in_flight(); }
    [[nodiscard]] std::uint64_t pages_under_way() const { return programs_outstanding_; }
    /// Logical page of a task whose transfer is seen on a socket: for observers.
    [[nodiscard]] Lpn page_of(std::uint32_t task) const {
        return Lpn{page_bytes_.divide(tasks_[task].host_offset)};
    }
    /// Throws ModelError unless nothing is under way any more. Returns facts compared.
    std::uint64_t check_idle() const;

    void request(tlm::tlm_generic_payload& payload) override;
    void response(tlm::tlm_generic_payload& payload, TimePs ahead) override;
    void fetch_program_data(OpHandle op, std::uint32_t context, bool copies) override;
    void await_program_data(OpHandle op, TimePs at) override;
    void store_copied_page(OpHandle op) override;
    void host_page_read(std::uint32_t context) override;
    void host_page_programmed(std::uint32_t context) override;
    void die_idle() override;

  private:
    static constexpr std::uint32_t kNil = FrameTable::kNil;

    /// What a transfer in motion is for; TransferExtension::index is a task, a record or an
    /// operation.
    enum class Stage : std::uint32_t {
        kLinkFetch,    ///< task: host data over the link
        kFillFrame,    ///< task: host data into its frame
        kServeFrame,   ///< task: frame read for the host
        kKeepPage,     ///< task: page read into its frame
        kStageRead,    ///< task: page from the die into staging
        kServeStaged,  ///< task: staging read for the host
        kLinkDeliver,  ///< task: data to the host
        kProgramFrame, ///< operation: frame read for a program
        kStageCopy,    ///< operation: page to be copied into staging
        kProgramCopy,  ///< operation: staging read for the program of a copy
        kAwaitData,    ///< operation: its data, announced before, has come
        kIdle,         ///< no transfer: the host may have been silent long enough
        kCopyFrame     ///< task: page being programmed, read for the frame it returns to
    };

    struct Command {
        std::uint32_t next = kNil;
        tlm::tlm_generic_payload* payload = nullptr;
        HostCommandExtension* extension = nullptr; ///< of the payload, if it has one
        RequestOp op = RequestOp::kRead;
        std::uint32_t remaining = 0; ///< pages, or evicted pages a flush waits for
        std::uint32_t pages = 0;
        std::uint32_t hits = 0;
        std::uint32_t moved = 0;                ///< bytes sent over the link
        std::uint64_t flush_until = 0;          ///< a flush waits for evictions below this number
        std::uint32_t pins = NcqAware::kNoPins; ///< held while it waits in turn
    };

    void wait_in_turn(std::uint32_t command);
    void take_up_in_turn();
    void take_up(std::uint32_t command);
    void decide_pages(std::uint32_t command);
    void write_page(std::uint32_t task, Lpn lpn, std::uint32_t pages_in_command);
    void read_page(std::uint32_t task, Lpn lpn);
    void read_into_buffer(std::uint32_t task, Lpn lpn, const ReadDecision& decision);
    void read_from_flash(std::uint32_t task, Lpn lpn, const ReadDecision& decision,
                         OpHandle look_up);
    void page_is_here(std::uint32_t task);
    void keep_page(std::uint32_t task);
    void evict_ahead();
    void repartition(const Batch& batch);
    void host_is_silent();
    void set_idle_alarm();
    void idle_alarm();
    void collect_ahead();
    void trim_pages(std::uint32_t command);
    void flush(std::uint32_t command);
    struct CarriedOut {
        std::uint32_t batch = kNil; ///< of the pages that are being programmed
        OpHandle last = kNoOp;      ///< operation
    };
    CarriedOut carry_out(const Batch& batch, std::uint32_t through_record = kNil);
    void grant_frames() {
        if (frames_.someone_waits() || !in_turn_.empty()) {
            grant_waiting();
        }
    }
    void grant_waiting();
    void start_fill(std::uint32_t task);
    void serve_from_record(std::uint32_t task, std::uint32_t record);
    void fetch_record(std::uint32_t record);
    void filled(std::uint32_t task);
    void data_complete(std::uint32_t record);
    void serve_from_frame(std::uint32_t task);
    void finish_task(std::uint32_t task);
    void finish_command(std::uint32_t command);
    void move(AtInitiator& over, Stage stage, std::uint32_t index, tlm::tlm_command direction,
              std::uint64_t address, std::uint32_t bytes, std::uint32_t moved_before = 0);
    void due_at(TimePs at, Stage stage, std::uint32_t index);
    void on_event(std::uint64_t what) override;
    void arrived(Stage stage, std::uint32_t index);
    void move_over_link(std::uint32_t task, Stage stage);
    [[nodiscard]] std::uint64_t frame_address(std::uint32_t frame) const;
    [[nodiscard]] std::uint64_t staging_address(std::uint32_t slot) const;
    void note_occupancy();

    EventQueue& clock_;
    Params params_;
    WideDivisor page_bytes_;
    DriveCore& core_;
    FlashScheduler* scheduler_ = nullptr;
    ActivityLogIf* activity_;
    using Pool = ExtendedPayloadPool<TransferExtension>;
    Pool pool_;
    FrameTable frames_;
    bool works_ahead_;           ///< victims may leave before the buffer is full
    TimePs idle_since_ = kNever; ///< when the last host command was answered; kNever: one is active
    bool idle_alarm_set_ = false;
    Slab<PageTask> tasks_;
    Slab<Command> commands_;
    SlabQueue<Command> in_turn_; ///< commands that wait until they are taken up
    bool taking_up_ = false;
    std::vector<std::uint32_t> record_of_frame_; ///< by the core's frame number
    std::vector<std::uint32_t> contexts_;        ///< scratch: record per operation of a batch
    std::vector<std::uint32_t> flushes_;         ///< flush commands that wait
    std::uint64_t evictions_ = 0;
    std::uint64_t programs_outstanding_ = 0;
    std::vector<std::uint32_t> flushed_; ///< scratch: flush commands to be answered
    Statistics statistics_;
};

} // namespace cavern
