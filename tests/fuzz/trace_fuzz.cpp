#include "tests/fuzz/trace_fuzz.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/units.h"
#include "workload/column_reader.h"
#include "workload/fio_job_file.h"
#include "workload/fio_source.h"
#include "workload/fit.h"
#include "workload/generator.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

constexpr std::size_t kMostUnpacked = 64 << 20; // a small file may unpack to gigabytes

void require(bool good, const std::string& what) {
    if (!good) {
        std::fprintf(stderr, "broken: %s\n", what.c_str());
        std::abort();
    }
}

void check_message(const std::string& message) {
    require(message.substr(0, 5) == "fuzz:", "a message names the input");
    require(message.find("; ") != std::string::npos, "a message says what would be right");
    require(
        std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; }),
        "a message is one printable line: " + message);
}

const TraceFormat& format_named(std::string_view name) {
    return *std::find_if(trace_formats().begin(), trace_formats().end(),
                         [&](const TraceFormat& format) { return format.name == name; });
}

const TraceFormat* format_of(const std::string& name, LineReader& lines) {
    return name.empty() ? recognised_format(lines) : &format_named(name);
}

std::string as_csv(const std::vector<HostRequest>& requests) {
    std::string text = "time_us,op,offset,size\n";
    for (const HostRequest& request : requests) {
        std::array<char, 96> line{};
        std::snprintf(line.data(), line.size(), "%llu.%06llu,%c,%llu,%llu\n",
                      static_cast<unsigned long long>(request.arrival / kUs),
                      static_cast<unsigned long long>(request.arrival % kUs),
                      "RWTF"[static_cast<std::size_t>(request.op)],
                      static_cast<unsigned long long>(request.offset),
                      static_cast<unsigned long long>(request.bytes));
        text += line.data();
    }
    return text;
}

void check_csv_again(const std::vector<HostRequest>& requests) {
    const std::unique_ptr<TraceReader> reader =
        format_named("csv").make(LineReader(byte_stream_of(as_csv(requests)), "fuzz"));
    std::size_t count = 0;
    for (HostRequest again; reader->next(again); ++count) {
        require(count < requests.size(), "csv gives no more requests than were written");
        const HostRequest& first = requests[count];
        require(again.arrival == first.arrival && again.op == first.op &&
                    again.offset == first.offset && again.bytes == first.bytes,
                "csv gives the requests that were written");
    }
    require(count == requests.size(), "csv gives all requests that were written");
}

/// `places`: lines of the text, or records that its bytes can hold.
std::vector<HostRequest> read_all(TraceReader& reader, std::size_t places) {
    std::vector<HostRequest> requests;
    TimePs last = 0;
    constexpr std::size_t kMost = 100'000; // a small packed file may hold millions
    for (HostRequest request; requests.size() < kMost && reader.next(request);
         requests.push_back(request)) {
        require(request.arrival >= last, "time does not run back");
        require(request.bytes > 0 || request.op == RequestOp::kFlush, "requests have a size");
        require(request.offset + request.bytes <= TraceReader::kMax, "requests end below 2^63");
        require(reader.position().line >= 1 && reader.position().line <= places,
                "requests come from a line");
        last = request.arrival;
    }
    return requests;
}

template <typename Parse>
std::size_t check_jobs(const Parse& parse) {
    std::size_t count = 0;
    try {
        const GeneratorSpec spec = parse();
        if (spec.jobs.size() > 8) {
            return 0; // constructing a thousand clones tells no more
        }
        Generator generator(spec);
        HostRequest request;
        for (; count < 50 && generator.next(request); ++count) {
            require(request.offset + request.bytes <= spec.end(), "requests stay in their region");
            require(request.bytes > 0 || request.op == RequestOp::kFlush, "requests have a size");
            generator.answered(request.job);
        }
    } catch (const UserError& error) {
        check_message(error.what());
    } catch (const StreamError&) {
        return 0;
    }
    return count;
}

} // namespace

