// The tables in which traces are published: alibaba, tencent, systor17, fiu, biosnoop.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/source_dir.h"
#include "tests/workload/workload_fixture.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

constexpr RequestOp kR = RequestOp::kRead;
constexpr RequestOp kW = RequestOp::kWrite;

/// Where the device after one that ends at `end` begins.
constexpr std::uint64_t after(std::uint64_t end) {
    return (end + kMiB - 1) / kMiB * kMiB;
}

struct Table {
    const char* format;
    std::vector<HostRequest> requests; ///< of its sample, decoded by hand
    std::vector<std::size_t> lines;
    std::vector<std::string> devices;
    std::uint64_t inversions = 0;
    std::uint64_t skipped = 0;
    std::vector<std::pair<std::string, std::string>> changes; ///< of what is read
};

constexpr std::uint64_t kAlibabaSecond = after(8'792'731'648 + 16'384);
constexpr std::uint64_t kTencentSecond = after((12'910'952 + 128) * 512ULL);
constexpr std::uint64_t kSystorSecond = after(2'216'910'848 + 4096);
constexpr std::uint64_t kFiuSecond = after((904'265'560 + 8) * 512ULL);
constexpr std::uint64_t kBiosnoopSecond = after((13'092'560 + 8) * 512ULL);

const std::vector<Table>& tables() {
    static const std::vector<Table> all{
        {"alibaba",
         {{0, 8'792'731'648, 16'384, kW},
          {1'000'000'000, kAlibabaSecond + 1'048'576, 4096, kR},
          {1'000'000'000, 8'792'731'648, 512, kR}},
         {1, 2, 3},
         {"419", "420"},
         1,
         0,
         {{"1767", "1768"}, {",W,", ",R,"}, {"16384", "16383"}, {"1048576", "1048577"}}},
        {"tencent",
         {{0, 12'910'952 * 512ULL, 65'536, kR},
          {1'000'000'000'000, kTencentSecond + 6'338'688 * 512ULL, 4096, kW}},
         {1, 2},
         {"1063", "1081"},
         0,
         0,
         {{"3201", "3202"}, {",0,1063", ",1,1063"}, {",128,", ",127,"}, {"6338688", "6338689"}}},
        {"systor17",
         {{0, 2'216'910'848, 4096, kR}, {500'500'000, kSystorSecond + 46'862'336, 8192, kW}},
         {2, 3},
         {"0", "2"},
         0,
         0,
         {{"0603500", "0603501"}, {",R,0", ",W,0"}, {"8192", "8193"}, {"46862336", "46862337"}}},
        {"fiu",
         {{0, 904'265'560 * 512ULL, 4096, kW},
          {790'830'000, 508'084 * 512ULL, 4096, kR},
          {1'595'165'000, kFiuSecond + 1000 * 512ULL, 8192, kW}},
         {1, 2, 3},
         {"6_0", "8_1"},
         0,
         0,
         {{"8195665", "8195666"}, {" R ", " W "}, {" 16 ", " 15 "}, {"508084", "508085"}}},
        {"biosnoop",
         {{0, 13'092'560 * 512ULL, 4096, kW},
          {174'000'000, 13'092'432 * 512ULL, 8192, kR},
          {1'584'000'000, kBiosnoopSecond + 8 * 512ULL, 512, kW}},
         {2, 3, 5},
         {"xvda1_0", "xvdb_0"},
         0,
         1,
         {{"0.000178", "0.000179"},
          {" R ", " W "},
          {" 8192 ", " 4096 "},
          {"13092432", "13092433"}}}};
    return all;
}

std::string sample_of(const Table& table) {
    const std::string path =
        testing::source_dir() + "/tests/reference/traces/sample." + table.format;
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SharedTablesTest, EverySampleIsRecognisedAndGivesTheRequestsDecodedByHand) {
    for (const Table& table : tables()) {
        const TemporaryFile file(sample_of(table));
        const TraceOptions options{file.path(), "", ""};
        const auto info = scan_trace(options);
        ASSERT_TRUE(info) << table.format;
        EXPECT_EQ(info->format, table.format);
        std::vector<std::string> devices;
        for (const DeviceMap::Device& device : info->devices.devices()) {
            devices.push_back(device_name(device.host, device.number));
        }
        EXPECT_EQ(devices, table.devices) << table.format;
        const auto trace = open_trace(options, &*info);
        std::vector<HostRequest> requests;
        const std::vector<std::size_t> lines = lines_of(*trace, requests);
        EXPECT_EQ(requests, table.requests) << table.format;
        EXPECT_EQ(lines, table.lines) << table.format;
        EXPECT_EQ(trace->inversions(), table.inversions) << table.format;
        EXPECT_EQ(trace->skipped(), table.skipped) << table.format;
    }
}

TEST(SharedTablesTest, AnotherContentGivesOtherRequests) {
    for (const Table& table : tables()) {
        for (const auto& [from, to] : table.changes) {
            std::string content = sample_of(table);
            const std::size_t place = content.find(from);
            ASSERT_NE(place, std::string::npos) << table.format << " " << from;
            const TemporaryFile file(content.replace(place, from.size(), to));
            EXPECT_NE(drain(*open_trace({file.path(), table.format, ""})), table.requests)
                << table.format << " " << from;
        }
    }
}

TEST(SharedTablesTest, ADeviceIsPlayedAloneWhereTheTableHasIt) {
    for (const Table& table : tables()) {
        const TemporaryFile file(sample_of(table));
        const auto info = scan_trace({file.path(), "", ""});
        ASSERT_TRUE(info) << table.format;
        const std::uint64_t base = info->devices.devices().back().base;
        std::vector<std::uint64_t> offsets;
        for (const HostRequest& request : table.requests) {
            if (request.offset >= base) {
                offsets.push_back(request.offset - base);
            }
        }
        std::vector<std::uint64_t> alone;
        for (const HostRequest& request :
             drain(*open_trace({file.path(), "", table.devices.back()}))) {
            alone.push_back(request.offset);
        }
        EXPECT_TRUE(base > 0 && alone.size() == 1) << table.format;
        EXPECT_EQ(alone, offsets) << table.format;
    }
}

TEST(SharedTablesTest, MistakesAreNamed) {
    const auto error_in = [](const std::string& format, const std::string& text) {
        const TemporaryFile file(text);
        const std::string error = error_of([&] {
            static_cast<void>(drain(*open_trace({file.path(), format, ""})));
        });
        return error == "none" ? error : error.substr(file.path().size() + 1);
    };
    EXPECT_EQ(error_in("alibaba", "419,W,8792731648,16384\n"),
              "1: the line has 4 of 5 fields; every line has the columns of its table");
    EXPECT_EQ(error_in("tencent", "1538323200,1,8,0,1\n1538323200,1,8,W,1\n"),
              "none"); // a word too
    EXPECT_EQ(error_in("tencent", "1538323200,1,8,2,1\n"), "1: op \"2\" is unknown; op is 0 or 1");
    EXPECT_EQ(error_in("alibaba", ",W,0,512,1\n"), "1: the device is missing; a number or a name");
    EXPECT_EQ(error_in("systor17", "1.0,0.1,R,0,-1,512\n").substr(0, 28),
              "1: offset \"-1\" is negative; ");
}

} // namespace
} // namespace cavern
