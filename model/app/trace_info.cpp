#include "app/trace_info.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/units.h"

namespace cavern {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kQuantiles{0.5, 0.9, 0.99};
constexpr unsigned kSmallestCache = 6; ///< 2^6 pages: 256 KiB
constexpr unsigned kLargestCache = 24; ///< 64 GiB
constexpr std::size_t kMostSizes = 6;

std::string time_text(double ns) {
    constexpr std::array kUnits{"ns", "us", "ms", "s"};
    std::size_t unit = 0;
    while (ns >= 1000 && unit + 1 < kUnits.size()) {
        ns /= 1000;
        ++unit;
    }
    return fmt::format("{:.4g} {}", ns, kUnits[unit]);
}

double seconds(TimePs time) {
    return static_cast<double>(time) / static_cast<double>(kSecond);
}

double percent(double share) {
    return 100 * share;
}

template <typename... Args>
void line(std::string& out, const char* label, fmt::format_string<Args...> format, Args&&... args) {
    out += fmt::format("{:<18}", label) + fmt::format(format, std::forward<Args>(args)...) + "\n";
}

void operation_lines(std::string& out, const char* name, const TraceStatistics::Operation& op,
                     std::uint64_t requests) {
    if (op.count == 0) {
        return;
    }
    const double share = static_cast<double>(op.count) / static_cast<double>(requests);
    line(out, name, "{} ({:.2f} %), {}", op.count, percent(share), size_text(op.bytes));
    if (op.bytes == 0) {
        return;
    }
    line(out, "  size", "mean {}, p50 {}, p99 {}, max {}", size_text(op.mean_bytes()),
         size_text(op.quantile_bytes(0.5)), size_text(op.quantile_bytes(0.99)),
         size_text(op.max_bytes));
}

/// The exact sizes that occur most, most frequent first.
std::vector<std::pair<std::uint64_t, std::uint64_t>>
common_sizes(const TraceStatistics& statistics) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes(statistics.exact_sizes().begin(),
                                                               statistics.exact_sizes().end());
    std::stable_sort(sizes.begin(), sizes.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    sizes.resize(std::min(sizes.size(), kMostSizes));
    return sizes;
}

std::string common_sizes_text(const TraceStatistics& statistics, std::uint64_t moving) {
    std::string text;
    for (const auto& [size, count] : common_sizes(statistics)) {
        const double share = static_cast<double>(count) / static_cast<double>(moving);
        text += fmt::format("{}{:.1f} % of {}", text.empty() ? "" : ", ", percent(share),
                            size_text(std::uint64_t{size}));
    }
    return text;
}

void reuse_lines(std::string& out, const char* name, const ReuseDistance& reuse) {
    if (reuse.accesses() == 0) {
        return;
    }
    line(out, name, "{:.2f} % of page accesses are the first to their page; {}",
         percent(reuse.cold() / reuse.accesses()),
         reuse.sample_rate() == 1.0
             ? std::string("exact")
             : fmt::format("estimated from a sample of 1/{:.0f} of the pages",
                           1 / reuse.sample_rate()));
    std::string text;
    for (const unsigned k : {8u, 10u, 12u, 14u, 16u, 18u}) {
        text +=
            fmt::format("{}{:.1f} % at {}", text.empty() ? "" : ", ", percent(reuse.hit_ratio(k)),
                        size_text(static_cast<double>(TraceStatistics::kPageBytes << k)));
    }
    line(out, "  LRU would hit", "{}", text);
}

Json operation_json(const TraceStatistics::Operation& op) {
    Json json{{"count", op.count},
              {"bytes", op.bytes},
              {"mean_bytes", op.mean_bytes()},
              {"max_bytes", op.max_bytes},
              {"random_share", op.random_share()}};
    for (const double q : kQuantiles) {
        json[fmt::format("p{:.0f}_bytes", 100 * q)] = op.count == 0 ? 0 : op.quantile_bytes(q);
    }
    json["size_bins"] = op.size_bins;
    return json;
}

Json reuse_json(const ReuseDistance& reuse) {
    Json curve = Json::array();
    for (unsigned k = kSmallestCache; k <= kLargestCache; ++k) {
        curve.push_back(
            {{"bytes", TraceStatistics::kPageBytes << k}, {"hit_ratio", reuse.hit_ratio(k)}});
    }
    return {{"page_accesses", reuse.accesses()},
            {"first_accesses", reuse.cold()},
            {"sample_rate", reuse.sample_rate()},
            {"lru", curve}};
}

Json map_json(const TraceStatistics& statistics, RequestOp op) {
    Json rows = Json::array();
    for (std::size_t place = 0; place < TraceStatistics::kPlaceBins; ++place) {
        Json row = Json::array();
        for (std::size_t time = 0; time < TraceStatistics::kTimeBins; ++time) {
            row.push_back(statistics.moved(op, place, time));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace

std::string trace_info_text(const TraceSubject& subject, const TraceStatistics& s) {
    std::string out;
    const auto& reads = s.of(RequestOp::kRead);
    const auto& writes = s.of(RequestOp::kWrite);
    const std::uint64_t moving = reads.count + writes.count;
    line(out, "trace", "{} ({})", subject.name, subject.format);
    if (!subject.devices.empty()) {
        const auto shown =
            std::min<std::ptrdiff_t>(10, static_cast<std::ptrdiff_t>(subject.devices.size()));
        line(out, "devices", "{}: {}{}", subject.devices.size(),
             fmt::join(subject.devices.begin(), subject.devices.begin() + shown, ", "),
             subject.devices.size() > 10 ? ", ..." : "");
    }
    if (subject.skipped > 0) {
        line(out, "left out", "{} lines or records that tell no whole request", subject.skipped);
    }
    if (subject.inversions > 0) {
        line(out, "out of order", "{} requests, raised to the time before", subject.inversions);
    }
    line(out, "requests", "{} in {}", s.requests(),
         time_text(static_cast<double>(s.duration()) / static_cast<double>(kNs)));
    operation_lines(out, "reads", reads, s.requests());
    operation_lines(out, "writes", writes, s.requests());
    operation_lines(out, "trims", s.of(RequestOp::kTrim), s.requests());
    operation_lines(out, "flushes", s.of(RequestOp::kFlush), s.requests());
    operation_lines(out, "commands on zones", s.of(RequestOp::kZone), s.requests());
    if (moving > 0) {
        line(out, "common sizes", "{}", common_sizes_text(s, moving));
        line(out, "aligned to 4 KiB", "{:.2f} %", percent(s.aligned_share()));
        std::string random = fmt::format("{:.2f} %", percent(s.random_share()));
        if (subject.devices.size() > 1) {
            random += fmt::format(" within each device, {:.2f} % across them",
                                  percent(s.random_share_across_devices()));
        }
        if (reads.count > 0 && writes.count > 0) {
            random += fmt::format("; reads alone {:.2f} %, writes alone {:.2f} %",
                                  percent(reads.random_share()), percent(writes.random_share()));
        }
        line(out, "random", "{}", random);
        line(out, "sequential run", "{:.2f} requests on average",
             s.random_share() > 0 ? 1 / s.random_share() : static_cast<double>(moving));
        const TraceStatistics::Footprint pages = s.footprint();
        constexpr auto kPage = static_cast<double>(TraceStatistics::kPageBytes);
        line(out, "footprint", "read {}, written {}, any {} ({})", size_text(pages.read * kPage),
             size_text(pages.written * kPage), size_text(pages.any * kPage),
             pages.exact ? "exact, pages of 4 KiB" : "estimated from a sample");
        if (pages.written > 0) {
            line(out, "overwrites", "each page written is written {:.2f} times",
                 static_cast<double>(writes.page_accesses) / pages.written);
        }
    }
    line(out, "address space", "{}", size_text(s.end()));
    if (s.requests() > 1) {
        const Histogram& gaps = s.gaps_ns();
        const double duration = seconds(s.duration());
        line(out, "inter-arrival", "mean {}, p50 {}, p90 {}, p99 {}, max {}",
             time_text(1e9 * duration / static_cast<double>(gaps.count())),
             time_text(static_cast<double>(gaps.quantile(0.5))),
             time_text(static_cast<double>(gaps.quantile(0.9))),
             time_text(static_cast<double>(gaps.quantile(0.99))),
             time_text(static_cast<double>(gaps.max())));
        line(out, "", "zero {:.2f} %, deviation / mean {:.2f}, busiest second {} requests",
             percent(s.zero_gap_share()), s.gap_variation(), s.busiest_second());
        if (duration > 0) {
            line(out, "rate", "{:.2f} requests/s, {}/s",
                 static_cast<double>(s.requests()) / duration,
                 size_text(static_cast<double>(reads.bytes + writes.bytes) / duration));
        }
    }
    reuse_lines(out, "reuse", s.reuse());
    if (reads.count > 0 && writes.count > 0) {
        reuse_lines(out, "reuse of writes", s.write_reuse());
    }
    return out;
}

nlohmann::ordered_json trace_info_json(const TraceSubject& subject, const TraceStatistics& s) {
    const TraceStatistics::Footprint pages = s.footprint();
    constexpr auto kPage = static_cast<double>(TraceStatistics::kPageBytes);
    const Histogram& gaps = s.gaps_ns();
    Json sizes = Json::array();
    for (const auto& [size, count] : common_sizes(s)) {
        sizes.push_back({{"bytes", size}, {"count", count}});
    }
    Json gap_quantiles = Json::array();
    for (unsigned i = 1; i <= 200 && gaps.count() > 0; ++i) {
        gap_quantiles.push_back(gaps.quantile(i / 200.0));
    }
    return {{"schema", "cavern.trace/1"},
            {"trace", subject.name},
            {"format", subject.format},
            {"devices", subject.devices},
            {"skipped", subject.skipped},
            {"inversions", subject.inversions},
            {"requests", s.requests()},
            {"duration_ns", s.duration() / kNs},
            {"end", s.end()},
            {"read", operation_json(s.of(RequestOp::kRead))},
            {"write", operation_json(s.of(RequestOp::kWrite))},
            {"trim", operation_json(s.of(RequestOp::kTrim))},
            {"flush", {{"count", s.of(RequestOp::kFlush).count}}},
            {"zone", {{"count", s.of(RequestOp::kZone).count}}},
            {"common_sizes", sizes},
            {"aligned_share", s.aligned_share()},
            {"random_share", s.random_share()},
            {"random_share_across_devices", s.random_share_across_devices()},
            {"footprint",
             {{"page_bytes", TraceStatistics::kPageBytes},
              {"exact", pages.exact},
              {"read_bytes", pages.read * kPage},
              {"written_bytes", pages.written * kPage},
              {"any_bytes", pages.any * kPage},
              {"page_writes", s.of(RequestOp::kWrite).page_accesses}}},
            {"gap_ns",
             {{"mean", gaps.count() == 0 ? 0.0
                                         : static_cast<double>(s.duration()) /
                                               static_cast<double>(kNs * gaps.count())},
              {"max", gaps.max()},
              {"zero_share", s.zero_gap_share()},
              {"variation", s.gap_variation()},
              {"quantiles", gap_quantiles}}},
            {"busiest_second", s.busiest_second()},
            {"reuse", reuse_json(s.reuse())},
            {"write_reuse", reuse_json(s.write_reuse())},
            {"map",
             {{"read", map_json(s, RequestOp::kRead)}, {"write", map_json(s, RequestOp::kWrite)}}}};
}

} // namespace cavern
