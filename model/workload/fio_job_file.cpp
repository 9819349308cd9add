#include "workload/fio_job_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "workload/field.h"
#include "workload/job_text.h"
#include "workload/line_reader.h"

namespace cavern {
namespace {

constexpr std::uint64_t kMaxWhole = std::numeric_limits<std::int64_t>::max();

/// What says how fio does its work, not what the work is.
constexpr std::array<std::string_view, 58> kIgnored{"allow_mounted_write",
                                                    "buffer_compress_percentage",
                                                    "buffered",
                                                    "clocksource",
                                                    "cpus_allowed",
                                                    "create_on_open",
                                                    "create_serialize",
                                                    "description",
                                                    "direct",
                                                    "directory",
                                                    "disable_clat",
                                                    "disable_lat",
                                                    "disable_slat",
                                                    "disk_util",
                                                    "do_verify",
                                                    "end_fsync",
                                                    "exitall",
                                                    "fallocate",
                                                    "file_service_type",
                                                    "filename",
                                                    "filename_format",
                                                    "fixedbufs",
                                                    "fsync_on_close",
                                                    "group_reporting",
                                                    "gtod_reduce",
                                                    "hipri",
                                                    "invalidate",
                                                    "ioengine",
                                                    "iodepth_batch",
                                                    "iodepth_batch_complete",
                                                    "iodepth_batch_complete_max",
                                                    "iodepth_batch_complete_min",
                                                    "iodepth_batch_submit",
                                                    "iodepth_low",
                                                    "log_avg_msec",
                                                    "lat_percentiles",
                                                    "mem",
                                                    "name",
                                                    "nice",
                                                    "norandommap",
                                                    "nrfiles",
                                                    "openfiles",
                                                    "overwrite",
                                                    "per_job_logs",
                                                    "percentile_list",
                                                    "prio",
                                                    "random_generator",
                                                    "randrepeat",
                                                    "refill_buffers",
                                                    "registerfiles",
                                                    "softrandommap",
                                                    "sqthread_poll",
                                                    "thread",
                                                    "unified_rw_reporting",
                                                    "verify",
                                                    "write_bw_log",
                                                    "write_iops_log",
                                                    "write_lat_log"};

/// A section while it is read; [global] is the start of every later one.
struct Draft {
    JobSpec job;
    std::optional<SizesText> sizes;
    std::optional<std::uint64_t> io_size;
    std::uint64_t numjobs = 1;
    std::uint64_t loops = 1;
    std::uint64_t offset_increment = 0;
    bool time_based = false;
    std::optional<TimePs> runtime;
    bool has_size = false;
};

struct Entry {
    const std::string& file;
    std::size_t line;
    std::string_view key;
    std::string_view value;

