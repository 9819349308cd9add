#include "cpu/program.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "cpu/memory_system.h"
#include "tests/cpu/firmware_images.h"

namespace cavern::cpu {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes image_of(const std::string& name) {
    std::ifstream file(firmware_image(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The message, which must be one line.
std::string refusal(const Bytes& image, const MemoryMap& map = {}) {
    try {
        (void)Program::parse("x.elf", image, map);
    } catch (const UserError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        return error.what();
    }
    return "accepted";
}

void put16(Bytes& image, std::size_t at, std::uint32_t value) {
    image[at] = static_cast<std::uint8_t>(value);
    image[at + 1] = static_cast<std::uint8_t>(value >> 8);
}

void put32(Bytes& image, std::size_t at, std::uint32_t value) {
    put16(image, at, value);
    put16(image, at + 2, value >> 16);
}

// Offsets in the headers of ELF32 (System V ABI, chapter 4).
constexpr std::size_t kType = 16;
constexpr std::size_t kMachine = 18;
constexpr std::size_t kEntry = 24;
constexpr std::size_t kProgramHeaders = 52;
constexpr std::size_t kVirtualAddress = kProgramHeaders + 8;
constexpr std::size_t kFileSize = kProgramHeaders + 16;

TEST(ProgramTest, ReadsSegmentsSymbolsAndLines) {
    const Program program = Program::read(firmware_image("hello"), {});
    EXPECT_EQ(program.entry(), 0x0010'0080u);
    ASSERT_TRUE(program.address_of("main"));
    const std::uint32_t main = *program.address_of("main");
    ASSERT_NE(program.symbol_at(main + 2), nullptr);
    EXPECT_EQ(program.symbol_at(main + 2)->name, "main");
    EXPECT_EQ(program.symbol_at(0x0010'0004)->name, "vectors") << "a label reaches on";
    EXPECT_EQ(program.symbol_at(0x10), nullptr);
    const auto line = program.source_line(main);
    ASSERT_TRUE(line);
    EXPECT_TRUE(line->file.size() > 7 && line->file.substr(line->file.size() - 7) == "hello.c")
        << line->file;
    EXPECT_EQ(line->line, 4u);
    EXPECT_FALSE(program.source_line(0x10));
    EXPECT_EQ(program.describe(main), fmt::format("0x{:08x} in main (hello.c:4)", main));
    EXPECT_EQ(program.describe(main + 2).substr(10, 12), " in main+0x2");
    EXPECT_EQ(program.describe(0x10), "0x00000010");
    EXPECT_FALSE(program.address_of("nobody"));
}

TEST(ProgramTest, PathsAreThoseOfTheTree) {
    const Program program = Program::read(firmware_image("hello"), {});
    ASSERT_FALSE(program.files().empty());
    for (const std::string& file : program.files()) {
        EXPECT_NE(file.front(), '/') << file;
    }
}

TEST(ProgramTest, LoadsBytesAndClearsTheRest) {
    const Program program = Program::read(firmware_image("hello"), {});
    MemorySystem memory{MemoryMap{}};
    const Segment& data = program.segments().back();
    const std::uint32_t dirt = 0xFFFF'FFFF;
    ASSERT_TRUE(memory.write(data.address + data.size - 4, &dirt, 4));
    program.load_into(memory);
    std::uint32_t word = dirt;
    ASSERT_TRUE(memory.read(data.address + data.size - 4, &word, 4));
    EXPECT_EQ(word, 0u) << ".bss";
    ASSERT_TRUE(memory.read(program.entry(), &word, 4));
    EXPECT_EQ(word & 0x7F, 0x6Fu) << "a jump";
}

TEST(ProgramTest, RefusesWhatIsNoImage) {
    EXPECT_EQ(refusal({}).substr(0, 22), "x.elf: is no ELF file;");
    EXPECT_NE(refusal({'h', 'e', 'l', 'l', 'o'}).find("is no ELF file;"), std::string::npos);
    Bytes image = image_of("hello");
    image[4] = 2;
    EXPECT_NE(refusal(image).find("not of 32 bits"), std::string::npos);
    image = image_of("hello");
    put16(image, kMachine, 40);
    EXPECT_NE(refusal(image).find("another processor (e_machine 40)"), std::string::npos);
    image = image_of("hello");
    put16(image, kType, 1);
    EXPECT_NE(refusal(image).find("not linked"), std::string::npos);
    EXPECT_THROW((void)Program::read("/does/not/exist.elf", {}), UserError);
}

TEST(ProgramTest, RefusesSegmentsOutsideMemory) {
    Bytes image = image_of("hello");
    put32(image, kVirtualAddress, 0x0013'FFF0);
    EXPECT_NE(refusal(image).find("at 0x0013fff0, outside every memory; instruction memory is "
                                  "0x00100000 to 0x0013ffff"),
              std::string::npos)
        << refusal(image);
    image = image_of("hello");
    put32(image, kVirtualAddress, 0xFFFF'FFF0);
    EXPECT_NE(refusal(image).find("outside every memory"), std::string::npos);
    image = image_of("hello");
    put32(image, kEntry, 0x0020'0000);
    EXPECT_NE(refusal(image).find("starts at 0x00200000"), std::string::npos);
    MemoryMap small;
    small.instruction.size = 1024;
    EXPECT_NE(refusal(image_of("hello"), small).find("outside every memory"), std::string::npos);
}

TEST(ProgramTest, RefusesAnImageCutShort) {
    const Bytes whole = image_of("hello");
    ASSERT_EQ(refusal(whole), "accepted");
    const std::size_t loaded = whole[kFileSize] | whole[kFileSize + 1] << 8u;
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{3}, std::size_t{16}, std::size_t{51}, std::size_t{60},
          std::size_t{4096}, 4096 + loaded - 1}) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_NE(refusal(cut), "accepted") << length;
    }
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(4096 + loaded - 1));
    EXPECT_NE(refusal(cut).find("is cut short"), std::string::npos);
}

TEST(ProgramTest, HoldsAgainstAnyCutAndAnyChangedByte) {
    const Bytes whole = image_of("hello");
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < whole.size(); i += 61) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(i));
        accepted += refusal(cut) == "accepted" ? 1 : 0;
        Bytes changed = whole;
        changed[i] = static_cast<std::uint8_t>(changed[i] ^ 0xFF);
        accepted += refusal(changed) == "accepted" ? 1 : 0;
    }
    EXPECT_GT(accepted, 0u) << "without its symbols an image still runs";
}

} // namespace
} // namespace cavern::cpu
