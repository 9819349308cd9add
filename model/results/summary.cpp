#include "results/summary.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <utility>

#include "config/config_show.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t to_ns(TimePs time) {
    return (time + kNs / 2) / kNs;
}

double ratio(double part, double whole) {
    return whole == 0 ? 0.0 : part / whole;
}

double share(std::uint64_t part, std::uint64_t whole) {
    return ratio(static_cast<double>(part), static_cast<double>(whole));
}

/// Per second of simulated time.
double rate(std::uint64_t amount, TimePs over) {
    return ratio(static_cast<double>(amount),
                 static_cast<double>(over) / static_cast<double>(kSecond));
}

Json latency(const Histogram& histogram) {
    return {{"mean", histogram.mean()},
            {"min", histogram.min()},
            {"p50", histogram.quantile(0.50)},
            {"p90", histogram.quantile(0.90)},
            {"p95", histogram.quantile(0.95)},
            {"p99", histogram.quantile(0.99)},
            {"p99_9", histogram.quantile(0.999)},
            {"p99_99", histogram.quantile(0.9999)},
            {"max", histogram.max()}};
}

/// Dotted names become nested objects.
Json config_json(const ResolvedConfig& resolved) {
    Json config = Json::object();
    for (const auto& [name, text] : config_values(resolved)) {
        std::string pointer = "/" + name;
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        config[Json::json_pointer(pointer)] = Json::parse(text);
    }
    return config;
}

Json host_summary(const HostInterface::Statistics& host, TimePs link_busy) {
    const auto op = [&host](RequestOp which) -> Json {
        const auto& s = host.by_op[static_cast<std::size_t>(which)];
        return {
            {"count", s.latency_ns.count()}, {"bytes", s.bytes}, {"lat_ns", latency(s.latency_ns)}};
    };
    const TimePs span =
        host.window_end > host.window_begin ? host.window_end - host.window_begin : 0;
    return {{"read", op(RequestOp::kRead)},
            {"write", op(RequestOp::kWrite)},
            {"trim", op(RequestOp::kTrim)},
            {"flush", op(RequestOp::kFlush)},
            {"iops", rate(host.window_requests, span)},
            {"bandwidth_bps", rate(host.window_bytes, span)},
            {"link_busy_ns", to_ns(link_busy)}};
}

Json queue_summary(const HostConfig& config, const HostInterface& host) {
    Json queues = Json::array();
    const std::vector<QueueClass>& classes = config.nvme.priorities;
    for (const QueueStatistics& queue : host.transport().queues()) {
        queues.push_back(
            {{"id", queues.size()},
             {"priority",
              kQueueClasses[static_cast<std::size_t>(classes[queues.size() % classes.size()])]},
             {"count", queue.requests},
             {"bytes", queue.bytes}});
    }
    return queues;
}

Json buffer_summary(const SsdConfig& config, const DriveCore& core,
                    const BufferManager::Statistics& timed) {
    const BufferCounters counters = core.buffer_counters();
    const WriteBuffer* buffer = core.buffer();
    std::string eviction;
    for (const EvictionTriggerRow* trigger : config.buffer.eviction) {
        eviction += (eviction.empty() ? "" : "+") + std::string(trigger->name);
    }
    const std::uint64_t writes = counters.write_hits + counters.write_misses;
    const std::uint64_t reads = counters.read_hits + counters.read_misses;
    const NcqAware::Counters pinning =
        core.queue_pins() != nullptr ? core.queue_pins()->counters() : NcqAware::Counters{};
    return {{"policy", config.buffer.policy != nullptr ? config.buffer.policy->name : "none"},
            {"ncq_aware", config.buffer.ncq_aware},
            {"pins", pinning.pins},
            {"pins_refused", pinning.refused},
            {"pinned_victims", pinning.pinned_victims},
            {"eviction", eviction},
            {"pages", buffer == nullptr ? 0 : buffer->capacity()},
            {"read_hits", counters.read_hits},
            {"read_misses", counters.read_misses},
            {"write_hits", counters.write_hits},
            {"write_misses", counters.write_misses},
            {"hit_ratio", share(counters.read_hits + counters.write_hits, reads + writes)},
            {"write_hit_ratio", share(counters.write_hits, writes)},
            {"eviction_events", counters.eviction_events},
            {"victims", counters.victims},
            {"evicted_pages", counters.evicted_pages},
            {"dropped_pages", counters.dropped_pages},
            {"padding_pages", counters.padding_pages},
            {"stall_ns", to_ns(timed.stall)},
            {"in_flight_read_hits", timed.in_flight_read_hits},
            {"zero_reads", timed.zero_reads}};
}

