#include "core/nand/nand_array.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;

template <typename Call>
std::string error_of(Call call) {
    try {
        call();
    } catch (const ModelError& error) {
        return error.what();
    }
    return "no error";
}

class NandArrayTest : public ::testing::TestWithParam<bool> {
  protected:
    Geometry geometry = geometry_of(1, 1, 1, 3, 70);
    Ppn page(std::uint32_t block, std::uint32_t index) const {
        return geometry.page(BlockId{block}, index);
    }
};

INSTANTIATE_TEST_SUITE_P(WithAndWithoutOob, NandArrayTest, ::testing::Bool(),
                         [](const auto& param_info) { return param_info.param ? "Oob" : "Bits"; });

TEST_P(NandArrayTest, ProgrammedPageIsReadUntilItsBlockIsErased) {
    NandArray array(geometry, false, GetParam());
    array.program(page(1, 0), Lpn{42});
    array.program(page(1, 69), kNoLpn);
    EXPECT_EQ(array.read(page(1, 0)), GetParam() ? Lpn{42} : kNoLpn);
    EXPECT_EQ(array.read(page(1, 69)), kNoLpn);
    EXPECT_TRUE(array.is_programmed(page(1, 69)));
    EXPECT_FALSE(array.is_programmed(page(1, 1)));
    EXPECT_EQ(array.write_pointer(BlockId{1}), 70u);
    array.erase(BlockId{1});
    EXPECT_FALSE(array.is_programmed(page(1, 0)));
    EXPECT_FALSE(array.is_programmed(page(1, 69)));
    EXPECT_EQ(array.write_pointer(BlockId{1}), 0u);
    EXPECT_EQ(array.erase_count(BlockId{1}), 1u);
    EXPECT_EQ(array.erase_count(BlockId{0}), 0u);
    array.program(page(1, 0), Lpn{7});
}

/// Blocks of two word lines of three pages; the first block is in SLC mode.
Geometry with_word_lines() {
    Geometry geometry = geometry_of(1, 1, 1, 3, 6);
    geometry.word_line_pages = 3;
    geometry.slc_blocks = 1;
    geometry.slc_pages = 2;
    return geometry;
}

TEST(WordLineTest, WordLinesFollowEachOther) {
    NandArray array(with_word_lines(), false);
    for (std::uint64_t page = 6; page < 12; ++page) {
        array.program(Ppn{page}, Lpn{page});
    }
    EXPECT_EQ(array.read(Ppn{6}), Lpn{6});
    EXPECT_EQ(array.read(Ppn{11}), Lpn{11});
}

TEST(WordLineTest, AWordLineThatLacksAPageIsSeen) {
    NandArray array(with_word_lines(), false);
    EXPECT_TRUE(array.has_whole_word_lines(BlockId{1}));
    array.program(Ppn{6}, Lpn{6});
    array.program(Ppn{7}, Lpn{7});
    EXPECT_FALSE(array.has_whole_word_lines(BlockId{1}));
    array.program(Ppn{8}, Lpn{8});
    EXPECT_TRUE(array.has_whole_word_lines(BlockId{1}));
}

TEST(WordLineTest, NoWordLineIsBegunWhileAnotherLacksAPage) {
    NandArray array(with_word_lines(), false);
    array.program(Ppn{6}, Lpn{6});
    EXPECT_NE(error_of([&] {
                  array.program(Ppn{9}, Lpn{9});
              }).find("page 3 of block 1 is programmed while a word line lacks page 1"),
              std::string::npos);
}

TEST(WordLineTest, ThePagesOfAWordLineFollowEachOther) {
    NandArray array(with_word_lines(), false);
    array.program(Ppn{9}, Lpn{9});                               // a word line may be skipped,
    EXPECT_NE(error_of([&] { array.program(Ppn{11}, Lpn{11}); }) // and no page of one
                  .find("is programmed while a word line lacks page 4"),
              std::string::npos);
}

TEST(WordLineTest, PagesInSlcModeStandAlone) {
    NandArray array(with_word_lines(), false);
    array.program(Ppn{0}, Lpn{0});
    EXPECT_TRUE(array.has_whole_word_lines(BlockId{0}));
    array.program(Ppn{1}, Lpn{1});
    EXPECT_EQ(array.read(Ppn{1}), Lpn{1});
}

