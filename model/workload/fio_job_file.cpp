#include "workload/fio_job_file.h"

#include <algorithm>

#include "core/base/error.h"
#include "workload/field.h"
#include "workload/fio_keys.h"
#include "workload/line_reader.h"

namespace cavern {
namespace {

/// `behind`: of jobs that a stonewall before this one holds it back for.
struct Groups {
    std::size_t behind = 0;
    std::uint32_t group = 0;
    bool has_jobs = false;
};

void finish_job(FioDraft draft, Groups& groups, FioJobs& jobs) {
    settle_fio_draft(jobs.file, draft);
    FioJob job = draft.job;
    const auto fail = [&](const std::string& what, const std::string& right) {
        throw UserError(jobs.file, job.line, "job " + quote(job.name) + " " + what, right);
    };
    if (draft.stonewall) {
        groups.behind = jobs.jobs.size();
    }
    if ((draft.stonewall || draft.new_group) && groups.has_jobs) {
        ++groups.group;
    }
    groups.has_jobs = true;
    job.behind = groups.behind;
    job.group = groups.group;
    if (!draft.wait_for.empty()) {
        const auto named = [&](const FioJob& other) { return other.name == draft.wait_for; };
        const auto first = std::find_if(jobs.jobs.begin(), jobs.jobs.end(), named);
        if (first == jobs.jobs.end()) {
            fail("waits for " + quote(draft.wait_for) + ", which is no job before it",
                 "wait_for names an earlier section");
        }
        job.awaits_first = static_cast<std::size_t>(first - jobs.jobs.begin());
        job.awaits_end = static_cast<std::size_t>(std::find_if_not(first, jobs.jobs.end(), named) -
                                                  jobs.jobs.begin());
    }
    jobs.exitall = jobs.exitall || draft.exitall;
    const FioLength step = job.offset_increment;
    for (std::uint64_t i = 0; i < draft.numjobs; ++i) {
        jobs.jobs.push_back(job);
        FioJob& clone = jobs.jobs.back();
        if (step.bytes > (kMaxWhole - job.offset.bytes) / draft.numjobs) {
            fail("has clones beyond byte 2^63", "a smaller offset_increment");
        }
        clone.offset_increment.bytes = i * step.bytes;
        if (step.percent) {
            clone.offset_increment.percent = static_cast<double>(i) * *step.percent;
        }
        if (step.zones) {
            clone.offset_increment.zones = i * *step.zones;
        }
        if (job.seed) {
            clone.seed = *job.seed + i;
        }
    }
    jobs.notes.insert(jobs.notes.end(), draft.notes.begin(), draft.notes.end());
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
    explicit JobFileParser(const std::string& file) { jobs_.file = file; }

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
        const FioEntry entry{jobs_.file, number, trimmed(text.substr(0, equals)), trimmed(value)};
        if (entry.key == "include") {
            entry.fail("reads another file", "write the jobs in one file");
        }
        if (!in_section_) {
            throw UserError(entry.file, entry.line, quote(entry.key) + " stands before any section",
                            "sections begin with [global] or [NAME]");
        }
        if (entry.key == "kb_base") {
            const std::uint64_t base = entry.whole(1000, 1024);
            if (base != 1000 && base != 1024) {
                entry.fail(quote(entry.value) + " is unknown", "it is 1000 or 1024");
            }
            (in_global_ ? global_base_ : base_) = static_cast<unsigned>(base);
        }
        entries_.push_back({std::string(entry.key), std::string(entry.value), number});
    }

    FioJobs finish() {
        finish_section();
        if (jobs_.jobs.empty()) {
            throw UserError(jobs_.file, 1, "no section is a job",
                            "add a section [NAME]; [global] is for all jobs after it");
        }
        std::sort(jobs_.notes.begin(), jobs_.notes.end());
        jobs_.notes.erase(std::unique(jobs_.notes.begin(), jobs_.notes.end()), jobs_.notes.end());
        return std::move(jobs_);
    }

  private:
    void heading(std::string_view text, std::size_t number) {
        finish_section();
        if (text.size() < 3 || text.back() != ']') {
            throw UserError(jobs_.file, number, "the heading " + quote(text) + " is none",
                            "sections begin with [global] or [NAME]");
        }
        in_section_ = true;
        const std::string_view name = text.substr(1, text.size() - 2);
        in_global_ = name == "global";
        if (!in_global_) {
            draft_ = global_;
            base_ = global_base_;
            draft_.job.name = name;
            draft_.job.line = number;
        }
    }

    void finish_section() {
        FioDraft& draft = in_global_ ? global_ : draft_;
        for (const Entry& entry : entries_) {
            read_fio_entry(
                {jobs_.file, entry.line, entry.key, entry.value, in_global_ ? global_base_ : base_},
                draft);
        }
        entries_.clear();
        if (in_section_ && !in_global_) {
            finish_job(draft_, groups_, jobs_);
        }
    }

    struct Entry {
        std::string key;
        std::string value;
        std::size_t line;
    };

    FioJobs jobs_;
    FioDraft global_;
    FioDraft draft_;
    unsigned global_base_ = 1024; ///< kb_base holds for all of its section
    unsigned base_ = 1024;
    std::vector<Entry> entries_; ///< of the section that is read
    Groups groups_;
    bool in_section_ = false;
    bool in_global_ = false;
};

} // namespace

FioJobs parse_fio_job_file(const std::string& text, const std::string& file) {
    JobFileParser parser(file);
    LineReader lines(byte_stream_of(text), file);
    for (std::string_view line; lines.next(line);) {
        parser.line(line, lines.line_number());
    }
    return parser.finish();
}

bool is_fio_job_file(const std::string& path) {
    constexpr std::string_view kFio = ".fio";
    return path.size() > kFio.size() && path.substr(path.size() - kFio.size()) == kFio;
}

FioJobs load_fio_job_file(const std::string& path) {
    LineReader lines(path);
    return parse_fio_job_file(lines.rest(), lines.name());
}

} // namespace cavern
