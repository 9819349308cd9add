#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nvme/error_log.h"
#include "nvme/nvme_ports.h"
#include "nvme/nvme_queues.h"
#include "nvme/nvme_spec.h"

namespace cavern::nvme {

/// An NVMe controller behind its registers: one namespace of 512-byte blocks, admin commands, the
/// NVM command set, queues and PRP lists in host memory, interrupts as messages. Follows the NVM
/// Express Base Specification, revision 1.4. It has no clock; the ports take the time.
///
///   write_register --> registers, doorbells          any time, also while work() waits in a port
///   work()         --> posts a completion, or fetches an entry and carries it out
///   finished()     <-- the medium, for each MediumIf::start
///
/// What a register write asks for happens in work(), so that nothing changes under a DMA. All
/// queues have one arbitration: round robin, the admin queue first. Left out: keep alive, firmware
/// download, namespace management, SGLs, metadata, the controller memory buffer.
class Controller {
  public:
    struct Params {
        std::uint64_t blocks = 0;          ///< of the namespace
        std::uint16_t queues = 16;         ///< I/O queue pairs at most
        std::uint16_t entries = 1024;      ///< of a queue at most, 2..4096
        std::uint16_t vectors = 17;        ///< of interrupts
        std::uint32_t slots = 256;         ///< I/O commands held at once
        std::uint8_t transfer_pages = 8;   ///< MDTS: 2^n pages of 4 KiB in one command
        bool volatile_cache = true;        ///< writes may be lost until a flush
        std::string serial = "CAVERN0001"; ///< at most 20 characters
        std::string model = "Cavern SSD";  ///< at most 40
        std::string firmware = "0";        ///< at most 8
    };

    Controller(const Params& params, MemoryIf& memory, MediumIf& medium, InterruptIf& interrupts);

    /// Accesses of 1 to 8 bytes below the doorbells, of 4 to them. What the specification does not
    /// name reads as 0 and cannot be written.
    [[nodiscard]] std::uint64_t read_register(std::uint64_t offset, std::uint32_t bytes) const;
    void write_register(std::uint64_t offset, std::uint32_t bytes, std::uint64_t value);

    /// One step. False: nothing to do until a register is written or the medium has finished.
    bool work();
    /// The medium has done what was asked under this slot: kSuccess, or what went wrong.
    void finished(std::uint32_t slot, Status status);
    /// I/O commands in the controller.
    [[nodiscard]] std::uint32_t outstanding() const { return outstanding_; }
    [[nodiscard]] std::uint64_t fetched() const { return fetched_; }

  private:
    /// The result of an admin command: a status and dword 0 of the completion.
    struct Outcome {
        Status status = kSuccess;
        std::uint32_t result = 0;
        bool later = false; ///< answered later, or never
    };
    struct Slot {
        std::uint32_t parts = 0; ///< not finished yet; 0: free
        std::uint16_t queue = 0;
        std::uint16_t id = 0;
        IoOp op = IoOp::kRead;
        bool shutdown = false; ///< the flush of a shutdown, which nobody asked for by a command
        Status status = kSuccess;
        std::uint64_t lba = 0;
        std::uint64_t bytes = 0;
    };
    struct Answer {
        std::uint16_t queue = 0; ///< submission queue
        std::uint16_t id = 0;
        Status status = kSuccess;
        std::uint32_t result = 0;
    };
    /// Counters of the health log (5.14.1.2).
    struct Health {
        std::uint64_t blocks_read = 0;
        std::uint64_t blocks_written = 0;
        std::uint64_t reads = 0;
        std::uint64_t writes = 0;
        std::uint64_t media_errors = 0;
    };

    // nvme_controller.cpp: registers, fetching, answering
    void write_doorbell(std::uint64_t offset, std::uint32_t value);
    bool change_state();
    void enable();
    void reset();
    bool post_one();
    bool fetch_one();
    void carry_out(std::uint16_t queue, const Command& command);
    void answer(std::uint16_t queue, const Command& command, const Outcome& outcome);
    void answer(const Answer& what) { answers_.push_back(what); }
    void post(const Answer& what, CompletionQueue& to);
    void retire(SubmissionQueue& queue);
    void fail() { fatal_ = true; }
    [[nodiscard]] std::uint32_t page_bytes() const { return 4096u << (cc_ >> 7 & 15); }

    // nvme_admin.cpp
    Outcome admin(const Command& command);
    Outcome create_completion_queue(const Command& command);
    Outcome create_submission_queue(const Command& command);
    Outcome delete_completion_queue(const Command& command);
    Outcome delete_submission_queue(const Command& command);
    Outcome abort(const Command& command);
    Outcome set_features(const Command& command);
    Outcome get_features(const Command& command);
    Outcome request_event(const Command& command);
    void report_event(std::uint32_t type, std::uint32_t information, std::uint32_t log);
    void deliver_events();
    [[nodiscard]] bool may_be_queue(std::uint32_t id) const {
        return id != 0 && id <= granted_queues_;
    }

    // nvme_identify.cpp
    Outcome identify(const Command& command);
    Outcome get_log_page(const Command& command);
    [[nodiscard]] std::vector<std::byte> identify_controller() const;
    [[nodiscard]] std::vector<std::byte> identify_namespace() const;
    [[nodiscard]] std::vector<std::byte> health_log() const;
    Status deliver(const Command& command, const std::byte* data, std::uint32_t bytes);

    // nvme_io.cpp
    Outcome io(std::uint16_t queue, const Command& command);
    Outcome move_data(std::uint16_t queue, const Command& command, IoOp op);
    Outcome manage_dataset(std::uint16_t queue, const Command& command);
    std::uint32_t take_slot(std::uint16_t queue, std::uint16_t id, IoOp op);
    void release(Slot& slot);
    void start(std::uint32_t slot, IoOp op, std::uint64_t lba, std::uint64_t blocks, bool fua);
    [[nodiscard]] bool in_range(std::uint64_t lba, std::uint64_t blocks) const {
        return lba <= params_.blocks && blocks <= params_.blocks - lba;
    }

    Params params_;
    MemoryIf& memory_;
    MediumIf& medium_;
    InterruptIf& interrupts_;

    std::uint32_t cc_ = 0;
    std::uint32_t masked_ = 0;
    std::uint32_t aqa_ = 0;
    std::uint64_t asq_ = 0;
    std::uint64_t acq_ = 0;
    bool ready_ = false;
    bool fatal_ = false;
    std::uint32_t shutdown_ = 0; ///< CSTS.SHST

    std::vector<SubmissionQueue> submission_; ///< by identifier; 0 is the admin queue
    std::vector<CompletionQueue> completion_;
    std::uint16_t granted_queues_ = 0; ///< I/O queues that Set Features has allowed
    std::uint16_t turn_ = 0;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::uint32_t outstanding_ = 0;
    std::vector<Answer> answers_; ///< not posted yet, in order
    std::vector<Segment> segments_;
    std::uint64_t fetched_ = 0;

    std::array<std::uint32_t, 16> features_{};
    std::vector<std::uint16_t> event_requests_; ///< identifiers of the commands
    std::vector<std::uint32_t> events_;         ///< not reported yet: dword 0
    bool error_events_masked_ = false;          ///< until the host has read the log
    ErrorLog errors_;
    Health health_;
};

} // namespace cavern::nvme
