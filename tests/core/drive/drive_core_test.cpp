#include "core/drive/drive_core.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/drive/precondition.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

using Pages = std::vector<std::uint64_t>;

Pages programmed(const Batch& batch) {
    Pages pages;
    for (const FlashOp& op : batch.ops) {
        if (op.kind == FlashOpKind::kProgram && op.origin == Origin::kHost) {
            pages.push_back(raw(op.lpn));
        }
    }
    return pages;
}

CoreParts small(std::uint32_t channels = 2, std::uint32_t ways = 1) {
    CoreParts parts;
    parts.geometry = geometry_of(channels, ways, 1, 8, 4);
    parts.ftl.overprovision = 0.5;
    return parts;
}

TEST(DriveCoreTest, WithoutABufferEveryWriteIsProgrammed) {
    CoreParts parts = small();
    parts.policy = "none";
    const auto core = make_core(parts);
    for (int times = 0; times < 2; ++times) {
        const WriteDecision decision = core->write(Lpn{5});
        EXPECT_FALSE(decision.hit);
        EXPECT_EQ(decision.frame, kNoFrame);
        EXPECT_TRUE(decision.batch.evicts());
        ASSERT_EQ(programmed(decision.batch), (Pages{5}));
        EXPECT_EQ(decision.batch.ops.back().frame, FlashOp::kNoFrame);
        ASSERT_EQ(decision.batch.victims.size(), 1u);
        EXPECT_EQ(decision.batch.victims[0].lpn, Lpn{5});
        EXPECT_EQ(decision.batch.units, 1u);
    }
    EXPECT_EQ(core->read(Lpn{5}).frame, kNoFrame);
    EXPECT_EQ(core->buffer(), nullptr);
    EXPECT_EQ(core->buffer_counters().write_misses, 2u);
    EXPECT_EQ(core->buffer_counters().read_misses, 1u);
    EXPECT_EQ(core->flush_step(), nullptr);
}

// So many blocks are bad that the pages do not fit. With a fixed place the plane of the page gives
// out, with a free one all of them.
TEST(DriveCoreTest, AWornOutDriveIsTheUsersErrorWhoeverPlaces) {
    for (const std::string allocator : {"cwdp", "block-round-robin", "least-loaded", "adaptive"}) {
        CoreParts parts;
        parts.geometry = geometry_of(1, 2, 1, 24, 4);
        parts.ftl.overprovision = 0.1;
        parts.ftl.faults.factory_bad = 0.4;
        parts.policy = "none";
        parts.allocator = allocator;
        const auto core = make_core(parts);
        EXPECT_EQ(core->user_error(), nullptr);
        std::string refusal;
        try {
            for (std::uint64_t lpn = 0; lpn < core->ftl().logical_pages(); ++lpn) {
                (void)core->write(Lpn{lpn});
            }
        } catch (const UserError& error) {
            refusal = error.what();
        }
        const std::string what = allocator == "cwdp" ? "<drive>:1: plane " : "<drive>:1: the drive";
        EXPECT_EQ(refusal.substr(0, what.size()), what) << allocator << ": " << refusal;
        EXPECT_NE(refusal.find(" is worn out: "), std::string::npos) << refusal;
        try {
            ASSERT_NE(core->user_error(), nullptr);
            std::rethrow_exception(core->user_error());
        } catch (const UserError& error) {
            EXPECT_EQ(error.what(), refusal);
        }
    }
}

// Nothing has failed in this drive: that it has no room is no mistake of the user's.
TEST(DriveCoreTest, ADriveTooFullForItsPagesIsInconsistent) {
    CoreParts parts;
    parts.geometry = geometry_of(1, 2, 1, 8, 4);
    parts.ftl.overprovision = 0.0;
    parts.policy = "none";
    parts.allocator = "least-loaded";
    const auto core = make_core(parts);
    const auto fill = [&] {
        for (std::uint64_t lpn = 0; lpn < core->ftl().logical_pages(); ++lpn) {
            (void)core->write(Lpn{lpn});
        }
    };
    EXPECT_THROW(fill(), ModelError);
    EXPECT_EQ(core->user_error(), nullptr);
}

