#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

#include "core/device/command_front.h"
#include "timed/buffer/ahead_of_need.h"
#include "timed/buffer/frame_table.h"
#include "timed/buffer/ids.h"
#include "timed/buffer/page_flow.h"
#include "timed/buffer/programs.h"
#include "timed/cpu/processors.h"
#include "timed/tlm/at_target.h"
#include "timed/tlm/extensions.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// Host commands from request to answer:
///   1. request: refused at once with its error if this drive has no such command; else, when a
///      processor of the controller has handled it (if the drive models those), taken up at once,
///      or in turn, when no page of those before waits for a frame
///   2. the command front decides all its pages; their batches are carried out, their data sets off
///   3. page_done: a command is answered when all its pages are done, a FLUSH when all pages
///      evicted up to it are programmed, a TRIM when the map is changed (operation_done)
class Commands final : public AtRequestIf,
                       public PageOwnerIf,
                       public ProcessedIf,
                       private CommandSinkIf {
  public:
    struct Parts {
        FrameTable& frames;
        Programs& programs;
        PageFlow& pages;
        AheadOfNeed& ahead;
    };

    Commands(const Geometry& geometry, bool in_turn, DriveCore& core, const Parts& parts,
             AtTarget& host, ActivityLogIf* activity);
    /// From now on commands are handled there first.
    void connect(Processors& processors) {
        processors_ = &processors;
        parts_.ahead.connect(processors);
        parts_.programs.count_work(processors.counts_work());
    }

    /// From now on the reads of a command start together.
    void gather_reads(FlashQueues& queues) { gathers_ = &queues; }
    /// From now on data move, by way of this.
    void use(DataPath& data) { data_ = &data; }

    void request(tlm::tlm_generic_payload& payload) override;
    DecisionWork processed(CommandId id, const DeviceCommand& command, TimePs time) override;
    void worked_ahead(PlaneId plane, std::uint32_t copies) override {
        parts_.ahead.decide(plane, copies);
    }
    void processor_idle() override { parts_.ahead.processor_idle(); }
    void page_done(CommandId command, TimePs frame_wait, TimePs flash) override;
    void page_failed(CommandId command) override { commands_[command].failed = true; }
    void frames_granted() override;
    std::uint32_t count_link_bytes(CommandId command, std::uint32_t bytes) override;

    /// One of the operations that the command itself has to wait for (Programs::carry_out_for).
    void operation_done(CommandId command);
    /// A page of this eviction is programmed. Flushes that waited for it alone are answered by
    /// answer_flushed(), which may bring the next command.
    void page_programmed(std::uint64_t eviction);
    void answer_flushed();

    /// The command of the host that is being decided (position in the workload), or kNoRequest.
    [[nodiscard]] const std::uint64_t& deciding() const { return deciding_; }
    [[nodiscard]] std::uint32_t in_use() const { return commands_.used(); }
    [[nodiscard]] bool someone_waits() const { return front_.someone_waits(); }

  private:
    friend class CommandFront<Commands>;

    struct Command {
        CommandId next = kNil<CommandId>;
        tlm::tlm_generic_payload* payload = nullptr;
        HostCommandExtension* extension = nullptr; ///< of the payload, if it has one
        /// Pages, or evicted pages a flush waits for. One more against completion while pages are
        /// still being decided.
        std::uint32_t remaining = 1;
        std::uint32_t pages = 0;
        std::uint32_t hits = 0;
        std::uint32_t link_bytes = 0;
        bool failed = false;           ///< data that it reads are lost
        std::uint64_t flush_until = 0; ///< a flush waits for evictions below this number
        std::uint64_t trim = 0; ///< of a TRIM that flash operations record: its number, from 1
        std::uint64_t trim_until = 0; ///< likewise, for TRIMs
    };

    [[nodiscard]] bool holds_back() const override { return parts_.frames.someone_waits(); }
    void begin(CommandId id, const DeviceCommand& command);
    void decide(CommandId id, const DeviceCommand& command);
    void take_up_waiting();
    void on_turn(CommandId command) override;
    void on_write(CommandId command, const PageAccess& page,
                  const WriteDecision& decision) override {
        add_page(command, decision.hit);
        parts_.pages.write(command, page, decision);
    }
    void on_read(CommandId command, const PageAccess& page, const ReadDecision& decision) override {
        add_page(command, decision.hit);
        parts_.pages.read(command, page, decision);
    }
    void evict_ahead() override { parts_.ahead.evict(); }
    void on_trim(CommandId command, const TrimDecision& decision) override;
    void on_trimmed(CommandId command) override;
    void on_refused(CommandId command) override;
    void on_flush(CommandId command, const Batch& batch) override;
    void on_flushed(CommandId command) override;
    void on_sealed(CommandId command, const Batch& batch) override;
    void on_completion(const Batch& batch) override;
    void on_resize(const Batch& batch) override;
    void on_decided(CommandId command) override {
        note_occupancy(activity_, core_);
        if (--commands_[command].remaining == 0) {
            finish(command);
        }
    }
    [[nodiscard]] tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload,
                                                 const DeviceCommand& command) const;
    void add_page(CommandId command, bool hit) {
        Command& of = commands_[command];
        ++of.remaining;
        ++of.pages;
        of.hits += hit ? 1 : 0;
    }
    void finish(CommandId command);
    /// An eviction or a TRIM: flushes that wait for those below a number wait for one fewer.
    template <std::uint64_t Command::*WaitsBelow>
    void one_done(std::uint64_t number);
    void trim_recorded(std::uint64_t trim);

    DriveCore& core_;
    Processors* processors_ = nullptr;
    FlashQueues* gathers_ = nullptr; ///< null: they start as they come
    DataPath* data_ = nullptr;       ///< null: no data are kept
    Parts parts_;
    AtTarget& host_;
    std::uint64_t capacity_; ///< bytes
    ActivityLogIf* activity_;
    bool in_turn_;
    std::uint64_t deciding_ = kNoRequest;
    CommandFront<Commands> front_;
    Slab<Command, CommandId> commands_;
    std::uint64_t trims_ = 0;           ///< recorded, so far
    std::uint64_t trims_under_way_ = 0; ///< of those
    std::vector<CommandId> flushes_;    ///< flush commands that wait
    std::vector<CommandId> flushed_;    ///< scratch: flush commands to be answered
};

} // namespace cavern
