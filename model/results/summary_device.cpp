#include "core/data/drive_data.h"
#include "results/run_results.h"
#include "timed/channel/ecc.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

/// One channel or die of a run, and the run.
struct Place {
    const Ssd& ssd;
    std::uint32_t number;
    TimePs span;

    [[nodiscard]] Channel::Statistics channel() const { return ssd.channel(number).statistics(); }
    [[nodiscard]] const ClockedArbiter* arbiter() const { return ssd.clocked_arbiter(number); }
    [[nodiscard]] NandDie::Statistics die() const { return ssd.die(DieId{number}).statistics(); }
    [[nodiscard]] const Geometry& geometry() const { return ssd.config().nand.geometry; }
};

std::vector<Place> places(const RunResults& run, std::uint32_t count) {
    std::vector<Place> all;
    for (std::uint32_t i = 0; run.timed != nullptr && i < count; ++i) {
        all.push_back({*run.timed, i, run.span});
    }
    return all;
}

ObjectFields<Place> channel_fields() {
    ObjectFields<MeanMax> wait;
    wait.value("mean", "ns", "Mean time from asking for the bus to the grant.",
               [](const MeanMax& w) { return w.mean() / static_cast<double>(kNs); })
        .value("max", "ns", "Longest time from asking for the bus to the grant.",
               [](const MeanMax& w) { return to_ns(w.max()); })
        .laws({"mean <= max + 1"});
    ObjectFields<Place> lockstep;
    lockstep
        .value("compared", "grants",
               "Grants of the RTL arbiter compared with the C++ twin, whole run; 0 unless "
               "channel.arbiter = \"lockstep\".",
               [](const Place& c) {
                   return c.arbiter() == nullptr ? 0 : c.arbiter()->model().compared();
               })
        .value("mismatches", "grants",
               "Grants in which the RTL arbiter and the C++ twin differed, whole run. One ends the "
               "run, "
               "so that a finished run has 0.",
               [](const Place& c) {
                   return c.arbiter() == nullptr ? 0 : c.arbiter()->model().mismatches();
               })
        .laws({"mismatches = 0"});
    ObjectFields<Place> fields;
    fields
        .value("id", "", "Number of the channel, from 0.", [](const Place& c) { return c.number; })
        .counters<Channel::Statistics>([](const Place& c) { return c.channel(); })
        .value("utilization", "share", "Share of sim.measured_ns that the bus was held.",
               [](const Place& c) { return share(c.channel().busy, c.span); })
        .object("wait_ns", "Waiting for the bus.", wait,
                [](const Place& c) { return c.channel().wait_ps; })
        .value("arbiter", "", "tlm, rtl or lockstep (channel.arbiter).",
               [](const Place& c) { return row_of(c.ssd.config().channel.arbiter).name; })
        .value("clock_edges", "edges",
               "Edges of the arbiter's clock that were evaluated, whole run; 0 with tlm.",
               [](const Place& c) { return c.arbiter() == nullptr ? 0 : c.arbiter()->edges(); })
        .object("lockstep", "The RTL arbiter beside its C++ twin.", lockstep,
                [](const Place& c) -> const Place& { return c; })
        .laws({
            "id < config.nand.channels",
            "busy_ns <= sim.measured_ns",
            "busy_ns - 1 <= utilization * sim.measured_ns <= busy_ns + 1",
            "arbiter = config.channel.arbiter",
            "if arbiter = \"tlm\": clock_edges = 0",
            "if arbiter != \"lockstep\": lockstep.compared = 0",
            "if arbiter = \"lockstep\": grants <= lockstep.compared",
        });
    return fields;
}