Json wear_summary(const NandArray& array) {
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
    double sum = 0;
    double squares = 0;
    const std::uint32_t blocks = array.geometry().blocks();
    for (std::uint32_t block = 0; block < blocks; ++block) {
        const std::uint32_t erases = array.erase_count(BlockId{block});
        least = std::min<std::uint64_t>(least, erases);
        most = std::max<std::uint64_t>(most, erases);
        sum += erases;
        squares += static_cast<double>(erases) * erases;
    }
    const double mean = sum / blocks;
    return {{"min", least},
            {"mean", mean},
            {"max", most},
            {"stddev", std::sqrt(std::max(0.0, squares / blocks - mean * mean))}};
}

Json cmt_summary(const FtlIf& ftl) {
    const MapCacheIf* cache = ftl.map_cache();
    const MapCacheCounters count = cache == nullptr ? MapCacheCounters{} : cache->cache_counters();
    return {{"bytes", cache == nullptr ? 0 : cache->cache_bytes()},
            {"read_hits", count.read_hits},
            {"read_misses", count.read_misses},
            {"write_hits", count.write_hits},
            {"write_misses", count.write_misses},
            {"evictions", count.evictions},
            {"batches", count.batches},
            {"batch_entries", count.batch_entries},
            {"gc_batches", count.gc_batches},
            {"gc_batch_entries", count.gc_batch_entries},
            {"lazy_copies", count.lazy_copies},
            {"table_copies", count.table_copies},
            {"table_collections", count.table_collections},
            {"data_copies", count.data_copies},
            {"data_collections", count.data_collections},
            {"log_collections", count.log_collections},
            {"log_valid_pages", count.log_valid_pages},
            {"log_merges", count.log_merges}};
}

/// What the host can write before blocks reach their endurance, at the write amplification of this
/// run: evenly worn, and with the wear as uneven as it is.
Json lifetime_summary(const SsdConfig& config, const FtlCounters& ftl, const Json& wear) {
    if (config.nand.endurance == 0 || ftl.erases == 0) {
        return nullptr; // not known, or nothing to go by
    }
    const Geometry& geometry = config.nand.geometry;
    const double host_bytes = static_cast<double>(ftl.host_pages) * geometry.page_bytes;
    const double even = static_cast<double>(config.nand.endurance) * geometry.blocks() *
                        ratio(host_bytes, static_cast<double>(ftl.erases));
    return {{"endurance", config.nand.endurance},
            {"host_bytes", even},
            {"host_bytes_first_block", even * ratio(wear["mean"], wear["max"])}};
}

Json partition_summary(const DriveCore& core) {
    const AdaptivePartition* partition = core.partition();
    if (partition == nullptr) {
        return {{"mode", "static"}};
    }
    return {{"mode", "adaptive"},
            {"buffer_bytes", partition->buffer_bytes()},
            {"map_bytes", partition->map_bytes()},
            {"map_ratio",
             share(partition->map_bytes(), partition->map_bytes() + partition->buffer_bytes())},
            {"mean_map_ratio",
             partition->mean_map_bytes() /
                 static_cast<double>(partition->map_bytes() + partition->buffer_bytes())},
            {"decisions", partition->decisions()},
            {"moved_bytes", partition->moved_bytes()}};
}

