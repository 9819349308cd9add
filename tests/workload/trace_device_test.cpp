#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/workload/workload_fixture.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

// ASU 7 comes first in the file, and ASU 0 is used up to a place that is no multiple of 1 MiB.
const std::string kSpc = "7,10,512,R,0.1\n"
                         "0,4095,1536,W,0.2\n"
                         "2,0,4096,W,0.3\n"
                         "7,0,1024,R,0.4\n";
const std::string kMsr = "1000,web,1,Read,0,512,1\n"
                         "1001,web,0,Write,1048576,512,1\n"
                         "1002,usr,1,Write,4096,8192,1\n";

std::vector<std::uint64_t> offsets(const TraceOptions& options) {
    std::vector<std::uint64_t> all;
    for (const HostRequest& request : drain(*open_trace(options))) {
        all.push_back(request.offset);
    }
    return all;
}

using Offsets = std::vector<std::uint64_t>;

TEST(TraceDeviceTest, SpcUnitsLieEndToEndByNumberEachOnItsMebibyte) {
    const TemporaryFile file(kSpc);
    // ASU 0 ends at 4095 * 512 + 1536 = 2 MiB + 1 KiB, ASU 2 at 4 KiB.
    EXPECT_EQ(offsets({file.path(), "", ""}),
              (Offsets{4 * kMiB + 10 * 512, 4095 * 512, 3 * kMiB, 4 * kMiB}));
    const auto info = scan_trace({file.path(), "", ""});
    EXPECT_EQ(info->end, 4 * kMiB + 11 * 512);
    EXPECT_EQ(info->devices.names(), "0, 2, 7");
}

TEST(TraceDeviceTest, LayoutDoesNotDependOnALimit) {
    const TemporaryFile file(kSpc);
    const auto info = scan_trace({file.path(), "", ""}, 1);
    EXPECT_EQ(info->requests, 4u);
    HostRequest first;
    ASSERT_TRUE(open_trace({file.path(), "", ""}, &*info)->next(first));
    EXPECT_EQ(first.offset, 4 * kMiB + 10 * 512);
}

TEST(TraceDeviceTest, MsrDisksLieEndToEndByHostAndNumber) {
    const TemporaryFile file(kMsr);
    // usr_1, then web_0, then web_1.
    EXPECT_EQ(offsets({file.path(), "", ""}), (Offsets{3 * kMiB, 2 * kMiB, 4096}));
}

TEST(TraceDeviceTest, ChosenDeviceKeepsItsOffsets) {
    const TemporaryFile spc(kSpc);
    EXPECT_EQ(offsets({spc.path(), "", "7"}), (Offsets{10 * 512, 0}));
    EXPECT_EQ(offsets({spc.path(), "", "0"}), (Offsets{4095 * 512}));
    const auto info = scan_trace({spc.path(), "", "7"});
    EXPECT_EQ(info->requests, 2u);
    EXPECT_EQ(info->end, 11u * 512);
    const TemporaryFile msr(kMsr);
    EXPECT_EQ(offsets({msr.path(), "", "web_1"}), (Offsets{0}));
    EXPECT_EQ(offsets({msr.path(), "", "0"}), (Offsets{1048576}));
}