ObjectFields<Place> die_fields() {
    const auto slot = [](const Place& d) { return d.geometry().slot_of(DieId{d.number}); };
    ObjectFields<Place> fields;
    fields
        .value("channel", "", "Number of the channel that the die is on.",
               [](const Place& d) { return raw(d.geometry().channel_of(DieId{d.number})); })
        .value("slot", "",
               "Number of the die on its channel, from 0. With nand.dies > 1 it counts through "
               "the dies of all ways.",
               slot)
        .value("way", "", "The old name of slot.", slot)
        .deprecated("slot")
        .counters<NandDie::Statistics>([](const Place& d) { return d.die(); })
        .value("utilization", "share", "Share of sim.measured_ns that the array was busy.",
               [](const Place& d) { return share(d.die().busy, d.span); })
        .value("occupied", "share",
               "Share of sim.measured_ns that the die had an operation: its array busy, its data "
               "on the bus, or waiting for the bus. What is under way where the power was cut is "
               "left out.",
               [](const Place& d) {
                   return share(d.ssd.scheduler().queues().occupied(DieId{d.number}), d.span);
               })
        .laws({
            "channel < config.nand.channels",
            "slot < config.nand.ways * config.nand.dies",
            "busy_ns <= sim.measured_ns",
            "busy_ns - 1 <= utilization * sim.measured_ns <= busy_ns + 1",
            "if no recovery: utilization <= occupied",
            "if no recovery: cache_reads <= reads",
            "if no recovery: cache_programs <= programs",
            "copy_backs <= programs",
            "one_shots <= programs",
            "if config.nand.column_change = false: register_reads = 0",
            "if config.nand.program_suspend = false and config.nand.erase_suspend = false: "
            "suspensions = 0",
            "if config.nand.copy_back = false: copy_backs = 0",
            "if config.nand.cache_read = false: cache_reads = 0",
            "if config.nand.cache_program = false: cache_programs = 0",
            "if config.nand.one_shot = false: one_shots = 0",
            "if config.nand.ready != \"poll\": polls = 0",
            "if config.nand.reset = false: resets = 0",
        });
    return fields;
}

ObjectFields<RunResults> dram_fields() {
    const auto statistics = [](const RunResults& run) { return run.timed->sdram().statistics(); };
    ObjectFields<RunResults> fields;
    fields.counters<SdramStatistics>(statistics)
        .counters<SdramController::Statistics>(statistics)
        .counters<MapTraffic::Statistics>(
            [](const RunResults& run) { return run.timed->buffer_manager().map_traffic(); })
        .value(
            "bandwidth_bps", "bytes/s", "Bytes per second, the mean over sim.measured_ns.",
            [statistics](const RunResults& run) { return rate(statistics(run).bytes, run.span); })
        .laws({
            "row_hits + row_misses + row_conflicts = read_bursts + write_bursts",
            "map_reads <= reads",
            "map_writes <= writes",
            "if no recovery: busy_ns <= config.dram.channels * sim.measured_ns",
            "row_open_ns <= config.dram.channels * config.dram.ranks * sim.measured_ns",
            "bandwidth_bps * (sim.measured_ns - 1) <= bytes * 1e9",
            "if sim.measured_ns != 0: bytes * 1e9 <= bandwidth_bps * (sim.measured_ns + 1)",
            "if config.dram.model = \"ideal\": "
            "read_bursts + write_bursts + activates + refreshes + busy_ns + row_open_ns = 0",
            "if config.dram.map_traffic = false: map_reads + map_writes = 0",
            "if sim.warmup_requests = 0 and no recovery: row_misses + row_conflicts <= activates",
            "if sim.warmup_requests = 0 and no recovery and config.dram.model = \"banked\": "
            "bytes <= (read_bursts + write_bursts) * config.dram.burst_length * "
            "config.dram.bus_bits / 8",
        });
    return fields;
}

/// Operations since the warm-up, and period by period.
ObjectFields<FlashPeriods> flash_fields() {
    ObjectFields<FlashPeriods> periods;
    periods.value("requests", "requests", "Requests of the host in each period.",
                  [](const FlashPeriods& counted) { return counted.requests(); });
    for (const Counter<FlashPeriods::Period>& each : FlashPeriods::Period::declared) {
        periods.value(std::string(each.name), each.unit, each.meaning,
                      [each](const FlashPeriods& counted) {
                          std::vector<std::uint64_t> values;
                          for (const FlashPeriods::Period& period : counted.periods()) {
                              values.push_back(each.value(period));
                          }
                          return values;
                      });
    }
    ObjectFields<FlashPeriods> fields;
    fields
        .value("reads", "pages", "Reads of pages (of mapping units, with ftl.unit).",
               [](const FlashPeriods& counted) { return counted.total().reads; })
        .value("programs", "pages", "NAND pages programmed.",
               [](const FlashPeriods& counted) { return counted.total().programs; })
        .value("erases", "blocks", "Blocks erased.",
               [](const FlashPeriods& counted) { return counted.total().erases; })
        .object("periods",
                "The same period by period, at most 128; what follows the last whole period is "
                "left out.",
                periods, [](const FlashPeriods& counted) -> const FlashPeriods& { return counted; })
        .laws({
            "sum(periods.reads) <= reads",
            "sum(periods.programs) <= programs",
            "sum(periods.erases) <= erases",
            "sum(periods.host_bytes) <= host.read.bytes + host.write.bytes",
            "count(periods.reads[]) <= 128",
            "if no recovery: periods.requests * count(periods.reads[]) <= "
            "host.read.count + host.write.count + host.trim.count + host.flush.count + "
            "host.zone.count",
        });
    return fields;
}

} // namespace

