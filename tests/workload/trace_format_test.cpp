// The formats read as they are in the wild: disksim, mqsim, blkparse, fio, blkreplay, diskmon.
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/source_dir.h"
#include "tests/workload/workload_fixture.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

constexpr RequestOp kR = RequestOp::kRead;
constexpr RequestOp kW = RequestOp::kWrite;
constexpr RequestOp kT = RequestOp::kTrim;
constexpr RequestOp kF = RequestOp::kFlush;
constexpr std::uint64_t kSector = 512;

const std::string kFolder = testing::source_dir() + "/tests/reference/traces/";

std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Where the device after one that ends at `end` begins.
constexpr std::uint64_t after(std::uint64_t end) {
    return (end + kMiB - 1) / kMiB * kMiB;
}

constexpr std::uint64_t kDisksimSecond = after((6198704 + 2048) * kSector);
constexpr std::uint64_t kMqsimSecond = after((197570570 + 16) * kSector);
constexpr std::uint64_t kFioSecond = after(1048576 + 4096);
constexpr std::uint64_t kDiskmonSecond = after((198559 + 8) * kSector);

struct Sample {
    const char* file;
    const char* format;
    std::uint64_t inversions;
    std::uint64_t skipped;
    std::vector<HostRequest> requests;
    std::vector<std::size_t> lines; ///< where each comes from
};