    [[noreturn]] void fail(const std::string& what, const std::string& right) const {
        throw UserError(file, line, std::string(key) + " " + what, right);
    }
    [[nodiscard]] std::uint64_t whole(std::uint64_t min, std::uint64_t max) const {
        const Number number = parse_whole(value, max);
        if (number.error != NumberError::kNone || number.value < min) {
            fail(quote(value) + " is no whole number from " + std::to_string(min) + " to " +
                     std::to_string(max),
                 "one number for all directions is taken");
        }
        return number.value;
    }
    [[nodiscard]] bool flag() const { return value.empty() || value == "1"; }
};

/// "4k", "1g", "512": powers of 1024 with or without "i" and "b", as fio's kb_base=1024 has it.
std::optional<std::uint64_t> fio_bytes(std::string_view text) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const Number number = parse_whole(text.substr(0, digits), kMaxWhole);
    if (number.error != NumberError::kNone) {
        return std::nullopt;
    }
    std::string unit;
    for (const char c : text.substr(digits)) {
        unit += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    constexpr std::string_view kPrefixes = "kmgtp";
    std::size_t power = 0;
    if (!unit.empty() && unit != "b") {
        power = kPrefixes.find(unit.front());
        const std::string rest = unit.substr(1);
        if (power == std::string_view::npos || (!rest.empty() && rest != "b" && rest != "ib")) {
            return std::nullopt;
        }
        ++power;
    }
    std::uint64_t value = number.value;
    for (; power > 0; --power) {
        if (value > kMaxWhole / 1024) {
            return std::nullopt;
        }
        value *= 1024;
    }
    return value;
}

std::optional<std::uint32_t> fio_block_bytes(std::string_view text) {
    const auto bytes = fio_bytes(text);
    return bytes && *bytes <= std::numeric_limits<std::uint32_t>::max()
               ? std::optional(static_cast<std::uint32_t>(*bytes))
               : std::nullopt;
}

std::uint64_t bytes_of(const Entry& entry) {
    const auto bytes = fio_bytes(entry.value);
    if (!bytes) {
        entry.fail(quote(entry.value) + " is no size", "a size is such as 4k, 512m or 10g");
    }
    return *bytes;
}

/// A time with a unit, or in `unit`.
TimePs time_of(const Entry& entry, TimePs unit) {
    struct Unit {
        std::string_view name;
        TimePs length;
    };
    constexpr std::array kUnits{
        Unit{"us", kUs},         Unit{"usec", kUs},         Unit{"ms", kMs},
        Unit{"msec", kMs},       Unit{"s", kSecond},        Unit{"sec", kSecond},
        Unit{"m", 60 * kSecond}, Unit{"h", 3600 * kSecond}, Unit{"d", 86400 * kSecond}};
    const std::size_t digits =
        std::min(entry.value.find_first_not_of("0123456789"), entry.value.size());
    const Number number = parse_whole(entry.value.substr(0, digits), kMaxWhole);
    const std::string_view suffix = entry.value.substr(digits);
    if (!suffix.empty()) {
        const auto* known = std::find_if(kUnits.begin(), kUnits.end(),
                                         [&](const Unit& u) { return u.name == suffix; });
        unit = known == kUnits.end() ? 0 : known->length;
    }
    if (number.error != NumberError::kNone || unit == 0 || number.value > kMaxWhole / unit) {
        entry.fail(quote(entry.value) + " is no time up to 106 days",
                   "a time is such as 100us or 30s");
    }
    return number.value * unit;
}

template <typename Parse>
auto parsed(const Entry& entry, Parse parse) {
    try {
        return parse(entry.value);
    } catch (const JobTextError& error) {
        entry.fail(error.what(), error.right());
    }
}

Pattern pattern_of(const Entry& entry) {
    struct Word {
        std::string_view name;
        Pattern pattern;
    };
    constexpr std::array kWords{Word{"read", Pattern::kRead},
                                Word{"write", Pattern::kWrite},
                                Word{"trim", Pattern::kTrim},
                                Word{"randread", Pattern::kRandRead},
                                Word{"randwrite", Pattern::kRandWrite},
                                Word{"randtrim", Pattern::kRandTrim},
                                Word{"rw", Pattern::kRw},
                                Word{"readwrite", Pattern::kRw},
                                Word{"randrw", Pattern::kRandRw}};
    for (const Word& word : kWords) {
        if (word.name == entry.value) {
            return word.pattern;
        }
    }
    entry.fail(quote(entry.value) + " is unknown",
               "it is read, write, trim, randread, randwrite, randtrim, rw or randrw");
}

struct Key {
    std::string_view name;
    void (*read)(const Entry&, Draft&);
};

constexpr auto kReadSizes = [](const Entry& entry, Draft& draft) {
    draft.sizes = parsed(
        entry, [](std::string_view text) { return parse_block_sizes(text, fio_block_bytes); });
};
constexpr auto kReadPattern = [](const Entry& entry, Draft& draft) {
    draft.job.pattern = pattern_of(entry);
};
constexpr auto kReadFsync = [](const Entry& entry, Draft& draft) {
    draft.job.fsync = entry.whole(0, kMaxWhole);
};
constexpr auto kReadIoSize = [](const Entry& entry, Draft& draft) {
    draft.io_size = bytes_of(entry);
};

constexpr std::array kKeys{
    Key{"rw", kReadPattern},
    Key{"readwrite", kReadPattern},
    Key{"rwmixread", [](const Entry& e, Draft& d) { d.job.rwmixread = parsed(e, parse_percent); }},
    Key{"rwmixwrite",
        [](const Entry& e, Draft& d) { d.job.rwmixread = 100 - parsed(e, parse_percent); }},
    Key{"bs", kReadSizes},
    Key{"blocksize", kReadSizes},
    Key{"bssplit",
        [](const Entry& e, Draft& d) {
            d.sizes = parsed(
                e, [](std::string_view text) { return parse_bssplit(text, fio_block_bytes); });
        }},
    Key{"size",
        [](const Entry& e, Draft& d) {
            d.job.size = bytes_of(e);
            d.has_size = true;
        }},
    Key{"io_size", kReadIoSize},
    Key{"io_limit", kReadIoSize},
    Key{"offset", [](const Entry& e, Draft& d) { d.job.offset = bytes_of(e); }},
    Key{"offset_increment", [](const Entry& e, Draft& d) { d.offset_increment = bytes_of(e); }},
    Key{"number_ios", [](const Entry& e, Draft& d) { d.job.number_ios = e.whole(1, kMaxWhole); }},
    Key{"numjobs", [](const Entry& e, Draft& d) { d.numjobs = e.whole(1, 1024); }},
    Key{"loops", [](const Entry& e, Draft& d) { d.loops = e.whole(1, 1'000'000); }},
    Key{"iodepth", [](const Entry& e,
                      Draft& d) { d.job.iodepth = static_cast<std::uint32_t>(e.whole(1, 65536)); }},
    Key{"rate", [](const Entry& e, Draft& d) { d.job.rate = bytes_of(e); }},
    Key{"rate_iops", [](const Entry& e, Draft& d) { d.job.rate_iops = e.whole(1, kSecond); }},
    Key{"rate_process",
        [](const Entry& e, Draft& d) {
            if (e.value != "linear" && e.value != "poisson") {
                e.fail(quote(e.value) + " is unknown", "it is linear or poisson");
            }
            d.job.arrival = e.value == "poisson" ? Arrival::kPoisson : Arrival::kFixed;
        }},
    Key{"thinktime", [](const Entry& e, Draft& d) { d.job.thinktime = time_of(e, kUs); }},
    Key{"thinktime_blocks",
        [](const Entry& e, Draft& d) { d.job.thinktime_blocks = e.whole(1, kMaxWhole); }},
    Key{"startdelay", [](const Entry& e, Draft& d) { d.job.startdelay = time_of(e, kSecond); }},
    Key{"start_delay", [](const Entry& e, Draft& d) { d.job.startdelay = time_of(e, kSecond); }},
    Key{"runtime", [](const Entry& e, Draft& d) { d.runtime = time_of(e, kSecond); }},
    Key{"time_based", [](const Entry& e, Draft& d) { d.time_based = e.flag(); }},
    Key{"random_distribution",
        [](const Entry& e, Draft& d) { d.job.distribution = parsed(e, parse_distribution); }},
    Key{"percentage_random",
        [](const Entry& e, Draft& d) { d.job.percentage_random = parsed(e, parse_percent); }},
    Key{"randseed", [](const Entry& e, Draft& d) { d.job.seed = e.whole(0, kMaxWhole); }},
    Key{"fsync", kReadFsync},
    Key{"fdatasync", kReadFsync},
};

void read_entry(const Entry& entry, Draft& draft) {
    const auto* key =
        std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& k) { return k.name == entry.key; });
    if (key != kKeys.end()) {
        key->read(entry, draft);
        return;
    }
    if (entry.key == "stonewall" || entry.key == "wait_for_previous") {
        entry.fail("puts jobs one after another", "jobs run together here; play them in two runs");
    }
    if (std::find(kIgnored.begin(), kIgnored.end(), entry.key) == kIgnored.end()) {
        throw UserError(entry.file, entry.line, "unknown key " + quote(entry.key),
                        "docs/traces.md lists the keys of fio that are read and those ignored");
    }
}