// Versions are numbers of writes modulo 2^32: behind the largest comes 0 again.
TEST_P(NandArrayTest, AReadFindsTheVersionItExpectsOrTellsWhich) {
    NandArray array(geometry, false, GetParam());
    const PageVersion last = ~PageVersion{0};
    array.program(page(1, 0), Lpn{42}, last);
    array.program(page(1, 1), Lpn{42}, last + 1);
    array.program(page(1, 2), kNoLpn, 7);
    EXPECT_NO_THROW(array.read_expecting(page(1, 0), Lpn{42}, last));
    EXPECT_NO_THROW(array.read_expecting(page(1, 1), Lpn{42}, 0));
    EXPECT_NO_THROW(array.read_expecting(page(1, 0), kNoLpn, 3));
    EXPECT_NO_THROW(array.read_expecting(page(1, 2), Lpn{42}, 3));
    EXPECT_EQ(array.stored_version(page(1, 0)), GetParam() ? last : 0);
    const std::string old = error_of([&] { array.read_expecting(page(1, 0), Lpn{42}, last + 1); });
    const std::string other = error_of([&] { array.read_expecting(page(1, 0), Lpn{43}, last); });
    if (!GetParam()) { // nothing is kept to compare with
        EXPECT_EQ(old + other, "no errorno error");
        return;
    }
    EXPECT_NE(old.find("a page read holds the newest version of its logical page: page 0 of block "
                       "1 holds version 4294967295 of 42, not 0"),
              std::string::npos)
        << old;
    EXPECT_NE(other.find("names the logical page that was asked for"), std::string::npos) << other;
    array.erase(BlockId{1});
    array.program_run(page(1, 0), Lpn{50}, 3);
    EXPECT_NO_THROW(array.read_expecting(page(1, 0), Lpn{50}, 0));
}

TEST_P(NandArrayTest, ARunIsProgrammedAsItsPagesOneByOneWouldBe) {
    NandArray array(geometry, true, GetParam());
    array.program(page(1, 0), Lpn{9});
    array.program_run(page(1, 1), Lpn{40}, 69);
    EXPECT_EQ(array.write_pointer(BlockId{1}), 70u);
    EXPECT_EQ(array.checks(), 140u);
    EXPECT_EQ(array.read(page(1, 69)), GetParam() ? Lpn{108} : kNoLpn);
    EXPECT_NE(error_of([&] {
                  array.program_run(page(1, 1), Lpn{40}, 2);
              }).find("page 1 of block 1 is programmed again"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                  array.program_run(page(2, 3), Lpn{40}, 2);
              }).find("page 3 of block 2 is programmed while page 0 is next"),
              std::string::npos);
}

TEST_P(NandArrayTest, ProgramWithoutEraseIsRefusedAndNamesThePage) {
    NandArray array(geometry, false, GetParam());
    array.program(page(2, 5), Lpn{1});
    EXPECT_NE(error_of([&] {
                  array.program(page(2, 5), Lpn{1});
              }).find("page 5 of block 2 is programmed again"),
              std::string::npos);
}

TEST_P(NandArrayTest, ProgramBehindAProgrammedPageIsRefused) {
    NandArray array(geometry, false, GetParam());
    array.program(page(0, 5), Lpn{1});
    EXPECT_NE(error_of([&] {
                  array.program(page(0, 4), Lpn{2});
              }).find("page 4 of block 0 is programmed after page 5"),
              std::string::npos);
    array.program(page(0, 6), Lpn{2});
}

TEST_P(NandArrayTest, StrictOrderRefusesSkippedPages) {
    NandArray array(geometry, true, GetParam());
    array.program(page(0, 0), Lpn{1});
    EXPECT_THROW(array.program(page(0, 2), Lpn{2}), ModelError);
    array.program(page(0, 1), Lpn{2});
    array.program(page(0, 2), Lpn{2});
}