Json ftl_summary(const SsdConfig& config, const DriveCore& core, const NandArray& array) {
    const FtlCounters& ftl = core.ftl().counters();
    const ExecutionTime& time = core.execution_time();
    const std::uint64_t programs = programs_of(ftl);
    const BadBlocks bad = core.ftl().bad_blocks();
    const Json wear = wear_summary(array);
    return {{"scheme", config.ftl.scheme},
            {"logical_pages", core.ftl().logical_pages()},
            {"host_pages", ftl.host_pages},
            {"gc_pages", ftl.gc_pages},
            {"merge_pages", ftl.merge_pages},
            {"moved_pages", ftl.moved_pages},
            {"padding_pages", ftl.padding_pages},
            {"map_pages_read", ftl.map_pages_read},
            {"map_pages_written", ftl.map_pages_written},
            {"wear_pages", ftl.wear_pages},
            {"rescued_pages", ftl.rescued_pages},
            {"failed_programs", ftl.failed_programs},
            {"failed_erases", ftl.failed_erases},
            {"erases", ftl.erases},
            {"waf", share(programs, ftl.host_pages)},
            {"merges",
             {{"switch", ftl.merges_switch},
              {"partial", ftl.merges_partial},
              {"full", ftl.merges_full}}},
            {"gc_runs", ftl.gc_runs},
            {"write_time_ns", to_ns(time.write_time())},
            {"gc_time_ns", to_ns(time.total()) - to_ns(time.write_time())},
            {"execution_time_ns", to_ns(time.total())},
            {"cmt", cmt_summary(core.ftl())},
            {"partition", partition_summary(core)},
            {"bad_blocks", {{"factory", bad.factory}, {"grown", bad.grown}}},
            {"wear", wear},
            {"lifetime", lifetime_summary(config, ftl, wear)}};
}

Json channels_summary(const Ssd& ssd, TimePs span) {
    Json channels = Json::array();
    for (std::uint32_t c = 0; c < ssd.config().nand.geometry.channels; ++c) {
        const Channel::Statistics& s = ssd.channel(c).statistics();
        const ClockedArbiter* clocked = ssd.clocked_arbiter(c);
        channels.push_back(
            {{"id", c},
             {"busy_ns", to_ns(s.busy)},
             {"utilization", share(s.busy, span)},
             {"grants", s.grants},
             {"wait_ns",
              {{"mean", s.wait_ps.mean() / static_cast<double>(kNs)},
               {"max", to_ns(s.wait_ps.max())}}},
             {"arbiter", ssd.config().channel.arbiter},
             {"clock_edges", clocked == nullptr ? 0 : clocked->edges()},
             {"lockstep",
              {{"compared", clocked == nullptr ? 0 : clocked->model().compared()},
               {"mismatches", clocked == nullptr ? 0 : clocked->model().mismatches()}}}});
    }
    return channels;
}

Json dies_summary(const Ssd& ssd, TimePs span) {
    Json dies = Json::array();
    const Geometry& geometry = ssd.config().nand.geometry;
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        const NandDie::Statistics& s = ssd.die(DieId{die}).statistics();
        dies.push_back({{"channel", raw(geometry.channel_of(DieId{die}))},
                        {"way", geometry.slot_of(DieId{die})},
                        {"reads", s.reads},
                        {"programs", s.programs},
                        {"erases", s.erases},
                        {"busy_ns", to_ns(s.busy)},
                        {"utilization", share(s.busy, span)}});
    }
    return dies;
}

Json dram_summary(const Ssd& ssd, TimePs span) {
    const SdramController::Statistics s = ssd.sdram().statistics();
    return {{"reads", s.reads},
            {"writes", s.writes},
            {"bytes", s.bytes},
            {"row_hits", s.row_hits},
            {"row_misses", s.row_misses},
            {"row_conflicts", s.row_conflicts},
            {"refreshes", s.refreshes},
            {"busy_ns", to_ns(s.busy)},
            {"bandwidth_bps", rate(s.bytes, span)}};
}

/// Of this program: getrusage() alone would count what its parent held when it forked.
std::uint64_t peak_rss_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (std::uint64_t kib = 0; word == "VmHWM:" && status >> kib) {
            return kib * 1024;
        }
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// Operations since the warm-up, and period by period.
Json flash_summary(const FlashPeriods& counted) {
    const FlashPeriods::Period total = counted.total();
    Json periods = {{"requests", counted.requests()}, {"host_bytes", Json::array()},
                    {"reads", Json::array()},         {"programs", Json::array()},
                    {"erases", Json::array()},        {"map_bytes", Json::array()}};
    for (const FlashPeriods::Period& period : counted.periods()) {
        periods["host_bytes"].push_back(period.host_bytes);
        periods["reads"].push_back(period.reads);
        periods["programs"].push_back(period.programs);
        periods["erases"].push_back(period.erases);
        periods["map_bytes"].push_back(period.map_bytes);
    }
    return {{"reads", total.reads},
            {"programs", total.programs},
            {"erases", total.erases},
            {"periods", periods}};
}

