#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/alloc/allocator_table.h"
#include "core/arbiter/arbiter_rules.h"
#include "core/arbiter/arbiter_table.h"
#include "core/base/geometry.h"
#include "core/base/units.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/eviction_trigger_table.h"
#include "core/data/data_params.h"
#include "core/drive/steady_state.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/ftl_table.h"
#include "core/ftl/victim_policy_table.h"
#include "core/partition/adaptive_partition.h"
#include "core/parts/currents.h"
#include "core/parts/discipline.h"
#include "core/parts/ecc_params.h"
#include "core/parts/nand_timing.h"
#include "core/parts/onfi_modes.h"
#include "core/parts/sdram_model.h"
#include "core/parts/sdram_timing.h"
#include "timed/host/host_link_table.h"

namespace cavern {

// The resolved description of a drive and a run: checked, immutable, in base units. What selects a
// scheme is the row of its table or a value of an enum; nothing is looked up by name after the
// configuration is loaded. Members carry the defaults; names, ranges and sentences of the keys are
// beside the schemes (knobs) and in config/keys_*.cpp.

struct HostConfig : HostParams {
    const HostLinkRow* link = find_host_link("sata");
    ParamsOf<HostLinkRow> link_params{host_link_table()};
    ReclaimHandleParams fdp;
    std::uint64_t link_byte_fj = 0; ///< energy; 0: not known
};

struct DramConfig {
    std::string part = "ddr3-1600";
    std::uint64_t bytes = 64 * kMiB;
    SdramModel model = SdramModel::kBanked;
    SdramScheduling scheduling = SdramScheduling::kAhead;
    std::uint32_t channels = 1;
    std::uint64_t stripe_bytes = 512;
    bool map_traffic = false;     ///< look-ups and updates of the map are accesses
    std::uint32_t copy_pages = 0; ///< NAND pages a die; 0: four a plane, with room
    SdramTiming timing;
    SdramCurrents currents;
};

/// Of an entry of a map that lies in the SDRAM whole.
inline constexpr std::uint64_t kMapEntryBytes = 4;

/// When the device takes up a command.
enum class Dispatch : std::uint8_t { kAuto, kAtOnce, kInTurn };

struct BufferConfig {
    std::uint64_t bytes = 16 * kMiB;
    const EvictionPolicyRow* policy = find_eviction_policy("lru-page"); ///< null: write-through
    std::vector<const EvictionTriggerRow*> eviction{find_eviction_trigger("single")};
    ParamsOf<EvictionPolicyRow> policy_params{eviction_policy_table()};
    ParamsOf<EvictionTriggerRow> trigger_params{eviction_trigger_table()};
    bool read_touch = false;
    bool cache_reads = false;
    bool flush_keep = false; ///< what a FLUSH writes stays, clean
    bool ncq_aware = false;  ///< commands that wait pin what they will use
    bool ncq_literal_minmax = false;
    double ncq_max_pinned = 0.5; ///< share of the frames that pins may protect
    Dispatch dispatch = Dispatch::kAuto;
};

struct AllocConfig {
    const AllocatorRow* scheme = find_allocator("block-round-robin");
    ParamsOf<AllocatorRow> params{allocator_table()};
};

struct FtlConfig {
    const FtlRow* scheme = find_ftl("page");
    ParamsOf<FtlRow> scheme_params{ftl_table()};
    ParamsOf<VictimPolicyRow> victim_params{victim_policy_table()};
    FtlParams params;              ///< as given; build and check with DrivePlan::ftl_params
    std::uint64_t unit_bytes = 0;  ///< mapping unit; 0: a page, whose sectors are not told apart
    TimePs background_after = kMs; ///< silence of the host before idle dies collect
    bool adaptive = false;         ///< memory of buffer and mapping cache is divided at run time
    AdaptivePartition::Params partition; ///< as given; build with DrivePlan::partition
};

struct NandConfig {
    std::string part = "slc-k9xxg08uxa";
    Geometry geometry; ///< of the part, in NAND pages; the drive's is DrivePlan::geometry
    NandInterface interface = NandInterface::kCustom;
    std::uint32_t timing_mode = 0; ///< of the interface
    NandTiming timing;             ///< what they give is in it
    NandCurrents currents;
    bool strict_order = false;
    bool multi_plane = true; ///< programs of one page index in several planes of a die run as one
    bool multi_plane_read = false;  ///< reads of one page index likewise
    bool multi_plane_erase = false; ///< erases in several planes likewise
    bool column_change = false;     ///< data out of any part of the page register
    std::uint32_t endurance = 0;    ///< erases that a block is good for; 0: not known
    bool retire_worn = false;       ///< an erase beyond that fails
};

struct ChannelConfig {
    ArbiterKind arbiter = ArbiterKind::kTlm;
    ArbiterPolicy policy = ArbiterPolicy::kRoundRobin;
    std::uint64_t arbiter_hz = 200'000'000;
    /// priority-age: cycles until a waiting request is promoted; 0: as many as these pages take.
    std::uint32_t age_limit = 0;
    std::uint32_t age_limit_pages = 32;
    std::string rtl_top;    ///< empty: built-in; or the user's module of this program
    bool gate_clock = true; ///< evaluate RTL edges only while something can change
};

struct SchedulerConfig {
    Discipline discipline = Discipline::kReadFirst;
    TimePs write_limit = 2 * kMs; ///< how long writes wait for reads that go first; 0: no limit
};

/// How long the controller takes to decide.
enum class CpuModel : std::uint8_t { kNone, kCost, kIss, kRtl, kLockstep };

/// Whether firmware is executed.
[[nodiscard]] constexpr bool executes_firmware(CpuModel model) {
    return model >= CpuModel::kIss;
}

/// Which form of the registers the firmware sees.
enum class CpuRegisters : std::uint8_t { kTlm, kRtl };

/// Who decides what becomes of a page.
enum class Decides : std::uint8_t { kCore, kFirmware, kLockstep };

/// How the controller finds a page in its buffer, as far as that costs cycles.
enum class CpuLookUp : std::uint8_t { kNone, kLm, kMl, kSq, kSg, kBt, kDx };

struct CpuConfig {
    CpuModel model = CpuModel::kNone;
    Decides decides = Decides::kCore;
    std::uint32_t cores = 1;
    std::uint64_t hz = 400'000'000;
    std::uint32_t command_cycles = 300;
    // Of the image drive_cycles on the interpreter; tests/cli/test_cpu_cost.py compares.
    std::uint32_t read_cycles = 222;
    std::uint32_t write_cycles = 1371;
    std::uint32_t operation_cycles = 358;
    std::uint32_t eviction_cycles = 0;
    std::uint32_t allocation_cycles = 0;
    std::uint32_t map_cycles = 0;
    std::uint32_t collection_cycles = 0;
    CpuLookUp look_up = CpuLookUp::kNone; ///< not none: instead of read_cycles and write_cycles
    std::uint32_t look_up_groups = 1;
    std::string firmware; ///< image; empty: the one that is built in
    CpuRegisters registers = CpuRegisters::kTlm;
    std::uint64_t watchdog = 100'000'000; ///< instructions that a request may take
};

struct DataConfig {
    DataStore store = DataStore::kNone;
    TrimReads trim_reads = TrimReads::kZeros;
};

struct ControllerConfig {
    std::uint64_t power_uw = 0; ///< 0: not known
};

struct WorkloadConfig {
    bool wraps = false; ///< requests beyond the drive wrap around; else they are errors
    bool closed_loop =
        false; ///< requests arrive as others complete; else at the times of the trace
    std::uint32_t depth = 32; ///< closed: commands kept outstanding
    double speedup = 1.0;     ///< trace: arrival times are divided by it
    std::string device;       ///< the one device of the trace to play; empty: all, laid end to end
};

struct PreconditionConfig {
    double fill = 0.0;         ///< share of the logical pages written before the run
    bool random = false;       ///< order of that fill
    double overwrite = 0.0;    ///< then this many times the filled pages at random
    bool until_steady = false; ///< then on, until write amplification is steady
    SteadyState steady;        ///< what steady means
};

enum class Fidelity : std::uint8_t { kApproximatelyTimed, kUntimed, kSampled };

/// Of a run of which windows alone have time.
struct SampledConfig {
    std::uint32_t windows = 30;
    std::uint32_t requests = 256;    ///< measured in each
    std::uint32_t warmup_depths = 8; ///< before those, times the commands kept outstanding
    bool random = false;             ///< each window at a place of its own
    double error = 0;                ///< half an interval as a share of the mean latency; 0: any
    double confidence = 0.95;
    std::uint32_t jobs = 0; ///< processes at the same time; 0: one for each processor
};

/// How a drive comes back after a loss of power.
enum class PowerRecovery : std::uint8_t {
    kOobScan,    ///< it reads the spare areas
    kPlp,        ///< the same, but stored energy has drained its write buffer before
    kCheckpoint, ///< it reads its map and what was programmed since
    kLtftl,      ///< it goes back to the latest moment at which it was in one piece
};

struct PowerLossConfig {
    TimePs at = 0;                ///< 0: never
    bool on_signal = false;       ///< a drive that is served: at SIGUSR1
    std::uint32_t cuts = 0;       ///< of a run without time
    std::uint32_t gap = 100;      ///< requests between two of those, in the mean
    std::uint32_t under_way = 64; ///< likewise: programs and erases not done
    std::uint64_t seed = 1;
    std::uint32_t cuts_in_mount = 0; ///< after each cut, at most
    PowerRecovery recovery = PowerRecovery::kOobScan;
    bool ends_programs = false;              ///< stored energy ends what dies have begun
    std::uint64_t energy_fj = 0;             ///< that drains the buffer
    std::uint64_t checkpoint_pages = 10'000; ///< programs between two checkpoints
    std::uint32_t journal = 100; ///< changes of the map in a page of the journal; 0: none

    [[nodiscard]] bool happens() const { return at != 0 || cuts != 0 || on_signal; }
};

struct SsdConfig {
    std::string name; ///< the file's stem, for titles
    Fidelity fidelity = Fidelity::kApproximatelyTimed;
    std::uint64_t seed = 1;
    HostConfig host;
    DramConfig dram;
    BufferConfig buffer;
    AllocConfig alloc;
    FtlConfig ftl;
    NandConfig nand;
    ChannelConfig channel;
    SchedulerConfig scheduler;
    EccParams ecc;
    CpuConfig cpu;
    ControllerConfig controller;
    DataConfig data;
    WorkloadConfig workload;
    SampledConfig sampled;
    PreconditionConfig precondition;
    PowerLossConfig power_loss;
};

} // namespace cavern
