#include "workload/trace_format.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/source_dir.h"
#include "tests/workload/vscsi_bytes.h"
#include "tests/workload/workload_fixture.h"
#include "workload/filters.h"
#include "workload/open_trace.h"
#include "workload/trace_writer.h"

namespace cavern {
namespace {

constexpr std::uint64_t kSector = 512;
constexpr std::uint64_t kRead10 = 0x28;
constexpr std::uint64_t kWrite10 = 0x2A;
constexpr std::uint64_t kStart = 1'400'000'000'000'000; // as of 2014, far beyond 2^63 ps

/// A read, a write that came before it, commands that are no requests, a flush, a write of 1 GiB.
const std::vector<VscsiRecord>& records() {
    static const std::vector<VscsiRecord> all{
        {kStart, kRead10, 42'932'745, 512, 0x00BFBBEF}, // the serial number is a byte order mark
        {kStart - 7, kWrite10, 8, 4096, 8},
        {kStart + 9, 0x12, 0, 36, 9},         // INQUIRY
        {kStart + 10, 0x42, 0, 24, 10},       // UNMAP
        {kStart + 10, kWrite10, 2048, 0, 11}, // of no block
        {kStart + 11, 0x35, 0, 0, 12},        // SYNCHRONIZE CACHE
        {kStart + 2'000'000, 0x8A, 1ull << 40, 1 << 30, 0x0A0D230A}};
    return all;
}

const std::vector<HostRequest>& requests() {
    static const std::vector<HostRequest> all{
        {0, 42'932'745 * kSector, 512, RequestOp::kRead},
        {0, 8 * kSector, 4096, RequestOp::kWrite},
        {11 * kUs, 0, 0, RequestOp::kFlush},
        {2 * kSecond, (1ull << 40) * kSector, 1 << 30, RequestOp::kWrite}};
    return all;
}

std::size_t record_bytes(unsigned version) {
    return version == 1 ? 32 : 40;
}

/// Without the path.
std::string error_about(const std::string& bytes, const std::string& format = "") {
    const TemporaryFile file(bytes, "vscsi");
    const std::string error = error_of([&] { drain(*open_trace({file.path(), format, ""})); });
    return error == "none" ? error : error.substr(file.path().size());
}

std::vector<HostRequest> read(const std::string& bytes) {
    const TemporaryFile file(bytes, "vscsi");
    return drain(*open_trace({file.path(), "", ""}));
}

class VscsiReaderTest : public ::testing::TestWithParam<unsigned> {
  protected:
    std::string bytes_of(const std::vector<VscsiRecord>& all) const {
        return vscsi_bytes(all, GetParam());
    }
};

INSTANTIATE_TEST_SUITE_P(Versions, VscsiReaderTest, ::testing::Values(1, 2));

TEST_P(VscsiReaderTest, RecordsAreRecognisedAndReadInEveryCompression) {
    const std::string bytes = bytes_of(records());
    ASSERT_EQ(bytes.size(), records().size() * record_bytes(GetParam()));
    for (const Compression& compression : kCompressions) {
        SCOPED_TRACE(compression.name);
        const TemporaryFile file(compression.pack(bytes), "vscsi");
        const TraceOptions options{file.path(), "", ""};
        const auto info = scan_trace(options);
        ASSERT_TRUE(info);
        EXPECT_EQ(info->format, "vscsi");
        EXPECT_EQ(info->inversions, 1u);
        EXPECT_EQ(info->skipped, 1u); // UNMAP
        const auto trace = open_trace(options, &*info);
        std::vector<std::size_t> places;
        std::vector<HostRequest> found;
        for (HostRequest request; trace->next(request);) {
            found.push_back(request);
            places.push_back(trace->position().line);
            EXPECT_TRUE(trace->position().is_record);
        }
        EXPECT_EQ(found, requests());
        EXPECT_EQ(places, (std::vector<std::size_t>{1, 2, 6, 7}));
    }
}

TEST_P(VscsiReaderTest, TheSampleIsWhatTheseRecordsGive) {
    const TraceOptions sample{testing::source_dir() + "/tests/reference/traces/sample.vscsi" +
                                  std::to_string(GetParam()),
                              "", ""};
    std::ifstream in(sample.path, std::ios::binary);
    EXPECT_EQ((std::string{std::istreambuf_iterator<char>(in), {}}), bytes_of(records()));
    EXPECT_EQ(drain(*open_trace(sample)), requests());
}

// The control: every field that is used shows, and the others do not.
TEST_P(VscsiReaderTest, AnotherByteOfAFieldThatIsUsedGivesOtherRequests) {
    const std::string bytes = bytes_of(records());
    const std::size_t second = record_bytes(GetParam());
    const std::map<std::size_t, bool> used =
        GetParam() == 1
            ? std::map<std::size_t, bool>{{0, false},  {4, true},  {8, false}, {12, true},
                                          {14, false}, {16, true}, {24, false}}
            : std::map<std::size_t, bool>{{0, true},   {2, false}, {4, false},  {8, true},
                                          {12, false}, {16, true}, {24, false}, {32, false}};
    for (const auto& [at, shows] : used) { // of the second, whose time is raised anyway
        std::string other = bytes;
        other[second + at] = static_cast<char>(other[second + at] ^ 2);
        EXPECT_EQ(read(other) == requests(), !shows) << at;
    }
    std::string later = bytes;
    later[6 * record_bytes(GetParam()) + 24] ^= 1; // time of the last
    EXPECT_EQ(read(later).at(3).arrival + kUs, requests().at(3).arrival + 2 * kUs);
}

TEST_P(VscsiReaderTest, CommandsAreTheOperationCodesOfTheStandard) {
    const std::map<RequestOp, std::vector<std::uint64_t>> moving{
        {RequestOp::kRead, {0x08, 0x28, 0xA8, 0x88, 0x2D}},
        {RequestOp::kWrite, {0x0A, 0x2A, 0xAA, 0x8A, 0x2E, 0xAE, 0x8E, 0x9C}},
        {RequestOp::kFlush, {0x35, 0x91}}};
    std::size_t known = 0;
    for (const auto& [op, commands] : moving) {
        for (const std::uint64_t command : commands) {
            const auto found = read(bytes_of({{5, command, 16, 4096}}));
            ASSERT_EQ(found.size(), 1u) << command;
            EXPECT_EQ(found[0].op, op) << command;
            EXPECT_EQ(found[0].bytes, op == RequestOp::kFlush ? 0u : 4096u);
            ++known;
        }
    }
    std::size_t skipped = 0;
    for (std::uint64_t command = 0; command < 256; ++command) {
        const TemporaryFile file(bytes_of({{5, command, 16, 4096}}), "vscsi");
        const auto info = scan_trace({file.path(), "", ""});
        known -= info->requests;
        skipped += info->skipped;
    }
    EXPECT_EQ(known, 0u); // no other is a request
    EXPECT_EQ(skipped, 8u);
}

TEST_P(VscsiReaderTest, AWrongRecordIsNamedWithWhatWouldBeRight) {
    const std::string version = std::to_string(GetParam());
    const auto with = [&](const VscsiRecord& wrong) {
        return error_about(bytes_of({records()[0], records()[1], wrong, records()[3]}));
    };
    EXPECT_EQ(with(records()[2]), "none");
    EXPECT_EQ(with({kStart, kRead10, 0, 512, 0, 3}),
              ":record 3: version 3 is not that of the first record; all records have version " +
                  version);
    EXPECT_EQ(with({kStart, 0x12A, 0, 512}),
              ":record 3: command 0x12a is unknown; a command is a SCSI operation code, 0x0 to "
              "0xff");
    EXPECT_EQ(with({kStart, kRead10, 1ull << 62, 512}),
              ":record 3: sector 4611686018427387904 is too large; a sector of 512 bytes begins "
              "below byte 2^63");
    EXPECT_EQ(with({kStart, kRead10, (1ull << 54) - 1, 1024}),
              ":record 3: the request ends beyond byte 2^63; offsets and sizes stay below that");
    EXPECT_EQ(with({kStart + 107ull * 24 * 3600 * 1'000'000, kRead10, 0, 512}),
              ":record 3: time 1409244800000000 is more than 106 days from the first; a trace "
              "spans at most 106 days");
    EXPECT_EQ(with({0, kRead10, 0, 512}),
              ":record 3: time 0 is more than 106 days from the first; a trace spans at most 106 "
              "days");
}

TEST_P(VscsiReaderTest, ATraceCutAnywhereGivesItsWholeRecordsAndNamesTheOther) {
    const std::string bytes = bytes_of(records());
    const std::size_t size = record_bytes(GetParam());
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
        const std::string error = error_about(bytes.substr(0, cut), "vscsi");
        if (cut % size == 0) {
            EXPECT_EQ(error, "none") << cut;
            continue;
        }
        // Nobody knows the version of bytes that end before it.
        const std::string of = cut < (GetParam() == 2 ? 4 : 16) ? "32" : std::to_string(size);
        const std::string expected = ":record " + std::to_string(cut / size + 1) +
                                     ": the trace ends inside this record (" +
                                     std::to_string(cut % size) + " of " + of + " bytes); ";
        EXPECT_EQ(error.substr(0, expected.size()), expected) << cut;
    }
    const std::string packed = gzipped(bytes);
    EXPECT_EQ(error_about(packed.substr(0, packed.size() - 9), "vscsi"),
              ":record 8: the gzip data ends before its end mark (a truncated file); give the "
              "whole file as it was compressed");
}

TEST_P(VscsiReaderTest, RecordsAcrossBuffersAreWhole) {
    std::vector<VscsiRecord> many;
    for (std::uint64_t i = 0; i < 30'000; ++i) {
        many.push_back({kStart + i, i % 3 == 0 ? kRead10 : kWrite10, i * 0x0A23, 512 + i, i});
    }
    for (const Compression& compression : kCompressions) {
        const auto found = read(compression.pack(bytes_of(many)));
        ASSERT_EQ(found.size(), many.size()) << compression.name;
        for (std::uint64_t i = 0; i < many.size(); ++i) {
            ASSERT_EQ(found[i], (HostRequest{i * kUs, i * 0x0A23 * kSector, 512 + i,
                                             i % 3 == 0 ? RequestOp::kRead : RequestOp::kWrite}));
        }
    }
}

TEST_P(VscsiReaderTest, ARequestThatDoesNotFitIsNamedByItsRecord) {
    const TemporaryFile file(bytes_of(records()), "vscsi");
    const TraceOptions options{file.path(), "", ""};
    const auto info = scan_trace(options);
    EXPECT_EQ(error_of([&] { require_within(options, *info, 1 << 30); })
                  .find(file.path() +
                        ":record 1: the request of 512 bytes at offset 21981565440 ends beyond the "
                        "drive; "),
              0u);
    TraceWriter msr("/dev/null", written_format("msr"), false);
    const auto trace = open_trace(options, &*info);
    EXPECT_EQ(error_of([&] {
                  for (HostRequest request; trace->next(request);) {
                      msr.write(request, trace->position());
                  }
              }).find(file.path() + ":record 6: a flush has no form in msr; "),
              0u);
}

TEST(VscsiDetectionTest, OtherBytesAreNoVscsiTrace) {
    EXPECT_FALSE(kVscsiTraces.detect_bytes(""));
    EXPECT_FALSE(
        kVscsiTraces.detect_bytes("time_us,op,offset,size\n0,W,0,4096\n1,W,0,4096\n2,W,0,4096\n"));
    EXPECT_FALSE(kVscsiTraces.detect_bytes(std::string(200, '\0')));
    EXPECT_FALSE(kVscsiTraces.detect_bytes(std::string(200, '\1')));
    const std::vector<VscsiRecord> two{{1, kRead10, 8, 512}, {2, kRead10, 8, 512, 0, 7}};
    EXPECT_FALSE(kVscsiTraces.detect_bytes(vscsi_bytes(two, 1)));
    EXPECT_FALSE(kVscsiTraces.detect_bytes(vscsi_bytes(two, 2)));
    EXPECT_EQ(error_about("time_us,op,offset,size\n0,W,0,4096\n", "vscsi"),
              ":record 1: the version is missing; a record has the version, 1 or 2, in the upper "
              "byte of its field ver");
    EXPECT_EQ(error_about("", "vscsi"), "none"); // no requests
}

} // namespace
} // namespace cavern
