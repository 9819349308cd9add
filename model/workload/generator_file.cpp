#include "workload/generator.h"

#include <limits>

#include "core/base/error.h"
#include "core/base/units.h"
#include "keys/key_file.h"
#include "keys/key_row.h"
#include "keys/key_value.h"
#include "workload/field.h"
#include "workload/fio_values.h"
#include "workload/job_keys.h"
#include "workload/job_text.h"
#include "workload/line_reader.h"

namespace cavern {
namespace {

using T = KeyType;

constexpr std::uint64_t kMaxBlock = std::numeric_limits<std::uint32_t>::max();
constexpr TimePs kLongest = kMaxWhole / kSecond * kSecond;

/// "4KiB", or a number of bytes.
std::optional<std::uint32_t> toml_bytes(std::string_view text) {
    const Number bare = parse_whole(text, kMaxBlock);
    if (bare.error == NumberError::kNone) {
        return static_cast<std::uint32_t>(bare.value);
    }
    const auto bytes = parse_quantity(text, Quantity::kBytes);
    return bytes && *bytes <= kMaxBlock ? std::optional(static_cast<std::uint32_t>(*bytes))
                                        : std::nullopt;
}

/// "4KiB", or "4k" as fio writes it.
std::optional<std::uint32_t> share_bytes(std::string_view text) {
    const auto bytes = toml_bytes(text);
    return bytes ? bytes : fio_block_bytes(text, 1024);
}

/// Values of a table before the job is put together.
struct Draft {
    JobSpec job;
    std::optional<SizesText> bs;
    std::optional<SizesText> bssplit;
    std::optional<MeansText> bs_mean;
    std::uint32_t numjobs = 1;
    std::uint64_t offset_increment = 0;
};

/// A size of the job.
template <typename Member>
KeyRow bytes_row(const char* name, const char* meaning, Member member) {
    return KeyRow(T::kBytes, name, meaning).to(&Draft::job, member).range(0, kMaxWhole).or_bare();
}

template <typename Member>
KeyRow time_row(const char* name, const char* meaning, Member member) {
    return KeyRow(T::kTime, name, meaning).to(&Draft::job, member).range(0, kLongest);
}

template <typename Member>
KeyRow count_row(const char* name, const char* meaning, Member member) {
    return KeyRow(T::kCount, name, meaning).to(&Draft::job, member).range(1, kMaxWhole);
}

Refused take_sizes(Draft& draft, const std::string& text) {
    return refused_text([&] {
        draft.bs = parse_block_sizes(text, toml_bytes);
        if (text.find(',') == std::string::npos) {
            draft.job.block_bytes = draft.bs->read.largest();
            draft.bs.reset();
        }
    });
}

Refused take_shares(Draft& draft, const std::string& text) {
    return refused_text([&] { draft.bssplit = parse_bssplit(text, share_bytes); });
}

Refused take_means(Draft& draft, const std::string& text) {
    return refused_text([&] { draft.bs_mean = parse_means(text, toml_bytes); });
}

Refused take_job_places(Draft& draft, const std::string& text) {
    return refused_text([&] { draft.job.distribution = parse_distribution(text); });
}

Refused take_stream(Draft& draft, const std::uint64_t& stream) {
    draft.job.stream = static_cast<std::uint16_t>(stream);
    return {};
}

Keys job_rows() {
    return {
        KeyRow(T::kText, "job.name", "name of the job in messages and in the summary")
            .to(&Draft::job, &JobSpec::name),
        KeyRow(T::kWord, "job.rw", "what the requests do, and whether they jump")
            .of({{"read", "Reads go through the region in order."},
                 {"write", "Writes go through the region in order."},
                 {"trim", "Trims go through the region in order."},
                 {"randread", "Reads go to random places of the region."},
                 {"randwrite", "Writes go to random places of the region."},
                 {"randtrim", "Trims go to random places of the region."},
                 {"randrw", "Reads and writes go to random places of the region."},
                 {"rw", "Reads and writes go through the region, each in order."}})
            .to(&Draft::job, &JobSpec::pattern)
            .required(),
        KeyRow(T::kReal, "job.rwmixread", "percentage of reads, with job.rw = rw or randrw")
            .within(0, 100)
            .to(&Draft::job, &JobSpec::rwmixread),
        KeyRow(T::kText, "job.bs",
               "size of a request; or two, with a comma between: of reads and of writes")
            .written("a size such as \"4KiB\" or a number of bytes, or two as in \"4KiB,8KiB\"")
            .taken(take_sizes)
            .otherwise("4KiB"),
        KeyRow(T::kText, "job.bssplit",
               "shares of sizes in percent; or two such lists, with a comma between: of reads and "
               "of writes. Shares left away divide the rest")
            .written("a text such as \"4k/60:64k/40\"")
            .taken(take_shares),
        KeyRow(T::kText, "job.bs_mean",
               "mean of sizes that are distributed geometrically, in units of job.bs; or two, with "
               "a comma between: of reads and of writes")
            .written("a size such as \"20KiB\", or two as in \"13KiB,20KiB\"")
            .taken(take_means),
        bytes_row("job.size", "size of the region; whole blocks of it are used", &JobSpec::size)
            .required(),
        bytes_row("job.offset", "where the region begins", &JobSpec::offset),
        bytes_row("job.read_size", "reads keep to the front of the region: this much of it",
                  &JobSpec::read_size),
        bytes_row("job.write_size", "writes keep to the front of the region: this much of it",
                  &JobSpec::write_size),
        bytes_row("job.spread",
                  "over how many bytes pieces of 4 MiB of the region lie; absent: in one piece",
                  &JobSpec::spread),
        KeyRow(T::kText, "job.random_distribution",
               "how popular the places are to which random requests go")
            .written("random, zipf:THETA, pareto:H, zoned:ACCESS/SIZE:ACCESS/SIZE... or "
                     "hotspot:ACCESS/SIZE")
            .taken(take_job_places)
            .otherwise("random"),
        bytes_row(
            "job.cluster",
            "with zipf and pareto: size of a neighbourhood that is popular as a whole, a "
            "multiple of job.bs; within it each place is drawn equally often. Absent: popular "
            "places are scattered over the region",
            &JobSpec::cluster),
        KeyRow(T::kReal, "job.percentage_random",
               "percentage of requests that jump; each other one continues the one before it")
            .within(0, 100)
            .to(&Draft::job, &JobSpec::percentage_random),
        count_row("job.number_ios", "number of requests; absent: as many as fill the region once",
                  &JobSpec::number_ios),
        count_row("job.seed", "seed of the job; absent: it follows from that of the run",
                  &JobSpec::seed)
            .range(0, kMaxWhole),
        count_row("job.iodepth", "commands that the job keeps outstanding in the closed loop",
                  &JobSpec::iodepth)
            .range(1, 65536),
        count_row("job.rate_iops", "requests per second; absent: closed loop", &JobSpec::rate_iops)
            .range(1, kSecond),
        KeyRow(T::kRate, "job.rate", "bytes per second; absent: closed loop")
            .to(&Draft::job, &JobSpec::rate)
            .range(0, kMaxWhole),
        time_row("job.interarrival", "mean time between two requests; absent: closed loop",
                 &JobSpec::interarrival),
        KeyRow(T::kWord, "job.arrival", "how the times between requests are distributed")
            .of({{"fixed", "All are equal."}, {"poisson", "They are exponential."}})
            .to(&Draft::job, &JobSpec::arrival),
        time_row("job.thinktime", "a job with a rate pauses so long after job.thinktime_blocks",
                 &JobSpec::thinktime),
        count_row("job.thinktime_blocks", "number of requests between two pauses of job.thinktime",
                  &JobSpec::thinktime_blocks),
        time_row("job.startdelay", "a job with a rate waits so long before its first request",
                 &JobSpec::startdelay),
        time_row("job.runtime", "the job stops so long after its begin; absent: at its end",
                 &JobSpec::runtime),
        count_row("job.fsync", "a flush follows after this many writes; 0: none", &JobSpec::fsync)
            .range(0, kMaxWhole),
        KeyRow(T::kFlag, "job.writefua",
               "writes are answered when they are in flash (force unit access)")
            .to(&Draft::job, &JobSpec::writefua),
        KeyRow(T::kCount, "job.stream", "stream of the writes")
            .taken(take_stream)
            .range(0, kMaxStream)
            .otherwise("0"),
        bytes_row("job.zone_size", "writes go by zones of this size; 0: there are none",
                  &JobSpec::zone_size),
        bytes_row("job.zone_capacity", "how much of a zone is written; absent: all of it",
                  &JobSpec::zone_capacity),
        KeyRow(T::kFlag, "job.zone_append", "writes are zone appends")
            .to(&Draft::job, &JobSpec::zone_append),
        KeyRow(T::kCount, "job.numjobs", "number of copies of the job")
            .to(&Draft::numjobs)
            .range(1, 1024),
        KeyRow(T::kBytes, "job.offset_increment", "distance between the regions of two copies")
            .to(&Draft::offset_increment)
            .range(0, kMaxWhole >> 10)
            .or_bare(),
    };
}

Draft read_draft(const toml::table& table, const std::string& file) {
    const KeyTable keys = read_table(table, file, job_keys(), "a job");
    Draft draft;
    keys.store(&draft);
    JobSpec& job = draft.job;
    job.line = keys.line;
    if (const std::size_t line = keys.line_of("job.rwmixread"); line != 0 && !job.mixes()) {
        throw UserError(file, line, "rwmixread in a job that does not mix",
                        "rwmixread goes with rw = \"rw\" or \"randrw\"");
    }
    if ((draft.bssplit ? 1 : 0) + (draft.bs_mean ? 1 : 0) + (draft.bs ? 1 : 0) > 1) {
        throw UserError(file, job.line, "job " + quote(job.name) + " has its sizes said twice",
                        "a bs for each direction, bssplit or bs_mean, not several of them");
    }
    return draft;
}

/// One job for each of numjobs, with the sizes put in.
void add_jobs(Draft draft, std::vector<JobSpec>& jobs) {
    JobSpec& job = draft.job;
    if (draft.bs_mean) {
        job.read_sizes = SizeDistribution{{}, job.block_bytes, draft.bs_mean->read};
        job.write_sizes = SizeDistribution{{}, job.block_bytes, draft.bs_mean->write};
    } else if (const auto& sizes = draft.bssplit ? draft.bssplit : draft.bs) {
        job.read_sizes = sizes->read;
        job.write_sizes = sizes->write;
    }
    for (std::uint32_t i = 0; i < draft.numjobs; ++i) {
        jobs.push_back(job);
        jobs.back().offset += i * draft.offset_increment;
        if (job.seed) {
            jobs.back().seed = *job.seed + i;
        }
    }
}

} // namespace

const Keys& job_keys() {
    static const Draft fresh;
    static const Keys keys = with_defaults(job_rows(), &fresh);
    return keys;
}

GeneratorSpec parse_generator_spec(std::string_view text, const std::string& file) {
    const toml::table root = parse_toml(text, file, "a workload file is TOML with tables [[job]]");
    GeneratorSpec spec;
    spec.file = file;
    for (const auto& [name, node] : root) {
        const std::size_t line = name.source().begin.line;
        if (name.str() == "target") {
            continue; // what the jobs were fitted to
        }
        if (name.str() != "job") {
            throw UserError(file, line, "unknown key " + quote(name.str()),
                            "a workload file has tables [[job]] only");
        }
        const toml::array* jobs = node.as_array();
        if (jobs == nullptr || !jobs->is_homogeneous<toml::table>()) {
            throw UserError(file, line, "job is no list of tables",
                            "write [[job]] with two brackets");
        }
        for (const toml::node& job : *jobs) {
            add_jobs(read_draft(*job.as_table(), file), spec.jobs);
        }
    }
    check(spec);
    return spec;
}

GeneratorSpec load_generator_spec(const std::string& path) {
    LineReader lines(path);
    return parse_generator_spec(lines.rest(), lines.name());
}

} // namespace cavern