TEST(TraceDeviceTest, TimeZeroIsTheFirstLineOfTheTraceAlsoForAChosenDisk) {
    const TemporaryFile msr(kMsr);
    HostRequest request;
    ASSERT_TRUE(open_trace({msr.path(), "", "web_0"})->next(request));
    EXPECT_EQ(request.arrival, 100'000u);
}

TEST(TraceDeviceTest, WrongDevicesAreUserErrors) {
    const TemporaryFile spc(kSpc, "spc");
    const TemporaryFile msr(kMsr, "msr");
    const TemporaryFile csv("time_us,op,offset,size\n0,R,0,512\n", "csv");
    const auto error = [](const TemporaryFile& file, const char* device) {
        return error_of([&] { drain(*open_trace({file.path(), "", device})); });
    };
    EXPECT_EQ(error(spc, "5"), spc.path() +
                                   ":4: the trace has no request of device \"5\"; its devices are "
                                   "0, 2, 7");
    EXPECT_EQ(error(msr, "usr_7"), msr.path() + ":3: the trace has no request of device \"usr_7\"; "
                                                "its devices are usr_1, web_0, web_1");
    EXPECT_EQ(error(msr, "1"), msr.path() + ":3: device 1 exists on several hosts; write \"web_1\" "
                                            "or \"usr_1\"");
    EXPECT_EQ(error(spc, "first"),
              spc.path() + ":1: workload.device \"first\" names no device; a device is its number, "
                           "such as 3, or host and number, such as prxy_0");
    EXPECT_EQ(error(csv, "0"), csv.path() + ":1: a trace of format csv names no devices; leave "
                                            "workload.device away");
}

TEST(TraceDeviceTest, DevicesThatDoNotFitTogetherAreAUserError) {
    const std::string last = "18014398509481980"; // its end is just below byte 2^63
    const TemporaryFile file("0," + last + ",512,R,0\n1," + last + ",512,R,0\n");
    EXPECT_EQ(error_of([&] {
                  static_cast<void>(open_trace({file.path(), "", ""}));
              }),
              file.path() + ":1: its devices laid end to end pass byte 2^63; choose one with "
                            "workload.device");
    EXPECT_EQ(offsets({file.path(), "", "1"}).size(), 1u);
}

TEST(TraceDeviceTest, NumberOfDevicesIsBounded) {
    std::string text;
    for (std::size_t i = 0; i <= DeviceMap::kMaxDevices; ++i) {
        text += std::to_string(i) + ",0,512,R,0\n";
    }
    const TemporaryFile file(text);
    EXPECT_EQ(error_of([&] {
                  static_cast<void>(open_trace({file.path(), "", ""}));
              }),
              file.path() + ":4097: the trace has more than 4096 devices; choose one with "
                            "workload.device");
}

TEST(TraceDeviceTest, FileChangedBetweenThePassesIsAUserError) {
    const TemporaryFile file(kSpc);
    const TraceOptions options{file.path(), "", ""};
    const auto info = scan_trace(options);
    const auto error_with = [&](const std::string& more) {
        std::ofstream(file.path(), std::ios::binary) << kSpc << more;
        return error_of([&] { drain(*open_trace(options, &*info)); });
    };
    const std::string message = file.path() + ":5: this request was not in the trace when it was "
                                              "looked through first; leave the file alone while it "
                                              "is read";
    EXPECT_EQ(error_with("3,0,512,R,0.5\n"), message);
    EXPECT_EQ(error_with("2,8,512,R,0.5\n"), message);
    EXPECT_EQ(error_with("2,7,512,R,0.5\n"), "none");
}

/// Standard input from a pipe with this content.
void feed_standard_input(const std::string& text) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    ASSERT_EQ(::dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    ::close(ends[0]);
}

TEST(TraceDeviceTest, PipeIsNotScannedAndMayHoldOneDevice) {
    feed_standard_input(gzipped("3,10,512,R,0.1\n3,11,512,R,0.2\n"));
    const TraceOptions options{"-", "", ""};
    EXPECT_FALSE(scan_trace(options));
    EXPECT_EQ(offsets(options), (Offsets{10 * 512, 11 * 512}));
}

TEST(TraceDeviceTest, SecondDeviceInAPipeIsAUserError) {
    feed_standard_input(kSpc);
    EXPECT_EQ(error_of([] {
                  drain(*open_trace({"-", "", ""}));
              }),
              "<stdin>:2: a second device, \"0\", in an input that cannot be read twice to lay "
              "devices end to end; give a file, or choose a device with workload.device");
}

TEST(TraceDeviceTest, ChosenDeviceComesOutOfAPipe) {
    feed_standard_input(kSpc);
    EXPECT_EQ(offsets({"-", "", "7"}), (Offsets{10 * 512, 0}));
}

} // namespace
} // namespace cavern
