#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/object_fields.h"
#include "results/summary.h"

namespace cavern {

/// The sources of a summary's fields, when the run is over.
struct RunResults {
    const ResolvedConfig& resolved;
    const RunFacts& facts;
    const DriveCore& core;
    const NandArray& array;
    const PreconditionResult& preconditioned;
    const Ssd* timed;            ///< null: the run had no time
    const UntimedDrive* untimed; ///< null: it had
    TimePs end;                  ///< of the simulation
    TimePs span;                 ///< since the end of the warm-up
    std::uint64_t requests;
    std::uint64_t flash_ops;

    [[nodiscard]] const DrivePlan& config() const { return resolved.config; }
};

/// From the start of the measurement to its end, as the sample has it; 0 where it has no estimates.
[[nodiscard]] TimePs estimated_span(const RunResults& run);
/// Null where there are none.
[[nodiscard]] inline const Estimates* estimates_of(const RunResults& run) {
    return run.facts.sample != nullptr && run.facts.sample->estimates
               ? &*run.facts.sample->estimates
               : nullptr;
}

/// Whether the drive was steady at the end of a run.
struct RunVerdict {
    bool is_steady = false;
    std::optional<std::uint64_t> since_ns;
    std::uint64_t round_ns = 0;
    SteadyWindow window;
};
/// Nothing where that cannot be said.
[[nodiscard]] std::optional<RunVerdict> verdict_of(const RunResults& run);

/// Blocks were collected, or log blocks merged, since the warm-up.
[[nodiscard]] inline bool has_collected(const RunResults& run) {
    const FtlCounters& ftl = run.core.ftl().counters();
    return ftl.gc_runs + ftl.merges_switch + ftl.merges_partial + ftl.merges_full != 0;
}

/// Sections of the summary, a source file each.
[[nodiscard]] ObjectFields<RunResults> identity_fields();
[[nodiscard]] ObjectFields<RunResults> host_fields();
[[nodiscard]] ObjectFields<RunResults> buffer_fields();
[[nodiscard]] ObjectFields<RunResults> ftl_fields();
[[nodiscard]] ObjectFields<PreconditionResult> precondition_fields();
/// sampled
void add_sampled_fields(ObjectFields<RunResults>& summary);
/// channels, dies and dram; flash of a run without time.
void add_device_fields(ObjectFields<RunResults>& summary);
/// periods, steady
void add_period_fields(ObjectFields<RunResults>& summary);
/// Fields of a window of `what`, in `unit`.
[[nodiscard]] ObjectFields<SteadyWindow> steady_window_fields(const std::string& what,
                                                              std::string_view unit);
/// ecc
void add_ecc_fields(ObjectFields<RunResults>& summary);
/// cpu
void add_cpu_fields(ObjectFields<RunResults>& summary);

/// data
void add_data_fields(ObjectFields<RunResults>& summary);

/// recovery
void add_recovery_fields(ObjectFields<RunResults>& summary);

/// energy_j
void add_energy_fields(ObjectFields<RunResults>& summary);

/// Laws that no section is the place of.
void add_laws_between_sections(ObjectFields<RunResults>& summary);

/// The source of a section that reads the whole run.
[[nodiscard]] inline const RunResults& itself(const RunResults& run) {
    return run;
}

/// Null unless the drive was preconditioned until it was steady.
[[nodiscard]] inline const PreconditionResult* steady_precondition(const RunResults& run) {
    return run.preconditioned.amplification.empty() ? nullptr : &run.preconditioned;
}

[[nodiscard]] inline double ratio(double part, double whole) {
    return whole == 0 ? 0.0 : part / whole;
}

[[nodiscard]] inline double share(std::uint64_t part, std::uint64_t whole) {
    return ratio(static_cast<double>(part), static_cast<double>(whole));
}

/// Requests of a kind that were answered since the end of the warm-up.
[[nodiscard]] inline std::uint64_t requests_of(const RunResults& run, RequestOp op) {
    return run.timed == nullptr ? run.untimed->count(op).requests
                                : run.timed->host()
                                      .statistics()
                                      .by_op[static_cast<std::size_t>(op)]
                                      .latency_ns.count();
}

/// Answered, and counted since the end of the warm-up.
[[nodiscard]] inline std::uint64_t counted_requests(const RunResults& run) {
    std::uint64_t all = 0;
    for (std::size_t op = 0; op < kRequestOps; ++op) {
        all += requests_of(run, static_cast<RequestOp>(op));
    }
    return all;
}

/// Bytes that the requests of a kind named, since the end of the warm-up.
[[nodiscard]] inline std::uint64_t bytes_of(const RunResults& run, RequestOp op) {
    return run.timed == nullptr
               ? run.untimed->count(op).bytes
               : run.timed->host().statistics().by_op[static_cast<std::size_t>(op)].bytes;
}

/// Per second of simulated time.
[[nodiscard]] inline double rate(std::uint64_t amount, TimePs over) {
    return ratio(static_cast<double>(amount),
                 static_cast<double>(over) / static_cast<double>(kSecond));
}

} // namespace cavern
