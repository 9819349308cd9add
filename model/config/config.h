#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/alloc/adaptive.h"
#include "core/base/geometry.h"
#include "core/base/units.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/eviction_trigger_table.h"
#include "core/drive/steady_state.h"
#include "core/ftl/ftl_params.h"
#include "core/partition/adaptive_partition.h"
#include "core/parts/nand_timing.h"
#include "core/parts/sdram_timing.h"
#include "timed/host/nvme_arbiter.h"

namespace cavern {

/// The resolved description of a drive and a run: checked, immutable, in base units. Words that
/// select a scheme stay strings, each known to be in the table of its layer. Key names, units,
/// defaults and sources are in config_keys.cpp alone.
struct NvmeConfig {
    bool weighted = false;                                   ///< arbitration
    std::vector<QueueClass> priorities{QueueClass::kMedium}; ///< classes that queues have in turn
    std::uint32_t high_weight = 8;                           ///< commands a round
    std::uint32_t medium_weight = 4;
    std::uint32_t low_weight = 2;
    std::uint32_t burst = 1;              ///< commands taken from a queue at a time; 0: no limit
    std::uint32_t slots = 256;            ///< commands the controller holds at once
    std::uint32_t max_payload = 256;      ///< bytes
    std::uint32_t max_read_request = 512; ///< bytes
    std::uint32_t memory_page = 4096;     ///< bytes
    TimePs memory_latency = 0;
    std::uint32_t interrupt_threshold = 1;
    TimePs interrupt_time = 0;
};

struct SataConfig {
    TimePs handshake = 0;     ///< waiting for the other side around each frame
    bool queued_trim = false; ///< TRIM is SEND FPDMA QUEUED
};

struct HostConfig {
    std::string interface;          ///< direct, sata, nvme
    std::uint32_t generation = 2;   ///< SATA 1..3, PCIe 1..5
    std::uint32_t lanes = 4;        ///< PCIe
    std::uint32_t queues = 1;       ///< NVMe submission queues
    std::uint32_t queue_depth = 32; ///< commands outstanding at most, NVMe: in one queue
    SataConfig sata;
    NvmeConfig nvme;
    std::uint64_t bandwidth = 0; ///< direct: bytes per second
    bool full_duplex = false;    ///< direct: reads and writes do not share the link
    TimePs turnaround = 0;       ///< host software time per command, before it reaches the link
};

struct DramConfig {
    std::string part;
    std::uint64_t bytes = 0;
    std::string model; ///< banked, ideal
    SdramTiming timing;
};

struct BufferConfig {
    std::uint64_t bytes = 0;
    const EvictionPolicyRow* policy = find_eviction_policy("lru-page"); ///< null: write-through
    std::vector<const EvictionTriggerRow*> eviction{find_eviction_trigger("single")};
    ParamsOf<EvictionPolicyRow> policy_params{eviction_policy_table()};
    ParamsOf<EvictionTriggerRow> trigger_params{eviction_trigger_table()};
    bool read_touch = false;
    bool cache_reads = false;
    bool ncq_aware = false; ///< commands that wait pin what they will use
    bool ncq_literal_minmax = false;
    double ncq_max_pinned = 0.5; ///< share of the frames that pins may protect
    std::string dispatch;        ///< auto, at-once, in-turn
};

struct AllocConfig {
    std::string scheme;  ///< a name of allocator_table()
    std::string rr_mode; ///< a name of round_robin_mode_table()
    Adaptive::Params adaptive;
};

struct FtlConfig {
    std::string scheme;          ///< a name of ftl_table()
    FtlParams params;            ///< as given; build and check with ftl_params()
    TimePs background_after = 0; ///< silence of the host before idle dies collect
    bool adaptive = false;       ///< memory of buffer and mapping cache is divided as the run goes
    AdaptivePartition::Params partition; ///< the rest is filled in at building
};

struct NandConfig {
    std::string part;
    Geometry geometry;
    NandTiming timing;
    bool strict_order = false;
    bool multi_plane = true; ///< programs of one page index in several planes of a die run as one
    std::uint32_t endurance = 0; ///< erases that a block is good for; 0: not known
    bool retire_worn = false;    ///< an erase beyond that fails
};

struct ChannelConfig {
    std::string arbiter; ///< tlm, rtl, lockstep
    std::string policy;  ///< round-robin, priority-age
    std::uint64_t arbiter_hz = 200'000'000;
    std::uint32_t age_limit = 4096; ///< priority-age: cycles until a waiting request is promoted
    std::string rtl_top;            ///< built-in, or the user's module this program was built with
    bool gate_clock = true;         ///< evaluate RTL edges only while something can change
};

struct SchedulerConfig {
    std::string discipline; ///< read-first, fifo
};

struct WorkloadConfig {
    std::string out_of_range; ///< error, wrap
    std::string arrival;      ///< trace, closed
    std::uint32_t depth = 32; ///< closed: commands kept outstanding
    double speedup = 1.0;     ///< trace: arrival times are divided by it
    std::string device;       ///< the one device of the trace to play; empty: all, laid end to end
};

struct PreconditionConfig {
    double fill = 0.0;      ///< share of the logical pages written before the run
    std::string pattern;    ///< sequential, random
    double overwrite = 0.0; ///< then this many times the filled pages at random
    std::string until;      ///< overwrite, steady
    SteadyState steady;     ///< what steady means
};

struct SsdConfig {
    std::string name;     ///< the file's stem, for titles
    std::string fidelity; ///< at
    std::uint64_t seed = 1;
    HostConfig host;
    DramConfig dram;
    BufferConfig buffer;
    AllocConfig alloc;
    FtlConfig ftl;
    NandConfig nand;
    ChannelConfig channel;
    SchedulerConfig scheduler;
    WorkloadConfig workload;
    PreconditionConfig precondition;
};

/// What the translation layer is told: its own section and what other sections have of it.
[[nodiscard]] inline FtlParams ftl_params(const SsdConfig& config) {
    FtlParams params = config.ftl.params;
    params.strict_order = config.nand.strict_order;
    params.seed = config.seed;
    params.faults.last_erase = config.nand.retire_worn ? config.nand.endurance : 0;
    return params;
}

} // namespace cavern
