#include "core/workload/generator.h"

#include <algorithm>
#include <array>
#include <limits>

#include <toml++/toml.h>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/workload/field.h"
#include "core/workload/line_reader.h"

namespace cavern {
namespace {

constexpr std::uint64_t kMaxWhole = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();

template <typename T>
struct Word {
    std::string_view name;
    T value;
};
constexpr std::array kPatterns{
    Word<Pattern>{"read", Pattern::kRead},         Word<Pattern>{"write", Pattern::kWrite},
    Word<Pattern>{"randread", Pattern::kRandRead}, Word<Pattern>{"randwrite", Pattern::kRandWrite},
    Word<Pattern>{"randrw", Pattern::kRandRw},     Word<Pattern>{"rw", Pattern::kRw}};
constexpr std::array kArrivals{Word<Arrival>{"fixed", Arrival::kFixed},
                               Word<Arrival>{"poisson", Arrival::kPoisson}};

/// One value of a job, with what a message about it needs.
struct Value {
    const std::string& file;
    std::string_view key;
    const toml::node& node;

    [[noreturn]] void fail(const std::string& what, const std::string& right) const {
        throw UserError(file, node.source().begin.line, std::string(key) + " " + what, right);
    }

    [[nodiscard]] std::string text() const {
        const auto* value = node.as_string();
        if (value == nullptr) {
            fail("is no string", "write it in double quotes");
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

/// The keys of a job: the only list of them.
struct Key {
    std::string_view name;
    void (*read)(const Value&, JobSpec&);
};
constexpr std::array kKeys{
    Key{"name", [](const Value& value, JobSpec& job) { job.name = value.text(); }},
    Key{"rw", [](const Value& value, JobSpec& job) { job.pattern = value.word(kPatterns); }},
    Key{"rwmixread",
        [](const Value& value, JobSpec& job) {
            job.rwmixread = static_cast<std::uint32_t>(value.whole(0, 100));
        }},
    Key{"bs",
        [](const Value& value, JobSpec& job) {
            job.block_bytes = static_cast<std::uint32_t>(value.bytes(kMax32));
        }},
    Key{"size", [](const Value& value, JobSpec& job) { job.size = value.bytes(kMaxWhole); }},
    Key{"offset", [](const Value& value, JobSpec& job) { job.offset = value.bytes(kMaxWhole); }},
    Key{"number_ios",
        [](const Value& value, JobSpec& job) { job.number_ios = value.whole(1, kMaxWhole); }},
    Key{"seed", [](const Value& value, JobSpec& job) { job.seed = value.whole(0, kMaxWhole); }},
    Key{"iodepth",
        [](const Value& value, JobSpec& job) {
            job.iodepth = static_cast<std::uint32_t>(value.whole(1, 65536));
        }},
    Key{"rate_iops",
        [](const Value& value, JobSpec& job) { job.rate_iops = value.whole(1, kSecond); }},
    Key{"arrival", [](const Value& value, JobSpec& job) { job.arrival = value.word(kArrivals); }},
};

std::string key_names() {
    std::string names;
    for (const Key& key : kKeys) {
        names += (names.empty() ? "" : ", ") + std::string(key.name);
    }
    return names;
}

JobSpec read_job(const toml::table& table, const std::string& file) {
    JobSpec job;
    job.line = table.source().begin.line;
    for (const auto& [name, node] : table) {
        const auto* key = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& candidate) {
            return candidate.name == name.str();
        });
        if (key == kKeys.end()) {
            throw UserError(file, name.source().begin.line, "unknown key " + quote(name.str()),
                            "a job has the keys " + key_names());
        }
        key->read({file, key->name, node}, job);
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
    return job;
}

toml::table parse_toml(std::string_view text, const std::string& file) {
    try {
        return toml::parse(text, std::string_view(file));
    } catch (const toml::parse_error& error) {
        throw UserError(file, error.source().begin.line, std::string(error.description()),
                        "a workload file is TOML with tables [[job]]");
    }
}

} // namespace

GeneratorSpec parse_generator_spec(std::string_view text, const std::string& file) {
    const toml::table root = parse_toml(text, file);
    GeneratorSpec spec;
    spec.file = file;
    for (const auto& [name, node] : root) {
        const std::size_t line = name.source().begin.line;
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
            spec.jobs.push_back(read_job(*job.as_table(), file));
        }
    }
    check(spec);
    return spec;
}

GeneratorSpec load_generator_spec(const std::string& path) {
    LineReader lines(path);
    std::string text;
    for (std::string_view line; lines.next(line);) {
        text.append(line).append("\n");
    }
    return parse_generator_spec(text, lines.name());
}

} // namespace cavern
