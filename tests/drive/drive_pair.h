#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/drive/drive_bench.h"
#include "workload/generator.h"

namespace cavern::testing {

/// A drive and its requests, drawn from a seed.
struct DrivePair {
    std::uint64_t seed = 0;
    std::vector<std::string> overrides; ///< of small_drive()
    Mix mix;
    bool closed_loop = true;
    std::optional<GeneratorSpec> jobs; ///< in place of the mix
};

/// Every key with a row in pair_keys() may be given. `requests`: how many, at most.
[[nodiscard]] DrivePair draw_pair(std::uint64_t seed, std::uint32_t requests);
/// The requests of its mix, suited to zones where the drive has some.
[[nodiscard]] std::vector<HostRequest> requests_of(const DrivePair& pair, const SsdConfig& config);
/// On one line each: the settings, then the requests.
[[nodiscard]] std::string describe(const DrivePair& pair);

/// What became of one of the two runs. Counts have the names of the summary.
struct PairOutcome {
    /// Of the host and of what the drive holds: the same whatever looks at time.
    std::vector<std::pair<std::string, std::uint64_t>> contents;
    /// Those that do not depend on time, unless the configuration says so.
    std::vector<std::pair<std::string, std::uint64_t>> counts;
    std::string decisions; ///< a line each
    std::string ends;      ///< the user's error that ended the run
    /// The configuration has decisions look at time (docs/architecture.md).
    bool looks_at_time = false;
    /// Dies of logical blocks are told by where pages were programmed (docs/read-a-report.md).
    bool firmware_decides = false;
};

/// What differs first, by name; empty: nothing.
[[nodiscard]] std::string difference(const PairOutcome& timed, const PairOutcome& untimed);

struct PairResult {
    /// Or that the timed run was not sound, or the message that stopped one; empty: neither.
    std::string difference;
    bool looks_at_time = false;
    /// One run tells a die that was chosen for a page and was full when its turn came; all else is
    /// the same.
    bool placed_anew = false;
    std::uint64_t decisions = 0; ///< lines
};
/// Plays the pair at both fidelities in a process of its own. `untimed_too`: settings that only
/// the untimed drive is given, to see a difference found.
[[nodiscard]] PairResult play_pair(const DrivePair& pair,
                                   const std::vector<std::string>& untimed_too = {});

/// Failures alike: the text of one up to its first number.
[[nodiscard]] std::string kind_of(const std::string& difference);

/// Takes settings and requests away as long as the pair still fails as it did at first.
[[nodiscard]] DrivePair shrink(DrivePair pair, const std::vector<std::string>& untimed_too = {});

} // namespace cavern::testing
