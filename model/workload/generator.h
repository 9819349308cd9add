#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/divisor.h"
#include "core/base/random.h"
#include "workload/position.h"
#include "workload/random_place.h"
#include "workload/request.h"
#include "workload/request_size.h"

namespace cavern {

/// fio's `rw`. "rw" and "randrw" mix reads and writes.
enum class Pattern : std::uint8_t {
    kRead,
    kWrite,
    kTrim,
    kRandRead,
    kRandWrite,
    kRandTrim,
    kRandRw,
    kRw
};
enum class Arrival : std::uint8_t { kFixed, kPoisson };

/// One stream of synthetic requests, in fio's terms. Sequential jobs start at the front of their
/// region and wrap at its end, reads and writes of a mix each at their own place as in fio; random
/// offsets are drawn from the region with repetition (fio's norandommap). A mix draws each
/// request's direction by itself, with probability rwmixread. With percentage_random below 100 a
/// random job goes on where its last request ended, in the same direction, with the rest of the
/// probability.
struct JobSpec {
    std::string name = "job";
    Pattern pattern = Pattern::kRead;
    double rwmixread = 50; ///< percent of reads in a mix
    std::uint32_t block_bytes = 4096;
    std::optional<SizeDistribution> read_sizes;  ///< absent: block_bytes
    std::optional<SizeDistribution> write_sizes; ///< the same; trims have the sizes of writes
    std::uint64_t size = 0;   ///< bytes of the region; only whole blocks of it are used
    std::uint64_t offset = 0; ///< where the region starts
    std::optional<std::uint64_t> read_size;  ///< reads keep to so much of the region's front
    std::optional<std::uint64_t> write_size; ///< writes do
    /// Bytes over which pieces of kPieceBytes of the region are spread; absent: it is in one piece.
    std::optional<std::uint64_t> spread;
    PlaceDistribution distribution;
    /// Bytes of a neighbourhood: zipf and pareto say how popular each is; within one every place
    /// is drawn equally often. A request may run over its end. Absent: each place by itself.
    std::optional<std::uint64_t> cluster;
    double percentage_random = 100;
    std::optional<std::uint64_t> number_ios; ///< absent: as many as fill the region once
    std::optional<std::uint64_t> seed; ///< absent: from the seed of the run and the job's place
    std::uint32_t iodepth = 1;         ///< closed loop: requests outstanding at most
    // Open loop: at most one of the three. Absent: closed loop, every arrival at 0.
    std::optional<std::uint64_t> rate_iops;
    std::optional<std::uint64_t> rate;  ///< bytes a second
    std::optional<TimePs> interarrival; ///< mean time between requests
    Arrival arrival = Arrival::kFixed;
    TimePs thinktime = 0; ///< added after every thinktime_blocks requests
    std::uint64_t thinktime_blocks = 1;
    TimePs startdelay = 0;         ///< open loop: before the first request
    std::optional<TimePs> runtime; ///< after its begin: no request from this time on
    std::uint64_t fsync = 0;       ///< writes between two flushes; 0: none
    bool writefua = false;         ///< writes are done when they are in flash
    std::uint16_t stream = 0;      ///< of its writes
    /// Bytes of a zone: writes go by zones, as in fio's zonemode=zbd, each where its zone is
    /// written next, and a zone that has no room for it is reset before. 0: there are none.
    std::uint64_t zone_size = 0;
    std::optional<std::uint64_t> zone_capacity; ///< bytes of a zone that are written; absent: all
    bool zone_append = false;                   ///< by zone appends
    std::size_t line = 0;                       ///< in the workload file, for messages

    static constexpr std::uint64_t kPieceBytes = 4 * kMiB;

    [[nodiscard]] bool paced() const { return rate_iops || rate || interarrival; }
    [[nodiscard]] SizeDistribution sizes(bool read) const {
        const std::optional<SizeDistribution>& own = read ? read_sizes : write_sizes;
        return own ? *own : SizeDistribution::constant(block_bytes);
    }
    [[nodiscard]] bool mixes() const;
    [[nodiscard]] bool reads() const;
    [[nodiscard]] bool writes() const; ///< or trims
    /// Bytes of the region that one direction uses.
    [[nodiscard]] std::uint64_t region(bool read) const {
        return (read ? read_size : write_size).value_or(size);
    }
    /// What offsets are a multiple of.
    [[nodiscard]] std::uint32_t alignment(bool read) const { return sizes(read).alignment(); }
    /// The same region, whole blocks of it.
    [[nodiscard]] std::uint64_t whole_region(bool read) const {
        return region(read) / alignment(read) * alignment(read);
    }
    /// Mean over both directions.
    [[nodiscard]] double mean_bytes() const;
    /// Reads, writes and trims to come; flushes are not counted.
    [[nodiscard]] std::uint64_t requests() const;
    /// One past the last byte the job can touch.
    [[nodiscard]] std::uint64_t end() const;
};

struct GeneratorSpec {
    std::string file = "generator"; ///< for messages
    std::vector<JobSpec> jobs;

