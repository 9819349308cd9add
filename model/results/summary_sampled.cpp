#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include "results/run_results.h"

namespace cavern {
namespace {

ObjectFields<Interval> interval_fields(std::string_view unit) {
    ObjectFields<Interval> fields;
    fields
        .value("low", unit, "Lower end of the interval.",
               [](const Interval& interval) { return interval.low; })
        .value("high", unit, "Its upper end.",
               [](const Interval& interval) { return interval.high; })
        .laws({"low <= high"});
    return fields;
}

/// Requests of one kind.
ObjectFields<OpEstimates> estimated_op_fields() {
    ObjectFields<OpEstimates> fields;
    fields
        .value("count", "requests", "Requests of this kind that were measured.",
               [](const OpEstimates& op) { return op.latency_ns.count(); })
        .object("mean", "Interval of the mean latency.", interval_fields("ns"),
                [](const OpEstimates& op) -> const Interval& { return op.mean; });
    std::size_t index = 0;
    for (const auto& [name, percent] :
         {std::tuple{"p50", "50"}, std::tuple{"p90", "90"}, std::tuple{"p95", "95"},
          std::tuple{"p99", "99"}, std::tuple{"p99_9", "99.9"}, std::tuple{"p99_99", "99.99"}}) {
        fields.object(name,
                      "Interval of the latency that " + std::string(percent) +
                          " % of the requests do not exceed.",
                      interval_fields("ns"), [index](const OpEstimates& op) -> const Interval& {
                          return op.quantiles[index];
                      });
        ++index;
    }
    return fields;
}

ObjectFields<Sample> sample_fields() {
    static constexpr std::array kOps{RequestOp::kRead, RequestOp::kWrite, RequestOp::kTrim,
                                     RequestOp::kFlush, RequestOp::kZone};
    const auto rate_of = [](Interval Estimates::*figure) {
        return [figure](const Sample& sample) {
            return sample.closed_loop ? &((*sample.estimates).*figure) : nullptr;
        };
    };
    ObjectFields<Sample> fields;
    fields
        .value("windows", "windows", "Windows measured.",
               [](const Sample& sample) { return sample.windows; })
        .value("measured_requests", "requests", "Requests measured in all windows.",
               [](const Sample& sample) { return sample.estimates->measured; })
        .value("detailed_requests", "requests",
               "Requests that were played in time, those of the warm-up of windows and those "
               "behind what was measured among them.",
               [](const Sample& sample) { return sample.detailed; })
        .value("rounds", "rounds", "How often the run was played (sampled.error).",
               [](const Sample& sample) { return sample.rounds; })
        .value("confidence", "share",
               "Share of samples whose interval contains the figure of the whole run.",
               [](const Sample& sample) { return sample.estimates->confidence; })
        .value("error", "ratio",
               "Half the interval of the mean latency of all requests, as a share of that mean.",
               [](const Sample& sample) { return sample.estimates->mean_ns.error(); })
        .object("iops",
                "Interval of host.iops; null in an open loop, whose rate is that of its arrivals.",
                interval_fields("1/s"), rate_of(&Estimates::iops))
        .object("bandwidth_bps", "Interval of host.bandwidth_bps; null in an open loop.",
                interval_fields("bytes/s"), rate_of(&Estimates::bandwidth_bps))
        .objects({"read", "write", "trim", "flush", "zone"}, "Requests of one kind.",
                 estimated_op_fields(),
                 [](const Sample& sample, std::size_t i) -> const OpEstimates& {
                     return sample.estimates->by_op[static_cast<std::size_t>(kOps[i])];
                 })
        .laws({
            "measured_requests <= detailed_requests",
            "read.count + write.count + trim.count + flush.count + zone.count = measured_requests",
            "read.count <= host.read.count",
            "write.count <= host.write.count",
        });
    return fields;
}

} // namespace

TimePs estimated_span(const RunResults& run) {
    const Estimates* estimates = estimates_of(run);
    if (estimates == nullptr) {
        return 0;
    }
    std::uint64_t longest = 0;
    for (const OpEstimates& op : estimates->by_op) {
        longest = std::max(longest, op.latency_ns.max());
    }
    if (!run.facts.sample->closed_loop) {
        return run.facts.sample->arrivals + longest * kNs;
    }
    const double seconds = ratio(static_cast<double>(counted_requests(run)), estimates->iops.value);
    return std::max(static_cast<TimePs>(seconds * static_cast<double>(kSecond)), longest * kNs);
}

void add_sampled_fields(ObjectFields<RunResults>& summary) {
    summary
        .object("sampled",
                "What a sampled run measured: the latencies of host are those of the requests "
                "measured, and here is how far those of the whole run may be from them; null where "
                "fewer than two windows were measured.",
                sample_fields(),
                [](const RunResults& run) {
                    return estimates_of(run) == nullptr ? nullptr : run.facts.sample;
                })
        .present("fidelity = \"sampled\"",
                 [](const RunResults& run) { return run.facts.sample != nullptr; });
}

} // namespace cavern
