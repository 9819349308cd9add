#include "workload/generator.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/error.h"
#include "core/base/units.h"
#include "workload/field.h"
#include "workload/fio_values.h"
#include "workload/job_text.h"
#include "workload/line_reader.h"
#include "workload/toml_value.h"

namespace cavern {
namespace {

constexpr std::uint64_t kMaxBlock = std::numeric_limits<std::uint32_t>::max();

template <typename T>
struct Word {
    std::string_view name;
    T value;
};
constexpr std::array kPatterns{
    Word<Pattern>{"read", Pattern::kRead},         Word<Pattern>{"write", Pattern::kWrite},
    Word<Pattern>{"randread", Pattern::kRandRead}, Word<Pattern>{"randwrite", Pattern::kRandWrite},
    Word<Pattern>{"randrw", Pattern::kRandRw},     Word<Pattern>{"rw", Pattern::kRw},
    Word<Pattern>{"trim", Pattern::kTrim},         Word<Pattern>{"randtrim", Pattern::kRandTrim}};
constexpr std::array kArrivals{Word<Arrival>{"fixed", Arrival::kFixed},
                               Word<Arrival>{"poisson", Arrival::kPoisson}};

struct JobValue : TomlValue {
    [[nodiscard]] bool flag() const {
        const auto* value = node.as_boolean();
        if (value == nullptr) {
            fail("is neither true nor false", "write true or false, without quotes");
        }
        return value->get();
    }

    [[nodiscard]] std::uint64_t whole(std::uint64_t min, std::uint64_t max) const {
        const auto* value = node.as_integer();
        // A negative number becomes one above every limit.
        if (value == nullptr || static_cast<std::uint64_t>(value->get()) < min ||
            static_cast<std::uint64_t>(value->get()) > max) {
            fail("is no whole number from " + std::to_string(min) + " to " + std::to_string(max),
                 "write a number such as " + std::to_string(min > 0 ? min : 1));
        }
        return static_cast<std::uint64_t>(value->get());
    }

    [[nodiscard]] std::uint64_t bytes(std::uint64_t max) const {
        if (node.is_integer()) {
            return whole(0, max);
        }
        const std::string written = text();
        const auto value = parse_quantity(written, Quantity::kBytes);
        if (!value || *value > max) {
            fail(quote(written) + " is no size up to " + std::to_string(max) + " bytes",
                 "it is " + std::string(accepted_units(Quantity::kBytes)));
        }
        return *value;
    }

    [[nodiscard]] std::uint64_t quantity(Quantity kind) const {
        const std::string written = text();
        const auto value = parse_quantity(written, kind);
        if (!value || *value > kMaxWhole) {
            fail(quote(written) + " is no quantity of the right kind",
                 "it is " + std::string(accepted_units(kind)));
        }
        return *value;
    }

    [[nodiscard]] double percent() const {
        const auto value = node.value<double>(); // whole numbers too
        if (!value || !(*value >= 0 && *value <= 100)) {
            fail("is no percentage", "write a number from 0 to 100");
        }
        return *value;
    }

    /// Runs a parser of job_text.h over the text; its complaint becomes the message.
    template <typename Parse>
    [[nodiscard]] auto parsed(Parse parse) const {
        try {
            return parse(text());
        } catch (const JobTextError& error) {
            fail(error.what(), error.right());
        }
    }

