#include "workload/trace_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "tests/workload/workload_fixture.h"

namespace cavern {
namespace {

constexpr RequestOp kR = RequestOp::kRead;
constexpr RequestOp kW = RequestOp::kWrite;

std::vector<HostRequest> csv_requests(const std::string& lines) {
    const auto reader =
        kCsvTraces.make({byte_stream_of("time_us,op,offset,size\n" + lines), "trace.csv"});
    return drain(*reader);
}

TEST(CsvReaderTest, TimesAreExactToThePicosecond) {
    const std::vector<std::pair<std::string, TimePs>> cases{
        {"0", 0},
        {"0.000001", 1},
        {".5", 500'000},
        {"7.", 7'000'000},
        {"1.1", 1'100'000},
        {"0.1", 100'000},
        {"123456789.123456", 123'456'789'123'456},
        {"9007199254.740993", 9'007'199'254'740'993}, // 2^53 + 1: no double holds it
        {"9223372036854.775807", 9'223'372'036'854'775'807},
        {" 2.25 ", 2'250'000}};
    for (const auto& [text, time] : cases) {
        const auto requests = csv_requests(text + ",R,0,512\n");
        ASSERT_EQ(requests.size(), 1u);
        EXPECT_EQ(requests[0].arrival, time) << text;
    }
}

TEST(CsvReaderTest, LinesAreReadTheSameWithBlanksAndWithout) {
    // Blanks take the reader off its short way through plain lines.
    Random random(11);
    const auto number = [&random](unsigned most) {
        std::string digits;
        for (std::uint64_t count = 1 + random.below(most); count > 0; --count) {
            digits += static_cast<char>('0' + random.below(10));
        }
        return digits;
    };
    std::uint64_t accepted = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::array<std::string, 4> fields{number(13), std::string(1, "RWTFX"[random.below(5)]),
                                          number(18), number(10)};
        if (random.below(2) == 0) {
            fields[0] += "." + number(7);
        }
        if (random.below(8) == 0) {
            fields[random.below(4)] += ".,-+ 5eR"[random.below(8)];
        }
        const auto outcome = [&fields](const char* blank) {
            std::string line = "time_us,op,offset,size\n";
            for (const std::string& field : fields) {
                line += (&field == &fields[0] ? "" : std::string(blank) + ",") + blank + field;
            }
            std::string text;
            const std::string error = error_of([&] {
                const auto reader = kCsvTraces.make({byte_stream_of(line + "\n"), "t"});
                for (const HostRequest& r : drain(*reader)) {
                    text += std::to_string(r.arrival) + " " + std::to_string(r.offset) + " " +
                            std::to_string(r.bytes) + " " + std::to_string(static_cast<int>(r.op));
                }
            });
            return text + error;
        };
        const std::string plain = outcome("");
        EXPECT_EQ(plain, outcome(" "))
            << fields[0] << "," << fields[1] << "," << fields[2] << "," << fields[3];
        accepted += plain.size() >= 4 && plain.substr(plain.size() - 4) == "none" ? 1 : 0;
    }
    EXPECT_GT(accepted, 3000u);
    EXPECT_LT(accepted, 18'000u);
}

TEST(CsvReaderTest, NumbersOfEveryLengthAreRead) {
    // One to nineteen digits go through different code.
    std::uint64_t offset = 0;
    for (std::uint64_t digit = 1; digit <= 18; ++digit) {
        offset = offset * 10 + digit % 10;
        const auto requests = csv_requests("0,R," + std::to_string(offset) + ",4294967295\n");
        ASSERT_EQ(requests.size(), 1u);
        EXPECT_EQ(requests[0].offset, offset);
        EXPECT_EQ(requests[0].bytes, 4294967295u);
    }
    EXPECT_EQ(csv_requests("0,R,00000000000000000000000000000042,1")[0].offset, 42u);
    EXPECT_EQ(csv_requests("0,R,9223372036854775806,1")[0].offset, 9223372036854775806u);
}

TEST(CsvReaderTest, ATrimMayBeLongerThanFourGigabytes) {
    const auto requests = csv_requests("0,T,512,1099511627776\n1,R,0,512\n");
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_EQ(requests[0].bytes, std::uint64_t{1} << 40);
    EXPECT_EQ(requests[1].bytes, 512u);
}

TEST(CsvReaderTest, TimesThatGoBackAreRaisedAndCounted) {
    const auto reader = kCsvTraces.make(
        {byte_stream_of("time_us,op,offset,size\n5,R,0,1\n3,R,1,1\n4,R,2,1\n5,R,3,1\n6,R,4,1\n"),
         "trace.csv"});
    std::vector<TimePs> times;
    for (const HostRequest& request : drain(*reader)) {
        times.push_back(request.arrival / kUs);
    }
    EXPECT_EQ(times, (std::vector<TimePs>{5, 5, 5, 5, 6}));
    EXPECT_EQ(reader->inversions(), 2u);
}

TEST(CsvReaderTest, LastLineNeedsNoNewline) {
    EXPECT_EQ(csv_requests("0,R,0,512\n1,W,512,1024").size(), 2u);
}

TEST(CsvReaderTest, CommentsEmptyLinesAndWindowsLineEndsAreAccepted) {
    EXPECT_EQ(csv_requests("\r\n# note\r\n0,R,0,512\r\n  \n\n1,W,512,1024\r\n"),
              (std::vector<HostRequest>{{0, 0, 512, kR}, {kUs, 512, 1024, kW}}));
}

TEST(CsvReaderTest, OpsOfACsvAreReadInEitherCase) {
    const std::string head = "time_us,op,offset,size\n";
    const std::vector<std::string> lines{"0,R,0,512\n",        "1,W3,512,512\n", "2,T,0,4096\n",
                                         "3,F,0,0\n",          "4,A,0,512\n",    "5,ZR,0,0\n",
                                         "6, W , 1024 , 512\n"};
    std::string upper = head;
    std::string lower = head;
    for (const std::string& line : lines) {
        upper += line;
        std::transform(line.begin(), line.end(), std::back_inserter(lower),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
    const auto read = [](const std::string& text) {
        return drain(*kCsvTraces.make({byte_stream_of(text), "trace"}));
    };
    const std::vector<HostRequest> expected = read(upper);
    const std::vector<HostRequest> found = read(lower);
    ASSERT_EQ(expected.size(), lines.size());
    EXPECT_EQ(found, expected);
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].stream, expected[i].stream) << i;
        EXPECT_EQ(found[i].zone, expected[i].zone) << i;
    }
}

} // namespace
} // namespace cavern
