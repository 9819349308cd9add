#include "workload/byte_stream.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "tests/support/core_fixtures.h"
#include "tests/workload/workload_fixture.h"
#include "workload/line_reader.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

} // namespace

// Counted, so that "no allocation per line" can be tested. Inlined, GCC 12 takes the pair of new
// and free for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    throw std::bad_alloc{};
}
// The sanitizer's own would not go with the delete below; std::stable_sort asks for it.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}

namespace cavern {
namespace {

/// Text that compresses about as a trace does.
std::string sample_text(std::size_t bytes, std::uint64_t seed) {
    Random random(seed);
    std::string text;
    while (text.size() < bytes) {
        text += std::to_string(random.below(1'000'000)) + (random.below(5) == 0 ? "\n" : ",");
    }
    text.resize(bytes);
    return text;
}

std::string read_all(ByteStream& stream, std::size_t step) {
    std::string text;
    std::vector<char> buffer(step);
    for (std::size_t count = 0; (count = stream.read(buffer.data(), step)) > 0;) {
        text.append(buffer.data(), count);
    }
    return text;
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        lines.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

/// Reads lines until the end or an error, whose message goes to `error`.
std::vector<std::string> lines_of(LineReader& reader, std::string& error) {
    std::vector<std::string> lines;
    error = error_of([&] {
        for (std::string_view line; reader.next(line);) {
            lines.emplace_back(line);
        }
    });
    return lines;
}

LineReader reader_of(const std::string& bytes) {
    return {byte_stream_of(bytes), "input"};
}

TEST(ByteStreamTest, EveryCompressionGivesTheSameBytes) {
    for (const std::size_t size : {0u, 1u, 5u, 6u, 7u, 4096u, 1'000'003u}) {
        const std::string text = sample_text(size, size);
        for (const Compression& compression : kCompressions) {
            for (const std::size_t step : {std::size_t{7}, std::size_t{262144}}) {
                const auto stream = byte_stream_of(compression.pack(text));
                EXPECT_TRUE(read_all(*stream, step) == text)
                    << compression.name << " " << size << " in steps of " << step;
            }
        }
    }
}

TEST(ByteStreamTest, ConcatenatedMembersFollowOneAnother) {
    const std::string first = sample_text(100'000, 1);
    const std::string second = sample_text(50'000, 2);
    for (const Compression& compression : kCompressions) {
        const auto stream = byte_stream_of(compression.pack(first) + compression.pack(second));
        EXPECT_TRUE(read_all(*stream, 1000) == first + second) << compression.name;
    }
}

TEST(ByteStreamTest, CompressionIsFoundByContentAndNotByName) {
    const std::string text = sample_text(5000, 3);
    for (const Compression& compression : kCompressions) {
        for (const char* name : {"a.csv", "a.gz", "a.bz2", "a.xz", "a.zst"}) {
            const TemporaryFile file(compression.pack(text), name);
            EXPECT_TRUE(read_all(*open_byte_stream(file.path()), 999) == text)
                << compression.name << " as " << name;
        }
    }
}

TEST(ByteStreamTest, FileCutAnywhereGivesItsLinesAndThenAnErrorOnTheNext) {
    const std::string text = sample_text(3000, 4);
    const std::vector<std::string> whole = split(text);
    for (const Compression& compression : kCompressions) {
        if (compression.magic_bytes == 0) {
            continue;
        }
        const std::string packed = compression.pack(text);
        std::size_t most_lines = 0;
        for (std::size_t size = compression.magic_bytes; size < packed.size(); ++size) {
            LineReader reader = reader_of(packed.substr(0, size));
            std::string error;
            const std::vector<std::string> lines = lines_of(reader, error);
            const std::string expected =
                "input:" + std::to_string(lines.size() + 1) + ": the " + compression.name +
                " data ends before its end mark (a truncated file); give the whole file as it was "
                "compressed";
            ASSERT_EQ(error, expected) << "cut to " << size;
            ASSERT_TRUE(std::equal(lines.begin(), lines.end(), whole.begin())) << "cut to " << size;
            most_lines = std::max(most_lines, lines.size());
        }
        EXPECT_GT(most_lines, 0u) << compression.name;
        // The control: the same reader on the whole file finds nothing wrong.
        LineReader reader = reader_of(packed);
        std::string error;
        EXPECT_EQ(lines_of(reader, error), whole);
        EXPECT_EQ(error, "none");
    }
}

TEST(ByteStreamTest, DamageIsNeverReadAsOtherText) {
    const std::string text = sample_text(2000, 5);
    for (const Compression& compression : kCompressions) {
        std::size_t errors = 0;
        std::size_t different = 0;
        const std::string packed = compression.pack(text);
        for (std::size_t at = compression.magic_bytes; at < packed.size(); ++at) {
            std::string damaged = packed;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
            const auto stream = byte_stream_of(damaged);
            try {
                different += read_all(*stream, 777) != text ? 1 : 0;
            } catch (const StreamError&) {
                ++errors;
            }
        }
        if (compression.magic_bytes == 0) {
            // The control: without a checksum every change goes through.
            EXPECT_EQ(different, packed.size());
            continue;
        }
        EXPECT_EQ(different, 0u) << compression.name;
        EXPECT_GT(errors, packed.size() * 9 / 10) << compression.name;
    }
}

TEST(ByteStreamTest, MissingFilesAndFoldersAreUserErrors) {
    EXPECT_EQ(error_of([] { static_cast<void>(open_byte_stream("no-such-file.csv")); }),
              "no-such-file.csv:1: cannot be opened: No such file or directory; give the path of a "
              "readable file");
    EXPECT_EQ(error_of([] { static_cast<void>(open_byte_stream("/")); }),
              "/:1: the file cannot be read further: Is a directory; a readable file is needed");
}

TEST(ByteStreamTest, DashIsStandardInput) {
    const TemporaryFile file(gzipped("one\ntwo\n"));
    const int descriptor = ::open(file.path().c_str(), O_RDONLY);
    ASSERT_GE(descriptor, 0);
    ASSERT_EQ(::dup2(descriptor, STDIN_FILENO), STDIN_FILENO);
    LineReader reader("-");
    std::string error;
    EXPECT_EQ(lines_of(reader, error), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(reader.name(), "<stdin>");
    EXPECT_FALSE(can_be_read_twice("-"));
    EXPECT_TRUE(can_be_read_twice(file.path()));
    EXPECT_FALSE(can_be_read_twice("/dev/null"));
}

TEST(LineReaderTest, EndsOfLinesAndAByteOrderMarkAreNotPartOfTheLine) {
    LineReader reader = reader_of("\xEF\xBB\xBFone\r\n\ntwo\n\r\nthree");
    std::string_view line;
    const std::vector<std::string> expected{"one", "", "two", "", "three"};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_TRUE(reader.next(line));
        EXPECT_EQ(line, expected[i]);
        EXPECT_EQ(reader.line_number(), i + 1);
        EXPECT_EQ(reader.line_is_unterminated(), i + 1 == expected.size());
    }
    EXPECT_FALSE(reader.next(line));
    EXPECT_FALSE(reader.next(line));
}

TEST(LineReaderTest, LinesAcrossBuffersAreWhole) {
    Random random(6);
    std::string text;
    while (text.size() < 3'000'000) {
        text += std::string(random.below(5000), static_cast<char>('a' + random.below(26))) + "\n";
    }
    const std::vector<std::string> expected = split(text);
    for (const Compression& compression : kCompressions) {
        LineReader reader = reader_of(compression.pack(text));
        EXPECT_FALSE(reader.peek().empty());
        std::string error;
        const std::vector<std::string> lines = lines_of(reader, error);
        EXPECT_TRUE(lines == expected) << compression.name;
        EXPECT_EQ(reader.line_number(), expected.size());
    }
}

TEST(LineReaderTest, LineOf64KiBIsReadAndOneByteMoreIsAnError) {
    const std::string longest(LineReader::kMaxLineBytes, 'x');
    for (const char* end : {"\n", ""}) {
        LineReader good = reader_of("first\n" + longest + end);
        std::string error;
        EXPECT_EQ(lines_of(good, error).size(), 2u);
        EXPECT_EQ(error, "none");
        for (const std::size_t more :
             {std::size_t{1}, std::size_t{100'000}, std::size_t{999'999}}) {
            LineReader bad = reader_of("first\n" + longest + std::string(more, 'x') + end);
            EXPECT_EQ(lines_of(bad, error).size(), 1u);
            EXPECT_EQ(error, "input:2: the line is longer than 64 KiB; a trace line is a few dozen "
                             "characters");
        }
    }
}

TEST(LineReaderTest, PeekConsumesNothing) {
    LineReader reader = reader_of("one\r\ntwo\nthree");
    EXPECT_EQ(reader.peek(), (std::vector<std::string_view>{"one", "two", "three"}));
    std::string error;
    EXPECT_EQ(lines_of(reader, error), (std::vector<std::string>{"one", "two", "three"}));
}

std::uint64_t peak_rss_bytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

TEST(LineReaderTest, MillionLinesTakeNoMoreMemoryThanTheFirstThousand) {
    constexpr std::size_t kLines = 1'000'000;
    constexpr std::size_t kStart = 1000;
    constexpr std::uint64_t kSlack = 1024 * 1024;
    for (const Compression& compression : kCompressions) {
        const TemporaryFile file("");
        {
            // One block packed many times over: members follow one another.
            std::string block;
            for (std::size_t i = 0; i < kStart; ++i) {
                block += std::to_string(i * 1'000'003) + ",W,1234567890,4096\n";
            }
            const std::string packed = compression.pack(block);
            std::ofstream out(file.path(), std::ios::binary);
            for (std::size_t i = 0; i < kLines / kStart; ++i) {
                out << packed;
            }
        }
        LineReader reader(file.path());
        std::uint64_t allocations_before = 0;
        std::uint64_t rss_before = 0;
        std::string_view line;
        for (std::size_t i = 0; reader.next(line); ++i) {
            if (i == kStart) {
                allocations_before = allocations;
                rss_before = peak_rss_bytes();
            }
        }
        EXPECT_EQ(reader.line_number(), kLines) << compression.name;
        EXPECT_EQ(allocations, allocations_before) << compression.name;
        // What is freed stays for a while with the sanitizers, and bzip2 begins each member anew.
        const bool keeps = testing::kSanitized && compression.name == std::string("bzip2");
        EXPECT_TRUE(keeps || peak_rss_bytes() < rss_before + kSlack) << compression.name;
    }
    // The control: both measures notice a reader that keeps its lines. With the sanitizers there is
    // memory that tests before have freed, which it takes without a new peak.
    const std::uint64_t allocations_before = allocations;
    const std::uint64_t rss_before = peak_rss_bytes();
    LineReader reader(byte_stream_of(sample_text(20'000'000, 7)), "kept");
    std::vector<std::string> kept;
    for (std::string_view line; reader.next(line);) {
        kept.emplace_back(line);
    }
    EXPECT_GT(allocations, allocations_before + kStart);
    EXPECT_TRUE(testing::kSanitized || peak_rss_bytes() > rss_before + kSlack);
}

TEST(ByteStreamTest, InputAsShortAsAMagicIsItself) {
    // Three bytes of a bzip2 file once threw std::out_of_range.
    for (const std::string text : {"B", "BZ", "BZh", "BZh9", "BZh91", "\x1F", "\xFD"}) {
        LineReader lines(byte_stream_of(text), "short");
        std::string_view line;
        ASSERT_TRUE(lines.next(line)) << text;
        EXPECT_EQ(line, text);
    }
}

} // namespace
} // namespace cavern
