// Mapping units that share NAND pages.

#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/core/drive/drive_fixture.h"

namespace cavern::testing {
namespace {

TEST(MappingUnitsTest, AsManyLeaveAsFillANandPageOfOnePlane) {
    CoreParts parts;
    parts.geometry = Geometry{2, 1, 1, 1, 8, 4, 8192, 64}.in_units(2048);
    parts.frames = 6;
    parts.ftl.overprovision = 0.5;
    const auto core = make_core(parts);
    for (std::uint64_t page = 0; page < 6; ++page) {
        (void)core->write(Lpn{10 * page});
    }
    const WriteDecision full = core->write(Lpn{3});
    ASSERT_EQ(full.batch.victims.size(), 4u);
    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(full.batch.victims[i].lpn, Lpn{10 * i});
        EXPECT_EQ(full.batch.ops[i].page, (Ppn{raw(full.batch.ops[0].page) + i}));
    }
    EXPECT_EQ(raw(full.batch.ops[0].page) % 4, 0u);
    EXPECT_EQ(core->ftl().counters().padding_pages, 0u);
    // What is left, three pages, is one short of another.
    ASSERT_NE(core->flush_step(), nullptr);
    EXPECT_EQ(core->flush_step(), nullptr);
    EXPECT_EQ(core->ftl().counters().padding_pages, 1u);
}

TEST(MappingUnitsTest, ACommandThatIsWrittenThroughFillsItsPagesTogether) {
    CoreParts parts;
    parts.geometry = Geometry{2, 1, 1, 1, 8, 4, 8192, 64}.in_units(2048);
    parts.policy = "none";
    parts.ftl.overprovision = 0.5;
    const auto core = make_core(parts);
    std::vector<Ppn> places;
    for (std::uint64_t page = 0; page < 6; ++page) {
        (void)core->write(Lpn{page}, 6);
        places.push_back(core->ftl().location(Lpn{page}));
    }
    EXPECT_EQ(raw(places[3]), raw(places[0]) + 3);
    EXPECT_EQ(raw(places[5]), raw(places[4]) + 1);
    const Batch* rest = core->complete_pages();
    ASSERT_NE(rest, nullptr);
    EXPECT_EQ(kinds(*rest), "PP");
    EXPECT_EQ(rest->ops[0].origin, Origin::kPadding);
    EXPECT_EQ(core->complete_pages(), nullptr);
}

TEST(MappingUnitsTest, NothingLeavesTheBufferBeforeTheNandPagesOfACommandAreFilledUp) {
    CoreParts parts;
    parts.geometry = Geometry{2, 1, 1, 1, 8, 4, 8192, 64}.in_units(2048);
    parts.ftl.overprovision = 0.5;
    const auto core = make_core(parts);
    (void)core->write(Lpn{0});
    (void)core->write_through(Lpn{1});
    EXPECT_THROW((void)core->flush_step(), ModelError);
    EXPECT_NE(core->complete_pages(), nullptr);
    EXPECT_EQ(core->flush_step(), nullptr); // the page had left the buffer
    (void)core->write(Lpn{0});
    EXPECT_NE(core->flush_step(), nullptr);
}

// The next pages of the command go on to fill the host's NAND page, but not that of the copies.
TEST(MappingUnitsTest, CopiesFillTheirNandPagesInTheDecisionThatMakesThem) {
    CoreParts parts;
    parts.geometry = Geometry{1, 1, 1, 1, 12, 4, 8192, 64}.in_units(2048);
    parts.policy = "none";
    parts.ftl.overprovision = 0.5;
    const auto core = make_core(parts);
    Random random(3);
    const std::uint64_t pages = core->ftl().logical_pages();
    std::uint32_t decisions_with_copies = 0;
    for (std::uint32_t command = 0; command < 400; ++command) {
        for (std::uint32_t page = 0; page < 3; ++page) {
            std::map<std::uint64_t, std::uint32_t> units;
            std::map<std::uint64_t, bool> copied;
            for (const FlashOp& op : core->write(Lpn{random.below(pages)}, 3).batch.ops) {
                if (op.kind == FlashOpKind::kProgram) {
                    ++units[raw(op.page) / 4];
                    copied[raw(op.page) / 4] |= op.copies;
                }
            }
            for (const auto& [nand_page, any] : copied) {
                decisions_with_copies += any ? 1 : 0;
                EXPECT_TRUE(!any || units[nand_page] == 4) << nand_page;
            }
        }
        (void)core->complete_pages();
    }
    EXPECT_GT(decisions_with_copies, 50u);
}

} // namespace
} // namespace cavern::testing