void finish_job(Draft draft, const std::string& file, GeneratorSpec& spec) {
    JobSpec& job = draft.job;
    const auto fail = [&](const std::string& what, const std::string& right) {
        throw UserError(file, job.line, "job " + quote(job.name) + " " + what, right);
    };
    if (!draft.has_size) {
        fail("has no size", "a job needs size, such as size=1g");
    }
    if (draft.sizes) {
        job.read_sizes = draft.sizes->read;
        job.write_sizes = draft.sizes->write;
    }
    const double mean = job.mean_bytes();
    if (draft.io_size && !job.number_ios) {
        job.number_ios = std::max<std::uint64_t>(
            static_cast<std::uint64_t>(static_cast<long double>(*draft.io_size) / mean), 1);
    }
    if (draft.time_based) {
        if (!job.paced() || !draft.runtime) {
            fail("is time_based without a rate and a runtime",
                 "say number_ios or io_size instead, or give it a rate");
        }
        job.number_ios = kMaxWhole;
    } else if (draft.loops > 1) {
        job.number_ios =
            job.requests() > kMaxWhole / draft.loops ? kMaxWhole : job.requests() * draft.loops;
    }
    if (job.paced()) {
        job.runtime = draft.runtime; // in a closed loop the size ends the job
    }
    for (std::uint64_t i = 0; i < draft.numjobs; ++i) {
        if (draft.offset_increment > (kMaxWhole - job.offset) / draft.numjobs) {
            fail("has clones beyond byte 2^63", "a smaller offset_increment");
        }
        spec.jobs.push_back(job);
        spec.jobs.back().offset += i * draft.offset_increment;
        if (job.seed) {
            spec.jobs.back().seed = *job.seed + i;
        }
    }
}

