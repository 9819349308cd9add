#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "tests/workload/workload_fixture.h"
#include "workload/open_trace.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

struct Form {
    const char* name;
    std::unique_ptr<TraceReader> (*make)(LineReader);
    std::string good; ///< lines before the one at fault
    std::string line; ///< a good line, to be cut and mutated
};

const std::vector<Form>& forms() {
    static const std::vector<Form> all{
        {"csv", kCsvTraces.make, "time_us,op,offset,size\n0.25,W,0,4096\n", "12.5,R,4096,8192"},
        {"spc", kSpcTraces.make, "0,20939840,8192,W,0.554041\n# comment\n",
         "0,20941264,8192,r,0.551706"},
        {"msr", kMsrTraces.make, "128166372003061629,hm,1,Read,0,512,9\n\n",
         "128166372016382155,hm,1,Write,2822144,4096,1215"}};
    return all;
}

std::string error_in(const Form& form, const std::string& text) {
    return error_of([&] {
        const auto reader = form.make({byte_stream_of(text), "trace"});
        for (HostRequest request; reader->next(request);) {
        }
    });
}

struct Malformed {
    std::string line;
    std::string message;
};

void expect_messages(const Form& form, const std::vector<Malformed>& cases) {
    const auto first = 1 + std::count(form.good.begin(), form.good.end(), '\n');
    EXPECT_EQ(error_in(form, form.good + form.line + "\n"), "none");
    for (const Malformed& c : cases) {
        EXPECT_EQ(error_in(form, form.good + c.line + "\n" + form.line + "\n"),
                  "trace:" + std::to_string(first) + ": " + c.message);
        // The same three good lines further down.
        EXPECT_EQ(error_in(form, form.good + form.line + "\n" + form.line + "\n" + form.line +
                                     "\n" + c.line + "\n"),
                  "trace:" + std::to_string(first + 3) + ": " + c.message);
    }
}

TEST(TraceErrorTest, MalformedCsvLinesAreNamedWithWhatWouldBeRight) {
    const std::string line = "a line is time_us,op,offset,size, such as 12.5,R,4096,8192";
    const std::string time =
        "time_us is in microseconds from 0 to 9223372036854, with up to 6 digits after the point";
    const std::string offset = "offset is a whole number of bytes from 0";
    const std::string size = "size is in bytes, below 2^63";
    const std::string op =
        "op is R (read), W (write), WF (write with FUA), T (trim) or F (flush); a write may name "
        "its stream, such as W3 or WF3; of zones, A (append), ZO (open), ZC (close), ZF "
        "(finish) or ZR (reset)";
    expect_messages(
        forms()[0],
        {{"12.5", "the line has 1 of 4 fields; " + line},
         {"12.5,R,4096", "the line has 3 of 4 fields; " + line},
         {"12.5,R,4096,8192,1", "the line has 5 fields instead of 4; " + line},
         {",R,4096,8192", "time_us is missing; " + time},
         {"-1,R,4096,8192", "time_us \"-1\" is negative; " + time},
         {"-0.5,R,4096,8192", "time_us \"-0.5\" is negative; " + time},
         {"1e3,R,4096,8192", "time_us \"1e3\" is not a number; " + time},
         {".,R,4096,8192", "time_us \".\" is not a number; " + time},
         {"1.2.3,R,4096,8192", "time_us \"1.2.3\" is not a number; " + time},
         {"1 .2,R,4096,8192", "time_us \"1 .2\" is not a number; " + time},
         {"nan,R,4096,8192", "time_us \"nan\" is not a number; " + time},
         {"1.0000001,R,0,1", "time_us \"1.0000001\" has too many digits after the point; " + time},
         {"9223372036854.775808,R,0,1", "time_us \"9223372036854.775808\" is too large; " + time},
         {"99999999999999999999,R,0,1", "time_us \"99999999999999999999\" is too large; " + time},
         {"1,,4096,8192", "op \"\" is unknown; " + op},
         {"1,x,4096,8192", "op \"x\" is unknown; " + op},
         {"1,RW,4096,8192", "op \"RW\" is unknown; " + op},
         {"1,R,,8192", "offset is missing; " + offset},
         {"1,R,-4096,8192", "offset \"-4096\" is negative; " + offset},
         {"1,R,4096.5,8192", "offset \"4096.5\" is not a number; " + offset},
         {"1,R,0x1000,8192", "offset \"0x1000\" is not a number; " + offset},
         {"1,R,9223372036854775808,1", "offset \"9223372036854775808\" is too large; " + offset},
         {"1,R,9223372036854775807,1",
          "the request ends beyond byte 2^63; offsets and sizes stay below that"},
         {"1,R,4096,", "size is missing; " + size},
         {"1,R,4096,-8192", "size \"-8192\" is negative; " + size},
         {"1,R,4096,4k", "size \"4k\" is not a number; " + size},
         {"1,R,4096,4294967296",
          "size \"4294967296\" is too large; a read or write has at most 4294967295 bytes"},
         {"1,T,4096,9223372036854775808", "size \"9223372036854775808\" is too large; " + size},
         {"1,R,4096,0", "size is zero; a read, write or trim has at least one byte"},
         {"1,W,4096,0", "size is zero; a read, write or trim has at least one byte"},
         {"1,T,4096,0", "size is zero; a read, write or trim has at least one byte"},
         {"1,F,0,512", "a flush of 512 bytes; a flush has size 0"},
         {"1,\x01\xFFthis is far too long for an op of a trace,0,1",
          "op \"??this is far too long for an op...\" is unknown; " + op}});
}