/// Null unless the drive was preconditioned until it was steady.
Json precondition_summary(const PreconditionResult& result) {
    if (result.amplification.empty()) {
        return nullptr;
    }
    return {{"steady", result.steady},
            {"rounds", result.amplification.size()},
            {"waf", result.amplification},
            {"window",
             {{"mean", result.window.mean},
              {"range", result.window.range},
              {"slope", result.window.slope}}}};
}

/// What both kinds of run begin with.
Json run_summary(const ResolvedConfig& resolved, const RunFacts& facts, TimePs end,
                 std::uint64_t requests, std::uint64_t flash_ops) {
    const auto per_wall = [&facts](std::uint64_t amount) {
        return ratio(static_cast<double>(amount), facts.wall_seconds);
    };
    Json summary;
    summary["schema"] = "cavern.summary/1";
    summary["complete"] = facts.complete;
    summary["trace"] = facts.workload;
    summary["config"] = config_json(resolved);
    summary["seed"] = resolved.config.seed;
    summary["sim"] = {{"simulated_ns", to_ns(end)},
                      {"wall_s", facts.wall_seconds},
                      {"requests", requests},
                      {"requests_per_wall_s", per_wall(requests)},
                      {"flash_ops", flash_ops},
                      {"flash_ops_per_wall_s", per_wall(flash_ops)},
                      {"kernel_events", facts.kernel_events},
                      {"peak_rss_bytes", peak_rss_bytes()},
                      {"fidelity", resolved.config.fidelity}};
    return summary;
}

void end_summary(const RunFacts& facts, Json& summary) {
    // No power model yet: zero, not estimated.
    summary["energy_j"] = {{"nand", 0}, {"dram", 0}, {"link", 0}, {"total", 0}};
    summary["checks"] = {{"invariants_checked", facts.facts_checked}, {"violations", 0}};
}

} // namespace

Json make_summary(const Ssd& ssd, const ResolvedConfig& resolved, const RunFacts& facts) {
    const TimePs end = now_ps();
    const TimePs span = end - ssd.statistics_since();
    Json summary =
        run_summary(resolved, facts, end, ssd.host().completed(), ssd.scheduler().completed());
    summary["host"] = host_summary(ssd.host().statistics(), ssd.host().transport().link_busy());
    if (!ssd.host().transport().queues().empty()) {
        summary["host"]["queues"] = queue_summary(ssd.config().host, ssd.host());
    }
    summary["buffer"] = buffer_summary(ssd.config(), ssd.core(), ssd.buffer_manager().statistics());
    summary["precondition"] = precondition_summary(ssd.preconditioned());
    summary["ftl"] = ftl_summary(ssd.config(), ssd.core(), ssd.array());
    summary["channels"] = channels_summary(ssd, span);
    summary["dies"] = dies_summary(ssd, span);
    summary["dram"] = dram_summary(ssd, span);
    end_summary(facts, summary);
    return summary;
}

Json make_summary(const UntimedDrive& drive, const ResolvedConfig& resolved,
                  const RunFacts& facts) {
    Json summary = run_summary(resolved, facts, 0, drive.completed(), drive.flash_ops());
    HostInterface::Statistics host;
    summary["host"] = host_summary(host, 0);
    for (const auto& [name, op] :
         {std::pair{"read", RequestOp::kRead}, std::pair{"write", RequestOp::kWrite},
          std::pair{"trim", RequestOp::kTrim}, std::pair{"flush", RequestOp::kFlush}}) {
        summary["host"][name]["count"] = drive.count(op).requests;
        summary["host"][name]["bytes"] = drive.count(op).bytes;
    }
    BufferManager::Statistics buffer;
    buffer.zero_reads = drive.zero_reads();
    summary["buffer"] = buffer_summary(drive.config(), drive.core(), buffer);
    summary["precondition"] = precondition_summary(drive.preconditioned());
    summary["ftl"] = ftl_summary(drive.config(), drive.core(), drive.array());
    summary["flash"] = flash_summary(drive.periods());
    summary["channels"] = Json::array();
    summary["dies"] = Json::array();
    end_summary(facts, summary);
    return summary;
}

} // namespace cavern