/// Reads section after section; a job is finished by the next heading or the end.
class JobFileParser {
  public:
    explicit JobFileParser(const std::string& file) { spec_.file = file; }

    void line(std::string_view text, std::size_t number) {
        text = trimmed(text);
        if (text.empty() || text.front() == ';' || text.front() == '#') {
            return;
        }
        if (text.front() == '[') {
            heading(text, number);
            return;
        }
        const std::size_t equals = text.find('=');
        const std::string_view value =
            equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
        const Entry entry{spec_.file, number, trimmed(text.substr(0, equals)), trimmed(value)};
        if (entry.key == "include") {
            entry.fail("reads another file", "write the jobs in one file");
        }
        if (!in_section_) {
            throw UserError(entry.file, entry.line, quote(entry.key) + " stands before any section",
                            "sections begin with [global] or [NAME]");
        }
        read_entry(entry, in_global_ ? global_ : draft_);
    }

    GeneratorSpec finish() {
        finish_section();
        check(spec_);
        return std::move(spec_);
    }

  private:
    void heading(std::string_view text, std::size_t number) {
        finish_section();
        if (text.size() < 3 || text.back() != ']') {
            throw UserError(spec_.file, number, "the heading " + quote(text) + " is none",
                            "sections begin with [global] or [NAME]");
        }
        in_section_ = true;
        const std::string_view name = text.substr(1, text.size() - 2);
        in_global_ = name == "global";
        if (!in_global_) {
            draft_ = global_;
            draft_.job.name = name;
            draft_.job.line = number;
        }
    }

    void finish_section() {
        if (in_section_ && !in_global_) {
            finish_job(draft_, spec_.file, spec_);
        }
    }

    GeneratorSpec spec_;
    Draft global_;
    Draft draft_;
    bool in_section_ = false;
    bool in_global_ = false;
};

} // namespace

GeneratorSpec parse_fio_job_file(const std::string& text, const std::string& file) {
    JobFileParser parser(file);
    LineReader lines(byte_stream_of(text), file);
    for (std::string_view line; lines.next(line);) {
        parser.line(line, lines.line_number());
    }
    return parser.finish();
}

GeneratorSpec load_fio_job_file(const std::string& path) {
    LineReader lines(path);
    JobFileParser parser(lines.name());
    for (std::string_view line; lines.next(line);) {
        parser.line(line, lines.line_number());
    }
    return parser.finish();
}

} // namespace cavern
