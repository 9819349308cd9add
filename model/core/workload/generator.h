#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/workload/position.h"
#include "core/workload/request.h"

namespace cavern {

/// fio's `rw`. "rw" and "randrw" mix reads and writes.
enum class Pattern : std::uint8_t { kRead, kWrite, kRandRead, kRandWrite, kRandRw, kRw };
enum class Arrival : std::uint8_t { kFixed, kPoisson };

/// One stream of synthetic requests, in fio's terms. Sequential jobs start at the front of their
/// region and wrap at its end, reads and writes of a mix each at their own place as in fio; random
/// offsets are uniform over the blocks of the region, with repetition (fio's norandommap). A mix
/// draws each request's direction by itself, with probability rwmixread.
struct JobSpec {
    std::string name = "job";
    Pattern pattern = Pattern::kRead;
    std::uint32_t rwmixread = 50; ///< percent of reads in a mix
    std::uint32_t block_bytes = 4096;
    std::uint64_t size = 0;   ///< bytes of the region; only whole blocks of it are used
    std::uint64_t offset = 0; ///< where the region starts
    std::optional<std::uint64_t> number_ios; ///< absent: as many as the region has blocks
    std::optional<std::uint64_t> seed; ///< absent: from the seed of the run and the job's place
    std::uint32_t iodepth = 1;         ///< for the closed loop; the generator does not use it
    std::optional<std::uint64_t> rate_iops; ///< absent: closed loop, every arrival at 0
    Arrival arrival = Arrival::kFixed;
    std::size_t line = 0; ///< in the workload file, for messages

    [[nodiscard]] std::uint64_t requests() const {
        return number_ios ? *number_ios : size / block_bytes;
    }
    /// One past the last byte the job can touch.
    [[nodiscard]] std::uint64_t end() const { return offset + size / block_bytes * block_bytes; }
};

struct GeneratorSpec {
    std::string file = "generator"; ///< for messages
    std::vector<JobSpec> jobs;

    /// Requests of all jobs.
    [[nodiscard]] std::uint64_t requests() const;
    /// One past the last byte any job can touch.
    [[nodiscard]] std::uint64_t end() const;
    /// Whether requests wait for completions rather than for a time: no job has a rate.
    [[nodiscard]] bool closed_loop() const;
    /// Sum over the jobs: what the closed loop keeps outstanding.
    [[nodiscard]] std::uint32_t iodepth() const;
};

/// Throws UserError naming the job where a spec makes no sense: no job, an empty region, sizes that
/// are no multiple of 512 bytes, some jobs with a rate and others without, and so on.
void check(const GeneratorSpec& spec);

/// Throws UserError naming the first job whose region ends beyond a drive of `capacity` bytes.
void require_within(const GeneratorSpec& spec, std::uint64_t capacity);

/// Reads a workload file: TOML with a table [[job]] for each, keys as in JobSpec except `rw` and
/// `bs`. Sizes are "4KiB" or bytes. Throws UserError naming file and line. The result is checked.
/// Example:
///
///     [[job]]
///     name = "log"
///     rw = "randwrite"
///     bs = "4KiB"
///     size = "1GiB"
///     number_ios = 100000
///     rate_iops = 20000
///     arrival = "poisson"
[[nodiscard]] GeneratorSpec load_generator_spec(const std::string& path);
/// The same from text; `file` for messages.
[[nodiscard]] GeneratorSpec parse_generator_spec(std::string_view text, const std::string& file);

/// The jobs of a spec as one stream: by arrival, at equal arrival round robin. Deterministic in
/// spec and seed, the same on every machine (no floating point).
class Generator final : public RequestSourceIf, public PositionIf {
  public:
    /// Checks `spec` as check() does.
    explicit Generator(GeneratorSpec spec, std::uint64_t run_seed = 1);
    bool next(HostRequest& request) override;
    /// The workload file and the line of the job; without a file the number of the request.
    [[nodiscard]] SourcePosition position() const override;

  private:
    struct Job {
        const JobSpec* spec;
        Random random;
        std::uint64_t blocks;   ///< in the region
        std::uint64_t left;     ///< requests to come
        std::uint64_t made = 0; ///< requests delivered
        std::uint64_t read_block = 0;
        std::uint64_t write_block = 0;
        TimePs arrival = 0; ///< of the next request
    };

    void fill(Job& job, HostRequest& request);
    void advance_arrival(Job& job);

    GeneratorSpec spec_;
    std::vector<Job> jobs_;
    std::size_t last_ = 0;
    std::uint64_t made_ = 0;
};

} // namespace cavern
