// Every trace there is, whatever it is called: those of traces/ and the samples of all formats.
// Each goes through csv and every other format and back, is cut, and gets a line of garbage, packed
// in every way. A trace or a format that is added is taken in, or is missed here.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/source_dir.h"
#include "tests/workload/workload_fixture.h"
#include "workload/open_trace.h"
#include "workload/trace_writer.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = testing::source_dir();

std::vector<fs::path> all_traces() {
    std::vector<fs::path> paths;
    for (const char* folder : {"traces", "tests/reference/traces"}) {
        for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
            const std::string extension = entry.path().extension().string();
            const bool other = extension == ".md" || extension == ".py" || extension == ".job";
            if (entry.is_regular_file() && !other) {
                paths.push_back(entry.path());
            }
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// Unpacked.
std::string text_of(const std::string& path) {
    const auto stream = open_byte_stream(path);
    std::string text(1 << 16, '\0');
    std::size_t size = 0;
    while (const std::size_t count = stream->read(text.data() + size, text.size() - size)) {
        size += count;
        text.resize(std::max(text.size(), size + (1 << 16)));
    }
    text.resize(size);
    return text;
}

struct Trace {
    std::string path;
    std::string format;
    std::string text;
    std::vector<HostRequest> requests;
    std::vector<std::size_t> lines; ///< where each comes from
};

Trace load(const fs::path& path) {
    Trace trace{path.string(), "", text_of(path.string()), {}, {}};
    const auto info = scan_trace({trace.path, "", ""});
    trace.format = info.value().format;
    const auto reader = open_trace({trace.path, "", ""}, &*info);
    for (HostRequest request; reader->next(request);) {
        trace.requests.push_back(request);
        trace.lines.push_back(reader->position().line);
    }
    EXPECT_FALSE(trace.requests.empty()) << path;
    return trace;
}

/// Such a trace has no lines; its own test cuts it and puts wrong records in.
bool is_binary(const Trace& trace) {
    const auto& formats = trace_formats();
    return std::any_of(formats.begin(), formats.end(), [&](const TraceFormat& format) {
        return format.name == trace.format && format.detect == nullptr;
    });
}

std::string written(const std::vector<HostRequest>& requests, std::string_view format) {
    const TemporaryFile file("", "written");
    TraceWriter writer(file.path(), written_format(format), true);
    for (const HostRequest& request : requests) {
        writer.write(request, {file.path(), 1});
    }
    writer.commit();
    return text_of(file.path());
}

std::vector<HostRequest> read(const std::string& bytes, const std::string& format = "") {
    const TemporaryFile file(bytes, "read");
    return drain(*open_trace({file.path(), format, ""}));
}

/// The message about a file of these bytes, without its path; "none" where all is well.
std::string error_about(const std::string& bytes, const std::string& format,
                        std::vector<HostRequest>& before) {
    const TemporaryFile file(bytes, "wrong");
    before.clear();
    const std::string error = error_of([&] {
        const std::unique_ptr<TraceReader> reader = open_trace({file.path(), format, ""});
        for (HostRequest request; reader->next(request);) {
            before.push_back(request);
        }
    });
    return error.substr(0, file.path().size()) == file.path() ? error.substr(file.path().size())
                                                              : error;
}

/// What a format can say of these requests, when the reader counts time from the first.
std::vector<HostRequest> as_said(const std::vector<HostRequest>& requests,
                                 const TraceOutput& format) {
    std::vector<HostRequest> said;
    for (HostRequest request : requests) {
        if ((request.op == RequestOp::kTrim && !format.has_trim) ||
            (request.op == RequestOp::kFlush && !format.has_flush)) {
            continue;
        }
        const std::uint64_t end = request.offset + request.bytes;
        request.arrival -= request.arrival % format.tick;
        request.offset -= request.offset % format.offset_unit;
        const std::uint64_t rest = (end - request.offset) % format.size_unit;
        request.bytes = static_cast<std::uint32_t>(end - request.offset +
                                                   (rest == 0 ? 0 : format.size_unit - rest));
        request.fua = request.fua && format.has_marks;
        said.push_back(request);
    }
    return said;
}

std::vector<HostRequest> from_zero(std::vector<HostRequest> requests) {
    const TimePs first = requests.empty() ? 0 : requests.front().arrival;
    for (HostRequest& request : requests) {
        request.arrival -= first;
    }
    return requests;
}

std::string line_prefix(std::size_t line) {
    return ":" + std::to_string(line) + ": ";
}

TEST(TraceDirectorySlowTest, EveryFormatHasATraceHere) {
    std::set<std::string> formats;
    for (const fs::path& path : all_traces()) {
        formats.insert(load(path).format);
    }
    for (const TraceFormat& format : trace_formats()) {
        EXPECT_EQ(formats.count(std::string(format.name)), 1u) << format.name;
    }
    EXPECT_EQ(formats.size(), trace_formats().size());
}

TEST(TraceDirectorySlowTest, EveryTraceComesBackFromCsvInEveryCompressionAsItWas) {
    for (const fs::path& path : all_traces()) {
        SCOPED_TRACE(path);
        const Trace trace = load(path);
        const std::string csv = written(trace.requests, "csv");
        for (const Compression& compression : kCompressions) {
            SCOPED_TRACE(compression.name);
            const std::vector<HostRequest> again = read(compression.pack(csv));
            EXPECT_TRUE(again == trace.requests);
            EXPECT_TRUE(written(again, "csv") == csv);
            // The trace itself, packed in this way, says the same.
            EXPECT_TRUE(read(compression.pack(trace.text), trace.format) == trace.requests);
        }
        // The control: one digit of the last line shows.
        std::string other = csv;
        char& digit = other[other.find_last_of("0123456789")];
        digit = digit == '9' ? '8' : '9';
        const bool flush = trace.requests.back().op == RequestOp::kFlush;
        EXPECT_TRUE(flush || read(other) != trace.requests);
        EXPECT_FALSE(read(csv.substr(0, csv.rfind('\n', csv.size() - 2) + 1)) == trace.requests);
    }
}

TEST(TraceDirectorySlowTest, EveryTraceComesBackFromEveryFormatWithWhatTheFormatCanSay) {
    for (const fs::path& path : all_traces()) {
        const Trace trace = load(path);
        for (const TraceFormat& format : trace_formats()) {
            if (format.output == nullptr) {
                continue;
            }
            SCOPED_TRACE(path.string() + " as " + std::string(format.name));
            const std::string text = written(trace.requests, format.name);
            const TemporaryFile file(text);
            const auto info = scan_trace({file.path(), "", ""});
            ASSERT_TRUE(info);
            EXPECT_EQ(info->format, format.name);
            EXPECT_EQ(info->inversions, 0u);
            const auto expected = as_said(trace.requests, *format.output);
            ASSERT_FALSE(expected.empty());
            EXPECT_TRUE(from_zero(read(text)) == from_zero(expected));
        }
    }
}

TEST(TraceDirectorySlowTest, EveryTraceCutSomewhereGivesWhatIsWholeAndNamesTheLine) {
    std::vector<HostRequest> before;
    for (const fs::path& path : all_traces()) {
        const Trace trace = load(path);
        if (is_binary(trace)) {
            continue;
        }
        const auto lines =
            static_cast<std::size_t>(std::count(trace.text.begin(), trace.text.end(), '\n')) + 1;
        for (const Compression& compression : kCompressions) {
            SCOPED_TRACE(path.string() + " " + compression.name);
            const std::string bytes = compression.pack(trace.text);
            EXPECT_EQ(error_about(bytes, trace.format, before), "none");
            if (compression.magic_bytes == 0) {
                continue;
            }
            for (const std::size_t share : {2, 5, 9}) {
                const std::string cut = bytes.substr(0, bytes.size() * share / 10);
                const std::string error = error_about(cut, trace.format, before);
                EXPECT_NE(error.find("ends before its end mark (a truncated file)"),
                          std::string::npos)
                    << error;
                EXPECT_LE(before.size(), trace.requests.size()); // the end mark alone may be gone
                const std::size_t line = std::stoull(error.substr(1));
                EXPECT_TRUE(error[0] == ':' && line >= 1 && line <= lines) << error;
                // Formats whose lines may be sorted by time hold some back.
                EXPECT_TRUE(trace.format == "blkparse" || trace.requests.size() < 100 ||
                            std::equal(before.begin(), before.end(), trace.requests.begin()));
            }
            EXPECT_NE(error_about(bytes.substr(0, bytes.size() - 1), trace.format, before), "none");
        }
        // As it is, cut behind the first field of a line in the middle.
        const std::size_t line = trace.lines[trace.lines.size() / 2];
        std::size_t start = 0;
        for (std::size_t i = 1; i < line; ++i) {
            start = trace.text.find('\n', start) + 1;
        }
        const std::size_t field = trace.text.find_first_not_of(" \t", start);
        const char* separators = trace.format == "blkparse" ? " \t" : ",; \t"; // "8,33" is one
        const std::size_t separator = trace.text.find_first_of(separators, field);
        const std::string error =
            error_about(trace.text.substr(0, separator), trace.format, before);
        const std::string expected = line_prefix(line) + "the trace ends inside this line";
        EXPECT_EQ(error.substr(0, expected.size()), expected) << path;
    }
}

TEST(TraceDirectorySlowTest, EveryTraceWithALineOfGarbageNamesThatLine) {
    std::vector<HostRequest> before;
    for (const fs::path& path : all_traces()) {
        const Trace trace = load(path);
        if (is_binary(trace)) {
            continue;
        }
        for (const std::size_t share : {1, 2, 3}) {
            const std::size_t line = trace.lines[(trace.lines.size() - 1) * share / 3];
            std::size_t start = 0;
            for (std::size_t i = 1; i < line; ++i) {
                start = trace.text.find('\n', start) + 1;
            }
            for (const std::string garbage : {"garbage", "1,2", "\x01\xFF\xFE;;,,\t"}) {
                std::string text = trace.text;
                text.insert(start, garbage + "\n");
                for (const Compression& compression : kCompressions) {
                    if (compression.magic_bytes != 0 && trace.requests.size() > 10'000) {
                        continue; // packing is what takes the time
                    }
                    const std::string error =
                        error_about(compression.pack(text), trace.format, before);
                    const std::string expected = line_prefix(line);
                    EXPECT_EQ(error.substr(0, expected.size()), expected)
                        << path << " " << garbage << " " << compression.name;
                    EXPECT_NE(error.find("; "), std::string::npos) << error;
                }
            }
        }
    }
}

} // namespace
} // namespace cavern