TEST_P(NandArrayTest, ReadOfAPageNeverProgrammedIsRefused) {
    NandArray array(geometry, false, GetParam());
    array.program(page(0, 3), Lpn{1});
    EXPECT_THROW((void)array.read(page(0, 2)), ModelError);
    EXPECT_THROW((void)array.read(page(0, 4)), ModelError);
}

TEST_P(NandArrayTest, AddressesOutsideTheArrayAreRefused) {
    NandArray array(geometry, false, GetParam());
    EXPECT_THROW(array.program(Ppn{3 * 70}, Lpn{1}), ModelError);
    EXPECT_THROW((void)array.read(kNoPpn), ModelError);
    EXPECT_THROW(array.erase(BlockId{3}), ModelError);
}

TEST_P(NandArrayTest, AgreesWithANaiveArrayOverAMillionCalls) {
    for (const bool strict : {false, true}) {
        NandArray array(geometry, strict, GetParam());
        std::vector<std::vector<std::optional<Lpn>>> naive(
            3, std::vector<std::optional<Lpn>>(geometry.pages_per_block));
        std::vector<std::uint32_t> erases(3, 0);
        Random random(strict ? 11 : 12);
        std::uint64_t refused = 0;
        for (int step = 0; step < 250'000; ++step) {
            const auto b = static_cast<std::uint32_t>(random.below(3));
            auto& pages = naive[b];
            std::uint32_t pointer = 0;
            for (std::uint32_t i = 0; i < pages.size(); ++i) {
                pointer = pages[i] ? i + 1 : pointer;
            }
            ASSERT_EQ(array.write_pointer(BlockId{b}), pointer);
            ASSERT_EQ(array.erase_count(BlockId{b}), erases[b]);
            const std::uint64_t what = random.below(100);
            // Mostly what the rules allow: a throw costs more than a hundred calls.
            std::uint64_t i = random.below(70);
            if (random.below(16) != 0) {
                i = what < 60 ? pointer + (random.below(strict ? 16 : 2) == 0 ? random.below(3) : 0)
                              : random.below(pointer + 1);
            }
            const std::uint32_t index = std::min(static_cast<std::uint32_t>(i), 69u);
            const std::uint64_t checks = array.checks();
            if (what < 60) {
                const bool legal = !pages[index] && (strict ? index == pointer : index >= pointer);
                const Lpn lpn{random.below(1000)};
                if (legal) {
                    array.program(page(b, index), lpn);
                    pages[index] = lpn;
                } else {
                    ASSERT_THROW(array.program(page(b, index), lpn), ModelError);
                    ++refused;
                }
                ASSERT_GT(array.checks(), checks);
            } else if (what < 97) {
                ASSERT_EQ(array.is_programmed(page(b, index)), pages[index].has_value());
                if (pages[index]) {
                    ASSERT_EQ(array.read(page(b, index)), GetParam() ? *pages[index] : kNoLpn);
                } else {
                    ASSERT_THROW((void)array.read(page(b, index)), ModelError);
                    ++refused;
                }
                ASSERT_EQ(array.checks(), checks + 1);
            } else {
                array.erase(BlockId{b});
                pages.assign(pages.size(), std::nullopt);
                ++erases[b];
            }
        }
        EXPECT_GT(refused, 10'000u);
    }
}

TEST(NandArrayMemoryTest, SixteenTebibytesAreThereAtOnce) {
    Geometry geometry = geometry_of(16, 16, 4, 1024, 1024);
    geometry.page_bytes = 16384;
    ASSERT_EQ(geometry.raw_bytes(), std::uint64_t{16} << 40);
    const std::uint64_t before = testing::resident_bytes();
    const auto start = std::chrono::steady_clock::now();
    NandArray array(geometry, true);
    NandArray bits(geometry, true, false);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (!testing::kSanitized) {
        EXPECT_LT(seconds.count(), 1.0);
        EXPECT_LT(testing::resident_bytes(), before + (std::uint64_t{8} << 20));
    }
    const BlockId last{geometry.blocks() - 1};
    for (NandArray* a : {&array, &bits}) {
        a->program(geometry.page(last, 0), Lpn{1});
        EXPECT_TRUE(a->is_programmed(geometry.page(last, 0)));
    }
}

} // namespace
} // namespace cavern
