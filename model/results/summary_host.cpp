#include "results/run_results.h"

namespace cavern {
namespace {

/// Requests of one kind.
struct OpResults {
    std::uint64_t requests;
    std::uint64_t bytes;
    Histogram latency_ns; ///< empty in a run without time
};

/// Requests of one job or queue; null: it is not told apart.
using ShareResults = const HostShares::Share*;

/// One of the host's queues.
struct QueueResults {
    std::size_t id;
    std::string_view priority;
    QueueStatistics statistics;
    ShareResults share;
};

/// One of the jobs of the workload.
struct JobResults {
    std::size_t id;
    std::string_view name;
    ShareResults share;
};

ObjectFields<Histogram> latency_fields() {
    ObjectFields<Histogram> fields;
    fields.value("mean", "ns", "Mean latency, exact.", [](const Histogram& h) { return h.mean(); })
        .value("min", "ns", "Shortest latency, exact.", [](const Histogram& h) { return h.min(); });
    for (const auto& [name, percent, quantile] :
         {std::tuple{"p50", "50", 0.50}, std::tuple{"p90", "90", 0.90},
          std::tuple{"p95", "95", 0.95}, std::tuple{"p99", "99", 0.99},
          std::tuple{"p99_9", "99.9", 0.999}, std::tuple{"p99_99", "99.99", 0.9999}}) {
        fields.value(name, "ns",
                     "Latency that " + std::string(percent) +
                         " % of the requests do not exceed: exact below 2048 ns, above within "
                         "1/2048 of the value.",
                     [q = quantile](const Histogram& h) { return h.quantile(q); });
    }
    fields.value("max", "ns", "Longest latency, exact.", [](const Histogram& h) { return h.max(); })
        .laws({"min <= p50 <= p90 <= p95 <= p99 <= p99_9 <= p99_99 <= max", "min <= mean <= max",
               "max <= sim.simulated_ns"});
    return fields;
}

ObjectFields<OpResults> op_fields() {
    ObjectFields<OpResults> fields;
    fields
        .value("count", "requests", "Requests of this kind that completed.",
               [](const OpResults& op) { return op.requests; })
        .value("bytes", "bytes", "Bytes that the requests of this kind named.",
               [](const OpResults& op) { return op.bytes; })
        .object("lat_ns",
                "Arrival to completion; 0 in a run without time, and in a sampled one of the "
                "requests measured (sampled). In an open loop (a trace's own "
                "times) waiting for a tag counts, in a closed loop a request arrives when it gets "
                "its tag.",
                latency_fields(), [](const OpResults& op) { return op.latency_ns; });
    return fields;
}

OpResults op_results(const RunResults& run, RequestOp op) {
    const auto index = static_cast<std::size_t>(op);
    OpResults results{requests_of(run, op), bytes_of(run, op), {}};
    if (run.timed != nullptr) {
        results.latency_ns = run.timed->host().statistics().by_op[index].latency_ns;
    } else if (const Estimates* estimates = estimates_of(run)) {
        results.latency_ns = estimates->by_op[index].latency_ns;
    }
    return results;
}

/// Length of the measurement window.
TimePs window_of(const RunResults& run) {
    if (run.timed == nullptr) {
        return estimated_span(run);
    }
    const HostInterface::Statistics& host = run.timed->host().statistics();
    return host.window_end > host.window_begin ? host.window_end - host.window_begin : 0;
}

/// Requests per second of the window.
double iops_of(const RunResults& run) {
    return rate(run.timed != nullptr ? run.timed->host().statistics().window_requests
                                     : counted_requests(run),
                window_of(run));
}

/// Bytes per second of the window.
double bandwidth_of(const RunResults& run) {
    return rate(run.timed != nullptr
                    ? run.timed->host().statistics().window_bytes
                    : bytes_of(run, RequestOp::kRead) + bytes_of(run, RequestOp::kWrite),
                window_of(run));
}

/// Reads and writes of what is told apart.
ObjectFields<HostShares::Share> share_fields() {
    ObjectFields<HostShares::Share> fields;
    fields.objects({"read", "write"}, "Requests of one kind.", op_fields(),
                   [](const HostShares::Share& share, std::size_t i) {
                       const HostShares::Kind& kind = share.kinds[i];
                       return OpResults{kind.latency_ns.count(), kind.bytes, kind.latency_ns};
                   });
    return fields;
}

ObjectFields<JobResults> job_fields() {
    ObjectFields<JobResults> fields;
    fields
        .value("id", "", "Number of the job in the workload, from 0.",
               [](const JobResults& job) { return job.id; })
        .value("name", "", "Its name.", [](const JobResults& job) { return job.name; })
        .include(share_fields(),
                 [](const JobResults& job) -> const HostShares::Share& { return *job.share; });
    return fields;
}

/// None where they are not told apart.
std::vector<JobResults> job_results(const RunResults& run) {
    std::vector<JobResults> jobs;
    if (const HostShares* shares = run.facts.shares) {
        for (const HostShares::Share& job : shares->jobs()) {
            jobs.push_back({jobs.size(), shares->names()[jobs.size()], &job});
        }
    }
    return jobs;
}

ObjectFields<QueueResults> queue_fields() {
    ObjectFields<QueueResults> fields;
    fields
        .value("id", "", "Number of the queue pair, from 0.",
               [](const QueueResults& queue) { return queue.id; })
        .value("priority", "", "Class of the queue pair (host.nvme.priorities).",
               [](const QueueResults& queue) { return queue.priority; })
        .counters<QueueStatistics>([](const QueueResults& queue) { return queue.statistics; })
        .include(
            share_fields(), [](const QueueResults& queue) { return queue.share; },
            "host.queues is from 2 to 64");
    return fields;
}

std::vector<QueueResults> queue_results(const RunResults& run) {
    const HostConfig& config = run.config().host;
    const SchemeParams& params = config.link_params[*config.link];
    std::vector<QueueResults> queues;
    const HostShares* shares = run.facts.shares;
    for (const QueueStatistics& queue : run.timed->host().transport().queues()) {
        const std::size_t id = queues.size();
        queues.push_back(
            {id, config.link->queue_priority(params, id), queue,
             shares != nullptr && !shares->queues().empty() ? &shares->queues()[id] : nullptr});
    }
    return queues;
}

} // namespace

ObjectFields<RunResults> host_fields() {
    static constexpr std::array kOps{RequestOp::kRead, RequestOp::kWrite, RequestOp::kTrim,
                                     RequestOp::kFlush, RequestOp::kZone};
    ObjectFields<RunResults> fields;
    fields
        .objects({"read", "write", "trim", "flush", "zone"}, "Requests of one kind.",
                 op_fields().laws({"if count = 0: bytes + lat_ns.max = 0"}),
                 [](const RunResults& run, std::size_t i) { return op_results(run, kOps[i]); })
        .value("iops", "1/s",
               "Requests completed per second of the measurement window (window_ns).", iops_of)
        .value("bandwidth_bps", "bytes/s",
               "Bytes read and written per second of the measurement window (window_ns).",
               bandwidth_of)
        .value(
            "window_ns", "ns",
            "The measurement window: from the first arrival (with a warm-up, from the "
            "completion that ended it) to the last completion. In a sampled run as the sample "
            "has it; in an open loop from the first arrival to the last, and the longest latency "
            "measured.",
            [](const RunResults& run) { return to_ns(window_of(run)); })
        .value("busy_ns", "ns",
               "Time of the measurement window in which a request was outstanding: what is left "
               "of window_ns are the times in which the drive had nothing to do for its host.",
               [](const RunResults& run) {
                   return run.timed == nullptr ? 0
                                               : to_ns(run.timed->host().statistics().window_busy);
               })
        .value("link_busy_ns", "ns",
               "Time that the host link was occupied in the whole run, both directions added up.",
               [](const RunResults& run) {
                   return run.timed == nullptr ? 0
                                               : to_ns(run.timed->host().transport().link_busy());
               })
        .list("queues", "The queue pairs of the host, in order.", queue_fields(), queue_results)
        .present("host.interface = \"nvme\"",
                 [](const RunResults& run) {
                     return run.timed != nullptr && !run.timed->host().transport().queues().empty();
                 })
        .list("jobs", "The jobs of the workload, in order.", job_fields(), job_results)
        .present(
            "fidelity = \"at\", and the workload has from 2 to 64 jobs",
            [](const RunResults& run) { return run.timed != nullptr && !job_results(run).empty(); })
        .laws({
            "if count(jobs[]) != 0: sum(jobs[].read.count) = read.count",
            "if count(jobs[]) != 0: sum(jobs[].write.count) = write.count",
            "if count(jobs[]) != 0: sum(jobs[].read.bytes) = read.bytes",
            "if count(jobs[]) != 0: sum(jobs[].write.bytes) = write.bytes",
            "if count(queues[].read) != 0: sum(queues[].read.count) = read.count",
            "if count(queues[].read) != 0: sum(queues[].write.count) = write.count",
            "busy_ns <= window_ns <= sim.simulated_ns",
            "link_busy_ns <= 2 * sim.simulated_ns",
            "if sim.fidelity = \"untimed\": window_ns + link_busy_ns + iops + bandwidth_bps = 0",
            "if sim.warmup_requests = 0: iops * (window_ns - 1) <= sim.requests * 1e9",
            "if sim.warmup_requests = 0 and window_ns != 0: "
            "sim.requests * 1e9 <= iops * (window_ns + 1)",
            "if sim.warmup_requests = 0: "
            "bandwidth_bps * (window_ns - 1) <= (read.bytes + write.bytes) * 1e9",
            "if sim.warmup_requests = 0 and window_ns != 0: "
            "(read.bytes + write.bytes) * 1e9 <= bandwidth_bps * (window_ns + 1)",
            "if count(queues[]) != 0 and sim.warmup_requests = 0 and no recovery: "
            "sum(queues[].count) = sim.requests",
            "if count(queues[]) != 0 and sim.warmup_requests = 0 and no recovery and "
            "ftl.scheme != \"zoned\": sum(queues[].bytes) = read.bytes + write.bytes",
        });
    return fields;
}

} // namespace cavern