TEST(DriveCoreTest, AWriteStaysInTheBufferUntilItIsTheVictim) {
    CoreParts parts = small();
    parts.frames = 2;
    const auto core = make_core(parts);
    const FrameId first = core->write(Lpn{0}).frame;
    EXPECT_TRUE(core->write(Lpn{1}).batch.empty());
    EXPECT_TRUE(core->write(Lpn{0}).hit);
    const WriteDecision third = core->write(Lpn{2});
    EXPECT_TRUE(third.batch.evicts());
    EXPECT_EQ(programmed(third.batch), (Pages{1}));
    EXPECT_EQ(third.batch.ops.back().frame, raw(third.frame)); // page 2 gets the frame of page 1
    // What left before does not show in the batch of a page that makes none leave.
    EXPECT_TRUE(core->write(Lpn{2}).batch.empty());
    EXPECT_EQ(core->read(Lpn{0}).frame, first);
    EXPECT_EQ(core->read(Lpn{1}).frame, kNoFrame);
    EXPECT_EQ(core->read(Lpn{1}).page, core->ftl().location(Lpn{1}));
    EXPECT_EQ(core->read(Lpn{3}).page, kNoPpn);
}

// CAVE, section 4.2: as many victims as dies, one for each.
TEST(DriveCoreTest, ACaveBatchGivesEveryDieOneVictim) {
    CoreParts parts = small(4, 2);
    parts.frames = 16;
    parts.eviction = "cave";
    parts.allocator = "block-round-robin";
    const auto core = make_core(parts);
    for (std::uint64_t block = 0; block < 16; ++block) { // pages of 16 logical blocks
        core->write(Lpn{block * 4 % core->ftl().logical_pages()});
    }
    const WriteDecision full = core->write(Lpn{1});
    ASSERT_EQ(full.batch.ops.size(), 8u);
    EXPECT_EQ(full.batch.units, 8u);
    std::set<std::uint32_t> dies;
    for (const FlashOp& op : full.batch.ops) {
        dies.insert(raw(parts.geometry.die_of(parts.geometry.block_of(op.page))));
    }
    EXPECT_EQ(dies.size(), 8u);
}

TEST(DriveCoreTest, AProgramCarriesTheFrameOfItsOwnVictim) {
    CoreParts parts = small(4, 2);
    parts.frames = 16;
    parts.eviction = "cave";
    const auto core = make_core(parts);
    std::vector<std::uint64_t> held(16); // page by frame
    Random random(1);
    std::uint64_t checked = 0;
    for (int step = 0; step < 5000; ++step) {
        const Lpn lpn{random.below(core->ftl().logical_pages())};
        const WriteDecision decision = core->write(lpn);
        for (const FlashOp& op : decision.batch.ops) {
            if (op.kind == FlashOpKind::kProgram && op.origin == Origin::kHost) {
                ASSERT_EQ(held.at(op.frame), raw(op.lpn));
                ++checked;
            }
        }
        held.at(raw(decision.frame)) = raw(lpn);
    }
    EXPECT_GT(checked, 1000u);
}

// docs/algorithms.md, FLUSH-1: blocks of 4 pages, 8 frames, 2 victims: {[5],[0,1]} and {[9]}.
TEST(DriveCoreTest, AFlushEvictsBatchByBatchInTheOrderOfThePolicy) {
    CoreParts parts = small(2, 1);
    parts.policy = "lru-block";
    parts.eviction = "cave";
    const auto core = make_core(parts);
    for (const std::uint64_t page : {0u, 5u, 1u, 9u}) {
        core->write(Lpn{page});
    }
    const Batch* batch = core->flush_step();
    ASSERT_NE(batch, nullptr);
    EXPECT_EQ(programmed(*batch), (Pages{5, 0, 1}));
    EXPECT_EQ(batch->units, 2u);
    batch = core->flush_step();
    ASSERT_NE(batch, nullptr);
    EXPECT_EQ(programmed(*batch), (Pages{9}));
    EXPECT_EQ(batch->units, 1u);
    EXPECT_EQ(core->flush_step(), nullptr);
    EXPECT_EQ(core->buffer()->used(), 0u);
}

TEST(DriveCoreTest, ATrimForgetsThePageInBufferAndFlash) {
    const auto core = make_core(small());
    core->write(Lpn{3});
    core->flush_step();
    const FrameId frame = core->write(Lpn{3}).frame;
    EXPECT_EQ(core->trim(Lpn{3}).frames, std::vector<FrameId>{frame});
    EXPECT_TRUE(core->trim(Lpn{3}).frames.empty());
    const ReadDecision read = core->read(Lpn{3});
    EXPECT_EQ(read.frame, kNoFrame);
    EXPECT_EQ(read.page, kNoPpn);
    EXPECT_EQ(core->flush_step(), nullptr); // what is trimmed is not written
    EXPECT_EQ(core->ftl().mapped_pages(), 0u);
}

