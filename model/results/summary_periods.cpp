#include "results/run_results.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

/// Periods of a run, and one kind of its requests.
struct KindOfPeriods {
    const RatePeriods* periods;
    std::size_t kind;

    template <typename Get>
    [[nodiscard]] std::vector<std::uint64_t> each(Get get) const {
        std::vector<std::uint64_t> values;
        for (const RatePeriods::Period& period : periods->all()) {
            values.push_back(get(period.kinds[kind]));
        }
        return values;
    }
};

ObjectFields<KindOfPeriods> period_latency_fields() {
    using Kind = RatePeriods::Kind;
    ObjectFields<KindOfPeriods> fields;
    fields.value("mean", "ns", "Mean latency of each period, rounded.", [](const auto& all) {
        return all.each([](const Kind& kind) { return kind.mean(); });
    });
    for (const auto& [name, percent, quantile] :
         {std::tuple{"p50", "50", 0.50}, std::tuple{"p99", "99", 0.99}}) {
        fields.value(name, "ns",
                     "Latency that " + std::string(percent) +
                         " % of the requests of each period do not exceed; too high by 1/16 of "
                         "itself at most, below 2048 ns by 127 ns at most.",
                     [q = quantile](const auto& all) {
                         return all.each([q](const Kind& kind) { return kind.quantile(q); });
                     });
    }
    fields.value("max", "ns", "Longest latency of each period, exact.", [](const auto& all) {
        return all.each([](const Kind& kind) { return kind.longest; });
    });
    return fields;
}

ObjectFields<KindOfPeriods> period_kind_fields() {
    using Kind = RatePeriods::Kind;
    ObjectFields<KindOfPeriods> fields;
    fields
        .value("count", "requests", "Requests of this kind that were answered in each period.",
               [](const KindOfPeriods& all) {
                   return all.each([](const Kind& kind) { return kind.count; });
               })
        .value("bytes", "bytes", "Bytes that these requests named.",
               [](const KindOfPeriods& all) {
                   return all.each([](const Kind& kind) { return kind.bytes; });
               })
        .object(
            "lat_ns", "Arrival to completion; 0 in a period without such a request.",
            period_latency_fields(), [](const KindOfPeriods& all) -> const auto& { return all; });
    return fields;
}

/// Null where no such request was answered.
std::optional<KindOfPeriods> kind_of(const RatePeriods& periods, std::size_t kind) {
    for (const RatePeriods::Period& period : periods.all()) {
        if (period.kinds[kind].count != 0) {
            return KindOfPeriods{&periods, kind};
        }
    }
    return std::nullopt;
}

struct PeriodsOfRun {
    RatePeriods periods;
    std::uint64_t page_bytes;
};

ObjectFields<PeriodsOfRun> period_fields() {
    ObjectFields<PeriodsOfRun> fields;
    fields
        .value("begin_ns", "ns",
               "When the first period begins: the first arrival, or the end of the warm-up.",
               [](const PeriodsOfRun& run) { return to_ns(run.periods.begins()); })
        .value("end_ns", "ns", "When the last period ends: the last answer.",
               [](const PeriodsOfRun& run) { return to_ns(run.periods.ends()); })
        .value("length_ns", "ns",
               "Length of each period. They follow each other without a gap, and the last one "
               "may be shorter.",
               [](const PeriodsOfRun& run) { return to_ns(run.periods.length()); })
        .objects(
            {"read", "write"}, "Requests of one kind; null: there were none.", period_kind_fields(),
            [](const PeriodsOfRun& run, std::size_t kind) { return kind_of(run.periods, kind); })
        .value("programmed_bytes", "bytes",
               "Bytes that the flash programmed for all purposes, by the time of the decision: "
               "per byte written by the host the write amplification of each period.",
               [](const PeriodsOfRun& run) {
                   std::vector<std::uint64_t> values;
                   for (const RatePeriods::Period& period : run.periods.all()) {
                       values.push_back(period.programs * run.page_bytes);
                   }
                   return values;
               })
        .laws({
            "begin_ns <= end_ns <= sim.simulated_ns",
            "count(programmed_bytes[]) <= 128",
            "(count(programmed_bytes[]) - 1) * length_ns <= end_ns - begin_ns + 1",
            "end_ns - begin_ns <= count(programmed_bytes[]) * length_ns + 1",
            "if host.read.count != 0: count(read.count[]) = count(programmed_bytes[])",
            "if host.write.count != 0: count(write.count[]) = count(programmed_bytes[])",
            "sum(read.count) = host.read.count",
            "sum(write.count) = host.write.count",
            "sum(read.bytes) = host.read.bytes",
            "sum(write.bytes) = host.write.bytes",
            "if count(programmed_bytes[]) != 0: sum(programmed_bytes) = ftl.programmed_bytes",
        });
    return fields;
}