TEST(TraceErrorTest, MalformedSpcLinesAreNamedWithWhatWouldBeRight) {
    const std::string line =
        "a line is ASU,LBA,size,opcode,timestamp, such as 0,20941264,8192,W,0.551706";
    const std::string asu = "ASU is a whole number from 0";
    const std::string lba = "LBA is a whole number of 512-byte blocks from 0";
    const std::string size = "size is in bytes, 1 to 4294967295";
    const std::string opcode = "opcode is R or W";
    const std::string time = "timestamp is in seconds from 0 to 9223372, such as 0.551706";
    expect_messages(
        forms()[1],
        {{"0,1,512,R", "the line has 4 of 5 fields; " + line},
         {"hello", "the line has 1 of 5 fields; " + line},
         {",1,512,R,0.5", "ASU is missing; " + asu},
         {"a,1,512,R,0.5", "ASU \"a\" is not a number; " + asu},
         {"4294967296,1,512,R,0.5", "ASU \"4294967296\" is too large; " + asu},
         {"0,-1,512,R,0.5", "LBA \"-1\" is negative; " + lba},
         {"0,x,512,R,0.5", "LBA \"x\" is not a number; " + lba},
         {"0,18014398509481984,512,R,0.5", "LBA \"18014398509481984\" is too large; " + lba},
         {"0,18014398509481983,512,R,0.5",
          "the request ends beyond byte 2^63; offsets and sizes stay below that"},
         {"0,1,-512,R,0.5", "size \"-512\" is negative; " + size},
         {"0,1,0,R,0.5", "size is zero; a read, write or trim has at least one byte"},
         {"0,1,4294967296,R,0.5", "size \"4294967296\" is too large; " + size},
         {"0,1,512,T,0.5", "opcode \"T\" is unknown; " + opcode},
         {"0,1,512,,0.5", "opcode \"\" is unknown; " + opcode},
         {"0,1,512,R,", "timestamp is missing; " + time},
         {"0,1,512,R,-0.5", "timestamp \"-0.5\" is negative; " + time},
         {"0,1,512,R,1e-3", "timestamp \"1e-3\" is not a number; " + time},
         {"0,1,512,R,9223373", "timestamp \"9223373\" is too large; " + time}});
    // More digits than a picosecond has are dropped: such traces exist.
    EXPECT_EQ(error_in(forms()[1], "0,1,512,R,0.12345678901234567890\n"), "none");
}

