#include "workload/open_trace.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/source_dir.h"
#include "tests/workload/workload_fixture.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

constexpr RequestOp kR = RequestOp::kRead;
constexpr RequestOp kW = RequestOp::kWrite;
constexpr RequestOp kT = RequestOp::kTrim;
constexpr RequestOp kF = RequestOp::kFlush;

const std::string kFolder = testing::source_dir() + "/tests/reference/traces/";

std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

TraceOptions at(const std::string& path) {
    return {path, "", ""};
}

// Second devices begin at the next MiB after the end of the first.
constexpr std::uint64_t kSpcSecond = (20941264ull * 512 + 8192 + kMiB - 1) / kMiB * kMiB;
constexpr std::uint64_t kMsrSecond = (383496192ull + 32768 + kMiB - 1) / kMiB * kMiB;

struct Sample {
    const char* format;
    std::uint64_t inversions;
    std::uint64_t end;
    std::vector<HostRequest> requests;
};

/// The files of tests/reference/traces, decoded by hand.
const std::vector<Sample>& samples() {
    static const std::vector<Sample> all{
        {"csv",
         0,
         1048576 + 65536,
         {{0, 0, 4096, kW},
          {12'500'000, 4096, 8192, kR},
          {1'000'000'001, 1048576, 65536, kT},
          {1'000'000'001, 0, 0, kF},
          {2'500'000'000, 512, 512, kW}}},
        {"spc",
         1,
         kSpcSecond + 3436288ull * 512 + 15872,
         {{551'706'000'000, 20941264ull * 512, 8192, kW},
          {554'041'000'000, 20939840ull * 512, 8192, kW},
          {1'011'732'000'000, kSpcSecond + 3436288ull * 512, 15872, kW},
          {1'011'732'000'000, kSpcSecond + 3435888ull * 512, 7168, kR},
          {1'250'000'000'000, 42 * 512, 512, kR}}},
        {"msr",
         0,
         kMsrSecond + 2826240 + 1024,
         {{0, 383496192, 32768, kR},
          {13'320'526ull * 100'000, kMsrSecond + 2822144, 4096, kW},
          {23'320'616ull * 100'000, 2221056, 12288, kR},
          {23'320'617ull * 100'000, kMsrSecond + 2826240, 1024, kW}}}};
    return all;
}

TEST(TraceReaderTest, EveryFormatInEveryCompressionGivesTheSameRequests) {
    for (const Sample& sample : samples()) {
        const std::string content = content_of(kFolder + "sample." + sample.format);
        for (const Compression& compression : kCompressions) {
            const TemporaryFile file(compression.pack(content));
            const auto info = scan_trace(at(file.path()));
            ASSERT_TRUE(info);
            EXPECT_EQ(info->format, sample.format) << compression.name;
            EXPECT_EQ(info->end, sample.end) << sample.format;
            const auto given = open_trace(at(file.path()), &*info);
            EXPECT_EQ(drain(*given), sample.requests) << sample.format << " " << compression.name;
            EXPECT_EQ(given->inversions(), sample.inversions) << sample.format;
            const auto own = open_trace(at(file.path()));
            EXPECT_EQ(drain(*own), sample.requests) << sample.format << " " << compression.name;
        }
    }
}

TEST(TraceReaderTest, AnotherContentGivesOtherRequests) {
    // The control of the test above: each changed character of a field shows in the requests.
    const std::map<std::string, std::vector<std::pair<std::string, std::string>>> changes{
        {"csv", {{"12.5", "12.6"}, {",R,", ",W,"}, {"1048576", "1048577"}, {"8192", "8191"}}},
        {"spc",
         {{"0.551706", "0.551707"}, {",r,", ",w,"}, {"20939840", "20939841"}, {"15872", "15871"}}},
        {"msr",
         {{"016382155", "016382156"},
          {"1,Write", "1,Read"},
          {"2221056", "2221057"},
          {"1024", "512"}}}};
    for (const Sample& sample : samples()) {
        const std::string content = content_of(kFolder + "sample." + sample.format);
        for (const auto& [from, to] : changes.at(sample.format)) {
            std::string changed = content;
            const std::size_t place = changed.find(from);
            ASSERT_NE(place, std::string::npos) << from;
            changed.replace(place, from.size(), to);
            const TemporaryFile file(changed);
            EXPECT_NE(drain(*open_trace(at(file.path()))), sample.requests) << from;
        }
    }
}

TEST(TraceReaderTest, PositionIsTheLineOfTheRequestLastDelivered) {
    const auto trace = open_trace(at(kFolder + "sample.csv"));
    std::vector<std::size_t> lines;
    for (HostRequest request; trace->next(request);) {
        lines.push_back(trace->position().line);
    }
    // A comment, the header and an empty line lie between.
    EXPECT_EQ(lines, (std::vector<std::size_t>{3, 4, 6, 7, 8}));
    EXPECT_EQ(trace->position().file, kFolder + "sample.csv");
}

TEST(TraceReaderTest, MsrTimesBeforeTheFirstCountAsZero) {
    const auto reader = kMsrTraces.make({byte_stream_of("128166372003061629,hm,0,Read,0,512,1\n"
                                                        "128166372003061620,hm,0,Read,512,512,1\n"
                                                        "128166372003061630,hm,0,Read,0,512,1\n"),
                                         "trace.msr"});
    const auto requests = drain(*reader);
    ASSERT_EQ(requests.size(), 3u);
    EXPECT_EQ(requests[1].arrival, 0u);
    EXPECT_EQ(requests[2].arrival, 100'000u);
    EXPECT_EQ(reader->inversions(), 1u);
}

TEST(TraceReaderTest, FormatIsFoundPastALongNotice) {
    for (const Sample& sample : samples()) {
        std::string notice;
        for (int i = 0; i < 200; ++i) {
            notice +=
                "# Permission is granted to copy this line, with a comma or two, 0,1,2,R,4\n\n";
        }
        const TemporaryFile file(notice + content_of(kFolder + "sample." + sample.format));
        EXPECT_EQ(drain(*open_trace(at(file.path()))), sample.requests) << sample.format;
    }
}

TEST(TraceReaderTest, FormatIsFoundWhereTheFirstLinesAreWrong) {
    const TemporaryFile file("0,1,512,X,0.5\n0,1,512,R,0.6\n");
    EXPECT_EQ(error_of([&] { drain(*open_trace(at(file.path()))); }),
              file.path() + ":1: opcode \"X\" is unknown; opcode is R or W");
}

TEST(TraceReaderTest, UnknownContentNamesTheFormats) {
    const std::string formats = "the formats are csv, spc, msr, fio, blkparse, blkreplay, diskmon, "
                                "disksim, mqsim, vscsi, alibaba, tencent, systor17, fiu, biosnoop; "
                                "--format names one; a csv "
                                "begins with time_us,op,offset,size, "
                                "and --columns says what the columns of another table are";
    for (const char* content : {"hello\nworld\n", "1,2,3\n",
                                "\x7F"
                                "ELF\n",
                                "1.5 0 8 16 x\n", "time,op\n"}) {
        const TemporaryFile file(content);
        EXPECT_EQ(error_of([&] { static_cast<void>(open_trace(at(file.path()))); }),
                  file.path() + ":1: the content is of no known format; " + formats);
    }
    const TemporaryFile empty("");
    EXPECT_EQ(error_of([&] { static_cast<void>(open_trace(at(empty.path()))); }),
              empty.path() + ":1: the trace is empty; " + formats);
}

TEST(TraceReaderTest, CompressedFileCutInItsFirstBytesSaysSo) {
    for (const Compression& compression : kCompressions) {
        if (compression.magic_bytes > 0) {
            const std::string packed = compression.pack(content_of(kFolder + "sample.csv"));
            const TemporaryFile file(packed.substr(0, 12));
            EXPECT_EQ(error_of([&] { static_cast<void>(open_trace(at(file.path()))); }),
                      file.path() + ":1: the " + compression.name +
                          " data ends before its end mark (a truncated file); give the whole file "
                          "as it was compressed");
        }
    }
}

TEST(TraceReaderTest, NamedFormatIsTakenWithoutLooking) {
    // A good line of spc; as csv its header is missing.
    const TemporaryFile file("0,1,512,R,0.6\n");
    EXPECT_EQ(drain(*open_trace({file.path(), "spc", ""})).size(), 1u);
    EXPECT_EQ(error_of([&] {
                  drain(*open_trace({file.path(), "csv", ""}));
              }),
              file.path() + ":1: the header is missing; the first line is time_us,op,offset,size");
    EXPECT_EQ(
        error_of([&] {
            static_cast<void>(open_trace({file.path(), "cvs", ""}));
        }),
        "<command line>:1: trace format \"cvs\" is unknown; the formats are csv, spc, msr, "
        "fio, blkparse, blkreplay, diskmon, disksim, mqsim, vscsi, alibaba, tencent, systor17, "
        "fiu, biosnoop");
}

TEST(TraceReaderTest, ScanStopsAtTheLimitWhereAddressesDoNotDependOnTheRest) {
    const TemporaryFile csv("time_us,op,offset,size\n0,W,0,512\n1,R,512,512\nnonsense\n");
    const auto info = scan_trace(at(csv.path()), 2);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->requests, 2u);
    EXPECT_EQ(info->end, 1024u);
    EXPECT_EQ(info->of(kW).count, 1u);
    EXPECT_EQ(info->of(kR).bytes, 512u);
    EXPECT_EQ(info->last_arrival, kUs);
    EXPECT_EQ(error_of([&] { static_cast<void>(scan_trace(at(csv.path()), 3)); }),
              csv.path() + ":4: the line has 1 of 4 fields; a line is time_us,op,offset,size, "
                           "such as 12.5,R,4096,8192");
}

TEST(TraceReaderTest, RequestBeyondTheDriveIsFoundBeforeTheRunWithItsLine) {
    const std::string path = kFolder + "sample.csv";
    const auto info = scan_trace(at(path));
    EXPECT_EQ(error_of([&] { require_within(at(path), *info, 1048576 + 65536); }), "none");
    EXPECT_EQ(error_of([&] { require_within(at(path), *info, 1048576 + 65535); }),
              path + ":6: the request of 65536 bytes at offset 1048576 ends beyond the drive; the "
                     "drive has 1114111 bytes; a larger one, or workload.out_of_range = \"wrap\", "
                     "takes it");
    EXPECT_EQ(error_of([&] { require_within(at(path), *info, 1048576, 2); }), "none");
}

struct Shipped {
    const char* name;
    std::uint64_t reads, writes;
    double last_s, mean_read_kib, mean_write_kib, end_gib; ///< as traces/README.md prints them
};

TEST(TraceReaderTest, ShippedTracesAreAsTheirPageSays) {
    const std::string folder = testing::source_dir() + "/traces/";
    const std::vector<Shipped> all{
        {"oltp-mysql-1h.csv.xz", 7187, 73607, 3599.890, 11.27, 14.61, 30.32},
        {"oltp-mssql-51min.csv.xz", 2528, 40448, 3062.338, 20.53, 24.25, 24.08},
        {"shared-hosting-1h.csv.xz", 0, 1371, 3597.138, 0, 3.85, 3.00},
        {"tpcc-136ms.csv.xz", 4381, 2618, 0.136, 8.09, 8.73, 2917.38},
        {"websearch-60s.csv.xz", 24779, 4, 60.055, 15.06, 8.00, 88.17}};
    const auto mean_kib = [](const TraceInfo::Total& total) {
        return total.count == 0
                   ? 0.0
                   : static_cast<double>(total.bytes) / 1024.0 / static_cast<double>(total.count);
    };
    for (const Shipped& shipped : all) {
        const auto info = scan_trace(at(folder + shipped.name));
        ASSERT_TRUE(info) << shipped.name;
        EXPECT_EQ(info->format, "csv");
        EXPECT_EQ(info->of(kR).count, shipped.reads) << shipped.name;
        EXPECT_EQ(info->of(kW).count, shipped.writes) << shipped.name;
        EXPECT_EQ(info->requests, shipped.reads + shipped.writes) << shipped.name;
        EXPECT_EQ(info->inversions, 0u) << shipped.name;
        EXPECT_NEAR(static_cast<double>(info->last_arrival) / 1e12, shipped.last_s, 0.0005);
        EXPECT_NEAR(mean_kib(info->of(kR)), shipped.mean_read_kib, 0.005) << shipped.name;
        EXPECT_NEAR(mean_kib(info->of(kW)), shipped.mean_write_kib, 0.005) << shipped.name;
        EXPECT_NEAR(static_cast<double>(info->end) / static_cast<double>(kGiB), shipped.end_gib,
                    0.005)
            << shipped.name;
    }
    const auto files = std::filesystem::directory_iterator(folder);
    EXPECT_EQ(std::count_if(begin(files), end(files),
                            [](const auto& entry) { return entry.path().extension() == ".xz"; }),
              static_cast<std::ptrdiff_t>(all.size()));
}

} // namespace
} // namespace cavern
