#include "results/console_report.h"

#include <fmt/core.h>

#include "timed/tlm/time.h"

namespace cavern {
namespace {

double to_us(std::uint64_t ns) {
    return static_cast<double>(ns) / 1000.0;
}

void print_latency(const char* label, const Histogram& latency) {
    if (latency.count() == 0) {
        return;
    }
    fmt::print("  {:<6} {:>9} requests   mean {:>10.1f} us   p50 {:>9.1f}   p99 {:>10.1f}   max "
               "{:>10.1f}\n",
               label, latency.count(), latency.mean() / 1000.0, to_us(latency.quantile(0.5)),
               to_us(latency.quantile(0.99)), to_us(latency.max()));
}

void print_core(const DriveCore& core) {
    const FtlCounters& ftl = core.ftl().counters();
    const BufferCounters buffer = core.buffer_counters();
    fmt::print("  buffer {} write hits of {}, {} evictions of {} pages\n", buffer.write_hits,
               buffer.write_hits + buffer.write_misses, buffer.eviction_events,
               buffer.evicted_pages);
    const std::uint64_t merges = ftl.merges_switch + ftl.merges_partial + ftl.merges_full;
    fmt::print(
        "  flash  {} host + {} copied pages, {} merges, {} erases; execution time {:.3f} s\n",
        ftl.host_pages, ftl.gc_pages + ftl.merge_pages, merges, ftl.erases,
        static_cast<double>(core.execution_time().total()) / static_cast<double>(kSecond));
    const MapCacheIf* map = core.ftl().map_cache();
    if (map == nullptr || core.ftl().table_pages() == 0) {
        return;
    }
    const MapCacheCounters& cached = map->cache_counters();
    const CounterView own = core.ftl().own_counters();
    const std::uint64_t hits = cached.read_hits + cached.write_hits;
    fmt::print(
        "  map    {} translation pages read, {} written; {} look-ups of {} found in {} KiB\n",
        own.value_of("map_pages_read"), own.value_of("map_pages_written"), hits,
        hits + cached.read_misses + cached.write_misses, map->cache_bytes() / 1024);
}

void print_recovery(const RunFacts& facts) {
    if (!facts.recovery) {
        return;
    }
    const RecoveryCounters& cuts = *facts.recovery;
    fmt::print("  power  cut {} times; {} pages acknowledged, {} flushed; {} recovered, {} older, "
               "{} lost though flushed, {} corrupt\n",
               cuts.cuts, cuts.acknowledged, cuts.flushed, cuts.recovered, cuts.lost_unflushed,
               cuts.lost_flushed, cuts.corrupt);
    fmt::print("  mount  {:.3f} ms: {} spare areas read, {} pages copied, {} written, {} blocks "
               "erased\n",
               static_cast<double>(cuts.time) / static_cast<double>(kMs), cuts.spares_read,
               cuts.pages_copied, cuts.pages_written, cuts.blocks_erased);
}

} // namespace

void print_console_report(const Ssd& ssd, const RunFacts& facts) {
    const auto& host = ssd.host().statistics();
    const double end_s = static_cast<double>(now_ps()) / static_cast<double>(kSecond);
    fmt::print("{}: {} requests, {:.6f} s simulated in {:.2f} s{}\n", ssd.config().name,
               ssd.host().completed(), end_s, facts.wall_seconds,
               facts.complete ? "" : " (interrupted)");
    print_latency("read", host.by_op[static_cast<std::size_t>(RequestOp::kRead)].latency_ns);
    print_latency("write", host.by_op[static_cast<std::size_t>(RequestOp::kWrite)].latency_ns);
    print_core(ssd.core());
    print_recovery(facts);
}

void print_console_report(const UntimedDrive& drive, const RunFacts& facts) {
    fmt::print("{}: {} requests, untimed, in {:.2f} s{}\n", drive.config().name, drive.completed(),
               facts.wall_seconds, facts.complete ? "" : " (interrupted)");
    print_core(drive.core());
    print_recovery(facts);
}

} // namespace cavern
