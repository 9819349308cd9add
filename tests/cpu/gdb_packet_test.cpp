#include "cpu/gdb_packet.h"

#include <vector>

#include <gtest/gtest.h>

namespace cavern::cpu {
namespace {

using Kind = GdbPacketReader::Kind;

/// What a reader finds, one letter for each item and the data of packets.
std::string found(GdbPacketReader& reader, bool running = false) {
    std::string text;
    while (const auto item = reader.next(running)) {
        text += "PBL+-!"[static_cast<int>(item->kind)];
        text += item->kind == Kind::kPacket ? '(' + item->data + ')' : "";
    }
    return text;
}

std::string found_in(std::string_view bytes) {
    GdbPacketReader reader;
    reader.add(bytes);
    return found(reader);
}

// The example of the manual: the sum of 'O' and 'K' is 0x9a.
TEST(GdbPacketTest, HasTheSumOfItsBytes) {
    EXPECT_EQ(gdb_packet("OK"), "$OK#9a");
    EXPECT_EQ(gdb_packet(""), "$#00");
    EXPECT_EQ(gdb_packet("a}b"), "$a}]b#9d"); // 0x61 + 0x7d + 0x5d + 0x62, modulo 256
}

TEST(GdbPacketTest, ComesBackAsItWas) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) {
        all += static_cast<char>(byte);
    }
    EXPECT_EQ(found_in(gdb_packet(all)), "P(" + all + ')');
}

TEST(GdbPacketTest, ComesInAnyPieces) {
    const std::string bytes = "+$m100080,4#f6" + gdb_packet("}#$*") + "\x03-";
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        GdbPacketReader reader;
        reader.add(bytes.substr(0, cut));
        const std::string first = found(reader);
        reader.add(bytes.substr(cut));
        EXPECT_EQ(first + found(reader), "+P(m100080,4)P(}#$*)!-") << cut;
        EXPECT_EQ(reader.waiting(), 0u);
    }
}

TEST(GdbPacketTest, OneOfWrongSumIsBad) {
    EXPECT_EQ(found_in("$g#67$g#68$g#6x$g#67"), "P(g)BBP(g)");
}

TEST(GdbPacketTest, ACutOneGivesWayToTheNext) {
    EXPECT_EQ(found_in("$m1000$g#67"), "P(g)");
    EXPECT_EQ(found_in("noise$g#67 more"), "P(g)");
    EXPECT_EQ(found_in("$g#6"), "");
}

TEST(GdbPacketTest, OneTooLongIsToldAndTakesNoMemory) {
    const std::string longest(GdbPacketReader::kLongest, 'x');
    EXPECT_EQ(found_in(gdb_packet(longest)), "P(" + longest + ')');
    EXPECT_EQ(found_in(gdb_packet(longest + 'x')), "L");
    GdbPacketReader reader;
    reader.add("$");
    for (int i = 0; i < 100; ++i) {
        reader.add(longest);
        EXPECT_EQ(found(reader), "");
        EXPECT_LT(reader.waiting(), 4 * GdbPacketReader::kLongest);
    }
    reader.add("#00$g#67");
    EXPECT_EQ(found(reader), "LP(g)");
}

TEST(GdbPacketTest, WhileItRunsOnlyAnInterruptIsTaken) {
    GdbPacketReader reader;
    reader.add("+\x03$g#67");
    EXPECT_EQ(found(reader, true), "+!");
    EXPECT_EQ(found(reader, true), "");
    EXPECT_EQ(found(reader, false), "P(g)");
}

TEST(GdbPacketTest, NumbersAreHexadecimal) {
    EXPECT_EQ(hex_of(std::string("\x00\xffz", 3)), "00ff7a");
    EXPECT_EQ(bytes_of_hex("00ff7A"), std::string("\x00\xffz", 3));
    EXPECT_EQ(bytes_of_hex(""), "");
    for (const char* wrong : {"0", "0g", "g0", "+1", " 1", "000"}) {
        EXPECT_FALSE(bytes_of_hex(wrong)) << wrong;
    }
    EXPECT_EQ(hex_of_word(0x1234'5678), "78563412");
    EXPECT_EQ(word_of_hex("78563412"), 0x1234'5678u);
    for (const char* wrong : {"7856341", "785634120", "7856341g", ""}) {
        EXPECT_FALSE(word_of_hex(wrong)) << wrong;
    }
    std::string_view text = "100080,4";
    EXPECT_EQ(take_number(text), 0x10'0080u);
    EXPECT_FALSE(take_number(text)) << "a comma is none";
    EXPECT_FALSE(take(text, ";"));
    EXPECT_TRUE(take(text, ","));
    EXPECT_EQ(take_number(text), 4u);
    text = "100000000";
    EXPECT_FALSE(take_number(text)) << "33 bits";
    EXPECT_EQ(text, "100000000");
}

} // namespace
} // namespace cavern::cpu
