// Reclaim unit handles (Flexible Data Placement) in the page-mapping layer.

#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/page_ftl.h"
#include "core/ftl/page_ftl_why_not.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/core/ftl/page_wear_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::CoreParts;
using testing::geometry_of;
using testing::Lines;
using testing::make_core;
using testing::params_of;
using testing::text_of;

FtlParams with_handles(double overprovision, std::uint32_t handles,
                       Isolation isolation = Isolation::kInitially) {
    FtlParams params = params_of(overprovision);
    params.placement = {handles, isolation};
    return params;
}

FlashOpList write(PageFtl& ftl, std::uint64_t lpn, std::uint32_t stream) {
    if (ftl.reclaim_handles() != nullptr) {
        ftl.parts().handles->begin_command(stream);
        ftl.parts().handles->on_host_write(Lpn{lpn});
    }
    return testing::write(ftl, lpn);
}

/// docs/algorithms.md, FDP-1: one plane of twelve blocks of four pages.
class TwoHandles {
  public:
    explicit TwoHandles(Isolation isolation)
        : ftl(geometry_of(1, 1, 1, 12, 4), with_handles(0.5, 2, isolation), nullptr) {}

    std::uint64_t place(std::uint64_t lpn, std::uint32_t stream) {
        return raw(write(ftl, lpn, stream).back().page);
    }
    PageFtl ftl;
};

TEST(HandlesTest, EachHandleFillsABlockOfItsOwn) {
    TwoHandles drive(Isolation::kInitially);
    EXPECT_EQ(drive.place(0, 0), 0u); // block 0 for handle 0
    EXPECT_EQ(drive.place(8, 1), 4u); // block 1 for handle 1
    EXPECT_EQ(drive.place(1, 0), 1u);
    EXPECT_EQ(drive.place(9, 1), 5u);
    EXPECT_EQ(drive.place(0, 0), 2u); // a new version
    EXPECT_EQ(drive.place(9, 0), 3u); // by the other handle
    EXPECT_EQ(drive.place(2, 0), 8u); // block 0 is full; block 2 is next
    EXPECT_EQ(drive.place(10, 1), 6u);
    const auto& counters = drive.ftl.reclaim_handles()->counters();
    EXPECT_EQ(counters[0].host_pages, 5u);
    EXPECT_EQ(counters[0].reclaim_units, 2u);
    EXPECT_EQ(counters[1].host_pages, 3u);
    EXPECT_EQ(counters[1].reclaim_units, 1u);
    EXPECT_GT(drive.ftl.check_invariants(), 0u);
}

TEST(HandlesTest, WithoutHandlesTheSamePagesShareBlocks) {
    PageFtl ftl(geometry_of(1, 1, 1, 12, 4), params_of(0.5), nullptr);
    EXPECT_EQ(ftl.reclaim_handles(), nullptr);
    EXPECT_EQ(raw(write(ftl, 0, 0).back().page), 0u);
    EXPECT_EQ(raw(write(ftl, 8, 1).back().page), 1u);
}

TEST(HandlesTest, AnIdentifierThatNamesNoHandleUsesTheDefaultHandleAndIsAnEvent) {
    TwoHandles drive(Isolation::kInitially);
    EXPECT_EQ(drive.place(8, 1), 0u);
    EXPECT_EQ(drive.place(0, 2), 4u);
    EXPECT_EQ(drive.place(1, 0), 5u);
    EXPECT_EQ(drive.place(2, 65535), 6u);
    EXPECT_EQ(drive.ftl.reclaim_handles()->invalid_identifiers(), 2u);
    EXPECT_EQ(drive.ftl.reclaim_handles()->counters()[0].host_pages, 3u);
}

/// Both handles write until the drive collects, half of the pages of each over and over. Whether
/// some block came to hold valid pages of both handles.
bool mixes(Isolation isolation, std::uint64_t& moved) {
    const Geometry geometry = geometry_of(1, 1, 1, 24, 4);
    PageFtl ftl(geometry, with_handles(0.5, 2, isolation), nullptr);
    Random random(3);
    bool mixed = false;
    for (int i = 0; i < 3000; ++i) {
        const std::uint64_t lpn = random.below(ftl.logical_pages());
        write(ftl, lpn, lpn % 2);
        (void)ftl.check_invariants();
        std::vector<std::uint32_t> of_block(24, 0);
        for (std::uint64_t page = 0; page < ftl.logical_pages(); ++page) {
            const Ppn place = ftl.location(Lpn{page});
            if (place != kNoPpn) {
                of_block[raw(geometry.block_of(place))] |= 1u << page % 2;
            }
        }
        for (const std::uint32_t handles : of_block) {
            mixed = mixed || handles == 3;
        }
    }
    moved = 0;
    for (const HandleCounters& handle : ftl.reclaim_handles()->counters()) {
        EXPECT_EQ(handle.host_pages + handle.moved_pages, handle.programs());
        moved += handle.moved_pages;
    }
    EXPECT_EQ(moved, ftl.counters().gc_pages);
    return mixed;
}

