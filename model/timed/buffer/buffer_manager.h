#pragma once

#include <cstdint>
#include <memory>
#include <systemc>

#include "core/base/geometry.h"
#include "core/drive/drive_core.h"
#include "timed/buffer/ahead_of_need.h"
#include "timed/buffer/commands.h"
#include "timed/buffer/controller_memory.h"
#include "timed/buffer/frame_table.h"
#include "timed/buffer/map_traffic.h"
#include "timed/buffer/mover.h"
#include "timed/buffer/page_flow.h"
#include "timed/buffer/programs.h"
#include "timed/channel/flash_scheduler.h"
#include "timed/cpu/processors.h"
#include "timed/tlm/at_target.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// The device's data mover (AT). Takes host commands, has the core decide every page at once and in
/// command order, then lets the data follow: host link to frame, frame to die, die to staging page
/// to host link, all through the SDRAM. Because decisions never wait for data, they do not depend
/// on time; back-pressure acts on the data, which waits for physical frames.
///
///   socket -> Commands -> CommandFront -> DriveCore     decides
///                |    \- Processors                      what that costs
///             PageFlow -> Programs -> FlashScheduler    pages that come and go, pages that leave
///                |           |
///             Mover (link, SDRAM), FrameTable           data in motion, where it may lie
///
///   AheadOfNeed -> DriveCore, Programs                  what nobody has asked for yet
///
/// This module holds the sockets and hands what the scheduler tells to whom it concerns.
class BufferManager final : public sc_core::sc_module, public FlashClientIf {
  public:
    struct Params {
        Geometry geometry;
        std::uint32_t frames = 0;  ///< physical frames of the write buffer
        std::uint32_t staging = 0; ///< page slots of the SDRAM behind the frames, for flash reads
        bool insert_awaits_batch =
            false; ///< an insert waits for its whole batch, not for one frame
        bool in_turn =
            false; ///< a command is taken up when no page of those before it awaits a frame
        std::uint32_t read_grain = 0; ///< PageFlow::Params
        bool may_lose = false;        ///< likewise
        TimePs collect_after =
            kNever; ///< silence of the host before idle dies collect; kNever: never
        DecisionCostIf* cost = nullptr; ///< null: decisions take no time
        Processors::Params processors;  ///< otherwise
        MapTraffic::Params map_traffic;
        DataPath* data = nullptr; ///< null: no data are kept
    };
    using Statistics = PageFlow::Statistics;

    [[nodiscard]] AtInitiator& link_initiator() { return mover_.link_initiator; }
    [[nodiscard]] AtInitiator& sdram_initiator() { return mover_.sdram_initiator; }

    BufferManager(const sc_core::sc_module_name& name, EventQueue& events, const Params& params,
                  DriveCore& core, ActivityLogIf* activity);
    ~BufferManager() override;

    /// The targets behind its sockets, where nobody stands between.
    void ask_directly(PromptTargetIf& link, PromptTargetIf& sdram) {
        mover_.ask_directly(link, sdram);
    }
    /// Must be called once before the simulation starts.
    void connect(FlashScheduler& scheduler);

    [[nodiscard]] const Statistics& statistics() const { return pages_.statistics(); }
    [[nodiscard]] const MapTraffic::Statistics& map_traffic() const {
        return map_traffic_.statistics();
    }
    void reset_statistics();
    /// Null where decisions take no time.
    [[nodiscard]] const Processors* processors() const { return processors_.get(); }
    /// Where the data are of a program of the host that was submitted with this context, or of a
    /// page of the core's buffer; kNil: it has no frame yet.
    [[nodiscard]] FrameSlot slot_of_program(std::uint32_t context) const {
        return frames_[frames_.holder(RecordId{context})].frame;
    }
    [[nodiscard]] FrameSlot slot_of(FrameId frame) const {
        return frames_[frames_.record_of(frame)].frame;
    }
    /// Victims with pages that are not programmed yet, and such pages: for observers.
    [[nodiscard]] std::uint32_t victims_under_way() const { return frames_.units_in_flight(); }
    [[nodiscard]] std::uint32_t frames_in_use() const { return frames_.frames_in_use(); }
    [[nodiscard]] std::uint64_t pages_under_way() const { return programs_.outstanding(); }
    /// Logical page of a task whose transfer is seen on a socket: for observers.
    [[nodiscard]] Lpn page_of(TaskId task) const {
        return Lpn{pages_.task(task).host_offset / map_.page_bytes};
    }
    /// Throws ModelError unless nothing is under way any more. Returns facts compared.
    std::uint64_t check_idle() const;

    TimePs fetch_program_data(OpId op, std::uint32_t context) override;
    [[nodiscard]] bool data_is_coming(std::uint32_t context) const override;
    TimePs fetch_copied_page(OpId op, std::uint32_t copy_page) override;
    TimePs store_copied_page(OpId op, std::uint32_t copy_page) override;
    TimePs store_rest(OpId op, std::uint32_t context, SectorSpan read) override;
    void host_page_read(std::uint32_t context) override;
    void host_page_lost(std::uint32_t context) override;
    void page_is_stale(Ppn page) override;
    [[nodiscard]] bool holds_lost_page(std::uint32_t context) const override;
    void host_page_programmed(std::uint32_t context) override;
    void operation_done(std::uint32_t awaited_by) override;
    void die_idle() override;

  private:
    DriveCore& core_;
    ControllerMemory map_;
    FrameTable frames_;
    Mover mover_;
    MapTraffic map_traffic_;
    Programs programs_;
    PageFlow pages_;
    AheadOfNeed ahead_;
    Commands commands_;
    std::unique_ptr<Processors> processors_;

  public:
    AtTarget host_target{"host_target", commands_};
};

} // namespace cavern