ObjectFields<RunVerdict> verdict_fields() {
    ObjectFields<RunVerdict> fields;
    fields
        .value("reached", "", "Whether the drive was steady at the end of the run.",
               [](const RunVerdict& verdict) { return verdict.is_steady; })
        .value("since_ns", "ns",
               "Since when: where the first round begins from which on all windows of rounds are "
               "steady; null: it was not steady.",
               [](const RunVerdict& verdict) { return verdict.since_ns; })
        .value(
            "round_ns", "ns",
            "Length of a round: whole periods, few enough for precondition.max_rounds rounds, or "
            "for 64 where that is more. precondition.window rounds are compared.",
            [](const RunVerdict& verdict) { return verdict.round_ns; })
        .include(steady_window_fields("bandwidth of reads and writes", "bytes/s"),
                 [](const RunVerdict& verdict) { return verdict.window; })
        .laws({
            "if reached = true: range <= config.precondition.range",
            "if reached = true: slope <= config.precondition.slope",
            "if reached = false: no since_ns",
            "since_ns + round_ns * config.precondition.window <= periods.end_ns + "
            "config.precondition.window",
            "if config.precondition.max_rounds <= 64: round_ns * config.precondition.max_rounds <= "
            "periods.end_ns",
        });
    return fields;
}

/// A long run has no fewer whole periods: periods that are too many are merged.
constexpr std::size_t kRoundsOfLongRun = MergedPeriods<RatePeriods::Period>::kMost / 2;
static_assert(kRoundsOfLongRun == 64, "as texts and law say");

} // namespace

std::optional<RunVerdict> verdict_of(const RunResults& run) {
    const SteadyState& rule = run.config().precondition.steady;
    if (run.timed == nullptr || !run.timed->host().is_closed_loop()) {
        return std::nullopt; // the host gave the rate
    }
    const RatePeriods periods = run.timed->host().periods();
    const std::size_t whole = periods.all().empty() ? 0 : periods.all().size() - 1;
    const std::size_t wanted = std::min<std::size_t>(rule.max_rounds, kRoundsOfLongRun);
    const std::size_t each = whole / std::max<std::size_t>(wanted, rule.window);
    if (each == 0) {
        return std::nullopt;
    }
    const std::size_t rounds = whole / each;
    const std::size_t first = whole - rounds * each;
    std::vector<double> bandwidth(rounds);
    for (std::size_t i = 0; i < rounds * each; ++i) {
        for (const RatePeriods::Kind& kind : periods.all()[first + i].kinds) {
            bandwidth[i / each] += rate(kind.bytes, each * periods.length());
        }
    }
    std::size_t since = rounds - rule.window + 1;
    while (since > 0 && is_steady(look_at(&bandwidth[since - 1], rule.window), rule)) {
        --since;
    }
    RunVerdict verdict;
    verdict.window = look_at(&bandwidth[rounds - rule.window], rule.window);
    if (verdict.window.mean == 0) {
        return std::nullopt;
    }
    verdict.is_steady = since <= rounds - rule.window;
    verdict.round_ns = to_ns(each * periods.length());
    if (verdict.is_steady) {
        verdict.since_ns = to_ns(periods.begins() + (first + since * each) * periods.length());
    }
    return verdict;
}

void add_period_fields(ObjectFields<RunResults>& summary) {
    summary
        .object(
            "periods",
            "The run since warm-up in at most 128 periods of simulated time, equally long.",
            period_fields(),
            [](const RunResults& run) {
                return PeriodsOfRun{run.timed->host().periods(), run.config().geometry.page_bytes};
            })
        .present("fidelity = \"at\"", [](const RunResults& run) { return run.timed != nullptr; })
        .object("steady",
                "Whether the bandwidth had settled, by the rule of SNIA SSS PTS 2.0.2 (2.1.24) "
                "that also ends preconditioning; null where times of the workload give the rate, "
                "and in a run too short for its rounds.",
                verdict_fields(), verdict_of);
}

} // namespace cavern
