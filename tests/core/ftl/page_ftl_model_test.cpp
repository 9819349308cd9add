// Page mapping beside a naive one that predicts every operation.

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/page_ftl.h"
#include "core/ftl/page_ftl_why_not.h"
#include "core/nand/nand_array.h"
#include "tests/core/ftl/flash_op_text.h"
#include "tests/core/ftl/naive_page_ftl.h"
#include "tests/core/ftl/page_ftl_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::kPage1;
using testing::NaiveFtl;
using testing::page_params;
using testing::text_of;
using testing::write;

bool same(const FlashOp& a, const FlashOp& b) {
    return a.kind == b.kind && a.origin == b.origin && a.page == b.page && a.lpn == b.lpn &&
           a.after == b.after && a.copies == b.copies && a.frame == b.frame;
}

/// Carries operations out on a NandArray and follows which version of which page lies where.
class Replay {
  public:
    explicit Replay(const Geometry& geometry)
        : nand(geometry, true), version_at_(geometry.pages(), 0) {}

    /// Throws ModelError where the array refuses or an operation contradicts itself.
    void run(const FlashOpList& ops, std::uint64_t host_version) {
        for (std::size_t i = 0; i < ops.size(); ++i) {
            const FlashOp& op = ops[i];
            require(op.after < static_cast<std::int32_t>(i), "an operation waits for a later one");
            if (op.kind == FlashOpKind::kRead) {
                require(nand.read(op.page) == op.lpn, "the page read is another logical page");
            } else if (op.kind == FlashOpKind::kErase) {
                require(op.after == FlashOp::kNone || op.after == static_cast<std::int32_t>(i) - 1,
                        "the erase does not wait for its last copy");
                nand.erase(nand.geometry().block_of(op.page));
                ++erases;
            } else {
                std::uint64_t version = host_version;
                if (op.copies) {
                    const FlashOp& source = ops.at(static_cast<std::size_t>(op.after));
                    require(source.kind == FlashOpKind::kRead && source.lpn == op.lpn,
                            "a copy does not follow its read");
                    version = version_at_[raw(source.page)];
                }
                nand.program(op.page, op.lpn);
                version_at_[raw(op.page)] = version;
                ++(op.origin == Origin::kHost ? host_programs : gc_programs);
            }
        }
    }
    [[nodiscard]] std::uint64_t version_at(Ppn page) const { return version_at_[raw(page)]; }

    NandArray nand;
    std::uint64_t host_programs = 0;
    std::uint64_t gc_programs = 0;
    std::uint64_t erases = 0;

  private:
    static void require(bool condition, const char* what) {
        if (!condition) {
            throw ModelError(what);
        }
    }
    std::vector<std::uint64_t> version_at_;
};

enum class Targets { kStriped, kRandom, kFullest };

struct ModelCase {
    std::string name;
    Geometry geometry;
    FtlParams params;
    Targets targets;
    int steps;
};

void PrintTo(const ModelCase& c, std::ostream* out) {
    *out << c.name;
}

class PageFtlModelTest : public ::testing::TestWithParam<ModelCase> {};

