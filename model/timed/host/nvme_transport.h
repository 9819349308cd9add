#pragma once

#include <cstdint>
#include <vector>

#include "timed/host/host_transport.h"
#include "timed/host/link_direction.h"
#include "timed/host/nvme_arbiter.h"
#include "timed/host/nvme_queue.h"
#include "timed/host/pcie_link.h"
#include "timed/host/prp.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/time.h"

namespace cavern {

/// NVM Express over PCI Express: queue pairs in host memory, a controller that fetches from them.
///
///   host        entry into a submission queue; doorbell (4 bytes, one for what is issued together)
///   controller  arbitration; reads the entries (64 bytes each), up to `slots` commands inside it;
///               reads the PRP list of a command with data of more than two pages, the ranges of a
///               deallocate; hands commands to the device in the order fetched
///   data        of a read command: memory writes; of a write command: memory reads, answered after
///               `memory_latency`. Full duplex, each direction first come first served
///   controller  completion entry (16 bytes), interrupt (4 bytes), aggregated as the host set it up
///   host        takes all entries of the queue; doorbell of the completion queue
///
/// Commands go to the queue whose turn it is and that has room: those that a slow priority class
/// leaves behind are not waited for. Data are aligned in host memory as on the device; lists begin
/// at a page. Left out: the admin queue, errors, PCIe power states and replays.
class NvmeTransport : public HostTransportIf, private EventHandlerIf {
  public:
    struct Params {
        PcieLink::Params link;
        NvmeArbiter::Params arbiter;    ///< a class for each queue
        std::uint32_t queue_depth = 32; ///< commands outstanding in one queue, 1..65535
        std::uint32_t slots = 256;      ///< commands the controller holds at once
        std::uint32_t fetch_limit = 0;  ///< of one queue; 0: no limit but slots
        std::uint32_t memory_page = 4096;
        TimePs memory_latency = 0; ///< from the end of a read request to the begin of its data
        TimePs turnaround = 0;     ///< host software time of a command, before its doorbell
        std::uint32_t interrupt_threshold = 1;
        TimePs interrupt_time = 0; ///< aggregation time
    };
    static constexpr std::uint32_t kDoorbellBytes = 4;
    static constexpr std::uint32_t kEntryBytes = 64;
    static constexpr std::uint32_t kCompletionBytes = 16;
    static constexpr std::uint32_t kInterruptBytes = 4;
    static constexpr std::uint32_t kRangeBytes = 16; ///< of a deallocate
    /// Bytes of the drive in one such range: 32 bits of logical blocks.
    static constexpr std::uint64_t kMostRange = std::uint64_t{0xFFFF'FFFF} * 512;

    NvmeTransport(EventQueue& events, const Params& params);

    void connect(TransportClientIf& client) override { client_ = &client; }
    [[nodiscard]] bool may_issue(const HostRequest& next) override;
    void issue(tlm::tlm_generic_payload& command, HostCommandExtension& extension) override;
    void issued() override;
    TimePs move_data(const Transfer& transfer) override;
    void answered(tlm::tlm_generic_payload& command, HostCommandExtension& extension) override;
    [[nodiscard]] const std::vector<QueueStatistics>& queues() const override {
        return statistics_;
    }
    void reset_statistics() override;
    [[nodiscard]] TimePs link_busy() const override {
        return down_.busy(now_ps()) + up_.busy(now_ps());
    }
    [[nodiscard]] std::uint64_t check_idle() const override;

  protected:
    /// The next command goes to that queue; whether there is room for it.
    [[nodiscard]] bool turn_to(std::uint32_t queue) {
        turn_ = queue;
        return queues_[turn_].outstanding < params_.queue_depth;
    }

  private:
    /// What has happened; the rest of its number says to whom.
    enum class Event : std::uint8_t {
        kDoorbell,   ///< queue, tail
        kFetched,    ///< tag: its entry is in the controller
        kReady,      ///< tag: so is what the entry points to
        kPosted,     ///< tag: its completion entry is in host memory
        kTimer,      ///< queue, aggregation
        kInterrupted ///< queue
    };
    struct Command {
        tlm::tlm_generic_payload* payload = nullptr;
        HostCommandExtension* extension = nullptr;
        bool ready = false;
    };
    struct QueuePair {
        SubmissionQueue submission;
        CompletionQueue completion;
        std::uint32_t outstanding = 0;
    };

    void schedule(TimePs at, Event event, std::uint32_t high, std::uint32_t low);
    void on_event(std::uint64_t what) override;
    TimePs send(LinkDirection& direction, TimePs from, std::uint64_t bytes);
    [[nodiscard]] TimePs read_from_host(std::uint64_t bytes);
    void doorbell_here(std::uint32_t queue, std::uint32_t tail);
    void fetch();
    void fetched(std::uint32_t tag);
    void hand_over();
    void find_room();
    void posted(std::uint32_t tag);
    void interrupt(std::uint32_t queue);
    void interrupted(std::uint32_t queue);

    EventQueue& events_;
    Params params_;
    PcieLink link_;
    NvmeArbiter arbiter_;
    TransportClientIf* client_ = nullptr;
    LinkDirection down_; ///< to the device
    LinkDirection up_;   ///< to the host
    std::vector<QueuePair> queues_;
    std::vector<std::uint32_t> waiting_; ///< by queue: commands that the controller may fetch
    std::vector<std::uint32_t> room_;    ///< by queue: commands that it may still take of it
    std::vector<Command> commands_;      ///< by tag
    std::vector<std::uint32_t> fetched_; ///< ring of tags, in the order fetched
    std::uint32_t fetched_head_ = 0;
    std::uint32_t fetched_tail_ = 0;
    std::uint32_t slots_used_ = 0;
    std::uint32_t turn_ = 0;             ///< queue that the next command goes to, if it has room
    std::vector<std::uint32_t> to_ring_; ///< queues with commands and no doorbell yet
    bool draining_ = false;              ///< the host takes completions
    std::vector<QueueStatistics> statistics_;
};

/// The same host with a pair of queues for each flow, as tenants have them: commands of job j go to
/// queue j, in turn from the first on where there are more. A command that comes to a full queue
/// keeps those behind it waiting.
class FlowQueues final : public NvmeTransport {
  public:
    FlowQueues(EventQueue& events, const Params& params)
        : NvmeTransport(events, params),
          queues_(static_cast<std::uint32_t>(params.arbiter.classes.size())) {}
    [[nodiscard]] bool may_issue(const HostRequest& next) override {
        return turn_to(next.job % queues_);
    }

  private:
    std::uint32_t queues_;
};

} // namespace cavern