    template <typename T, std::size_t N>
    [[nodiscard]] T word(const std::array<Word<T>, N>& words) const {
        const std::string written = text();
        std::string names;
        for (const Word<T>& word : words) {
            if (word.name == written) {
                return word.value;
            }
            names += (names.empty() ? "" : ", ") + std::string(word.name);
        }
        fail(quote(written) + " is unknown", "it is one of " + names);
    }
};

std::optional<std::uint32_t> toml_bytes(std::string_view text) {
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

/// The keys of a job: the only list of them.
struct JobKey {
    std::string_view name;
    void (*read)(const JobValue&, Draft&);
};
constexpr std::array kJobKeys{
    JobKey{"name", [](const JobValue& value, Draft& draft) { draft.job.name = value.text(); }},
    JobKey{"rw",
           [](const JobValue& value, Draft& draft) { draft.job.pattern = value.word(kPatterns); }},
    JobKey{"rwmixread",
           [](const JobValue& value, Draft& draft) { draft.job.rwmixread = value.percent(); }},
    JobKey{"bs",
           [](const JobValue& value, Draft& draft) {
               if (value.node.is_string() && value.text().find(',') != std::string::npos) {
                   draft.bs = value.parsed(
                       [](const std::string& text) { return parse_block_sizes(text, toml_bytes); });
               } else {
                   draft.job.block_bytes = static_cast<std::uint32_t>(value.bytes(kMaxBlock));
               }
           }},
    JobKey{"bssplit",
           [](const JobValue& value, Draft& draft) {
               draft.bssplit = value.parsed(
                   [](const std::string& text) { return parse_bssplit(text, share_bytes); });
           }},
    JobKey{"bs_mean",
           [](const JobValue& value, Draft& draft) {
               draft.bs_mean = value.parsed(
                   [](const std::string& text) { return parse_means(text, toml_bytes); });
           }},
    JobKey{"size",
           [](const JobValue& value, Draft& draft) { draft.job.size = value.bytes(kMaxWhole); }},
    JobKey{"offset",
           [](const JobValue& value, Draft& draft) { draft.job.offset = value.bytes(kMaxWhole); }},
    JobKey{"read_size", [](const JobValue& value,
                           Draft& draft) { draft.job.read_size = value.bytes(kMaxWhole); }},
    JobKey{"write_size", [](const JobValue& value,
                            Draft& draft) { draft.job.write_size = value.bytes(kMaxWhole); }},
    JobKey{"spread",
           [](const JobValue& value, Draft& draft) { draft.job.spread = value.bytes(kMaxWhole); }},
    JobKey{"random_distribution",
           [](const JobValue& value, Draft& draft) {
               draft.job.distribution =
                   value.parsed([](const std::string& text) { return parse_distribution(text); });
           }},
    JobKey{"cluster",
           [](const JobValue& value, Draft& draft) { draft.job.cluster = value.bytes(kMaxWhole); }},
    JobKey{
        "percentage_random",
        [](const JobValue& value, Draft& draft) { draft.job.percentage_random = value.percent(); }},
    JobKey{"number_ios", [](const JobValue& value,
                            Draft& draft) { draft.job.number_ios = value.whole(1, kMaxWhole); }},
    JobKey{"seed",
           [](const JobValue& value, Draft& draft) { draft.job.seed = value.whole(0, kMaxWhole); }},
    JobKey{"iodepth",
           [](const JobValue& value, Draft& draft) {
               draft.job.iodepth = static_cast<std::uint32_t>(value.whole(1, 65536));
           }},
    JobKey{"rate_iops", [](const JobValue& value,
                           Draft& draft) { draft.job.rate_iops = value.whole(1, kSecond); }},
    JobKey{"rate",
           [](const JobValue& value, Draft& draft) {
               draft.job.rate = value.quantity(Quantity::kBytesPerSecond);
           }},
    JobKey{"interarrival",
           [](const JobValue& value, Draft& draft) {
               draft.job.interarrival = value.quantity(Quantity::kTime);
           }},
    JobKey{"arrival",
           [](const JobValue& value, Draft& draft) { draft.job.arrival = value.word(kArrivals); }},
    JobKey{"thinktime",
           [](const JobValue& value, Draft& draft) {
               draft.job.thinktime = value.quantity(Quantity::kTime);
           }},
    JobKey{"thinktime_blocks",
           [](const JobValue& value, Draft& draft) {
               draft.job.thinktime_blocks = value.whole(1, kMaxWhole);
           }},
    JobKey{"startdelay",
           [](const JobValue& value, Draft& draft) {
               draft.job.startdelay = value.quantity(Quantity::kTime);
           }},
    JobKey{"runtime", [](const JobValue& value,
                         Draft& draft) { draft.job.runtime = value.quantity(Quantity::kTime); }},
    JobKey{"fsync", [](const JobValue& value,
                       Draft& draft) { draft.job.fsync = value.whole(0, kMaxWhole); }},
    JobKey{"writefua",
           [](const JobValue& value, Draft& draft) { draft.job.writefua = value.flag(); }},
    JobKey{"stream",
           [](const JobValue& value, Draft& draft) {
               draft.job.stream = static_cast<std::uint16_t>(value.whole(0, kMaxStream));
           }},
    JobKey{"zone_size", [](const JobValue& value,
                           Draft& draft) { draft.job.zone_size = value.bytes(kMaxWhole); }},
    JobKey{"zone_capacity", [](const JobValue& value,
                               Draft& draft) { draft.job.zone_capacity = value.bytes(kMaxWhole); }},
    JobKey{"zone_append",
           [](const JobValue& value, Draft& draft) { draft.job.zone_append = value.flag(); }},
    JobKey{"numjobs",
           [](const JobValue& value, Draft& draft) {
               draft.numjobs = static_cast<std::uint32_t>(value.whole(1, 1024));
           }},
    JobKey{"offset_increment",
           [](const JobValue& value, Draft& draft) {
               draft.offset_increment = value.bytes(kMaxWhole >> 10);
           }},
};

std::string key_names() {
    std::string names;
    for (const JobKey& key : kJobKeys) {
        names += (names.empty() ? "" : ", ") + std::string(key.name);
    }
    return names;
}

Draft read_draft(const toml::table& table, const std::string& file) {
    Draft draft;
    JobSpec& job = draft.job;
    job.line = table.source().begin.line;
    for (const auto& [name, node] : table) {
        const std::string_view word = name.str(); // a binding cannot be captured in C++17
        const auto* key =
            std::find_if(kJobKeys.begin(), kJobKeys.end(),
                         [word](const JobKey& candidate) { return candidate.name == word; });
        if (key == kJobKeys.end()) {
            throw UserError(file, name.source().begin.line, "unknown key " + quote(name.str()),
                            "a job has the keys " + key_names());
        }
        key->read({{file, key->name, node}}, draft);
    }
    for (const char* needed : {"rw", "size"}) {
        if (!table.contains(needed)) {
            throw UserError(file, job.line, "the job has no " + std::string(needed),
                            "a job needs rw and size");
        }
    }
    const bool mix = job.pattern == Pattern::kRw || job.pattern == Pattern::kRandRw;
    if (const toml::node* share = table.get("rwmixread"); share != nullptr && !mix) {
        throw UserError(file, share->source().begin.line, "rwmixread in a job that does not mix",
                        "rwmixread goes with rw = \"rw\" or \"randrw\"");
    }
    const bool several = draft.bs.has_value();
    if ((draft.bssplit ? 1 : 0) + (draft.bs_mean ? 1 : 0) + (several ? 1 : 0) > 1) {
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
