#include "tests/drive/pair_keys.h"

#include "config/config_keys.h"
#include "core/base/check.h"

namespace cavern::testing {

namespace {

const std::vector<std::string> kShares{"0", "0.2", "0.5", "0.8", "1"};

} // namespace

const std::vector<PairKey>& basic_pair_keys() {
    static const std::vector<PairKey> keys{
        {"ftl.scheme", 100, {}, ""},
        {"alloc.scheme",
         100,
         {"block-round-robin", "stripe-page", "stripe-page", "stripe-block", "stripe-block",
          "least-loaded", "adaptive", "cwdp", "pcwd", "wdpc"},
         ""},
        {"alloc.block-round-robin.mode", 100, {}, "alloc.scheme=block-round-robin"},
        {"nand.channels", 100, {"1", "2", "2", "4"}, ""},
        {"nand.ways", 100, {"1", "2", "2", "3"}, ""},
        {"nand.dies", 100, {"1", "1", "2"}, ""},
        {"nand.planes", 100, {"1", "1", "2", "4"}, ""},
        {"nand.blocks_per_plane", 100, {"14", "16", "24", "32", "40"}, ""},
        {"nand.pages_per_block", 100, {"4", "6", "8", "12", "16"}, ""},
        {"nand.slc_blocks", 100, {"2", "3"}, "ftl.scheme=slc-cache"},
        {"nand.t_read", 100, {"[\"40us\", \"60us\"]"}, "ftl.scheme=slc-cache"},
        {"nand.slc_t_read", 100, {"20us"}, "ftl.scheme=slc-cache"},
        {"nand.slc_t_program", 100, {"90us"}, "ftl.scheme=slc-cache"},
        {"nand.page_size", 100, {"512B", "2KiB", "4KiB", "16KiB"}, ""},
        {"nand.spare_size", 100, {"0B", "16B", "64B"}, ""},
        {"dram.size", 100, {"4MiB"}, ""},
        {"buffer.size", 100, {"16KiB", "32KiB", "64KiB", "256KiB"}, ""},
        {"ftl.overprovision", 100, {"0.15", "0.3", "0.45", "0.6", "0.75"}, ""},
        {"ftl.log_blocks", 100, {"4", "6", "8", "16", "32"}, ""},
        {"ftl.map_cache", 100, {"64B", "512B", "4KiB"}, ""},
    };
    return keys;
}

const std::vector<PairKey>& pair_keys() {
    static const std::vector<PairKey> keys{
        {"seed", 100, {"1", "2", "3", "77"}, ""},
        // The host.
        {"host.interface", 90, {}, ""},
        {"host.generation", 30, {"1", "2", "3"}, ""},
        {"host.lanes", 30, {"1", "4", "16"}, "host.interface=nvme"},
        {"host.queues", 60, {"2", "3", "16"}, "host.interface=nvme"},
        {"host.queue_depth", 70, {"1", "2", "4", "8", "32"}, ""},
        {"host.bandwidth", 30, {"5MB/s", "1GB/s"}, "host.interface=direct"},
        {"host.duplex", 50, {}, "host.interface=direct"},
        {"host.turnaround", 20, {"7us", "50us"}, ""},
        {"host.sata.handshake", 30, {"300ns"}, "host.interface=sata"},
        {"host.sata.queued_trim", 50, {}, "host.interface=sata"},
        {"host.nvme.arbitration", 50, {}, "host.interface=nvme"},
        {"host.nvme.priorities",
         50,
         {"[\"low\",\"urgent\",\"high\",\"medium\"]", "high"},
         "host.interface=nvme"},
        {"host.nvme.high_weight", 20, {"1", "5"}, "host.interface=nvme"},
        {"host.nvme.medium_weight", 20, {"1", "5"}, "host.interface=nvme"},
        {"host.nvme.low_weight", 20, {"1", "5"}, "host.interface=nvme"},
        {"host.nvme.burst", 30, {"0", "1", "3"}, "host.interface=nvme"},
        {"host.nvme.slots", 30, {"1", "5", "64"}, "host.interface=nvme"},
        {"host.nvme.max_payload", 20, {"128B", "512B"}, "host.interface=nvme"},
        {"host.nvme.max_read_request", 20, {"128B", "4KiB"}, "host.interface=nvme"},
        {"host.nvme.memory_page", 10, {"64KiB"}, "host.interface=nvme"},
        {"host.nvme.memory_latency", 20, {"0ps", "2us"}, "host.interface=nvme"},
        {"host.nvme.interrupt_threshold", 30, {"4"}, "host.interface=nvme"},
        {"host.nvme.interrupt_time", 30, {"30us"}, "host.interface=nvme"},
        {"host.fdp.handles", 40, {"1", "2", "4"}, "ftl.scheme=page"},
        {"host.fdp.isolation", 50, {}, "ftl.scheme=page"},
        // The SDRAM. Its timing parameters move times only; these two stand for them.
        {"dram.model", 40, {}, ""},
        {"dram.queue_depth", 20, {"1", "4"}, ""},
        {"dram.copy_pages", 60, {"1", "1", "2", "5"}, ""},
        // The processors.
        {"cpu.model", 40, {"none", "cost"}, ""},
        {"cpu.decides", 12, {"firmware", "lockstep"}, ""}, // what the firmware has not, is given up
        {"cpu.cores", 50, {"2", "3"}, "cpu.model=cost"},
        {"cpu.clock", 30, {"20MHz"}, "cpu.model=cost"},
        {"cpu.command_cycles", 30, {"0", "20000"}, "cpu.model=cost"},
        {"cpu.read_cycles", 30, {"0", "2000"}, "cpu.model=cost"},
        {"cpu.write_cycles", 30, {"0", "2000"}, "cpu.model=cost"},
        {"cpu.operation_cycles", 30, {"0", "20000"}, "cpu.model=cost"},
        {"cpu.eviction_cycles", 20, {"300", "20000"}, "cpu.model=cost"},
        {"cpu.allocation_cycles", 20, {"300", "20000"}, "cpu.model=cost"},
        {"cpu.map_cycles", 20, {"300", "20000"}, "cpu.model=cost"},
        {"cpu.collection_cycles", 20, {"300", "20000"}, "cpu.model=cost"},
        // The write buffer.
        {"buffer.policy", 95, {}, ""},
        {"buffer.eviction",
         70,
         {"single", "cave", "cave", "cave", "linear-threshold", "idle",
          "[\"cave\",\"linear-threshold\",\"idle\"]"},
         ""},
        {"buffer.cache_reads", 50, {}, ""},
        {"buffer.read_touch", 50, {}, ""},
        {"buffer.flush_keep", 50, {}, ""},
        {"buffer.dispatch", 40, {}, ""},
        {"buffer.ncq_aware", 15, {"true"}, ""},
        {"buffer.ncq_max_pinned", 50, kShares, "buffer.ncq_aware=true"},
        {"buffer.ncq_literal_minmax", 50, {}, "buffer.ncq_aware=true"},
        {"buffer.cave.victims", 50, {"1", "3", "7"}, "buffer.eviction=cave"},
        {"buffer.cave.block", 50, {}, "buffer.eviction=cave"},
        {"buffer.linear-threshold.low", 50, {"0.2", "0.5"}, "buffer.eviction=linear-threshold"},
        {"buffer.linear-threshold.high", 50, {"0.7", "1"}, "buffer.eviction=linear-threshold"},
        {"buffer.linear-threshold.max", 50, {"1", "3"}, "buffer.eviction=linear-threshold"},
        {"buffer.idle.after", 80, {"20us", "200us"}, "buffer.eviction=idle"},
        {"buffer.idle.low", 50, kShares, "buffer.eviction=idle"},
        {"buffer.bplru.pad", 50, {}, "buffer.policy=bplru"},
        {"buffer.bplru.compensate", 50, {}, "buffer.policy=bplru"},
        {"buffer.clc.alpha", 50, kShares, "buffer.policy=clc"},
        {"buffer.ref.window", 50, {"1", "3", "100"}, "buffer.policy=ref"},
        {"buffer.ref.victims", 50, {"2", "5"}, "buffer.policy=ref"},
        {"buffer.ref.refill", 50, {}, "buffer.policy=ref"},
        {"buffer.cflru.window", 50, {"1", "3", "100"}, "buffer.policy=cflru"},
        {"buffer.ccf-lru.new_dirty_cold", 50, {}, "buffer.policy=ccf-lru"},
        {"buffer.multichip.window", 50, {"1", "3", "100"}, "buffer.policy=multichip"},
        // The allocator.
        {"alloc.adaptive.epoch", 90, {"50", "200"}, "alloc.scheme=adaptive"},
        {"alloc.adaptive.hysteresis", 50, {"0", "0.5"}, "alloc.scheme=adaptive"},
        // The translation layer.
        {"ftl.unit", 50, {"512B", "512B", "1KiB", "2KiB", "4KiB", "16KiB"}, ""},
        {"ftl.gc_policy", 70, {}, ""},
        {"ftl.d-choices.d", 50, {"1", "3"}, "ftl.gc_policy=d-choices"},
        {"ftl.gc_unit", 20, {}, ""},
        {"ftl.gc_low", 40, {"1", "2", "3", "17"}, ""},
        {"ftl.gc_high", 40, {"2", "3", "5", "40"}, ""},
        {"ftl.gc_pace", 60, {}, ""},
        {"ftl.gc_placement", 60, {}, ""},
        {"ftl.slc-cache.when_full", 50, {}, "ftl.scheme=slc-cache"},
        {"ftl.slc-cache.idle", 50, {}, "ftl.scheme=slc-cache"},
        {"ftl.gc_shared_frontier", 40, {}, ""},
        {"ftl.gc_background", 12, {"4", "6", "9"}, ""},
        {"ftl.gc_background_after", 70, {"20us", "200us"}, ""},
        {"ftl.hot_cold", 40, {}, "ftl.scheme=page"},
        {"ftl.hot_decay", 40, {"0.1", "0.5"}, "ftl.scheme=page"},
        {"ftl.wear_leveling", 60, {}, "ftl.scheme=page"},
        {"ftl.wear_threshold", 70, {"2", "4"}, "ftl.scheme=page"},
        {"ftl.eager_switch", 40, {}, ""},
        {"ftl.partition", 30, {"adaptive"}, ""},
        {"ftl.adaptive.ratio", 50, kShares, "ftl.partition=adaptive"},
        {"ftl.adaptive.interval", 90, {"10", "50"}, "ftl.partition=adaptive"},
        {"ftl.adaptive.alpha", 40, {"1", "20"}, "ftl.partition=adaptive"},
        {"ftl.adaptive.bitmap", 40, {"64B", "4KiB"}, "ftl.partition=adaptive"},
        {"ftl.adaptive.tune_scale", 40, {"0.5", "10"}, "ftl.partition=adaptive"},
        {"ftl.adaptive.inc_max", 40, {"1", "10"}, "ftl.partition=adaptive"},
        {"ftl.adaptive.inc_none", 40, {"1", "64"}, "ftl.partition=adaptive"},
        {"ftl.adaptive.extra_hits", 40, {"1", "2.5"}, "ftl.partition=adaptive"},
        {"ftl.dftl.cmt", 50, {"1", "7", "100"}, "ftl.scheme=dftl"},
        {"ftl.dftl.entry", 50, {"24B", "11B"}, "ftl.scheme=dftl"},
        {"ftl.dftl.write_miss", 60, {}, "ftl.scheme=dftl"},
        {"ftl.dftl.slru", 50, {}, "ftl.scheme=dftl"},
        {"ftl.dftl.lazy_invalidate", 50, {}, "ftl.scheme=dftl"},
        {"ftl.mcsplit.stripe", 60, {"1", "2"}, "ftl.scheme=mcsplit"},
        {"ftl.fast.random_logs", 50, {"1", "3"}, "ftl.scheme=fast"},
        {"ftl.last.sequential_logs", 50, {"1", "2"}, "ftl.scheme=last"},
        {"ftl.last.random_logs", 50, {"2", "3"}, "ftl.scheme=last"},
        {"ftl.last.threshold", 60, {"2KiB", "4KiB", "16KiB"}, "ftl.scheme=last"},
        {"ftl.last.hot_window", 50, {"2", "20"}, "ftl.scheme=last"},
        {"ftl.superblock.blocks", 80, {"2", "3", "4", "8"}, "ftl.scheme=superblock"},
        {"ftl.superblock.updates", 50, {"1", "2"}, "ftl.scheme=superblock"},
        {"ftl.zoned.capacity", 60, {"0.3", "0.8"}, "ftl.scheme=zoned"},
        {"ftl.zoned.max_open", 60, {"1", "3"}, "ftl.scheme=zoned"},
        {"ftl.zoned.max_active", 60, {"3", "5"}, "ftl.scheme=zoned"},
        {"ftl.subgroup.blocks", 80, {"2", "4", "6"}, "ftl.scheme=subgroup"},
        // The flash.
        {"nand.t_program", 20, {"50us", "900us"}, ""},
        {"nand.t_erase", 10, {"100us", "9ms"}, ""},
        {"nand.bus_rate", 10, {"1200MT/s"}, ""},
        {"nand.command_cycle", 10, {"0ps", "100ns"}, ""},
        {"nand.read_cycles", 5, {"6"}, ""},
        {"nand.program_cycles", 5, {"6"}, ""},
        {"nand.erase_cycles", 5, {"4"}, ""},
        {"nand.strict_order", 30, {}, ""},
        {"nand.multi_plane", 40, {}, ""},
        {"nand.multi_plane_read", 40, {}, ""},
        {"nand.multi_plane_erase", 40, {}, ""},
        {"nand.t_wb", 10, {"100ns"}, ""},
        {"nand.t_adl", 10, {"150ns"}, ""},
        {"nand.t_ccs", 10, {"300ns"}, ""},
        {"nand.t_rhw", 20, {"100ns", "7us"}, ""},
        {"nand.t_dbsy", 10, {"500ns"}, ""},
        {"nand.program_suspend", 40, {}, ""},
        {"nand.erase_suspend", 40, {}, ""},
        {"nand.suspend_cycles", 10, {"0", "1"}, ""},
        {"nand.t_suspend", 40, {"5us", "30us"}, ""},
        {"nand.t_resume", 40, {"2us"}, ""},
        {"nand.suspend_least", 40, {"20us", "200us"}, ""},
        {"nand.suspend_limit", 40, {"1", "3"}, ""},
        {"nand.cache_read", 40, {}, ""},
        {"nand.cache_program", 40, {}, ""},
        {"nand.t_rcbsy", 20, {"3us"}, ""},
        {"nand.t_cbsy", 20, {"3us"}, ""},
        {"nand.copy_back", 40, {}, ""},
        {"nand.copy_back_limit", 40, {"2", "255"}, ""},
        {"nand.column_change", 50, {}, ""},
        {"nand.endurance", 20, {"30", "1000"}, ""},
        {"nand.retire_worn", 20, {}, ""},
        {"nand.bad_blocks", 15, {"0.02"}, "ftl.scheme=page"},
        {"nand.program_failures", 30, {"1e-4", "1e-3"}, "ftl.scheme=page"},
        {"nand.erase_failures", 40, {"1e-3"}, "ftl.scheme=page"},
        // Channels and dies.
        {"channel.arbiter", 30, {}, ""},
        {"channel.policy", 60, {}, ""},
        {"channel.arbiter_clock", 20, {"1MHz", "50MHz", "400MHz"}, ""},
        {"channel.age_limit", 20, {"20", "2000"}, "channel.policy=priority-age"},
        {"channel.age_limit_pages", 40, {"1", "4"}, "channel.policy=priority-age"},
        {"channel.gate_clock", 60, {}, "channel.arbiter_clock=1MHz"}, // each edge takes time
        {"scheduler.discipline", 60, {}, ""},
        {"scheduler.write_limit", 20, {"100us", "5ms"}, ""},
        // Error correction.
        {"ecc.engine", 30, {}, ""},
        {"ecc.codeword", 90, {"512B", "512B", "512B", "2KiB"}, "ecc.engine=per-channel"},
        {"ecc.encode_latency", 60, {"3us", "80us"}, "ecc.engine=per-channel"},
        {"ecc.decode_latency", 60, {"3us", "80us"}, "ecc.engine=per-channel"},
        {"ecc.throughput", 60, {"2MB/s", "1GB/s"}, "ecc.engine=per-channel"},
        {"ecc.errors", 50, {"mlc-2ynm", "tlc-72layer"}, "ecc.engine=per-channel"},
        {"ecc.rber_scale", 60, {"4", "100"}, "ecc.errors=tlc-72layer"},
        {"ecc.cycles", 40, {"3000"}, "ecc.engine=per-channel"},
        {"ecc.retention_days", 40, {"365"}, "ecc.engine=per-channel"},
        {"ecc.correctable", 40, {"0", "45"}, "ecc.engine=per-channel"},
        {"ecc.retry_limit", 40, {"0", "1"}, "ecc.engine=per-channel"},
        {"ecc.retry_gain", 40, {"0", "1"}, "ecc.engine=per-channel"},
        {"ecc.soft_reads", 40, {"1", "3"}, "ecc.engine=per-channel"},
        {"ecc.soft_correctable", 40, {"100000"}, "ecc.engine=per-channel"},
        {"ecc.soft_latency", 40, {"90us"}, "ecc.engine=per-channel"},
        // Before the run.
        {"precondition.fill", 70, {"0.3", "0.7", "1"}, ""},
        {"precondition.pattern", 50, {}, ""},
        {"precondition.overwrite", 40, {"0.3", "1"}, ""},
        {"precondition.until", 10, {}, ""},
        {"precondition.round", 100, {"0.1"}, "precondition.until=steady"},
        {"precondition.window", 100, {"2"}, "precondition.until=steady"},
        {"precondition.range", 50, {"0.1", "1"}, "precondition.until=steady"},
        {"precondition.slope", 50, {"0.1", "1"}, "precondition.until=steady"},
        {"precondition.max_rounds", 100, {"3"}, "precondition.until=steady"},
        // Times by the mode of an interface; currents.
        {"nand.interface", 15, {"sdr", "nv-ddr"}, ""},
        {"nand.timing_mode", 60, {"0", "3", "5"}, "nand.interface=sdr"},
        {"nand.vcc", 5, {"1.8V"}, ""},
        {"nand.icc_read", 5, {"25mA"}, ""},
        {"nand.icc_program", 5, {"25mA"}, ""},
        {"nand.icc_erase", 5, {"25mA"}, ""},
        {"nand.icc_bus", 5, {"5mA"}, ""},
        {"nand.icc_standby", 5, {"10uA"}, ""},
        {"nand.vccq", 5, {"1.2V"}, ""},
        {"nand.iccq_bus", 50, {"15mA"}, "nand.vccq=1.2V"},
        {"host.link_energy", 5, {"40pJ"}, ""},
        {"controller.power", 5, {"2W"}, ""},
    };
    return keys;
}

const std::vector<UndrawnKey>& undrawn_keys() {
    static const std::vector<UndrawnKey> keys{
        {"name", "a title"},
        {"fidelity", "each pair has both"},
        {"nand.part", "its values are keys of their own; it is that of the small drive"},
        {"nand.bus_cycle", "says the same as nand.bus_rate"},
        {"nand.fault_list", "names a file; nand.program_failures and others fail as well"},
        {"dram.", "parameters of time; dram.model and dram.queue_depth stand for them"},
        {"channel.rtl_top", "an arbiter of one's own is not in every build"},
        {"workload.", "the requests of a pair are drawn by themselves"},
        {"cpu.look_up", "takes a buffer of 16384 pages"},
        {"cpu.look_up_groups", "as cpu.look_up"},
        {"cpu.", "of firmware that is executed: tests/cli/test_cpu_firmware.py"},
        {"power_loss.", "not available in this version"},
        {"data.", "not available in this version"},
    };
    return keys;
}

std::string draw_setting(const PairKey& key, Random& random) {
    const auto index = find_config_key(key.key);
    CAVERN_CHECK(index.has_value(), std::string(key.key) + " is drawn and is no key");
    std::vector<std::string> values = key.values;
    if (values.empty()) {
        values = config_keys()[*index].words;
    }
    if (values.empty()) {
        values = {"false", "true"};
    }
    return std::string(key.key) + "=" + values[random.below(values.size())];
}

} // namespace cavern::testing