/// The files of tests/reference/traces, decoded by hand.
const std::vector<Sample>& samples() {
    static const std::vector<Sample> all{
        {"sample.disksim",
         "disksim",
         1,
         0,
         {{0, 6198696 * kSector, 8 * kSector, kR},
          {1'308'870'000, 6198704 * kSector, 2048 * kSector, kW},
          {1'308'870'000, kDisksimSecond + 512 * kSector, 16 * kSector, kW},
          {9'562'680'000, 42 * kSector, kSector, kR}},
         {1, 2, 4, 5}},
        {"sample.mqsim",
         "mqsim",
         1,
         0,
         {{0, kMqsimSecond + 264719034 * kSector, 16 * kSector, kW},
          {315'000'000, 197570570 * kSector, 16 * kSector, kR},
          {315'000'000, kMqsimSecond + 16 * kSector, 8 * kSector, kR},
          {431'000'000, 93230992 * kSector, 32 * kSector, kW}},
         {1, 2, 3, 4}},
        {"sample.blkparse",
         "blkparse",
         0,
         1,
         {{0, 4194352 * kSector, 8 * kSector, kW},
          {94'763'000, 4202600 * kSector, 24 * kSector, kR},
          {110'391'000, 4202624 * kSector, 16 * kSector, kT},
          {1'003'911'000, 4202624 * kSector, 8 * kSector, kW},
          {2'100'000'000, 0, 0, kF},
          {2'100'000'000, 2048 * kSector, 8 * kSector, kW, true},
          {2'200'000'000, 0, 0, kF},
          {2'250'000'000, 0, 0, kF}},
         {1, 3, 5, 2, 8, 8, 9, 10}},
        {"sample.fio",
         "fio",
         0,
         0,
         {{878'000'000, 0, 16384, kW},
          {888'000'000, 1048576, 4096, kR},
          {888'000'000, 0, 0, kF},
          {891'000'000, kFioSecond + 8192, 65536, kT},
          {900'000'000, 0, 0, kF}},
         {4, 5, 6, 7, 8}},
        {"sample.fio2",
         "fio",
         0,
         0,
         {{0, 0, 16384, kW}, {100'000'000, 1048576, 4096, kR}, {150'000'000, 0, 0, kF}},
         {4, 6, 8}},
        {"sample.blkreplay",
         "blkreplay",
         1,
         0,
         {{0, 37766853 * kSector, 64 * kSector, kW},
          {449'518'165'000, 37766917 * kSector, 14 * kSector, kR},
          {456'676'896'000, 0, kSector, kR},
          {456'676'896'000, 8 * kSector, 8 * kSector, kW}},
         {6, 7, 8, 9}},
        {"sample.diskmon",
         "diskmon",
         0,
         1,
         {{0, 34767 * kSector, 80 * kSector, kW},
          {259'000'000, kDiskmonSecond + 215 * kSector, 8 * kSector, kR},
          {1'144'777'722'000'000, 198559 * kSector, 8 * kSector, kR}},
         {2, 3, 4}}};
    return all;
}

TEST(TraceFormatTest, EverySampleInEveryCompressionGivesTheRequestsDecodedByHand) {
    for (const Sample& sample : samples()) {
        const std::string content = content_of(kFolder + sample.file);
        for (const Compression& compression : kCompressions) {
            const TemporaryFile file(compression.pack(content));
            const TraceOptions options{file.path(), "", ""};
            const auto info = scan_trace(options);
            ASSERT_TRUE(info);
            EXPECT_EQ(info->format, sample.format) << sample.file;
            EXPECT_EQ(info->skipped, sample.skipped) << sample.file;
            const auto trace = open_trace(options, &*info);
            std::vector<HostRequest> requests;
            const std::vector<std::size_t> lines = lines_of(*trace, requests);
            EXPECT_EQ(requests, sample.requests) << sample.file << " " << compression.name;
            EXPECT_EQ(lines, sample.lines) << sample.file;
            EXPECT_EQ(trace->inversions(), sample.inversions) << sample.file;
            EXPECT_EQ(trace->skipped(), sample.skipped) << sample.file;
        }
    }
}

struct Change {
    std::string from;
    std::string to;
};

/// A sample's text with the first occurrence of `from` replaced.
std::string changed(const std::string& file, const Change& change) {
    std::string content = content_of(kFolder + file);
    const std::size_t place = content.find(change.from);
    EXPECT_NE(place, std::string::npos) << file << " " << change.from;
    return content.replace(place, change.from.size(), change.to);
}

TEST(TraceFormatTest, AnotherContentGivesOtherRequests) {
    // The control of the test above: each changed character of a field shows in the requests.
    const std::map<std::string, std::vector<Change>> changes{
        {"sample.disksim", {{"50.59734", "50.59735"}, {"2048 0", "2048 1"}, {" 42 ", " 43 "}}},
        {"sample.mqsim",
         {{"938828000", "938828001"}, {"16 1", "16 0"}, {"197570570", "197570571"}}},
        {"sample.blkparse",
         {{"0.000094763", "0.000094764"},
          {"D   D", "D   W"},
          {"D FW", "D W"},
          {"FWFS 2", "FWS 2"}}},
        {"sample.fio", {{"888", "889"}, {"read", "write"}, {"8192", "8193"}, {"sync", "add"}}},
        {"sample.fio2", {{"wait 100", "wait 101"}, {"read", "trim"}, {"16384", "16383"}}},
        {"sample.blkreplay", {{"1.949518165", "1.949518166"}, {" R ", " W "}, {"14 ;", "15 ;"}}},
        {"sample.diskmon",
         {{"0.613759", "0.613758"}, {"Write\t34767", "Read\t34767"}, {"\t80", "\t81"}}}};
    for (const Sample& sample : samples()) {
        for (const Change& change : changes.at(sample.file)) {
            const TemporaryFile file(changed(sample.file, change));
            const TraceOptions options{file.path(), sample.format, ""};
            EXPECT_NE(error_of([&] {
                          if (drain(*open_trace(options)) == sample.requests) {
                              throw UserError("same", 1, "same", "same");
                          }
                      }),
                      "same:1: same; same")
                << sample.file << " " << change.to;
        }
    }
}

TEST(TraceFormatTest, OneDeviceIsChosenByItsName) {
    const auto requests = [](const char* file, const char* device) {
        return drain(*open_trace({kFolder + file, "", device}));
    };
    EXPECT_EQ(requests("sample.disksim", "1").size(), 1u);
    EXPECT_EQ(requests("sample.mqsim", "4").size(), 2u);
    EXPECT_EQ(requests("sample.mqsim", "4")[1].offset, 16 * kSector);
    EXPECT_EQ(requests("sample.blkparse", "8_33").size(), 8u);
    EXPECT_EQ(requests("sample.fio", "/dev/sdc_0").size(), 1u);
    // Time still counts from the first request of any device.
    EXPECT_EQ(requests("sample.diskmon", "1").at(0).arrival, 259'000'000u);
    EXPECT_EQ(requests("sample.blkparse", "8_33")[1].arrival, 94'763'000u);
    EXPECT_NE(error_of([&] { requests("sample.blkparse", "8_34"); }), "none");
    EXPECT_NE(error_of([&] { requests("sample.blkreplay", "0"); }), "none");
}

TEST(TraceFormatTest, QueuedRequestsCountWhereNoneIsIssued) {
    const std::string head = "  8,0  1  1  0.5  77  ";
    const TemporaryFile queued(head + "Q  W 8 + 8 [dd]\n" + head + "C  W 8 + 8 [0]\n");
    EXPECT_EQ(drain(*open_trace({queued.path(), "", ""})),
              (std::vector<HostRequest>{{0, 8 * kSector, 8 * kSector, kW}}));
    const TemporaryFile both(head + "Q  W 8 + 8 [dd]\n" + head + "D  W 8 + 16 [dd]\n");
    EXPECT_EQ(drain(*open_trace({both.path(), "", ""})),
              (std::vector<HostRequest>{{0, 8 * kSector, 16 * kSector, kW}}));
}

TEST(TraceFormatTest, BlkparseOrderIsRestoredWithinItsWindowOnly) {
    const auto event = [](int at) {
        return "8,0 1 1 " + std::to_string(at) + ".0 7 D W " + std::to_string(at) + " + 8 [dd]\n";
    };
    const auto arrivals_with_latecomer = [&](int after_lines) {
        std::string text;
        for (int i = 0; i < after_lines; ++i) {
            text += event(10 + i);
        }
        const TemporaryFile file(text + event(5) + event(90000));
        const auto trace = open_trace({file.path(), "", ""});
        const auto requests = drain(*trace);
        EXPECT_EQ(requests.size(), static_cast<std::size_t>(after_lines) + 2);
        return trace->inversions();
    };
    EXPECT_EQ(arrivals_with_latecomer(1000), 0u);
    EXPECT_EQ(arrivals_with_latecomer(1024), 0u);
    EXPECT_EQ(arrivals_with_latecomer(1100), 1u);
}

struct Malformed {
    const char* file;
    Change change;
    std::string message; ///< after the path
};

TEST(TraceFormatTest, GarbageLinesAreNamedWithWhatWouldBeRight) {
    const std::vector<Malformed> cases{
        {"sample.disksim", {"15850.59734 0", "garbage"}, ":2: the line has 4 of 5 fields; "},
        {"sample.disksim", {"15850.59734", "1585x"}, ":2: time \"1585x\" is not a number; "},
        {"sample.disksim", {"0 6198704", "-1 6198704"}, ":2: device \"-1\" is negative; "},
        {"sample.disksim", {"2048 0", "0 0"}, ":2: size is zero; "},
        {"sample.disksim", {"2048 0", "9999999 0"}, ":2: blocks \"9999999\" is too large; "},
        {"sample.disksim", {"2048 0", "2048 R"}, ":2: flags \"R\" are not hexadecimal; "},
        {"sample.mqsim",
         {"938828000", "938828000.5"},
         ":2: time \"938828000.5\" is not a number; "},
        {"sample.mqsim", {"16 1", "16 2"}, ":2: op \"2\" is unknown; op is 1 (read) or 0 (write)"},
        {"sample.mqsim", {"16 1", "16 1 7"}, ":2: the line has 6 fields instead of 5; "},
        {"sample.blkparse",
         {"  8,33   6        5", "garbage"},
         ":3: the line does not begin with a device; "},
        {"sample.blkparse", {"D   R 4202600", "D   X 4202600"}, ":3: kind \"X\" is unknown; "},
        {"sample.blkparse", {"4202600 + 24", "4202600 - 24"}, ":3: \"-\" stands where + should; "},
        {"sample.blkparse", {"+ 24 [dd]", "+"}, ":3: the line has 9 of 10 fields; "},
        {"sample.blkparse", {"0.000094763", "0.00zero"}, ":3: time \"0.00zero\" is not a number; "},
        {"sample.blkparse", {"CPU6", "GPU6"}, ":12: the line does not begin with a device; "},
        {"sample.fio", {"fio version 3", "fio version 4"}, ":1: the version is missing; "},
        {"sample.fio", {"878", "now"}, ":4: time \"now\" is not a number; "},
        {"sample.fio", {"write 0", "erase 0"}, ":4: action \"erase\" is unknown; actions are"},
        {"sample.fio", {"write 0 16384", "write 0"}, ":4: the line has 4 of 5 fields; "},
        {"sample.fio", {"write 0 16384", "write 0 0"}, ":4: size is zero; "},
        {"sample.fio", {"add", "wait 5"}, ":2: action \"wait\" is unknown; "},
        {"sample.fio2", {"wait 100 0", "wait soon"}, ":5: wait \"soon\" is not a number; "},
        {"sample.fio2",
         {"wait 100 0", "wait 9223372036855"},
         ":5: wait \"9223372036855\" is too large; "},
        {"sample.blkreplay", {"1.949518165 ;", "garbage"}, ":7: start \"garbage"},
        {"sample.blkreplay", {"14 ; R", "14 ; X"}, ":7: op \"X\" is unknown; "},
        {"sample.blkreplay", {"14 ; R ; 0.0 ; 0.0", "14"}, ":7: the line has 3 of 4 fields; "},
        {"sample.diskmon", {"1\t0.6135", "garbage"}, ":2: the line has 6 of 7 fields; "},
        {"sample.diskmon", {"Write\t34767", "Wrote\t34767"}, ":2: request \"Wrote\" is unknown; "},
        {"sample.diskmon", {"\t80", "\t0"}, ":2: size is zero; "}};
    for (const Malformed& c : cases) {
        const TemporaryFile file(changed(c.file, c.change));
        const Sample& sample =
            *std::find_if(samples().begin(), samples().end(),
                          [&](const Sample& s) { return std::string(s.file) == c.file; });
        const TraceOptions options{file.path(), sample.format, ""};
        const std::string error = error_of([&] { drain(*open_trace(options)); });
        const std::string expected = file.path() + c.message;
        EXPECT_EQ(error.substr(0, expected.size()), expected) << c.file;
        EXPECT_NE(error.find("; "), std::string::npos) << error;
    }
}

TEST(TraceFormatTest, TraceCutInsideALineNamesTheLine) {
    // Every proper prefix of the last line's needed part; a number cut short is a smaller number.
    struct Cut {
        const char* file;
        std::string line;   ///< put behind the sample, then cut
        std::size_t needed; ///< fields
        char separator;
    };
    const std::vector<Cut> cuts{
        {"sample.disksim", "15860.5 0 1000 8 1", 5, ' '},
        {"sample.mqsim", "938945000 3 93230992 32 0", 5, ' '},
        {"sample.blkparse", "8,33 6 12 0.0024 67 D WS 4194352 + 8", 10, ' '},
        {"sample.fio", "2000 /dev/sdb write 0 16384", 5, ' '},
        {"sample.fio2", "/dev/sdb write 0 16384", 4, ' '},
        {"sample.blkreplay", "1.96;8;8;W", 4, ';'},
        {"sample.diskmon", "4\t1145.5\t0.0\t0\tRead\t198559\t8", 7, '\t'}};
    for (const Cut& cut : cuts) {
        const std::string good = content_of(kFolder + cut.file);
        const auto last = static_cast<std::size_t>(std::count(good.begin(), good.end(), '\n')) + 1;
        const TemporaryFile whole(good + cut.line);
        EXPECT_EQ(error_of([&] {
                      drain(*open_trace({whole.path(), "", ""}));
                  }),
                  "none")
            << cut.file;
        std::size_t fields = 0;
        for (std::size_t size = 0; size < cut.line.size(); ++size) {
            if (cut.line[size] != cut.separator) {
                continue;
            }
            ++fields;
            const TemporaryFile file(good + cut.line.substr(0, size));
            const std::string error = error_of([&] { drain(*open_trace({file.path(), "", ""})); });
            const std::string expected =
                file.path() + ":" + std::to_string(last) + ": the trace ends inside this line";
            EXPECT_EQ(error.substr(0, expected.size()), expected) << cut.file << " " << fields;
        }
        EXPECT_EQ(fields + 1, cut.needed) << cut.file;
    }
}

TEST(TraceFormatTest, EmptyOrHeadlessInputIsAUserError) {
    const auto error = [](const char* format, const std::string& text) {
        const TemporaryFile file(text);
        return error_of([&] { drain(*open_trace({file.path(), format, ""})); });
    };
    EXPECT_NE(error("fio", ""), "none");
    EXPECT_NE(error("blkreplay", ""), "none");
    EXPECT_NE(error("blkreplay", "a notice\nand no more\n"), "none");
    EXPECT_NE(error("", "fio version 1 iolog\n"), "none");
    // The others have no head: nothing is a trace of no requests.
    for (const char* format : {"disksim", "mqsim", "blkparse", "diskmon"}) {
        EXPECT_EQ(error(format, ""), "none") << format;
    }
}

} // namespace
} // namespace cavern
