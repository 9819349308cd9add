// What is read for a page that is written, kept or read in part.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/drive/drive_fixture.h"

namespace cavern::testing {
namespace {

CoreParts one_die() {
    CoreParts parts;
    parts.geometry = Geometry{1, 1, 1, 1, 8, 4, 2048, 64};
    parts.frames = 1;
    parts.ftl.overprovision = 0.5;
    parts.keeps_sectors = true;
    return parts;
}

TEST(PagesInPartTest, OnlyAPageThatFlashHasIsReadForAPart) {
    const auto core = make_core(one_die());
    (void)core->write(Lpn{0}, 1, 0b0011);
    EXPECT_EQ(kinds(core->write(Lpn{1}, 1).batch), "P");         // 0 leaves: nothing older
    EXPECT_EQ(kinds(core->write(Lpn{0}, 1, 0b0100).batch), "P"); // 1 leaves whole
    const WriteDecision again = core->write(Lpn{2}, 1, 0b0001);
    ASSERT_EQ(kinds(again.batch), "RM"); // 0 leaves: its first two sectors are in flash
    EXPECT_EQ(again.batch.ops[0].origin, Origin::kRmw);
    EXPECT_EQ(again.batch.ops[0].page, again.batch.ops[1].supersedes);
    EXPECT_EQ(again.batch.ops[1].after, 0);
    EXPECT_EQ(core->buffer_counters().rmw_pages, 1u);
}

TEST(PagesInPartTest, PartsThatMakeAWholePageNeedNoRead) {
    const auto core = make_core(one_die());
    (void)core->write(Lpn{0});
    EXPECT_EQ(kinds(core->write(Lpn{1}, 1, 0b0011).batch), "P");
    (void)core->write(Lpn{1}, 1, 0b1100);
    EXPECT_EQ(kinds(core->write(Lpn{0}, 1, 0b0001).batch), "P");
    EXPECT_EQ(core->buffer_counters().rmw_pages, 0u);
}

TEST(PagesInPartTest, AReadOfWhatTheFrameLacksCompletesIt) {
    const auto core = make_core(one_die());
    (void)core->write(Lpn{0});
    (void)core->write(Lpn{1});
    (void)core->write(Lpn{0}, 1, 0b0001);
    EXPECT_TRUE(core->read(Lpn{0}, 0b0001).hit);
    const ReadDecision rest = core->read(Lpn{0}, 0b0011);
    EXPECT_FALSE(rest.hit);
    EXPECT_TRUE(rest.completes);
    EXPECT_EQ(rest.page, core->ftl().location(Lpn{0}));
    EXPECT_TRUE(core->read(Lpn{0}).hit);
    EXPECT_EQ(kinds(core->write(Lpn{1}, 1).batch), "P"); // 0 leaves whole
    EXPECT_EQ(core->buffer_counters().completed_pages, 1u);
    EXPECT_EQ(core->buffer_counters().rmw_pages, 0u);
}

TEST(PagesInPartTest, WhereFlashHasNothingTheRestIsZeros) {
    const auto core = make_core(one_die());
    (void)core->write(Lpn{0}, 1, 0b0001);
    const ReadDecision rest = core->read(Lpn{0});
    EXPECT_TRUE(rest.hit);
    EXPECT_EQ(rest.page, kNoPpn);
}

/// Of page 0, whose sectors of the mask are written anew.
SectorSpan rest_read(SectorMask written, std::uint32_t grain) {
    CoreParts parts = one_die();
    parts.read_grain = grain;
    const auto core = make_core(parts);
    (void)core->write(Lpn{0});
    (void)core->write(Lpn{1});
    (void)core->write(Lpn{0}, 1, written);
    const SectorSpan completed = core->read(Lpn{0}).wanted;
    (void)core->write(Lpn{1});
    (void)core->write(Lpn{0}, 1, written);
    const WriteDecision leaves = core->write(Lpn{1});
    EXPECT_EQ(kinds(leaves.batch), "RM");
    EXPECT_TRUE(leaves.batch.ops[0].wanted() == completed);
    return completed;
}

TEST(PagesInPartTest, WhatIsMissingIsReadInThePiecesThatAReadMoves) {
    const auto expect = [](SectorMask written, std::uint32_t grain, SectorSpan read) {
        EXPECT_TRUE(rest_read(written, grain) == read) << written << " by " << grain;
    };
    expect(0b0001, 1, {1, 3});
    expect(0b1000, 1, {0, 2});
    expect(0b0011, 1, {2, 3});
    expect(0b1011, 1, {2, 2});
    expect(0b0110, 1, {0, 3}); // both ends: one read, with what lies between
    expect(0b0011, 2, {2, 3});
    expect(0b0111, 2, {2, 3}); // the third is read with the fourth
    expect(0b0001, 2, {0, 3});
    expect(0b0111, 4, {0, 3});
    expect(0b0111, 0, {}); // reads move whole pages
}

TEST(PagesInPartTest, ASpanOfSectorsHasTheBytesThatThePageHasOfIt) {
    EXPECT_EQ(SectorSpan{}.bytes(2048), 2048u);
    EXPECT_EQ(SectorSpan{}.bytes(65'536), 65'536u); // more sectors than a span can count
    EXPECT_EQ((SectorSpan{2, 3}.begin()), 1024u);
    EXPECT_EQ((SectorSpan{2, 3}.bytes(2048)), 1024u);
    EXPECT_EQ((SectorSpan{2, 7}.bytes(2048)), 1024u);
    EXPECT_TRUE(span_of(0b0110) == (SectorSpan{1, 2}));
    EXPECT_TRUE(span_of(kAllSectors) == SectorSpan{});
    EXPECT_TRUE(span_of(0).empty());
}

std::vector<std::uint64_t> lpns(const Batch& batch) {
    std::vector<std::uint64_t> all;
    for (const Victim& victim : batch.victims) {
        all.push_back(raw(victim.lpn));
    }
    return all;
}

/// Pages 0 and 2 of a block whole, page 1 in part, to be kept by a FLUSH; two units leave together,
/// and the block moves to another die.
std::unique_ptr<DriveCore> kept_in_part(const char* policy) {
    CoreParts parts = one_die();
    parts.geometry = Geometry{2, 1, 1, 1, 8, 4, 2048, 64};
    parts.allocator = "block-round-robin";
    parts.rr_mode = RoundRobinMode::kMove;
    parts.ftl.log_blocks = 2;
    parts.frames = 4;
    parts.policy = policy;
    parts.eviction = "cave";
    parts.cave_victims = 2;
    parts.flush_keep = true;
    auto core = make_core(parts, find_ftl("bast")->make(parts.geometry, parts.ftl, nullptr));
    for (std::uint64_t page = 0; page < 4; ++page) {
        (void)core->write(Lpn{page});
    }
    while (core->flush_step() != nullptr) {
    }
    for (std::uint64_t page = 0; page < 4; ++page) {
        (void)core->trim(Lpn{page});
    }
    (void)core->write(Lpn{0});
    (void)core->write(Lpn{1}, 1, 0b0001);
    (void)core->write(Lpn{2});
    return core;
}

TEST(PagesInPartTest, OfABlockWhosePagesStayThoseInPartAreAUnitOfTheirOwn) {
    const auto core = kept_in_part("lru-block");
    const Batch* batch = core->flush_step();
    ASSERT_NE(batch, nullptr);
    EXPECT_EQ(lpns(*batch), (std::vector<std::uint64_t>{0, 1}));
    batch = core->flush_step();
    ASSERT_NE(batch, nullptr);
    EXPECT_EQ(lpns(*batch), (std::vector<std::uint64_t>{2}));
    EXPECT_EQ(core->buffer()->used(), 2u);
    EXPECT_EQ(core->flush_step(), nullptr);
    EXPECT_GT(core->check_invariants(), 0u);
}

TEST(PagesInPartTest, ABlockThatIsPaddedLeavesWithItsPagesInPartOnce) {
    const auto core = kept_in_part("bplru");
    const Batch* batch = core->flush_step();
    ASSERT_NE(batch, nullptr);
    EXPECT_EQ(lpns(*batch), (std::vector<std::uint64_t>{0, 1, 2, 3}));
    EXPECT_EQ(core->buffer()->used(), 0u);
    EXPECT_EQ(core->flush_step(), nullptr);
    EXPECT_GT(core->check_invariants(), 0u);
}

TEST(PagesInPartTest, WithoutSectorsEveryAccessIsOfTheWholePage) {
    CoreParts parts = one_die();
    parts.keeps_sectors = false;
    const auto core = make_core(parts);
    (void)core->write(Lpn{0});
    (void)core->write(Lpn{1}, 1, 0b0001);
    EXPECT_EQ(kinds(core->write(Lpn{0}, 1, 0b0001).batch), "P");
    EXPECT_TRUE(core->read(Lpn{0}).hit);
    EXPECT_EQ(kinds(core->write(Lpn{1}, 1, 0b0001).batch), "P");
}

} // namespace
} // namespace cavern::testing
