#pragma once

#include "timed/host/host_link_table.h"
#include "timed/host/nvme_arbiter.h"

namespace cavern {

struct NvmeParams {
    bool weighted = false;                                   ///< arbitration
    std::vector<QueueClass> priorities{QueueClass::kMedium}; ///< classes that queues have in turn
    std::uint32_t high_weight = 8;                           ///< commands a round
    std::uint32_t medium_weight = 4;
    std::uint32_t low_weight = 2;
    std::uint32_t burst = 1;              ///< commands taken from a queue at a time; 0: no limit
    std::uint32_t slots = 256;            ///< commands the controller holds at once
    std::uint32_t fetch_limit = 0;        ///< of one queue; 0: no limit but slots
    bool by_flow = false;                 ///< each flow has a queue
    std::uint32_t max_payload = 256;      ///< bytes
    std::uint32_t max_read_request = 512; ///< bytes
    std::uint32_t memory_page = 4096;     ///< bytes
    TimePs memory_latency = 500 * kNs;
    std::uint32_t interrupt_threshold = 1;
    TimePs interrupt_time = 0;

    static constexpr auto knobs = knobs_of(
        knob<&NvmeParams::weighted>("arbitration",
                                    "how an NVMe controller chooses the submission queue that it "
                                    "fetches from")
            .of(KnobWord{"round-robin", "All queues have their turn, one after the other."},
                KnobWord{"weighted", "Urgent queues come first; the others share each round by the "
                                     "weight of their class."})
            .from("NVM Express Base Specification 1.4, 4.13"),
        knob<&NvmeParams::priorities>("priorities",
                                      "priority class of the NVMe submission queues under weighted "
                                      "arbitration; a list names the classes of the first, second "
                                      "and further queues and repeats")
            .of(KnobWord{"urgent", "Its queues are served before all others."},
                KnobWord{"high", "Its queues have host.nvme.high_weight commands per round."},
                KnobWord{"medium", "Its queues have host.nvme.medium_weight commands per round."},
                KnobWord{"low", "Its queues have host.nvme.low_weight commands per round."}),
        knob<&NvmeParams::high_weight>("high_weight",
                                       "weighted NVMe arbitration fetches this many commands per "
                                       "round from queues of class high")
            .range(1, 256),
        knob<&NvmeParams::medium_weight>("medium_weight",
                                         "weighted NVMe arbitration fetches this many commands per "
                                         "round from queues of class medium")
            .range(1, 256),
        knob<&NvmeParams::low_weight>("low_weight",
                                      "weighted NVMe arbitration fetches this many commands per "
                                      "round from queues of class low")
            .range(1, 256),
        knob<&NvmeParams::burst>("burst", "an NVMe controller fetches this many commands from one "
                                          "queue before it turns to another; 0: all that the queue "
                                          "holds")
            .range(0, 64),
        knob<&NvmeParams::slots>("slots", "an NVMe controller holds at most this many commands at "
                                          "once")
            .range(1, 65536),
        knob<&NvmeParams::fetch_limit>("fetch_limit",
                                       "an NVMe controller holds at most this many commands of one "
                                       "submission queue at once; 0: host.nvme.slots")
            .range(0, 65536),
        knob<&NvmeParams::by_flow>("queue_of",
                                   "which of several NVMe submission queues the host gives a "
                                   "command to")
            .of(KnobWord{"turn", "The queues have their turn, one after the other."},
                KnobWord{"flow", "Each job, or trace of several, has a queue: the first has the "
                                 "first, and so on, in turn where there are more."}),
        knob<&NvmeParams::max_payload>("max_payload",
                                       "a PCIe packet carries at most this much data, a power of "
                                       "two")
            .bytes()
            .range(128, 4096)
            .from("PCI Express Base Specification, Max_Payload_Size"),
        knob<&NvmeParams::max_read_request>("max_read_request",
                                            "a PCIe read asks for at most this much data, a power "
                                            "of two")
            .bytes()
            .range(128, 4096)
            .from("PCI Express Base Specification, Max_Read_Request_Size"),
        knob<&NvmeParams::memory_page>(
            "memory_page", "a PRP entry of an NVMe command points to a host memory page "
                           "of this size, a power of two")
            .bytes()
            .range(4096, 65536)
            .from("NVM Express Base Specification 1.4, 4.3"),
        knob<&NvmeParams::memory_latency>("memory_latency",
                                          "host memory returns data this long after the device has "
                                          "sent its read request")
            .time()
            .from("estimate"),
        knob<&NvmeParams::interrupt_threshold>("interrupt_threshold",
                                               "an NVMe controller raises an interrupt when a "
                                               "completion queue holds this many completions")
            .range(1, 256)
            .from("NVM Express Base Specification 1.4, 5.21.1.8"),
        knob<&NvmeParams::interrupt_time>("interrupt_time",
                                          "an NVMe controller raises an interrupt after this time "
                                          "at the latest, also below "
                                          "host.nvme.interrupt_threshold")
            .time()
            .from("NVM Express Base Specification 1.4, 5.21.1.8"));
};

/// host.interface = nvme (see HostLinkRow).
struct NvmeHost {
    using Params = NvmeParams;

    static Refused problem(const HostParams& host, const SchemeParams& params);
    static std::unique_ptr<HostTransportIf> make_transport(const HostParams& host,
                                                           const SchemeParams& params,
                                                           std::uint32_t outstanding,
                                                           EventQueue& clock);
    static bool runs_alone(const HostParams& host, const SchemeParams& params, RequestOp op);
    static std::uint32_t most_outstanding(const HostParams& host) {
        return host.queue_depth * host.queues;
    }
    static std::string_view queue_priority(const SchemeParams& params, std::size_t queue);
};

} // namespace cavern