TEST(TraceErrorTest, MalformedMsrLinesAreNamedWithWhatWouldBeRight) {
    const std::string line =
        "a line is Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime, "
        "such as 128166372003061629,hm,0,Read,383496192,32768,413";
    const std::string time = "Timestamp is a whole number of 100 ns units";
    const std::string span = "a trace spans at most 106 days";
    const std::string disk = "DiskNumber is a whole number from 0";
    const std::string offset = "Offset is a whole number of bytes from 0";
    const std::string size = "Size is in bytes, 1 to 4294967295";
    const std::string type = "Type is Read or Write";
    const std::string t = "128166372003061630";
    expect_messages(
        forms()[2],
        {{t + ",hm,1,Read,0,512", "the line has 6 of 7 fields; " + line},
         {t + ",hm,1,Read,0,512,1,1", "the line has 8 fields instead of 7; " + line},
         {",hm,1,Read,0,512,1", "Timestamp is missing; " + time},
         {"-1,hm,1,Read,0,512,1", "Timestamp \"-1\" is negative; " + time},
         {"1.5,hm,1,Read,0,512,1", "Timestamp \"1.5\" is not a number; " + time},
         {"12345678901234567890,hm,1,Read,0,512,1",
          "Timestamp \"12345678901234567890\" is too large; " + time},
         {"229166372003061630,hm,1,Read,0,512,1",
          "Timestamp \"229166372003061630\" is more than 106 days from the first; " + span},
         {"0,hm,1,Read,0,512,1", "Timestamp \"0\" is more than 106 days from the first; " + span},
         {t + ",,1,Read,0,512,1", "Hostname is missing; " + line},
         {t + ",hm,,Read,0,512,1", "DiskNumber is missing; " + disk},
         {t + ",hm,-1,Read,0,512,1", "DiskNumber \"-1\" is negative; " + disk},
         {t + ",hm,1,read,0,512,1", "Type \"read\" is unknown; " + type},
         {t + ",hm,1,Trim,0,512,1", "Type \"Trim\" is unknown; " + type},
         {t + ",hm,1,Read,-512,512,1", "Offset \"-512\" is negative; " + offset},
         {t + ",hm,1,Read,zero,512,1", "Offset \"zero\" is not a number; " + offset},
         {t + ",hm,1,Read,9223372036854775807,512,1",
          "the request ends beyond byte 2^63; offsets and sizes stay below that"},
         {t + ",hm,1,Read,0,-512,1", "Size \"-512\" is negative; " + size},
         {t + ",hm,1,Read,0,0,1", "size is zero; a read, write or trim has at least one byte"},
         {t + ",hm,1,Read,0,4294967296,1", "Size \"4294967296\" is too large; " + size}});
}

TEST(TraceErrorTest, TraceCutInsideALineNamesTheLine) {
    for (const Form& form : forms()) {
        const auto last = 1 + std::count(form.good.begin(), form.good.end(), '\n');
        const std::string prefix =
            "trace:" + std::to_string(last) + ": the trace ends inside this line";
        const std::size_t last_comma = form.line.rfind(',');
        for (std::size_t size = 1; size <= form.line.size(); ++size) {
            const std::string error = error_in(form, form.good + form.line.substr(0, size));
            if (size <= last_comma) {
                EXPECT_EQ(error.substr(0, prefix.size()), prefix) << form.name << " " << size;
                // With a newline it is not the end of the trace that is wrong.
                const std::string whole =
                    error_in(form, form.good + form.line.substr(0, size) + "\n");
                EXPECT_NE(whole.substr(0, prefix.size()), prefix) << form.name << " " << size;
                EXPECT_NE(whole, "none");
            }
        }
        EXPECT_EQ(error_in(form, form.good + form.line), "none");
    }
    EXPECT_EQ(error_in(forms()[0], "time_us,op,offset,size\n12.5,R,40"),
              "trace:2: the trace ends inside this line (3 of 4 fields); a line is "
              "time_us,op,offset,size, such as 12.5,R,4096,8192");
    EXPECT_EQ(error_in(forms()[0], "time_us,op,offset,size\n12.5,R,4096,"),
              "trace:2: the trace ends inside this line, before its size; size is in bytes, below "
              "2^63");
    EXPECT_EQ(error_in(forms()[0], "time_us,op,off"),
              "trace:1: the header is missing; the first line is time_us,op,offset,size");
    EXPECT_EQ(error_in(forms()[0], ""),
              "trace:1: the header is missing; the first line is time_us,op,offset,size");
}

