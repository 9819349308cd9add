#include "tests/fuzz/trace_fuzz.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "core/base/error.h"
#include "core/workload/fio_job_file.h"
#include "core/workload/open_trace.h"

namespace cavern {
namespace {

void require(bool good, const std::string& what) {
    if (!good) {
        std::fprintf(stderr, "broken: %s\n", what.c_str());
        std::abort();
    }
}

void check_message(const std::string& message) {
    require(message.substr(0, 5) == "fuzz:", "a message names the input");
    require(message.find("; ") != std::string::npos, "a message says what would be right");
    require(std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; }),
            "a message is one printable line: " + message);
}

const TraceFormat* format_of(const std::string& name, LineReader& lines) {
    const std::vector<std::string_view> head = name.empty() ? lines.peek()
                                                            : std::vector<std::string_view>();
    for (const TraceFormat& format : trace_formats()) {
        if (name.empty() ? format.detect(head) : format.name == name) {
            return &format;
        }
    }
    return nullptr;
}

std::size_t read_all(TraceReader& reader, std::size_t lines) {
    std::size_t count = 0;
    TimePs last = 0;
    for (HostRequest request; reader.next(request); ++count) {
        require(request.arrival >= last, "time does not run back");
        require(request.bytes > 0 || request.op == RequestOp::kFlush, "requests have a size");
        require(request.offset + request.bytes <= TraceReader::kMax, "requests end below 2^63");
        require(reader.position().line >= 1 && reader.position().line <= lines,
                "requests come from a line");
        last = request.arrival;
    }
    return count;
}

} // namespace

std::size_t check_trace_bytes(const std::string& format, const std::string& text) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
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
            count += read_all(*reader, lines);
        } catch (const UserError& error) {
            check_message(error.what());
        } catch (const StreamError&) {
            return 0; // packed bytes that break off in their first block
        }
    }
    return count;
}

void check_job_bytes(const std::string& text) {
    try {
        GeneratorSpec spec = parse_fio_job_file(text, "fuzz");
        check(spec);
        if (spec.jobs.size() > 8) {
            return; // constructing a thousand clones tells no more
        }
        Generator generator(spec);
        HostRequest request;
        for (int i = 0; i < 50 && generator.next(request); ++i) {
            require(request.offset + request.bytes <= spec.end(), "requests stay in their region");
            require(request.bytes > 0 || request.op == RequestOp::kFlush, "requests have a size");
        }
    } catch (const UserError& error) {
        check_message(error.what());
    } catch (const StreamError&) {
        return;
    }
}

} // namespace cavern
