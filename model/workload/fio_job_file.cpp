#include "workload/fio_job_file.h"

#include <algorithm>

#include "core/base/error.h"
#include "workload/field.h"
#include "workload/fio_keys.h"
#include "workload/line_reader.h"

namespace cavern {
namespace {

/// The region of a job, and how much of it the job touches: fio's size is both, unless filesize or
/// io_size say one of them. Without a size it is all of the drive behind the offset.
void set_region(const FioDraft& draft, JobSpec& job) {
    std::optional<std::uint64_t> played = draft.io_size;
    if (draft.file_size) {
        job.size = *draft.file_size;
        played = played ? played : draft.size;
    } else if (draft.size) {
        job.size = *draft.size;
    } else {
        job.size_percent = draft.size_percent;
        job.to_end = !draft.size_percent;
    }
    if (played && !job.number_ios) {
        job.number_ios = std::max<std::uint64_t>(
            static_cast<std::uint64_t>(static_cast<long double>(*played) / job.mean_bytes()), 1);
    }
}

/// `behind`: of jobs that a stonewall before this one holds it back for.
void finish_job(const FioDraft& draft, std::size_t& behind, GeneratorSpec& spec) {
    JobSpec job = draft.job;
    const auto fail = [&](const std::string& what, const std::string& right) {
        throw UserError(spec.file, job.line, "job " + quote(job.name) + " " + what, right);
    };
    if (draft.sizes) {
        job.read_sizes = draft.sizes->read;
        job.write_sizes = draft.sizes->write;
    }
    set_region(draft, job);
    job.runtime = draft.runtime;
    job.endless = draft.time_based;
    if (job.endless && !draft.runtime) {
        fail("is time_based without a runtime", "say runtime as well, such as runtime=30s");
    }
    if (draft.zoned && job.writes()) {
        job.zone_size = draft.zone_size;
    }
    if (draft.stonewall) {
        behind = spec.jobs.size();
    }
    job.behind = behind;
    if (!draft.wait_for.empty()) {
        const auto named = [&](const JobSpec& other) { return other.name == draft.wait_for; };
        const auto first = std::find_if(spec.jobs.begin(), spec.jobs.end(), named);
        if (first == spec.jobs.end()) {
            fail("waits for " + quote(draft.wait_for) + ", which is no job before it",
                 "wait_for names an earlier section");
        }
        job.awaits_first = static_cast<std::size_t>(first - spec.jobs.begin());
        job.awaits_end = static_cast<std::size_t>(std::find_if_not(first, spec.jobs.end(), named) -
                                                  spec.jobs.begin());
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
    spec.ramp = std::max(spec.ramp, draft.ramp);
    spec.notes.insert(spec.notes.end(), draft.notes.begin(), draft.notes.end());
}

/// A comment begins with ; or # at the beginning of a line, or behind a blank.
std::string_view without_comment(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins = text[i] == ';' || text[i] == '#';
        if (begins && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t')) {
            return text.substr(0, i);
        }
    }
    return text;
}

/// Reads section after section; a job is finished by the next heading or the end.
class JobFileParser {
  public:
    explicit JobFileParser(const std::string& file) { spec_.file = file; }

    void line(std::string_view text, std::size_t number) {
        text = trimmed(without_comment(text));
        if (text.empty()) {
            return;
        }
        if (text.front() == '[') {
            heading(text, number);
            return;
        }
        const std::size_t equals = text.find('=');
        const std::string_view value =
            equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
        const FioEntry entry{spec_.file, number, trimmed(text.substr(0, equals)), trimmed(value)};
        if (entry.key == "include") {
            entry.fail("reads another file", "write the jobs in one file");
        }
        if (!in_section_) {
            throw UserError(entry.file, entry.line, quote(entry.key) + " stands before any section",
                            "sections begin with [global] or [NAME]");
        }
        read_fio_entry(entry, in_global_ ? global_ : draft_);
    }

    GeneratorSpec finish() {
        finish_section();
        if (spec_.jobs.empty()) {
            throw UserError(spec_.file, 1, "no section is a job",
                            "add a section [NAME]; [global] is for all jobs after it");
        }
        std::sort(spec_.notes.begin(), spec_.notes.end());
        spec_.notes.erase(std::unique(spec_.notes.begin(), spec_.notes.end()), spec_.notes.end());
        if (!spec_.needs_drive()) {
            check(spec_);
        }
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
            finish_job(draft_, behind_, spec_);
        }
    }

    GeneratorSpec spec_;
    FioDraft global_;
    FioDraft draft_;
    std::size_t behind_ = 0;
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
    return parse_fio_job_file(lines.rest(), lines.name());
}

} // namespace cavern