/// One to four random edits: bytes changed, inserted, removed, doubled, the line cut.
std::string mutated(std::string line, Random& random) {
    static const std::string alphabet = "0123456789,.-+eERWTFrw \t\"#x\r\x01\xFF";
    for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
        const std::size_t place = random.below(line.size() + 1);
        const char byte = random.below(8) == 0 ? static_cast<char>(random.below(256))
                                               : alphabet[random.below(alphabet.size())];
        switch (random.below(6)) {
        case 0:
            line.insert(place, 1, byte);
            break;
        case 1:
            line = line.substr(0, place);
            break;
        case 2:
            line += line.substr(place);
            break;
        case 3:
            line.insert(place, std::string(random.below(40), byte));
            break;
        case 4:
            line.erase(place, 1 + random.below(3));
            break;
        default:
            if (place < line.size()) {
                line[place] = byte;
            }
        }
    }
    return line;
}

TEST(TraceErrorTest, HundredThousandMutatedLinesGiveRequestsOrUserErrors) {
    Random random(20240601);
    std::uint64_t errors = 0;
    std::uint64_t accepted = 0;
    constexpr std::uint64_t kLines = 100'000;
    for (std::uint64_t i = 0; i < kLines; ++i) {
        const Form& form = forms()[random.below(forms().size())];
        const std::string line = mutated(form.line, random);
        const std::string text = form.good + line + (random.below(4) == 0 ? "" : "\n");
        const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
        try {
            const auto reader = form.make({byte_stream_of(text), "fuzz"});
            HostRequest request;
            TimePs last = 0;
            while (reader->next(request)) {
                ASSERT_GE(request.arrival, last) << line;
                ASSERT_TRUE(request.bytes > 0 || request.op == RequestOp::kFlush) << line;
                ASSERT_LE(request.offset + request.bytes, TraceReader::kMax) << line;
                ASSERT_LE(reader->position().line, lines) << line;
                last = request.arrival;
            }
            ++accepted;
        } catch (const UserError& error) {
            const std::string message = error.what();
            ASSERT_EQ(message.substr(0, 5), "fuzz:") << line;
            ASSERT_NE(message.find("; "), std::string::npos) << message;
            ASSERT_TRUE(std::all_of(message.begin(), message.end(), [](char c) {
                return c >= ' ' && c <= '~';
            })) << message;
            ++errors;
        }
    }
    // Neither side may swallow the other.
    EXPECT_GT(errors, kLines / 4);
    EXPECT_GT(accepted, kLines / 10);
}

TEST(TraceErrorTest, GarbageFilesGiveUserErrorsWhateverTheirFormatIsTakenFor) {
    Random random(77);
    for (int i = 0; i < 3000; ++i) {
        const Form& form = forms()[random.below(forms().size())];
        std::string text = form.good;
        for (std::uint64_t lines = random.below(6); lines > 0; --lines) {
            text += mutated(form.line, random) + "\n";
        }
        std::string bytes = kCompressions[random.below(kCompressions.size())].pack(text);
        if (random.below(2) == 0 && !bytes.empty()) {
            bytes[random.below(bytes.size())] ^= static_cast<char>(1 + random.below(255));
        }
        const TemporaryFile file(bytes);
        const char* const formats[] = {"", "csv", "spc", "msr"};
        const TraceOptions options{file.path(), formats[random.below(4)],
                                   random.below(4) == 0 ? "1" : ""};
        const std::string error = error_of([&] { drain(*open_trace(options)); });
        ASSERT_TRUE(error == "none" || error.find("; ") != std::string::npos) << error;
    }
}

} // namespace
} // namespace cavern
