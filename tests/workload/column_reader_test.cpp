#include "workload/column_reader.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/workload/workload_fixture.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

std::vector<HostRequest> read(const std::string& columns, const std::string& text) {
    return drain(*make_column_reader({byte_stream_of(text), "table"}, parse_columns(columns)));
}

std::string error_in(const std::string& columns, const std::string& text) {
    return error_of([&] { static_cast<void>(read(columns, text)); });
}

/// Read 4 KiB of sector 8 at first, write 8 KiB of sector 1024 1.5 ms later, flush.
const std::vector<HostRequest> kRequests{{0, 4096, 4096, RequestOp::kRead},
                                         {1'500'000'000, 524288, 8192, RequestOp::kWrite},
                                         {2'000'000'000, 0, 0, RequestOp::kFlush}};

TEST(ColumnReaderTest, ATableOfOnesOwnIsReadByTheNamesOfItsColumns) {
    const std::string columns = "time=timestamp:ms,op=rw,offset=lba:512,size=sectors:512B";
    for (const char separator : {',', ';', '\t', '|', ' '}) {
        std::string text = "disk,rw,sectors,timestamp,lba\n"
                           "sda,R,8,10,8\n"
                           "sda,write,16,11.5,1024\n"
                           "sda,\"flush\",0,12,0\n";
        std::replace(text.begin(), text.end(), ',', separator);
        EXPECT_EQ(read(columns, text), kRequests) << separator;
    }
}

TEST(ColumnReaderTest, ATableWithoutHeaderIsReadByTheNumbersOfItsColumns) {
    EXPECT_EQ(read("size=1:4KiB, offset=2:4KiB, op=3, time=4:us",
                   "1,1,r,5000\n2,128,W,6500,more\n\n0,0,F,7000\n"),
              kRequests);
    // Without a time all requests arrive at once.
    std::vector<HostRequest> at_once = kRequests;
    for (HostRequest& request : at_once) {
        request.arrival = 0;
    }
    EXPECT_EQ(read("size=1:4KiB,offset=2:4KiB,op=3", "1,1,read\n2,128,WRITE\n0,0,f\n"), at_once);
}

TEST(ColumnReaderTest, SecondsSince1970CountFromTheFirst) {
    EXPECT_EQ(read("time=1:s,op=2,offset=3,size=4", "1700000000.1234567,r,4096,4096\n"
                                                    "1700000000.1249567,w,524288,8192\n"
                                                    "1700000000.1254567,f,,\n"),
              kRequests);
}

TEST(ColumnReaderTest, MistakesOfATableAreNamed) {
    const std::string columns = "time=t,op=rw,offset=lba,size=n";
    EXPECT_EQ(error_in(columns, "t,rw,lba,n\n0,R,0,512\n"), "none");
    EXPECT_EQ(error_in(columns, "t,rw,sector,n\n0,R,0,512\n"),
              "table:1: the first line has no column \"lba\"; it has t, rw, sector, n");
    EXPECT_EQ(error_in(columns, "t,rw,lba,n\n0,R,0\n"),
              "table:2: the line has 3 of 4 fields; every line has the columns of its table");
    EXPECT_EQ(error_in(columns, "t,rw,lba,n\n0,X,0,512\n"),
              "table:2: op \"X\" is unknown; op is R, W, T or F, or read, write, trim or flush, in "
              "either case");
    EXPECT_EQ(error_in(columns, "t,rw,lba,n\n0,R,-1,512\n"),
              "table:2: offset \"-1\" is negative; it is a whole number of its unit");
    EXPECT_EQ(
        error_in("time=t:s,op=rw,offset=lba,size=n", "t,rw,lba,n\n0,R,0,512\n99999999,R,0,512\n"),
        "table:3: time \"99999999\" is too far from the first one; at most 53 days");
    // Digits that do not count are digits all the same.
    for (const char* time : {"1.234567e+03", "0.1234567x", "1.2.3"}) {
        EXPECT_EQ(error_in(columns, "t,rw,lba,n\n" + std::string(time) + ",R,0,512\n").substr(0, 8),
                  "table:2:")
            << time;
    }
    EXPECT_EQ(error_in(columns, "t,rw,lba,n\n1.1234567890,R,0,512\n1.,R,0,512\n"), "none");
}

TEST(ColumnReaderTest, ColumnsThatSayNothingAreRefused) {
    const std::string right = std::string("; ") + kColumnsForm;
    const auto refused = [](const std::string& columns) {
        return error_of([&] { static_cast<void>(parse_columns(columns)); });
    };
    for (const auto& [columns, what] : std::vector<std::pair<std::string, std::string>>{
             {"lba", "\"lba\" says nothing"},
             {"lba=2,op=1,offset=2,size=3", "\"lba=2\" says nothing"},
             {"op=1,offset=2", "size is missing"},
             {"op=1,op=2,offset=2,size=3", "op is given twice"},
             {"op=1,offset=2:0,size=3", "offset and size have no unit \"0\""},
             {"op=1,offset=2:ms,size=3", "offset and size have no unit \"ms\""},
             {"op=1,offset=2,size=3,time=4:512", "the time has no unit \"512\""},
             {"op=1:512,offset=2,size=3", "op is called \"512\""},
             {"op=1:a/a,offset=2,size=3", "op is called \"a/a\""},
             {"op=1,offset=2,size=3,device=4:512", "device has no unit"},
             {"op=1,offset=2,size=3,host=4", "host is given without device"},
             {"op=,offset=2,size=3", "no column \"\""}}) {
        EXPECT_EQ(refused(columns), "<command line>:1: --columns: " + what + right) << columns;
    }
}

TEST(ColumnReaderTest, ATableIsOpenedLikeATrace) {
    const TemporaryFile file("lba;op;n\n1;R;1\n9;W;2\n");
    const TraceOptions options{file.path(), "", "", "op=op,offset=lba:512,size=n:512"};
    const auto info = scan_trace(options);
    ASSERT_TRUE(info.has_value());
    EXPECT_EQ(info->requests, 2u);
    EXPECT_EQ(info->end, 11 * 512u);
    EXPECT_EQ(drain(*open_trace(options, &*info)).size(), 2u);
    TraceOptions other = options;
    other.format = "msr";
    EXPECT_EQ(error_of([&] { static_cast<void>(open_trace(other)); }),
              "<command line>:1: --columns of a table, and a format; one of them");
    other.format = "";
    other.device = "sda_0";
    EXPECT_EQ(error_of([&] { static_cast<void>(open_trace(other)); }),
              std::string("<command line>:1: workload.device of a table without device=COLUMN; ") +
                  kColumnsForm);
}

TEST(ColumnReaderTest, ATableMayNameDevicesAndCallReadsAsItLikes) {
    const TemporaryFile file("disk;what;lba;n\nsdb;RD;1;1\nsda;WR;9;2\nsdb;write;2;1\n");
    TraceOptions options{file.path(), "", "",
                         "op=what:RD/WR,offset=lba:512,size=n:512,device=disk"};
    const std::uint64_t second = 1 << 20; // sda comes first
    EXPECT_EQ(drain(*open_trace(options)),
              (std::vector<HostRequest>{{0, second + 512, 512, RequestOp::kRead},
                                        {0, 9 * 512, 1024, RequestOp::kWrite},
                                        {0, second + 1024, 512, RequestOp::kWrite}}));
    options.device = "sda_0";
    EXPECT_EQ(drain(*open_trace(options)).size(), 1u);
}

} // namespace
} // namespace cavern