TEST(DriveCoreTest, ExecutionTimeAddsUpAndIsResetWithTheCounters) {
    CoreParts parts = small();
    parts.policy = "none";
    const auto core = make_core(parts);
    core->write(Lpn{0});
    core->write(Lpn{1});
    EXPECT_EQ(core->execution_time().total(), 2 * (60 + 200) * kUs);
    EXPECT_EQ(core->ftl().counters().host_pages, 2u);
    core->reset_counters();
    EXPECT_EQ(core->execution_time().total(), 0u);
    EXPECT_EQ(core->ftl().counters().host_pages, 0u);
    EXPECT_EQ(core->buffer_counters().write_misses, 0u);
    EXPECT_EQ(core->ftl().mapped_pages(), 2u); // the state stays
}

/// Within a batch, a copy waits for the read of its own page, an erase for the last copy out of its
/// block.
void check_dependencies(const FlashOpList& ops, const Geometry& geometry) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const FlashOp& op = ops[i];
        if (op.after == FlashOp::kNone) {
            ASSERT_FALSE(op.copies);
            continue;
        }
        ASSERT_GE(op.after, 0);
        ASSERT_LT(static_cast<std::size_t>(op.after), i);
        const FlashOp& before = ops[static_cast<std::size_t>(op.after)];
        if (op.kind == FlashOpKind::kErase) {
            const FlashOp& read = ops[static_cast<std::size_t>(before.after)];
            ASSERT_EQ(geometry.block_of(read.page), geometry.block_of(op.page));
        } else {
            ASSERT_TRUE(op.copies);
            ASSERT_EQ(before.kind, FlashOpKind::kRead);
            ASSERT_EQ(before.lpn, op.lpn);
        }
    }
}

/// A drive nearly full, written at random, its operations carried out on an array as they are
/// decided: the array objects to any order real flash forbids, and follows the core in the end.
class DriveCoreRandomTest : public ::testing::TestWithParam<std::string> {};

