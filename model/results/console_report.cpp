#include "results/console_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "timed/tlm/time.h"

namespace cavern {
namespace {

using Json = nlohmann::ordered_json;

double us_of_ns(std::uint64_t ns) {
    return static_cast<double>(ns) / 1000.0;
}

/// In us; "-" where so few requests lie beyond that it says more about these than about the drive.
std::string percentile_text(const Histogram& latency, std::uint64_t of_thousand) {
    constexpr std::uint64_t kFewest = 10;
    if (latency.count() * (1000 - of_thousand) / 1000 < kFewest) {
        return "-";
    }
    return fmt::format("{:.1f}",
                       us_of_ns(latency.quantile(static_cast<double>(of_thousand) / 1000.0)));
}

std::string core_text(const DriveCore& core) {
    const FtlCounters& ftl = core.ftl().counters();
    const BufferCounters buffer = core.buffer_counters();
    std::string text = fmt::format("  buffer {} write hits of {}, {} evictions of {} pages\n",
                                   buffer.write_hits, buffer.write_hits + buffer.write_misses,
                                   buffer.eviction_events, buffer.evicted_pages);
    const std::uint64_t merges = ftl.merges_switch + ftl.merges_partial + ftl.merges_full;
    text += fmt::format(
        "  flash  {} host + {} copied pages, {} merges, {} erases; execution time {:.3f} s\n",
        ftl.host_pages, ftl.gc_pages + ftl.merge_pages, merges, ftl.erases,
        static_cast<double>(core.execution_time().total()) / static_cast<double>(kSecond));
    const MapCacheIf* map = core.ftl().map_cache();
    if (map == nullptr || core.ftl().table_pages() == 0) {
        return text;
    }
    const MapCacheCounters& cached = map->cache_counters();
    const CounterView own = core.ftl().own_counters();
    const std::uint64_t hits = cached.read_hits + cached.write_hits;
    return text + fmt::format("  map    {} translation pages read, {} written; {} look-ups of {} "
                              "found in {} KiB\n",
                              own.value_of("map_pages_read"), own.value_of("map_pages_written"),
                              hits, hits + cached.read_misses + cached.write_misses,
                              map->cache_bytes() / 1024);
}

/// A drive that wrote nothing has no amplification.
std::string amplification_text(const Json& summary) {
    const Json& waf = summary["ftl"]["waf"];
    return waf.is_number() && waf.get<double>() != 0 ? fmt::format("WAF {:.3f}", waf.get<double>())
                                                     : "WAF -";
}

std::string warnings_text(const Json& summary) {
    std::string text;
    for (const Json& warning : summary["run"]["warnings"]) {
        text += "  warning: " + warning.get<std::string>() + "\n";
    }
    return text;
}

/// Latencies as ever, and how far the mean may be from that of the whole run.
std::string estimated_text(const char* label, const OpEstimates& op) {
    std::string text = latency_text(label, op.latency_ns);
    if (!text.empty()) {
        text.insert(text.size() - 1, fmt::format("   mean in {:.1f} .. {:.1f} us",
                                                 op.mean.low / 1000, op.mean.high / 1000));
    }
    return text;
}

std::string recovery_text(const RunFacts& facts) {
    if (!facts.recovery) {
        return {};
    }
    const RecoveryCounters& cuts = *facts.recovery;
    const std::string drain =
        cuts.drain_time == 0
            ? std::string()
            : fmt::format("  drain  {:.3f} ms: {} pages on {:.3f} mJ, {} left out\n",
                          static_cast<double>(cuts.drain_time) / static_cast<double>(kMs),
                          cuts.drained_pages, static_cast<double>(cuts.drain_nj) * 1e-6,
                          cuts.undrained_pages);
    const std::string torn =
        cuts.torn_with_word_line == 0
            ? std::string()
            : fmt::format(
                  "  torn   {} pages, {} of them by programs of others on their word line\n",
                  cuts.torn_pages, cuts.torn_with_word_line);
    return fmt::format(
               "  power  cut {} times; {} pages acknowledged, {} flushed; {} recovered, {} older, "
               "{} lost though flushed, {} corrupt\n",
               cuts.cuts, cuts.acknowledged, cuts.flushed, cuts.recovered, cuts.lost_unflushed,
               cuts.lost_flushed, cuts.corrupt + cuts.wrong_data) +
           torn + drain +
           fmt::format(
               "  mount  {:.3f} ms: {} spare areas read, {} pages copied, {} written, {} blocks "
               "erased\n",
               static_cast<double>(cuts.time) / static_cast<double>(kMs), cuts.spares_read,
               cuts.pages_copied, cuts.pages_written, cuts.blocks_erased);
}

} // namespace

std::string latency_text(const char* label, const Histogram& latency) {
    if (latency.count() == 0) {
        return {};
    }
    return fmt::format("  {:<6} {:>9} requests   mean {:>10.1f} us   p50 {:>9}   p99 {:>10}   "
                       "p99.9 {:>10}   max {:>10.1f}\n",
                       label, latency.count(), latency.mean() / 1000.0,
                       percentile_text(latency, 500), percentile_text(latency, 990),
                       percentile_text(latency, 999), us_of_ns(latency.max()));
}

std::string console_report(const Ssd& ssd, const RunFacts& facts, const Json& summary) {
    const auto& host = ssd.host().statistics();
    const Json& figures = summary["host"];
    const double end_s = static_cast<double>(now_ps()) / static_cast<double>(kSecond);
    return fmt::format("{}: {:.0f} IOPS, {:.1f} MB/s, {}\n", ssd.config().name,
                       figures["iops"].get<double>(), figures["bandwidth_bps"].get<double>() / 1e6,
                       amplification_text(summary)) +
           fmt::format("  {} requests, {:.6f} s simulated in {:.2f} s{}\n", ssd.host().completed(),
                       end_s, facts.wall_seconds, facts.complete ? "" : " (interrupted)") +
           latency_text("read", host.by_op[static_cast<std::size_t>(RequestOp::kRead)].latency_ns) +
           latency_text("write",
                        host.by_op[static_cast<std::size_t>(RequestOp::kWrite)].latency_ns) +
           core_text(ssd.core()) + recovery_text(facts) + warnings_text(summary);
}

std::string large_files_text(const Json& summary) {
    constexpr std::uint64_t kLarge = 200'000'000;
    std::string text;
    for (const Json& file : summary["run"]["files"]) {
        const auto bytes = file["bytes"].get<std::uint64_t>();
        if (bytes >= kLarge) {
            text += fmt::format("  file   {} has {:.0f} MB\n", file["path"].get<std::string>(),
                                static_cast<double>(bytes) / 1e6);
        }
    }
    return text;
}

std::string console_report(const UntimedDrive& drive, const RunFacts& facts, const Json& summary) {
    const Json& host = summary["host"];
    const Estimates* estimates =
        facts.sample != nullptr && facts.sample->estimates ? &*facts.sample->estimates : nullptr;
    std::string rates;
    std::string latencies;
    std::string how = "untimed";
    if (estimates != nullptr) {
        rates = fmt::format("{:.0f} IOPS, {:.1f} MB/s, ", host["iops"].get<double>(),
                            host["bandwidth_bps"].get<double>() / 1e6);
        how = fmt::format("{} measured in {} windows", estimates->measured, facts.sample->windows);
        for (const auto& [label, op] :
             {std::pair{"read", RequestOp::kRead}, std::pair{"write", RequestOp::kWrite}}) {
            latencies += estimated_text(label, estimates->by_op[static_cast<std::size_t>(op)]);
        }
    }
    return fmt::format("{}: {}{}\n  {} requests, {}, in {:.2f} s{}\n", drive.config().name, rates,
                       amplification_text(summary), drive.completed(), how, facts.wall_seconds,
                       facts.complete ? "" : " (interrupted)") +
           latencies + core_text(drive.core()) + recovery_text(facts) + warnings_text(summary);
}

} // namespace cavern
