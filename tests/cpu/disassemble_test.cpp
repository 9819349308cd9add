// The disassembler beside binutils' objdump, over every image of the build and over random words.
#include "cpu/disassemble.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "cpu/decode.h"
#include "tests/cpu/firmware_images.h"

namespace cavern::cpu {
namespace {

struct Listed {
    std::uint32_t address;
    std::uint32_t instruction;
    std::string text;
};

/// "1000c0 <main+0x4>" and "# 100000 <vectors>" say what a symbol is: without them.
std::string without_symbols(std::string text) {
    for (const char* mark : {" <", " #"}) {
        text = text.substr(0, text.find(mark));
    }
    text.erase(text.find_last_not_of(" \t\n") + 1);
    return text;
}

std::vector<Listed> objdump(const std::string& arguments) {
    const std::string command = "riscv64-unknown-elf-objdump " + arguments;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                               &::pclose);
    std::vector<Listed> lines;
    std::array<char, 512> line{};
    while (pipe && std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr) {
        unsigned address = 0;
        unsigned instruction = 0;
        int end = 0;
        // "  100080:\t0040006f          \tj\t100084 <start>"
        if (std::sscanf(line.data(), " %x:\t%x %n", &address, &instruction, &end) == 2 && end > 0) {
            std::string text = line.data() + end;
            for (char& c : text) {
                c = c == '\t' ? ' ' : c;
            }
            lines.push_back({address, instruction, without_symbols(text)});
        }
    }
    return lines;
}

/// The name of a register that this core does not have.
bool has_foreign_csr(const Listed& listed) {
    return decode(listed.instruction).op >= Op::kCsrrw &&
           disassemble(listed.instruction, 0).find("0x") != std::string::npos;
}

TEST(DisassembleTest, SpellsEveryImageAsObjdumpDoes) {
    std::size_t compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path(firmware_image("hello")).parent_path())) {
        if (entry.path().extension() != ".elf") {
            continue;
        }
        for (const Listed& listed : objdump("-d " + entry.path().string())) {
            if (decode(listed.instruction).op == Op::kIllegal || has_foreign_csr(listed)) {
                continue; // put there to be trapped
            }
            ASSERT_EQ(disassemble(listed.instruction, listed.address), listed.text)
                << entry.path() << fmt::format(" {:x}: {:08x}", listed.address, listed.instruction);
            ++compared;
        }
    }
    EXPECT_GT(compared, 10'000u);
}

/// What objdump spells in another way than by its rules: hints (an instruction with no effect), for
/// which it falls back to names with "c.", and FENCE in forms that nobody writes.
bool is_odd(const Listed& listed) {
    const Decoded decoded = decode(listed.instruction);
    const bool no_effect =
        decoded.size == 2 && (listed.text.rfind("c.", 0) == 0 ||
                              (decoded.op == Op::kAddi && decoded.rs1 != 0 && decoded.imm == 0));
    return no_effect || decoded.op == Op::kFence || decoded.op == Op::kFenceI;
}

TEST(DisassembleTest, SpellsRandomWordsAsObjdumpDoes) {
    const std::string file = testing::TempDir() + "cavern_random_words.bin";
    Random random(1);
    std::vector<std::uint32_t> words;
    constexpr std::array<std::uint32_t, 10> kOpcodes = {0x03, 0x13, 0x17, 0x23, 0x33,
                                                        0x37, 0x63, 0x67, 0x6F, 0x73};
    for (int i = 0; i < 40'000; ++i) {
        auto word = static_cast<std::uint32_t>(random.next());
        word = (word & ~0x7Fu) | kOpcodes[random.below(kOpcodes.size())];
        for (const unsigned field : {7u, 15u, 20u}) { // x0 more often: it has aliases
            word &= random.below(4) == 0 ? ~(0x1Fu << field) : ~0u;
        }
        if ((word & 0x7F) == 0x33) {
            word = (word & 0x01FF'FFFF) | (random.below(2) == 0 ? 0u : 1u << 25);
        }
        words.push_back(word);
    }
    for (std::uint32_t half = 0; half < 0x10000; ++half) {
        if ((half & 3) != 3) {
            words.push_back(half << 16 | 0x0001); // C.NOP before it
        }
    }
    {
        std::ofstream out(file, std::ios::binary);
        out.write(reinterpret_cast<const char*>(words.data()),
                  static_cast<std::streamsize>(words.size() * 4));
    }
    std::size_t compared = 0;
    std::size_t illegal = 0;
    for (const Listed& listed : objdump("-b binary -m riscv:rv32 -D " + file)) {
        const Decoded decoded = decode(listed.instruction);
        if (decoded.op == Op::kIllegal) {
            // objdump knows extensions that Ibex does not have, so it may spell it.
            ++illegal;
            continue;
        }
        if (has_foreign_csr(listed) || is_odd(listed)) {
            continue;
        }
        // Without symbols it marks a target as hexadecimal.
        std::string text = listed.text;
        if (const std::size_t mark = text.find("0x");
            mark != std::string::npos && decoded.op >= Op::kJal && decoded.op <= Op::kBgeu) {
            text.erase(mark, 2);
        }
        ASSERT_EQ(disassemble(listed.instruction, listed.address), text)
            << fmt::format("{:x}: {:08x}", listed.address, listed.instruction);
        ++compared;
    }
    std::remove(file.c_str());
    EXPECT_GT(compared, 60'000u);
    EXPECT_GT(illegal, 1000u);
}

TEST(DisassembleTest, NamesWhatIsIllegal) {
    EXPECT_EQ(disassemble(0xFFFF'FFFF, 0), ".4byte 0xffffffff");
    EXPECT_EQ(disassemble(0x0000, 0), ".2byte 0x0000");
    EXPECT_STREQ(register_name(0), "zero");
    EXPECT_STREQ(register_name(31), "t6");
}

} // namespace
} // namespace cavern::cpu