    /// Requests of all jobs, without flushes; fewer come where a job has a runtime.
    [[nodiscard]] std::uint64_t requests() const;
    /// One past the last byte any job can touch.
    [[nodiscard]] std::uint64_t end() const;
    /// Whether requests wait for completions rather than for a time: no job is paced.
    [[nodiscard]] bool closed_loop() const;
    /// Sum over the jobs: what the closed loop keeps outstanding.
    [[nodiscard]] std::uint32_t iodepth() const;
};

/// Throws UserError naming the job where a spec makes no sense: no job, an empty region, sizes that
/// are no multiple of 512 bytes, some jobs with a rate and others without, and so on.
void check(const GeneratorSpec& spec);

/// Throws UserError naming the first job whose region ends beyond a drive of `capacity` bytes.
void require_within(const GeneratorSpec& spec, std::uint64_t capacity);

/// Reads a workload file: TOML with a table [[job]] for each, keys as docs/traces.md lists them.
/// Sizes are "4KiB" or bytes. A table [target] is for fitting (see fit.h) and not used here. Throws
/// UserError naming file and line. The result is checked. Example:
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
/// Reads a workload from text; `file` is for messages.
[[nodiscard]] GeneratorSpec parse_generator_spec(std::string_view text, const std::string& file);

/// The jobs of a spec as one stream: by arrival, at equal arrival round robin. Of several jobs in a
/// closed loop each has at most its iodepth outstanding; those with room take turns. Deterministic
/// in spec, seed and answers, the same on every machine (no floating point in drawing but for zipf
/// and pareto).
class Generator final : public RequestSourceIf, public PositionIf {
  public:
    using Clock = TimePs (*)();

    /// Checks `spec` as check() does. `clock` tells the time of the run, by which jobs of a closed
    /// loop end; null: there is none, and their runtime is not looked at.
    /// `only`: this job alone has requests, which are those that it has beside the others.
    explicit Generator(GeneratorSpec spec, std::uint64_t run_seed = 1, Clock clock = nullptr,
                       std::optional<std::size_t> only = std::nullopt);
    bool next(HostRequest& request) override;
    /// A single job needs no answers: the host has no other to give its room to.
    [[nodiscard]] bool has_jobs() const override { return jobs_.size() > 1 && spec_.closed_loop(); }
    void answered(std::uint32_t job) override { --jobs_[job].outstanding; }
    /// The workload file and the line of the job; without a file the number of the request.
    [[nodiscard]] SourcePosition position() const override;

  private:
    /// State of one direction of a job.
    struct Direction {
        Direction(const JobSpec& spec, bool read);
        /// Where the last request of `bytes` begins, in multiples of the alignment.
        [[nodiscard]] std::uint64_t last_place(std::uint32_t bytes) const {
            return bytes == sizes.only() ? last_of_only : alignment.divide(region - bytes);
        }

        RequestSize sizes;
        WideDivisor alignment;
        std::uint64_t region; ///< bytes
        std::uint64_t last_of_only;
        RandomPlace places;
        std::uint64_t following = 0; ///< of a sequential job: where the next request begins
    };
    struct Job {
        Job(const JobSpec& spec_of_job, std::uint64_t seed);

        const JobSpec* spec;
        Random random;
        // Answers of the spec that each request needs.
        bool mixes;
        bool reads;
        bool jumps; ///< places are random
        bool paced;
        RequestOp changes;        ///< what a request is that does not read
        std::uint64_t read_share; ///< of kPercentSteps
        std::uint64_t jump_share; ///< of kPercentSteps
        Direction read;
        Direction write;
        std::uint64_t left;     ///< requests to come
        std::uint64_t made = 0; ///< requests delivered
        std::uint64_t bytes = 0;
        std::uint64_t pieces;
        bool continues = false; ///< there is a last request to go on from
        bool last_read = false;
        std::uint64_t last_end = 0;
        std::uint64_t writes_since_flush = 0;
        std::vector<std::uint64_t> zones; ///< bytes written of each; empty: there are none
        HostRequest held;                 ///< a write whose zone is reset first
        bool holds = false;
        TimePs held_arrival = 0; ///< of the request after it
        TimePs arrival = 0;      ///< of the next request
        [[nodiscard]] bool has_more() const { return left > 0 || holds; }
        std::uint32_t outstanding = 0;
    };

    [[nodiscard]] Job* choose();
    void end_by_time();
    void fill(Job& job, HostRequest& request);
    [[nodiscard]] static bool goes_on(Job& job, std::uint32_t& bytes);
    [[nodiscard]] static std::uint64_t random_place(Job& job, Direction& direction,
                                                    std::uint32_t bytes);
    [[nodiscard]] static std::uint64_t in_drive(const Job& job, std::uint64_t place);
    /// Moves a write to where its zone goes on; if it has no room there, the request becomes the
    /// reset of the zone, and the write is held.
    static void write_to_zone(Job& job, HostRequest& request);
    void advance_arrival(Job& job);

    GeneratorSpec spec_;
    std::vector<Job> jobs_;
    Clock clock_;
    bool timed_ = false; ///< time ends some
    bool waits_ = false; ///< jobs have no more outstanding than their iodepth
    std::size_t last_ = 0;
    std::uint64_t made_ = 0;
};

} // namespace cavern
