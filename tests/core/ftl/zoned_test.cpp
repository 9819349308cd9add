// Zones: their states, and where their pages lie.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/zone_states.h"
#include "core/ftl/zoned.h"
#include "core/nand/nand_array.h"
#include "tests/core/ftl/flash_op_text.h"
#include "tests/support/core_fixtures.h"

namespace cavern {

/// Breaks what the classes keep.
struct ZoneStatesProbe {
    static void set_pointer(ZoneStates& states, std::uint32_t zone, std::uint64_t pointer) {
        states.zones_[zone].pointer = pointer;
    }
    static void forget_open(ZoneStates& states) { --states.open_; }
};
struct ZonedProbe {
    static void move(Zoned& zoned, Lpn lpn, std::uint64_t in_step) {
        zoned.l2p_.set(raw(lpn), in_step + 1);
    }
};

namespace {

using testing::geometry_of;
using testing::Lines;
using testing::text_of;
using S = ZoneState;
constexpr ZoneStatus kGood = ZoneStatus::kSuccess;

/// docs/algorithms.md, ZNS-1: four zones of eight pages, of which six can be written; two may be
/// open, three active.
ZoneStates example() {
    return ZoneStates({4, 8, 6, 2, 3});
}

TEST(ZoneStatesTest, AWriteOpensItsZoneAndFillsItToItsCapacity) {
    ZoneStates zones = example();
    EXPECT_EQ(zones.state(1), S::kEmpty);
    EXPECT_EQ(zones.write(1, 0, 2), kGood);
    EXPECT_EQ(zones.state(1), S::kImplicitlyOpen);
    EXPECT_EQ(zones.write(1, 2, 3), kGood);
    EXPECT_EQ(zones.write_pointer(1), 5u);
    EXPECT_EQ(zones.write(1, 5, 1), kGood);
    EXPECT_EQ(zones.state(1), S::kFull);
    EXPECT_EQ(zones.open_zones(), 0u);
    EXPECT_EQ(zones.write(1, 6, 1), ZoneStatus::kIsFull);
    EXPECT_GT(zones.check_invariants(), 0u);
}

TEST(ZoneStatesTest, AWriteAnywhereButAtTheWritePointerIsRefusedAndChangesNothing) {
    ZoneStates zones = example();
    EXPECT_EQ(zones.write(0, 1, 1), ZoneStatus::kInvalidWrite);
    EXPECT_EQ(zones.state(0), S::kEmpty);
    EXPECT_EQ(zones.write(0, 0, 3), kGood);
    EXPECT_EQ(zones.write(0, 0, 1), ZoneStatus::kInvalidWrite); // again
    EXPECT_EQ(zones.write(0, 4, 1), ZoneStatus::kInvalidWrite); // ahead
    EXPECT_EQ(zones.write(0, 3, 4), ZoneStatus::kBoundaryError);
    EXPECT_EQ(zones.write_pointer(0), 3u);
    EXPECT_EQ(zones.counters().invalid_write, 3u);
    EXPECT_EQ(zones.counters().boundary_error, 1u);
}

TEST(ZoneStatesTest, AnAppendSaysWhereItWent) {
    ZoneStates zones = example();
    std::uint64_t at = 99;
    EXPECT_EQ(zones.append(2, 4, at), kGood);
    EXPECT_EQ(at, 0u);
    EXPECT_EQ(zones.append(2, 2, at), kGood);
    EXPECT_EQ(at, 4u);
    EXPECT_EQ(zones.append(2, 1, at), ZoneStatus::kIsFull);
    EXPECT_EQ(zones.append(3, 7, at), ZoneStatus::kBoundaryError);
    EXPECT_EQ(zones.counters().appends, 2u);
}

TEST(ZoneStatesTest, AZoneOpenedImplicitlyGivesWayAndOneOpenedExplicitlyDoesNot) {
    ZoneStates zones = example();
    EXPECT_EQ(zones.write(0, 0, 1), kGood);
    EXPECT_EQ(zones.write(1, 0, 1), kGood);
    EXPECT_EQ(zones.write(0, 1, 1), kGood); // zone 1 is written longest ago
    EXPECT_EQ(zones.write(2, 0, 1), kGood);
    EXPECT_EQ(zones.state(1), S::kClosed);
    EXPECT_EQ(zones.counters().implicit_closes, 1u);
    EXPECT_EQ(zones.active_zones(), 3u);
    EXPECT_EQ(zones.write(3, 0, 1), ZoneStatus::kTooManyActive);
    EXPECT_EQ(zones.open(0), kGood);
    EXPECT_EQ(zones.open(2), kGood);
    EXPECT_EQ(zones.write(1, 1, 1), ZoneStatus::kTooManyOpen);
    EXPECT_EQ(zones.open(1), ZoneStatus::kTooManyOpen);
    EXPECT_EQ(zones.close(0), kGood);
    EXPECT_EQ(zones.write(1, 1, 1), kGood);
    EXPECT_EQ(zones.check_invariants(), 11u);
}

TEST(ZoneStatesTest, EachCommandFromEachStateEndsAsTheSpecificationSays) {
    struct Row {
        S from;
        S opened, closed, finished;
        ZoneStatus open, close;
    };
    constexpr ZoneStatus kBad = ZoneStatus::kInvalidTransition;
    const Row rows[] = {
        {S::kEmpty, S::kExplicitlyOpen, S::kEmpty, S::kFull, kGood, kBad},
        {S::kImplicitlyOpen, S::kExplicitlyOpen, S::kClosed, S::kFull, kGood, kGood},
        {S::kExplicitlyOpen, S::kExplicitlyOpen, S::kClosed, S::kFull, kGood, kGood},
        {S::kClosed, S::kExplicitlyOpen, S::kClosed, S::kFull, kGood, kGood},
        {S::kFull, S::kFull, S::kFull, S::kFull, kBad, kBad},
    };
    for (const Row& row : rows) {
        const auto at = [&row] {
            ZoneStates zones = example();
            if (row.from == S::kExplicitlyOpen) {
                EXPECT_EQ(zones.open(0), kGood);
            } else if (row.from != S::kEmpty) {
                EXPECT_EQ(zones.write(0, 0, row.from == S::kFull ? 6 : 1), kGood);
            }
            if (row.from == S::kClosed) {
                EXPECT_EQ(zones.close(0), kGood);
            }
            EXPECT_EQ(zones.state(0), row.from);
            return zones;
        };
        ZoneStates zones = at();
        EXPECT_EQ(zones.open(0), row.open);
        EXPECT_EQ(zones.state(0), row.opened);
        zones = at();
        EXPECT_EQ(zones.close(0), row.close);
        EXPECT_EQ(zones.state(0), row.closed);
        zones = at();
        EXPECT_EQ(zones.finish(0), kGood);
        EXPECT_EQ(zones.state(0), row.finished);
        zones = at();
        EXPECT_EQ(zones.reset(0), kGood);
        EXPECT_EQ(zones.state(0), S::kEmpty);
        EXPECT_EQ(zones.write(0, 0, 1), kGood);
        EXPECT_GT(zones.check_invariants(), 0u);
    }
}

TEST(ZoneStatesTest, ABrokenStateIsNoticed) {
    ZoneStates zones = example();
    EXPECT_EQ(zones.write(0, 0, 1), kGood);
    ZoneStatesProbe::set_pointer(zones, 1, 2);
    EXPECT_THROW((void)zones.check_invariants(), ModelError);
    ZoneStatesProbe::set_pointer(zones, 1, 0);
    EXPECT_GT(zones.check_invariants(), 0u);
    ZoneStatesProbe::forget_open(zones);
    EXPECT_THROW((void)zones.check_invariants(), ModelError);
}

/// Four zones on four superblocks of two planes in two dies, blocks of two pages: eight pages each.
FtlParams params(double capacity = 1.0) {
    FtlParams made;
    made.overprovision = 0.0;
    made.own = ZonedParams{capacity, 0, 0};
    return made;
}

class ZonedTest : public ::testing::Test {
  protected:
    const Geometry geometry = geometry_of(2, 1, 2, 4, 2);
    Zoned zoned{geometry, params(), nullptr};

