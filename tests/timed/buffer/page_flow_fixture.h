#pragma once

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/geometry.h"
#include "tests/timed/channel/flash_scheduler_fixture.h"
#include "timed/buffer/page_flow.h"
#include "timed/buffer/programs.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/time.h"

namespace cavern::testing {

/// Memory and link that note what is moved, and end when told: after a time known at once, or when
/// the test says so.
class ManualMover final : public MemoryIf, public LinkIf {
  public:
    TimePs access(MoveDirection direction, std::uint64_t address, std::uint32_t bytes,
                  MoveTicket ticket, MoveDoneIf& owner) override {
        return note((direction == MoveDirection::kRead ? "mem > " : "mem < ") +
                        std::to_string(address / 2048) + "+" + std::to_string(bytes),
                    memory_time, ticket, owner);
    }
    TimePs carry(MoveDirection direction, std::uint64_t host_offset, std::uint32_t bytes,
                 std::uint32_t bytes_before, MoveTicket ticket, MoveDoneIf& owner) override {
        return note((direction == MoveDirection::kRead ? "link < " : "link > ") +
                        std::to_string(host_offset) + "+" + std::to_string(bytes) + " after " +
                        std::to_string(bytes_before),
                    link_time, ticket, owner);
    }
    /// Ends the oldest transfer whose end was not known.
    void end_oldest() { end(0); }
    /// Ends one of them.
    void end(std::size_t place) {
        const Open ended = open.at(place);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
        ended.owner->moved(ended.ticket, now_ps());
    }

    struct Open {
        MoveTicket ticket;
        MoveDoneIf* owner;
    };
    TimePs memory_time = 0; ///< kNever: until end_oldest()
    TimePs link_time = 0;
    std::vector<std::string> moves; ///< frames and staging pages by number
    std::vector<Open> open;

  private:
    TimePs note(const std::string& text, TimePs time, MoveTicket ticket, MoveDoneIf& owner) {
        moves.push_back(text);
        if (time == kNever) {
            open.push_back({ticket, &owner});
            return kNever;
        }
        return now_ps() + time;
    }
};

/// Frames, programs and pages around a real scheduler with one channel that the test finishes. One
/// die of 16 pages. Two frames, which are pages 0 and 1 of the memory; staging begins at 2.
class PageFlowBench : public FlashClientIf, public PageOwnerIf {
  public:
    explicit PageFlowBench(const PageFlow::Params& params = {})
        : pages(events, params, map, frames, mover, mover, programs, entries) {
        geometry.channels = 1;
        geometry.ways = 1;
        geometry.planes_per_die = 1;
        geometry.blocks_per_plane = 4;
        geometry.pages_per_block = 4;
        scheduler = std::make_unique<FlashScheduler>(
            geometry, FlashScheduler::Params{Discipline::kReadFirst, true, false, 4}, *this,
            events);
        scheduler->queues().connect(ChannelId{0}, channel);
        programs.connect(*scheduler);
        pages.connect(scheduler->queues(), *this);
    }

    // What the core would decide.
    /// A page that leaves: its program of flash page `page` with the data of the core's `frame`.
    void leaves(std::uint64_t lpn, std::uint32_t page, FrameId frame) {
        victims.push_back({Lpn{lpn}, frame});
        FlashOp op;
        op.kind = FlashOpKind::kProgram;
        op.page = Ppn{page};
        op.lpn = Lpn{lpn};
        op.frame = raw(frame);
        ops.push_back(op);
    }
    Batch batch() const {
        return {ops, victims, dropped, static_cast<std::uint32_t>(victims.size())};
    }
    void clear() {
        ops.clear();
        victims.clear();
        dropped.clear();
    }
    void write(std::uint32_t command, std::uint64_t lpn, bool hit, FrameId frame) {
        pages.write(CommandId{command}, whole(lpn), {hit, frame, batch()});
        clear();
    }
    void read(std::uint32_t command, std::uint64_t lpn, bool hit, FrameId frame, Ppn page,
              bool looked_up = false) {
        pages.read(CommandId{command}, whole(lpn), {hit, frame, page, looked_up, 0, batch()});
        clear();
    }
    static PageAccess whole(std::uint64_t lpn) { return {Lpn{lpn}, lpn * 2048, 2048}; }
    void finish_flash() { scheduler->operation_finished(DieId{0}); }

    // The buffer manager.
    TimePs fetch_program_data(OpId op, std::uint32_t context) override {
        return programs.fetch_data(op, RecordId{context});
    }
    TimePs fetch_copied_page(OpId op, std::uint32_t copy_page) override {
        return programs.fetch_copy(op, copy_page);
    }
    TimePs store_copied_page(OpId op, std::uint32_t copy_page) override {
        return programs.store_copy(op, copy_page);
    }
    TimePs store_rest(OpId op, std::uint32_t context, SectorSpan read) override {
        return programs.store_rest(op, RecordId{context}, read);
    }
    void host_page_read(std::uint32_t context) override { pages.page_read(TaskId{context}); }
    void host_page_programmed(std::uint32_t context) override {
        const Programs::Programmed page = programs.programmed(RecordId{context});
        programmed.push_back(page.eviction);
        pages.grant_frames();
        if (page.through_task != kNil<TaskId>) {
            pages.page_written_through(page.through_task);
        }
    }
    // The commands.
    void page_done(CommandId command, TimePs frame_wait, TimePs flash) override {
        done.push_back(raw(command));
        last = {frame_wait, flash};
    }
    void frames_granted() override {
        ++granted;
        const auto next = on_granted; // the call may replace it
        next();
    }
    std::uint32_t count_link_bytes(CommandId, std::uint32_t bytes) override {
        const std::uint32_t before = link_bytes;
        link_bytes += bytes;
        return before;
    }

    EventQueue events{sc_core::sc_gen_unique_name("events")};
    Geometry geometry;
    ManualChannel channel{1};
    ControllerMemory map{2048, 2, 8};
    FrameTable frames{2, 2};
    ManualMover mover;
    MapTraffic entries{{}, mover};
    Programs programs{frames, mover, map, entries};
    PageFlow pages;
    std::unique_ptr<FlashScheduler> scheduler;
    FlashOpList ops;
    std::vector<Victim> victims;
    std::vector<FrameId> dropped;
    std::vector<std::uint64_t> programmed; ///< numbers of evictions
    std::vector<std::uint32_t> done;       ///< commands, a page each
    struct Done {
        TimePs frame_wait = 0;
        TimePs flash = 0;
    };
    Done last; ///< page
    int granted = 0;
    std::function<void()> on_granted = [] {}; ///< what the next command does
    std::uint32_t link_bytes = 0;
};

using Texts = std::vector<std::string>;

} // namespace cavern::testing