TEST(HandlesTest, DataThatAreMovedStayWithTheirHandleOnlyIfTheyAreIsolatedPersistently) {
    std::uint64_t moved = 0;
    EXPECT_FALSE(mixes(Isolation::kPersistently, moved));
    EXPECT_GT(moved, 100u);
    EXPECT_TRUE(mixes(Isolation::kInitially, moved)); // the control: the test can see it
    EXPECT_GT(moved, 100u);
}

TEST(HandlesTest, APageOfAnotherHandleInABlockIsolatedPersistentlyIsNoticed) {
    TwoHandles drive(Isolation::kPersistently);
    drive.place(0, 0);
    drive.place(1, 0);
    EXPECT_GT(drive.ftl.check_invariants(), 0u);
    ReclaimHandles& handles = *drive.ftl.parts().handles;
    handles.begin_command(1);
    handles.on_host_write(Lpn{1});
    EXPECT_GT(drive.ftl.check_invariants(), 0u); // it waits in a buffer
    handles.on_program(Lpn{1}, false);           // but was not programmed where that says
    EXPECT_THROW((void)drive.ftl.check_invariants(), ModelError);
}

/// Half of the writes go to a twentieth of the pages at random, and the others round the rest in
/// order. What the drive programs per page of the host. `handles` = 0: none.
double amplification(std::uint32_t handles, bool tells,
                     Isolation isolation = Isolation::kInitially) {
    PageFtl ftl(geometry_of(1, 1, 1, 512, 32), with_handles(0.12, handles, isolation), nullptr);
    Random random(4);
    const std::uint64_t hot = ftl.logical_pages() / 20;
    std::uint64_t next = hot;
    const auto run = [&](int writes) {
        for (int i = 0; i < writes; ++i) {
            if (random.below(2) == 0) {
                write(ftl, random.below(hot), tells ? 1 : 0);
                continue;
            }
            write(ftl, next, 0);
            next = next + 1 == ftl.logical_pages() ? hot : next + 1;
        }
    };
    for (std::uint64_t lpn = 0; lpn < ftl.logical_pages(); ++lpn) {
        write(ftl, lpn, lpn < hot && tells ? 1 : 0);
    }
    run(100'000);
    ftl.reset_counters();
    run(200'000);
    (void)ftl.check_invariants();
    return static_cast<double>(ftl.programs()) / static_cast<double>(ftl.counters().host_pages);
}

TEST(HandlesTest, DataOfTwoLifetimesAreHardlyCopiedOnceTheHostTellsThemApart) {
    const double none = amplification(0, false);
    EXPECT_GT(none, 1.4);
    EXPECT_LT(amplification(2, true), 1.03);
    EXPECT_LT(amplification(2, true, Isolation::kPersistently), 1.03);
    // The control: handles that the host does not use separate nothing.
    EXPECT_NEAR(amplification(2, false) / none, 1.0, 0.05);
}

TEST(HandlesTest, APageKeepsItsHandleWhileItWaitsInTheBuffer) {
    CoreParts parts;
    parts.geometry = geometry_of(1, 1, 1, 24, 4);
    parts.frames = 4;
    parts.ftl = with_handles(0.5, 2);
    const auto core = make_core(parts);
    const auto submit = [&](std::uint64_t lpn, std::uint16_t stream) {
        core->begin_write(stream);
        return core->write(Lpn{lpn}).batch.ops;
    };
    submit(0, 1);
    submit(1, 0);
    submit(2, 0);
    submit(3, 1);
    submit(1, 1); // a newer version by another handle; it is the newest of the four now
    // Programs come long after, while writes of handle 0 are decided.
    EXPECT_EQ(submit(4, 0).front().page, Ppn{0}); // lpn 0, handle 1: block 0
    EXPECT_EQ(submit(5, 0).front().page, Ppn{4}); // lpn 2, handle 0: block 1
    EXPECT_EQ(submit(6, 0).front().page, Ppn{1}); // lpn 3, handle 1
    EXPECT_EQ(submit(7, 0).front().page, Ppn{2}); // lpn 1, handle 1
    EXPECT_EQ(submit(8, 0).front().page, Ppn{5}); // lpn 4, handle 0
}

TEST(HandlesTest, EveryHandleAsksForItsBlocks) {
    FtlParams params = with_handles(0.5, 2);
    const Geometry geometry = geometry_of(1, 1, 1, 12, 4);
    // Two blocks being filled by handles, one by collection; collection stops at three free.
    EXPECT_EQ(page_ftl_reserve(geometry, params), 6u);
    EXPECT_EQ(page_ftl_why_not(geometry, params), std::nullopt);
    params.placement.isolation = Isolation::kPersistently;
    EXPECT_EQ(page_ftl_reserve(geometry, params), 7u);
    EXPECT_NE(page_ftl_why_not(geometry, params), std::nullopt);
    params.hot_cold = true;
    EXPECT_THROW(PageFtl(geometry, params, nullptr), ModelError);
}

} // namespace
} // namespace cavern