INSTANTIATE_TEST_SUITE_P(
    Cases, PageFtlModelTest,
    ::testing::Values(ModelCase{"OnePlane", geometry_of(1, 1, 1, 12, 4), page_params(0.4, 1, 2),
                                Targets::kStriped, 200'000},
                      ModelCase{"OnePlaneShared", geometry_of(1, 1, 1, 12, 4),
                                page_params(0.4, 1, 2, true), Targets::kStriped, 200'000},
                      ModelCase{"TightestThatFits", geometry_of(1, 2, 1, 16, 8),
                                page_params(0.25, 1, 2), Targets::kStriped, 200'000},
                      ModelCase{"HighWatermarks", geometry_of(2, 1, 2, 20, 4),
                                page_params(0.5, 4, 8), Targets::kStriped, 100'000},
                      ModelCase{"FourPlanesFourDies", geometry_of(2, 2, 4, 12, 6),
                                page_params(0.42, 1, 3), Targets::kRandom, 200'000},
                      ModelCase{"FullestPlaneFirst", geometry_of(2, 1, 2, 12, 4),
                                page_params(0.36, 1, 2), Targets::kFullest, 200'000},
                      ModelCase{"FullestPlaneFirstShared", geometry_of(2, 1, 2, 12, 4),
                                page_params(0.42, 2, 3, true), Targets::kFullest, 200'000},
                      ModelCase{"OnePageBlocks", geometry_of(1, 1, 2, 12, 1),
                                page_params(0.4, 1, 2), Targets::kStriped, 100'000}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_P(PageFtlModelTest, EveryOperationIsPredictedAndEveryReadFindsTheNewestVersion) {
    const ModelCase& c = GetParam();
    ASSERT_EQ(page_ftl_why_not(c.geometry, c.params), std::nullopt);
    PageFtl ftl(c.geometry, c.params, nullptr);
    NaiveFtl naive(c.geometry, c.params);
    Replay replay(c.geometry);
    std::unordered_map<std::uint64_t, std::uint64_t> newest; // lpn -> version
    Random random(c.geometry.blocks());
    FlashOpList ops;
    std::uint64_t writes = 0;
    std::uint64_t refused = 0;
    std::uint32_t burst = 0;
    std::uint64_t facts = 0;
    for (int step = 1; step <= testing::unless_sanitized(c.steps, 4); ++step) {
        // Half of the accesses go to a fifth of the pages.
        const std::uint64_t span =
            random.below(2) == 0 ? ftl.logical_pages() : ftl.logical_pages() / 5 + 1;
        const std::uint64_t lpn = random.below(span);
        const std::uint64_t what = random.below(100);
        ops.clear();
        if (what < 70) {
            std::uint32_t plane = static_cast<std::uint32_t>(lpn % c.geometry.planes());
            if (c.targets == Targets::kRandom) {
                plane = static_cast<std::uint32_t>(random.below(c.geometry.planes()));
            } else if (c.targets == Targets::kFullest) {
                plane = 0;
            }
            // The fullest plane gets bursts of a block without asking in between.
            if (c.targets != Targets::kFullest || writes % c.geometry.pages_per_block == 0) {
                for (burst = plane; !ftl.has_room(PlaneId{burst}, Lpn{0});
                     burst = (burst + 1) % c.geometry.planes()) {
                    ++refused;
                }
            }
            plane = burst;
            ftl.write(Lpn{lpn}, PlaneId{plane}, ops);
            const FlashOpList expected = naive.write(lpn, plane);
            ASSERT_TRUE(std::equal(ops.begin(), ops.end(), expected.begin(), expected.end(), same))
                << "at step " << step << ": " << ::testing::PrintToString(text_of(ops))
                << ", expected " << ::testing::PrintToString(text_of(expected));
            newest[lpn] = ++writes;
            replay.run(ops, writes);
            ASSERT_EQ(raw(c.geometry.plane_of(c.geometry.block_of(ops.back().page))), plane);
        } else if (what < 75) {
            ftl.trim(Lpn{lpn}, ops);
            naive.forget(lpn);
            newest.erase(lpn);
            ASSERT_TRUE(ops.empty());
        } else {
            const Ppn page = ftl.read(Lpn{lpn}, ops);
            ASSERT_TRUE(ops.empty());
            ASSERT_EQ(page, naive.location(lpn));
            const auto expected = newest.find(lpn);
            ASSERT_EQ(page != kNoPpn, expected != newest.end());
            if (page != kNoPpn) {
                ASSERT_EQ(replay.nand.read(page), Lpn{lpn});
                ASSERT_EQ(replay.version_at(page), expected->second);
            }
        }
        if (step % 5000 == 0) {
            facts += ftl.check_invariants();
            for (std::uint32_t b = 0; b < c.geometry.blocks(); ++b) {
                ASSERT_EQ(ftl.space().block(BlockId{b}).valid, naive.valid(b));
                ASSERT_EQ(ftl.space().block(BlockId{b}).erases,
                          replay.nand.erase_count(BlockId{b}));
            }
            for (std::uint32_t p = 0; p < c.geometry.planes(); ++p) {
                ASSERT_EQ(ftl.space().list_free(PlaneId{p}), naive.free_blocks(p));
            }
        }
    }
    EXPECT_EQ(ftl.counters().host_pages, writes);
    EXPECT_EQ(replay.host_programs, writes);
    EXPECT_EQ(replay.gc_programs, ftl.counters().gc_pages);
    EXPECT_EQ(replay.erases, ftl.counters().erases);
    EXPECT_EQ(ftl.counters().gc_runs, ftl.counters().erases);
    EXPECT_GT(ftl.counters().erases, 100u);
    EXPECT_GT(facts, 0u);
    if (c.targets == Targets::kStriped) {
        EXPECT_EQ(refused, 0u) << "a plane of a static allocator must always have room";
    } else if (c.targets == Targets::kFullest) {
        EXPECT_GT(refused, 0u) << "the case does not reach the limit it is for";
    }
}

TEST(PageFtlTest, ReplayAndModelNoticeADamagedStream) {
    const Geometry geometry = geometry_of(1, 1, 1, 6, 4);
    // What happens to the operations of the 21st write of PAGE-1 before they are replayed.
    const auto outcome = [&](const std::function<void(FlashOpList&)>& damage) {
        PageFtl ftl(geometry, page_params(0.5, 1, 2), nullptr);
        Replay replay(geometry);
        int number = 0;
        for (const std::uint64_t lpn : kPage1) {
            FlashOpList ops = write(ftl, lpn);
            if (++number == 21) {
                damage(ops);
            }
            replay.run(ops, 1);
        }
    };
    EXPECT_NO_THROW(outcome([](FlashOpList&) {}));
    const auto removed = [](std::ptrdiff_t i) {
        return [i](FlashOpList& ops) { ops.erase(ops.begin() + i); };
    };
    EXPECT_THROW(outcome(removed(2)), ModelError); // no erase: block 0 is programmed twice
    EXPECT_THROW(outcome(removed(1)), ModelError); // no copy: a page of block 5 is skipped
    EXPECT_THROW(outcome([](FlashOpList& ops) { std::swap(ops[0], ops[2]); }), ModelError);
    EXPECT_THROW(outcome([](FlashOpList& ops) { ops[1].after = 3; }), ModelError);
    EXPECT_THROW(outcome([](FlashOpList& ops) { ops[2].after = 0; }), ModelError);
    EXPECT_THROW(outcome([](FlashOpList& ops) { ops[0].page = Ppn{2}; }), ModelError);
    EXPECT_THROW(outcome([](FlashOpList& ops) { ops[6].page = Ppn{1}; }), ModelError);
}

} // namespace
} // namespace cavern