    FlashOpList write(std::uint64_t lpn) {
        FlashOpList ops;
        const std::uint64_t size = zoned.zones()->shape().size;
        EXPECT_EQ(zoned.parts().zones->write(static_cast<std::uint32_t>(lpn / size), lpn % size, 1),
                  kGood);
        zoned.write(Lpn{lpn}, PlaneId{0}, ops);
        return ops;
    }
    FlashOpList reset(std::uint32_t zone) {
        FlashOpList ops;
        const std::uint64_t size = zoned.zones()->shape().size;
        EXPECT_EQ(zoned.parts().zones->reset(zone), kGood);
        zoned.trim_range(Lpn{zone * size}, size, ops);
        return ops;
    }
};

TEST_F(ZonedTest, PagesOfAZoneGoAcrossThePlanesOfASuperblock) {
    EXPECT_EQ(zoned.logical_pages(), 32u);
    // A plane has four blocks of two pages; plane p begins at page 8p.
    const std::uint64_t expected[] = {0, 8, 16, 24, 1, 9, 17, 25};
    for (std::uint64_t i = 0; i < 8; ++i) {
        EXPECT_EQ(raw(write(8 + i).front().page), expected[i]); // zone 1 takes superblock 0
    }
    EXPECT_EQ(zoned.zones()->state(1), S::kFull);
    EXPECT_EQ(raw(write(0).front().page), 2u); // zone 0 takes superblock 1
    const auto valid = [this](std::uint32_t plane, std::uint32_t superblock) {
        return zoned.valid_count(geometry.block(PlaneId{plane}, superblock)).value();
    };
    EXPECT_EQ(valid(0, 0), 2u);
    EXPECT_EQ(valid(3, 0), 2u);
    EXPECT_EQ(valid(0, 1), 1u);
    EXPECT_EQ(valid(1, 1), 0u);
    EXPECT_EQ(valid(0, 2), 0u);
    EXPECT_EQ(zoned.programs(), zoned.counters().host_pages);
    // One of each page, two of each zone and two more, beside those of the states of the zones.
    EXPECT_EQ(zoned.check_invariants(), zoned.logical_pages() +
                                            std::uint64_t{2} * zoned.zones()->shape().zones + 2 +
                                            zoned.zones()->check_invariants());
}

TEST_F(ZonedTest, AResetErasesTheBlocksThatHoldPagesAndTheNextSuperblockIsTheOneLongestFree) {
    write(0);
    write(1);
    EXPECT_EQ(text_of(reset(0)), (Lines{"erase host page 0", "erase host page 8"}));
    EXPECT_EQ(zoned.location(Lpn{0}), kNoPpn);
    EXPECT_EQ(zoned.counters().erases, 2u);
    EXPECT_TRUE(reset(0).empty());
    for (const std::uint64_t first : {2, 4, 6, 0}) { // superblock 0 comes last
        EXPECT_EQ(raw(write(0).front().page), first);
        reset(0);
    }
    EXPECT_GT(zoned.check_invariants(), 0u);
}

TEST_F(ZonedTest, APageWrittenTwiceWithoutAResetStopsTheRun) {
    FlashOpList ops;
    zoned.write(Lpn{0}, PlaneId{0}, ops);
    EXPECT_THROW(zoned.write(Lpn{0}, PlaneId{0}, ops), ModelError);
    EXPECT_THROW(zoned.trim_range(Lpn{0}, 3, ops), ModelError);
}

TEST_F(ZonedTest, AMisplacedPageIsNoticed) {
    write(0);
    write(1);
    EXPECT_GT(zoned.check_invariants(), 0u);
    ZonedProbe::move(zoned, Lpn{1}, 0); // where page 0 is
    EXPECT_THROW((void)zoned.check_invariants(), ModelError);
}

TEST_F(ZonedTest, AnyHostThatKeepsTheRulesFindsWhatItWroteInFlash) {
    NandArray array(geometry, true);
    Random random(5);
    std::vector<std::uint64_t> written(4, 0);
    std::uint64_t programs = 0;
    for (int i = 0; i < 20'000; ++i) {
        const auto zone = static_cast<std::uint32_t>(random.below(4));
        const bool full = written[zone] == 8;
        FlashOpList ops;
        if (full || random.below(20) == 0) {
            ops = reset(zone);
            written[zone] = 0;
        } else {
            ops = write(zone * 8 + written[zone]++);
        }
        for (const FlashOp& op : ops) {
            if (op.kind == FlashOpKind::kErase) {
                array.erase(geometry.block_of(op.page));
            } else {
                array.program(op.page, op.lpn); // refuses pages out of order
                ++programs;
            }
        }
        for (std::uint64_t page = 0; page < 32; ++page) {
            const Ppn place = zoned.location(Lpn{page});
            ASSERT_EQ(place != kNoPpn, page % 8 < written[page / 8]);
            ASSERT_TRUE(place == kNoPpn || array.stored_lpn(place) == Lpn{page});
        }
    }
    EXPECT_EQ(zoned.programs(), programs); // nothing is programmed twice
    EXPECT_GT(zoned.counters().erases, 1000u);
    EXPECT_GT(zoned.check_invariants(), 0u);
}

TEST(ZonedShapeTest, CapacityAndSpareSuperblocksFollowTheKeys) {
    FtlParams with = params(0.8);
    with.overprovision = 0.3;
    const Zoned zoned(geometry_of(2, 1, 2, 10, 4), with, nullptr);
    EXPECT_EQ(zoned.zones()->shape().zones, 7u);
    EXPECT_EQ(zoned.zones()->shape().size, 16u);
    EXPECT_EQ(zoned.zones()->shape().capacity, 12u); // of 12.8
    EXPECT_EQ(zoned.logical_pages(), 112u);
    with.overprovision = 0.95;
    EXPECT_NE(zoned_why_not(geometry_of(2, 1, 2, 10, 4), with), std::nullopt);
    EXPECT_EQ((ZonedParams{1.0, 2, 2}.why_not()), std::nullopt);
    EXPECT_NE((ZonedParams{1.0, 3, 2}.why_not()), std::nullopt);
}

} // namespace
} // namespace cavern