void add_device_fields(ObjectFields<RunResults>& summary) {
    summary
        .object("flash", "Operations of the flash since warm-up.", flash_fields(),
                [](const RunResults& run) { return run.untimed->periods(); })
        .present("fidelity other than \"at\"",
                 [](const RunResults& run) { return run.untimed != nullptr; })
        .list(
            "channels",
            "Each channel since warm-up, unless a field says otherwise; none in a run without "
            "time.",
            channel_fields(),
            [](const RunResults& run) { return places(run, run.config().nand.geometry.channels); })
        .list("dies", "Each die since warm-up; none in a run without time.", die_fields(),
              [](const RunResults& run) { return places(run, run.config().nand.geometry.dies()); })
        .object("dram", "The SDRAM of the drive since warm-up.", dram_fields(), itself)
        .present("fidelity = \"at\"", [](const RunResults& run) { return run.timed != nullptr; });
}

void add_ecc_fields(ObjectFields<RunResults>& summary) {
    const auto ecc = [](const RunResults& run) {
        return run.timed == nullptr ? nullptr : run.timed->ecc();
    };
    ObjectFields<RunResults> fields;
    fields
        .counters<Ecc::Statistics>([](const RunResults& run) -> const Ecc::Statistics& {
            return run.timed->ecc()->statistics();
        })
        .value("failed_requests", "requests",
               "Reads of the host that were answered with an error, because a page of them could "
               "not be corrected, or is a copy of one that could not: over NVMe the status "
               "Unrecovered Read Error (2h/81h), over SATA ERR with UNC.",
               [](const RunResults& run) {
                   return run.timed->host()
                       .statistics()
                       .by_op[static_cast<std::size_t>(RequestOp::kRead)]
                       .failed;
               })
        .laws({
            "failed_requests <= host.read.count",
            "retried_pages <= retries + soft_reads",
            "if sim.warmup_requests = 0: retries <= retried_pages * config.ecc.retry_limit",
            "if sim.warmup_requests = 0: "
            "soft_decoded_pages * config.ecc.soft_reads <= soft_reads",
            "if config.ecc.errors = \"none\": raw_bit_errors + retried_pages + retries + "
            "soft_decoded_pages + soft_reads + uncorrectable_pages + lost_page_reads + "
            "failed_requests = 0",
        });
    summary.object("ecc", "The ECC engines of all channels since warm-up.", fields, itself)
        .present("ecc.engine = \"per-channel\", in a run with time",
                 [ecc](const RunResults& run) { return ecc(run) != nullptr; });
}

void add_data_fields(ObjectFields<RunResults>& summary) {
    const auto data = [](const RunResults& run) {
        return run.timed != nullptr ? run.timed->data() : run.untimed->data();
    };
    ObjectFields<RunResults> fields;
    fields
        .counters<DriveData::Statistics>(
            [data](const RunResults& run) -> const DriveData::Statistics& {
                return data(run)->statistics();
            })
        .counters<ContentStore::Statistics>(
            [data](const RunResults& run) -> const ContentStore::Statistics& {
                return data(run)->store().statistics();
            })
        .laws({"zero_sectors <= sectors_compared", "compressed_pages <= pages",
               "if config.data.store != \"full\": raw_bytes + held_bytes + compressed_pages = 0"});
    summary
        .object("data",
                "What the drive keeps of the data in its pages, and what reads of the host were "
                "compared with; since warm-up unless a field says otherwise.",
                fields, itself)
        .present("data.store = \"fingerprint\" or \"full\"",
                 [data](const RunResults& run) { return data(run) != nullptr; });
}

void add_recovery_fields(ObjectFields<RunResults>& summary) {
    ObjectFields<RunResults> fields;
    fields
        .counters<RecoveryCounters>(
            [](const RunResults& run) -> const RecoveryCounters& { return *run.facts.recovery; })
        .laws({
            "flushed <= acknowledged",
            "recovered <= acknowledged <= recovered + lost_unflushed + lost_flushed + corrupt",
            "time_ns - 1 <= scan_ns + rebuild_ns <= time_ns + 1",
            "full_scans <= cuts",
            "if cuts = 0: acknowledged + recovered + torn_pages + drained_pages + time_ns = 0",
        });
    summary
        .object("recovery",
                "What became of the drive's data when its power was cut, of all cuts together "
                "(docs/power-loss.md).",
                fields, itself)
        .present("power_loss.at, power_loss.cuts or power_loss.on_signal",
                 [](const RunResults& run) { return run.facts.recovery.has_value(); });
}

} // namespace cavern
