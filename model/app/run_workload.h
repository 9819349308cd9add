#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run.h"
#include "config/config.h"
#include "results/run_identity.h"
#include "workload/filters.h"
#include "workload/trace_reader.h"

namespace cavern {

/// The workload of a run, opened, and what is known of it beforehand.
struct Workload {
    std::unique_ptr<RequestSourceIf> source; ///< null: place() makes it
    /// On a drive of so many bytes.
    std::function<std::unique_ptr<RequestSourceIf>(std::uint64_t capacity)> place;
    /// Throws UserError for a request beyond a drive of so many bytes, where that can be known.
    std::function<void(std::uint64_t capacity)> require_within;
    std::optional<std::uint64_t> requests; ///< unknown for a pipe, and where time ends it
    bool closed_loop = false;
    std::optional<std::uint32_t> depth;  ///< that a generator asks for
    TimePs ramp = 0;                     ///< of the warm-up; 0: none
    std::string needs_time = {};         ///< job whose requests depend on time; empty: none
    std::vector<std::string> notes = {}; ///< on what it asks for and does not get
    std::vector<std::string> jobs = {};  ///< their names, or those of traces; none of a single one
};

/// A trace of a run. The name is empty where there is one.
struct TraceFlow {
    std::string name;
    std::string path;
};
/// Throws UserError where several traces are not told apart.
[[nodiscard]] std::vector<TraceFlow> traces_of(const RunOptions& options);

/// Finds every fault of a workload that can be found before the run. Throws UserError.
[[nodiscard]] Workload open_workload(const RunOptions& options, const SsdConfig& config);

/// What the run is called by: when, with which command, of which input.
[[nodiscard]] RunIdentity identify(const RunOptions& options, const Workload& workload);

/// How many requests a workload has on a drive of so many bytes. Throws UserError where that cannot
/// be known, or where they are as many as some time takes: a sample is drawn from a known number.
[[nodiscard]] std::uint64_t sampled_requests(const RunOptions& options, const Workload& workload,
                                             std::uint64_t capacity);

/// What stands between the workload and a drive of so many bytes.
[[nodiscard]] FilterOptions filters_of(const RunOptions& options, const SsdConfig& config,
                                       std::uint64_t capacity, bool closed_loop);

} // namespace cavern