std::size_t check_trace_bytes(const std::string& format, const std::string& text) {
    constexpr std::string_view kMagics = "\x1F\x28\xFD" // gzip, zstd, xz, bzip2
                                         "B";
    const bool packed = !text.empty() && kMagics.find(text[0]) != std::string_view::npos;
    const std::size_t lines =
        packed ? check_packed_bytes(text) + 1
               : static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    constexpr std::size_t kLeastRecord = 32;
    const std::size_t records = packed ? kMostUnpacked : text.size() / kLeastRecord;
    std::size_t count = 0;
    // All devices in one pass, then one device chosen.
    for (const bool chosen : {false, true}) {
        try {
            LineReader source(byte_stream_of(text), "fuzz");
            const TraceFormat* found = format_of(format, source);
            if (found == nullptr) {
                return 0;
            }
            const std::unique_ptr<TraceReader> reader = found->make(std::move(source));
            chosen ? reader->choose("1") : reader->survey();
            const bool binary = found->detect == nullptr;
            const std::vector<HostRequest> requests = read_all(*reader, binary ? records : lines);
            check_csv_again(requests);
            count += requests.size();
        } catch (const UserError& error) {
            check_message(error.what());
        } catch (const StreamError&) {
            return 0; // packed bytes that break off in their first block
        }
    }
    return count;
}

std::size_t check_table_bytes(const std::string& text) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    std::size_t count = 0;
    for (const char* columns :
         {"time=1,op=2,offset=3,size=4", "op=op,offset=offset:4KiB,size=size:512",
          "time=4:s,op=3,offset=2:512,size=1", "time=time_us:ns,op=op,offset=offset,size=size"}) {
        try {
            const std::unique_ptr<TraceReader> reader = make_column_reader(
                LineReader(byte_stream_of(text), "fuzz"), parse_columns(columns));
            const std::vector<HostRequest> requests = read_all(*reader, lines);
            check_csv_again(requests);
            count += requests.size();
        } catch (const UserError& error) {
            check_message(error.what());
        } catch (const StreamError&) {
            return 0;
        }
    }
    return count;
}

std::size_t check_job_bytes(const std::string& text) {
    std::size_t count = 0;
    try {
        FioJobs jobs = parse_fio_job_file(text, "fuzz");
        if (jobs.jobs.size() > 8) {
            return 0; // constructing a thousand clones tells no more
        }
        FioSource source(std::move(jobs), kGiB, false, 1, nullptr);
        HostRequest request;
        for (; count < 50 && source.next(request); ++count) {
            require(request.offset + request.bytes <= kGiB, "requests stay on the drive");
            source.answered(request.job);
        }
    } catch (const UserError& error) {
        check_message(error.what());
    }
    return count;
}

std::size_t check_workload_bytes(const std::string& text) {
    try {
        static_cast<void>(parse_fit_target(text, "fuzz"));
    } catch (const UserError& error) {
        check_message(error.what());
    }
    return check_jobs([&] { return parse_generator_spec(text, "fuzz"); });
}

std::size_t check_packed_bytes(const std::string& bytes) {
    std::size_t count = 0;
    std::size_t unpacked = 0;
    try {
        LineReader lines(byte_stream_of(bytes), "fuzz");
        for (std::string_view line; unpacked < kMostUnpacked && lines.next(line); ++count) {
            unpacked += line.size() + 1;
            require(line.size() <= LineReader::kMaxLineBytes, "lines are bounded");
            require(lines.line_number() == count + 1, "lines are counted");
        }
    } catch (const UserError& error) {
        check_message(error.what());
    } catch (const StreamError&) {
        return count; // packed bytes that break off in their first block
    }
    return count;
}

std::size_t check_bytes(const std::string& reader, const std::string& bytes) {
    if (reader == "job") {
        return check_job_bytes(bytes);
    }
    if (reader == "table") {
        return check_table_bytes(bytes);
    }
    if (reader == "workload") {
        return check_workload_bytes(bytes);
    }
    return reader == "packed" ? check_packed_bytes(bytes) : check_trace_bytes(reader, bytes);
}

} // namespace cavern