TEST_P(DriveCoreRandomTest, DecidesOnlyWhatFlashCanDo) {
    CoreParts parts;
    parts.geometry = geometry_of(2, 2, 2, 12, 4);
    parts.ftl.overprovision = 0.34; // as little as fits
    parts.frames = 16;
    parts.allocator = GetParam();
    parts.eviction = "cave";
    const auto core = make_core(parts);
    NandArray array(parts.geometry, true);
    Random random(7);
    for (int step = 0; step < 20'000; ++step) {
        const Lpn lpn{random.below(core->ftl().logical_pages())};
        switch (random.below(16)) {
        case 0:
            core->trim(lpn);
            break;
        case 1: {
            const ReadDecision read = core->read(lpn);
            if (read.page != kNoPpn) {
                ASSERT_EQ(array.read(read.page), lpn);
            }
            break;
        }
        default: {
            const WriteDecision decision = core->write(lpn);
            check_dependencies(decision.batch.ops, parts.geometry);
            apply_untimed(decision.batch.ops, array);
            break;
        }
        }
    }
    while (const Batch* batch = core->flush_step()) {
        apply_untimed(batch->ops, array);
    }
    expect_array_follows(*core, array);
    EXPECT_GT(core->ftl().counters().gc_pages, 1000u);
    EXPECT_GT(core->check_invariants(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Allocators, DriveCoreRandomTest,
                         ::testing::Values("block-round-robin", "stripe-page", "pdwc"),
                         [](const auto& test) {
                             return test.param == "pdwc"          ? "PlanesFirst"
                                    : test.param == "stripe-page" ? "StripePage"
                                                                  : "BlockRoundRobin";
                         });

// Room is asked for once for a whole batch. Two blocks of it may be promised the same room of a
// plane nearly full: the second is placed anew.
TEST(DriveCoreTest, ABlockWhosePlaneWasFilledByItsOwnBatchIsPlacedAnew) {
    CoreParts parts;
    parts.geometry = geometry_of(1, 2, 1, 8, 4); // 32 of 64 pages exported: logical blocks 0..7
    parts.ftl.overprovision = 0.5;
    parts.frames = 10;
    parts.policy = "lru-block";
    parts.eviction = "cave";
    parts.cave_victims = 4;
    parts.allocator = "block-round-robin";
    const auto core = make_core(parts);
    NandArray array(parts.geometry, true);
    /// One batch: block a, one page of block b, block c, one page of block d.
    const auto evict = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
        for (const std::uint64_t page : {4 * a, 4 * a + 1, 4 * a + 2, 4 * a + 3, 4 * b, 4 * c,
                                         4 * c + 1, 4 * c + 2, 4 * c + 3, 4 * d}) {
            core->write(Lpn{page});
        }
        const Batch* batch = core->flush_step();
        ASSERT_NE(batch, nullptr);
        apply_untimed(batch->ops, array);
        ASSERT_EQ(core->buffer()->used(), 0u);
    };
    // Whole blocks to die 0, single pages to die 1, until die 0 has room for one block more.
    evict(0, 6, 1, 7);
    evict(2, 6, 3, 7);
    evict(4, 6, 5, 7);
    evict(6, 0, 7, 1); // blocks 6 and 7 are both placed on die 0
    const auto die_of = [&](std::uint64_t page) {
        return raw(parts.geometry.die_of(parts.geometry.block_of(core->ftl().location(Lpn{page}))));
    };
    EXPECT_EQ(die_of(6 * 4), 0u);
    EXPECT_EQ(die_of(7 * 4), 1u);
    expect_array_follows(*core, array);
    EXPECT_GT(core->check_invariants(), 0u);
}

// Without time, the mini-schedules of the batches say what waiting and collecting cost.
TEST(DriveCoreTest, AnAdaptiveStripeIsRegulatedWithoutTime) {
    CoreParts parts = small(4, 1);
    parts.geometry.pages_per_block = 16;
    parts.geometry.blocks_per_plane = 64;
    parts.frames = 32;
    parts.policy = "lru-block";
    parts.allocator = "adaptive";
    const auto core = make_core(parts);
    const auto& adaptive = dynamic_cast<const Adaptive&>(core->allocator());
    EXPECT_EQ(adaptive.width(), 1u);
    // Whole blocks, one at a time: each waits for itself, and three channels are idle.
    for (std::uint64_t page = 0; page < 100'000; ++page) {
        core->write(Lpn{page % core->ftl().logical_pages()});
    }
    EXPECT_EQ(adaptive.width(), 4u);
    EXPECT_FALSE(core->load()->is_timed());
    const StripeCosts& costs = core->load()->costs();
    EXPECT_EQ(costs.host_pages, core->ftl().counters().host_pages);
    EXPECT_GT(costs.stalled, 0u);
}

// ---- versions -----------------------------------------------------------------------------------

TEST(PageVersionsTest, AProgramMakesAVersionAndACopyKeepsIt) {
    PageVersions versions(geometry_of(1, 1, 1, 8, 4));
    const auto op = [](FlashOpKind kind, bool copies = false) {
        FlashOp made;
        made.kind = kind;
        made.lpn = Lpn{3};
        made.copies = copies;
        return made;
    };
    FlashOp rewritten = op(FlashOpKind::kProgram, true);
    rewritten.rewrites = true;
    FlashOp nothing = op(FlashOpKind::kErase);
    nothing.lpn = kNoLpn;
    FlashOpList ops{op(FlashOpKind::kRead),
                    op(FlashOpKind::kProgram),
                    op(FlashOpKind::kRead),
                    op(FlashOpKind::kProgram, true),
                    rewritten,
                    nothing};
    versions.number(ops);
    std::vector<PageVersion> numbers;
    for (const FlashOp& each : ops) {
        numbers.push_back(each.version);
    }
    EXPECT_EQ(numbers, (std::vector<PageVersion>{0, 1, 1, 1, 2, 0}));
    EXPECT_EQ(versions.newest(Lpn{3}), 2u);
    versions.forget(Lpn{3});
    EXPECT_EQ(versions.newest(Lpn{3}), 3u);
    versions.forget(Lpn{4}); // never written
    EXPECT_EQ(versions.newest(Lpn{4}), 0u);
}

TEST(PageVersionsTest, AReadNamesTheVersionOfItsDecision) {
    CoreParts parts = small();
    parts.policy = "none";
    const auto core = make_core(parts);
    NandArray array(parts.geometry, false);
    const auto carry_out = [&](const Batch& batch) { apply_untimed(batch.ops, array); };
    carry_out(core->write(Lpn{5}).batch);
    const ReadDecision first = core->read(Lpn{5});
    const Ppn old = first.page;
    EXPECT_EQ(first.version, 1u);
    EXPECT_NO_THROW(array.read_expecting(old, Lpn{5}, first.version));
    carry_out(core->write(Lpn{5}).batch);
    const ReadDecision second = core->read(Lpn{5});
    EXPECT_EQ(second.version, 2u);
    EXPECT_NO_THROW(array.read_expecting(second.page, Lpn{5}, second.version));
    EXPECT_THROW(array.read_expecting(old, Lpn{5}, second.version), ModelError);
    carry_out(core->trim(Lpn{5}).batch);
    EXPECT_THROW(array.read_expecting(second.page, Lpn{5}, core->newest_version(Lpn{5})),
                 ModelError);
}

} // namespace
} // namespace cavern::testing
