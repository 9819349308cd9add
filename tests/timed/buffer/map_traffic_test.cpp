// Accesses to the map in the SDRAM: which entries, where they lie, and that nobody waits.

#include <gtest/gtest.h>

#include <vector>

#include "timed/buffer/map_traffic.h"

namespace cavern {
namespace {

/// Writes down accesses; ends them when the test says so, if `later`.
class Memory final : public MemoryIf {
  public:
    struct Access {
        MoveDirection direction;
        std::uint64_t address;
        std::uint32_t bytes;
    };
    TimePs access(MoveDirection direction, std::uint64_t address, std::uint32_t bytes,
                  MoveTicket ticket, MoveDoneIf& owner) override {
        accesses.push_back({direction, address, bytes});
        tickets.push_back({ticket, &owner});
        return later ? kNever : 100;
    }
    void finish_all() {
        for (const auto& [ticket, owner] : tickets) {
            owner->moved(ticket, 200);
        }
    }
    std::vector<Access> accesses;
    std::vector<std::pair<MoveTicket, MoveDoneIf*>> tickets;
    bool later = false;
};

constexpr MapTraffic::Params kOn{true, 0x1000, 4};

FlashOpList operations() {
    FlashOpList ops;
    ops.emplace_back(FlashOpKind::kRead, Origin::kGc, Ppn{3}, Lpn{7}); // by address, not by the map
    ops.push_back(FlashOp::copy(Origin::kGc, Ppn{3}, Ppn{9}, Lpn{7}, 0));
    ops.emplace_back(FlashOpKind::kErase, Origin::kGc, Ppn{0});
    ops.emplace_back(FlashOpKind::kRead, Origin::kRmw, Ppn{4}, Lpn{8});
    ops.emplace_back(FlashOpKind::kProgram, Origin::kHost, Ppn{10}, Lpn{8});
    ops.emplace_back(FlashOpKind::kProgram, Origin::kPadding, Ppn{11}, kNoLpn);
    ops.emplace_back(FlashOpKind::kProgram, Origin::kFailed, Ppn{12}, Lpn{8});
    return ops;
}

TEST(MapTrafficTest, APageProgrammedWritesItsEntryAndALookUpReadsIt) {
    Memory memory;
    MapTraffic traffic(kOn, memory);
    traffic.look_up(Lpn{5});
    traffic.carry_out(operations());
    ASSERT_EQ(memory.accesses.size(), 4u);
    const std::uint64_t addresses[] = {0x1000 + 5 * 4, 0x1000 + 7 * 4, 0x1000 + 8 * 4,
                                       0x1000 + 8 * 4};
    const MoveDirection directions[] = {MoveDirection::kRead, MoveDirection::kWrite,
                                        MoveDirection::kRead, MoveDirection::kWrite};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(memory.accesses[i].address, addresses[i]) << i;
        EXPECT_EQ(memory.accesses[i].direction, directions[i]) << i;
        EXPECT_EQ(memory.accesses[i].bytes, 4u) << i;
    }
    EXPECT_EQ(traffic.statistics().map_reads, 2u);
    EXPECT_EQ(traffic.statistics().map_writes, 2u);
    EXPECT_EQ(traffic.in_flight(), 0u);
}

TEST(MapTrafficTest, WhatIsUnderWayIsKnown) {
    Memory memory;
    memory.later = true;
    MapTraffic traffic(kOn, memory);
    traffic.look_up(Lpn{5});
    traffic.carry_out(operations());
    EXPECT_EQ(traffic.in_flight(), 4u);
    memory.finish_all();
    EXPECT_EQ(traffic.in_flight(), 0u);
}

TEST(MapTrafficTest, OffItTouchesNothing) {
    Memory memory;
    MapTraffic traffic({}, memory);
    traffic.look_up(Lpn{5});
    traffic.carry_out(operations());
    EXPECT_TRUE(memory.accesses.empty());
    EXPECT_EQ(traffic.statistics().map_reads + traffic.statistics().map_writes, 0u);
}

} // namespace
} // namespace cavern
