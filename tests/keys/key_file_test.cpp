#include "keys/key_file.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "keys/key_row.h"

namespace cavern {
namespace {

struct Shelf {
    std::string name = "shelf";
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> weight;
    bool open = false;
    std::uint32_t boards = 3;
    std::uint32_t wood = 1;
    double even = 0;
};

Refused take_even(Shelf& shelf, const double& value) {
    shelf.even = value;
    const bool is_even = static_cast<int>(value) % 2 == 0;
    return is_even ? Refused() : Refusal{{}, "is odd", "it is such as 2"};
}

const Keys& shelf_keys() {
    static const Shelf fresh;
    static const Keys keys = with_defaults(
        {KeyRow(KeyType::kText, "shelf.name", "what it is called").to(&Shelf::name),
         KeyRow(KeyType::kBytes, "shelf.bytes", "its size").to(&Shelf::bytes).or_bare().required(),
         KeyRow(KeyType::kCount, "shelf.weight", "its weight").to(&Shelf::weight),
         KeyRow(KeyType::kFlag, "shelf.open", "has no door").to(&Shelf::open),
         KeyRow(KeyType::kCount, "shelf.boards", "how many boards").to(&Shelf::boards).range(1, 9),
         KeyRow(KeyType::kWord, "shelf.wood", "what of")
             .of({{"oak", "Heavy."}, {"pine", "Light."}})
             .to(&Shelf::wood),
         KeyRow(KeyType::kReal, "shelf.even", "an even number")
             .within(0, 100)
             .taken(take_even)
             .otherwise("0.0")},
        &fresh);
    return keys;
}

Shelf shelf_of(const std::string& text) {
    const toml::table table = parse_toml(text, "shelf.toml", "a shelf is TOML");
    Shelf shelf;
    read_table(table, "shelf.toml", shelf_keys(), "a shelf").store(&shelf);
    return shelf;
}

std::string error_of(const std::string& text) {
    try {
        static_cast<void>(shelf_of(text));
    } catch (const UserError& error) {
        return error.what();
    }
    return "none";
}

TEST(KeyFileTest, ValuesGoToTheirMembers) {
    const Shelf shelf = shelf_of("bytes = 4096\nwood = \"oak\"\nweight = 1e3\nopen = true\n"
                                 "even = 4\nname = \"low\"\n");
    EXPECT_EQ(shelf.name, "low");
    EXPECT_EQ(shelf.bytes, 4096u);
    EXPECT_EQ(shelf.weight, 1000u);
    EXPECT_TRUE(shelf.open);
    EXPECT_EQ(shelf.boards, 3u);
    EXPECT_EQ(shelf.wood, 0u);
    EXPECT_EQ(shelf.even, 4.0);
    EXPECT_EQ(shelf_of("bytes = \"4KiB\"").bytes, 4096u);
    EXPECT_FALSE(shelf_of("bytes = 1").weight.has_value());
}

TEST(KeyFileTest, DefaultsAreThoseOfAFreshStruct) {
    const auto fallback = [](const char* name) { return find_key(shelf_keys(), name)->fallback; };
    EXPECT_EQ(fallback("shelf.name"), "shelf");
    EXPECT_EQ(fallback("shelf.wood"), "pine");
    EXPECT_EQ(fallback("shelf.open"), "false");
    EXPECT_EQ(fallback("shelf.even"), "0.0");
    EXPECT_EQ(fallback("shelf.bytes"), "");
    EXPECT_EQ(fallback("shelf.weight"), "");
}

TEST(KeyFileTest, MistakesAreNamedWithTheLineOfTheFirst) {
    const std::string all = "a shelf has the keys name, bytes, weight, open, boards, wood, even";
    EXPECT_EQ(error_of("bytes = 1"), "none");
    EXPECT_EQ(error_of("bytes = 1\nbords = 2\n"),
              "shelf.toml:2: unknown key \"bords\"; did you mean \"boards\"? " + all);
    EXPECT_EQ(error_of("zinc = 1\nalloy = 2\n"), "shelf.toml:1: unknown key \"zinc\"; " + all);
    EXPECT_EQ(error_of("bytes = 1\n\nboards = 10\n"),
              "shelf.toml:3: shelf.boards = 10 is out of range; a whole number from 1 to 9");
    EXPECT_EQ(error_of("bytes = 1\nwood = \"oka\"\n"),
              "shelf.toml:2: shelf.wood = \"oka\" is unknown; did you mean \"oak\"? available: "
              "oak, pine");
    EXPECT_EQ(error_of("bytes = 1\neven = 3\n"),
              "shelf.toml:2: shelf.even is odd; it is such as 2");
    EXPECT_EQ(error_of("boards = 2\n").rfind("shelf.toml:1: a shelf needs shelf.bytes; a size", 0),
              0u);
    EXPECT_EQ(error_of("bytes = -1\n").rfind("shelf.toml:1: shelf.bytes = -1 is out of range", 0),
              0u);
    EXPECT_EQ(error_of("bytes =\n").rfind("shelf.toml:1: not TOML: ", 0), 0u);
    std::string deep = "a";
    for (int parts = 0; parts < 64; ++parts) {
        deep += ".a";
    }
    EXPECT_EQ(error_of(deep + " = 1\n"),
              "shelf.toml:1: a key of many parts; a key has at most 64 parts");
}

} // namespace
} // namespace cavern
