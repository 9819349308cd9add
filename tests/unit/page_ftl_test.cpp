#include "core/ftl/page_ftl.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/divisor.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/ftl_table.h"
#include "core/ftl/greedy.h"
#include "core/ftl/page_ftl_fits.h"
#include "core/ftl/victim_policy_table.h"
#include "core/nand/nand_array.h"
#include "tests/unit/core_fixtures.h"

namespace cavern {

/// Damages an FTL, for the tests that expect the damage to be found.
struct PageFtlProbe {
    static void map(PageFtl& f, Lpn lpn, Ppn page) { f.l2p_[raw(lpn)] = raw(page) + 1; }
    static void invalidate_silently(PageFtl& f, Ppn page) { f.p2l_[raw(page)] = 0; }
    static void count_valid(PageFtl& f, BlockId block) { ++f.blocks_[raw(block)].valid; }
    static void free_in_use(PageFtl& f, BlockId block) { f.pool_.give_back(block); }
    static void lose_free(PageFtl& f, PlaneId plane) { (void)f.pool_.take(plane); }
    static void close(PageFtl& f, BlockId block) { f.blocks_[raw(block)].use = BlockUse::kClosed; }
    static void drop_candidate(PageFtl& f, BlockId block) {
        f.victims_->on_collect(PlaneId{0}, block);
    }
    static void add_candidate(PageFtl& f, BlockId block) {
        f.victims_->on_garbage(PlaneId{0}, block);
    }
};

namespace {

using testing::geometry_of;
using testing::RecordingLog;

using Lines = std::vector<std::string>;

FtlParams params_of(double overprovision, std::uint32_t low, std::uint32_t high,
                    bool shared = false) {
    FtlParams params;
    params.overprovision = overprovision;
    params.gc_low = low;
    params.gc_high = high;
    params.gc_shared_frontier = shared;
    return params;
}

FlashOpList write(PageFtl& ftl, std::uint64_t lpn, std::uint32_t plane = 0) {
    FlashOpList ops;
    ftl.write(Lpn{lpn}, PlaneId{plane}, ops);
    return ops;
}

std::vector<std::uint32_t> valid_counts(const PageFtl& ftl, std::uint32_t blocks) {
    std::vector<std::uint32_t> counts;
    for (std::uint32_t i = 0; i < blocks; ++i) {
        counts.push_back(ftl.valid_pages(BlockId{i}));
    }
    return counts;
}

std::string text_of(const FlashOp& op) {
    const char* kinds[] = {"read", "program", "erase"};
    std::string text = kinds[static_cast<int>(op.kind)];
    text += op.origin == Origin::kGc ? " gc" : op.origin == Origin::kHost ? " host" : " ?";
    text += " page " + std::to_string(raw(op.page));
    text += op.lpn == kNoLpn ? "" : " lpn " + std::to_string(raw(op.lpn));
    text += op.after == FlashOp::kNone ? "" : " after " + std::to_string(op.after);
    return text + (op.copies ? " copies" : "");
}

std::vector<std::string> text_of(const FlashOpList& ops) {
    std::vector<std::string> text;
    for (const FlashOp& op : ops) {
        text.push_back(text_of(op));
    }
    return text;
}

bool same(const FlashOp& a, const FlashOp& b) {
    return a.kind == b.kind && a.origin == b.origin && a.page == b.page && a.lpn == b.lpn &&
           a.after == b.after && a.copies == b.copies && a.frame == b.frame;
}

constexpr std::uint64_t kPage1[] = {0, 1, 2, 3, 4, 5, 6, 7,  0,  4, 1,
                                    5, 0, 4, 2, 6, 8, 9, 10, 11, 0, 1};

// ALGORITHMS example PAGE-1: 6 blocks, Np = 4, low = 1, high = 2. Half of the pages are exported
// because it uses twelve.
class PageOneTest : public ::testing::Test {
  protected:
    Geometry geometry = geometry_of(1, 1, 1, 6, 4);
    RecordingLog log;
    PageFtl ftl{geometry, params_of(0.5, 1, 2), &log};
};

TEST_F(PageOneTest, CountsAndFreeListAreThoseOfTheExample) {
    int number = 0;
    for (const std::uint64_t lpn : kPage1) {
        const FlashOpList ops = write(ftl, lpn);
        ++number;
        EXPECT_EQ(ops.size(), number == 21 ? 7u : 1u) << "write " << number;
        EXPECT_EQ(ops.back().origin, Origin::kHost);
        if (number == 21) {
            EXPECT_EQ(text_of(ops),
                      (Lines{"read gc page 3 lpn 3", "program gc page 20 lpn 3 after 0 copies",
                             "erase gc page 0 after 1", "read gc page 7 lpn 7",
                             "program gc page 21 lpn 7 after 3 copies", "erase gc page 4 after 4",
                             "program host page 0 lpn 0"}));
        }
    }
    EXPECT_EQ(ftl.counters().host_pages, 22u);
    EXPECT_EQ(ftl.counters().gc_pages, 2u);
    EXPECT_EQ(ftl.counters().erases, 2u);
    EXPECT_EQ(ftl.counters().gc_runs, 2u);
    EXPECT_EQ(valid_counts(ftl, 6), (std::vector<std::uint32_t>{2, 0, 1, 3, 4, 2}));
    EXPECT_EQ(ftl.free_blocks(PlaneId{0}), std::vector<BlockId>{BlockId{1}});
    EXPECT_EQ(log.starting_with("gc "), (Lines{"gc 0 copies 1", "gc program 3 at 20",
                                               "gc 1 copies 1", "gc program 7 at 21"}));
    EXPECT_GT(ftl.check_invariants(), 24u);
    ftl.reset_counters();
    EXPECT_EQ(ftl.counters().host_pages, 0u);
}

// ALGORITHMS example TRIM-1: Np = 4.
TEST(PageFtlTest, TrimmedPagesAreNotCopied) {
    const Geometry geometry = geometry_of(1, 1, 1, 7, 4);
    RecordingLog log;
    PageFtl ftl(geometry, params_of(0.4, 3, 4), &log);
    for (std::uint64_t lpn = 0; lpn < 8; ++lpn) {
        write(ftl, lpn);
    }
    FlashOpList ops;
    ftl.trim(Lpn{1}, ops);
    ftl.trim(Lpn{2}, ops);
    ftl.trim(Lpn{2}, ops);
    write(ftl, 0);
    EXPECT_EQ(valid_counts(ftl, 3), (std::vector<std::uint32_t>{1, 4, 1}));
    EXPECT_EQ(ftl.read(Lpn{1}, ops), kNoPpn);
    EXPECT_EQ(ftl.read(Lpn{9}, ops), kNoPpn); // never written
    EXPECT_EQ(ftl.read(Lpn{0}, ops), Ppn{8});
    EXPECT_TRUE(ops.empty());
    // Three blocks left: the next block the host needs but one starts a collection.
    for (std::uint64_t lpn = 8; lpn < 15; ++lpn) {
        write(ftl, lpn);
    }
    EXPECT_EQ(text_of(write(ftl, 15)),
              (Lines{"read gc page 3 lpn 3", "program gc page 16 lpn 3 after 0 copies",
                     "erase gc page 0 after 1", "program host page 20 lpn 15"}));
    EXPECT_EQ(log.starting_with("gc "), (Lines{"gc 0 copies 1", "gc program 3 at 16"}));
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST(PageFtlTest, AVictimWithoutValidPagesIsOnlyErased) {
    PageFtl ftl(geometry_of(1, 1, 1, 6, 4), params_of(0.5, 1, 2), nullptr);
    for (int round = 0; round < 5; ++round) {
        for (std::uint64_t lpn = 0; lpn < 4; ++lpn) {
            write(ftl, lpn);
        }
    }
    // Blocks 0 .. 3 are dead; high is reached with the first.
    EXPECT_EQ(text_of(write(ftl, 0)), (Lines{"erase gc page 0", "program host page 20 lpn 0"}));
    EXPECT_EQ(ftl.free_blocks(PlaneId{0}), std::vector<BlockId>{BlockId{0}});
}

TEST(PageFtlTest, SharedFrontierPutsCollectedAndHostPagesInOneBlock) {
    PageFtl ftl(geometry_of(1, 1, 1, 6, 4), params_of(0.5, 1, 2, true), nullptr);
    FlashOpList ops;
    for (const std::uint64_t lpn : kPage1) {
        ops = write(ftl, lpn);
        if (ops.size() > 1) {
            EXPECT_EQ(text_of(ops.back()), "program host page 22 lpn 0");
        }
    }
    EXPECT_EQ(text_of(ops), Lines{"program host page 23 lpn 1"});
    EXPECT_EQ(ftl.free_blocks(PlaneId{0}), (std::vector<BlockId>{BlockId{0}, BlockId{1}}));
}

// ALGORITHMS example GC-1 (blocks 0 .. 5; Np = 8), the greedy answer, and its ties.
TEST(GreedyTest, FewestValidPagesThenLowerEraseCountThenLowerId) {
    const Geometry geometry = geometry_of(1, 1, 2, 6, 8);
    BlockStates blocks(geometry.blocks());
    Greedy greedy(geometry, blocks);
    EXPECT_EQ(greedy.choose(PlaneId{0}), std::nullopt);
    const std::uint16_t valid[] = {2, 2, 5, 8, 1, 4};
    const std::uint32_t erases[] = {5, 4, 1, 0, 9, 2};
    for (std::uint32_t i = 0; i < 6; ++i) {
        blocks[i] = {erases[i], valid[i], BlockUse::kClosed};
        if (valid[i] < 8) {
            greedy.on_garbage(PlaneId{0}, BlockId{i});
        }
    }
    const auto take = [&] {
        const BlockId block = greedy.choose(PlaneId{0}).value();
        greedy.on_collect(PlaneId{0}, block);
        return raw(block);
    };
    EXPECT_EQ(take(), 4u);
    EXPECT_EQ(take(), 1u); // ties with 0, which was erased more often
    blocks[5] = {5, 2, BlockUse::kClosed};
    greedy.on_garbage(PlaneId{0}, BlockId{5});
    EXPECT_EQ(take(), 0u); // ties with 5, which has the higher id
    EXPECT_EQ(take(), 5u);
    EXPECT_EQ(take(), 2u);
    EXPECT_EQ(greedy.choose(PlaneId{0}), std::nullopt);
    EXPECT_EQ(greedy.choose(PlaneId{1}), std::nullopt);
    EXPECT_THROW(greedy.on_collect(PlaneId{0}, BlockId{2}), ModelError);
}

TEST(GreedyTest, AgreesWithALinearScanForAnyNumberOfBlocks) {
    for (const std::uint32_t n : {1u, 2u, 3u, 7u, 8u, 100u}) {
        const Geometry geometry = geometry_of(1, 1, 2, n, 16);
        BlockStates blocks(geometry.blocks());
        Greedy greedy(geometry, blocks);
        Random random(n);
        for (int step = 0; step < 400'000; ++step) {
            const auto i = static_cast<std::uint32_t>(random.below(n * 2));
            BlockState& block = blocks[i];
            if (block.use == BlockUse::kClosed && block.valid > 0) {
                --block.valid;
                greedy.on_garbage(PlaneId{i / n}, BlockId{i});
            } else if (block.use == BlockUse::kFree) {
                block.use = BlockUse::kClosed;
                block.valid = static_cast<std::uint16_t>(random.below(17));
                if (block.valid < 16) {
                    greedy.on_garbage(PlaneId{i / n}, BlockId{i});
                }
            }
            if (random.below(8) != 0) {
                continue; // several changes between two looks
            }
            const auto plane = static_cast<std::uint32_t>(random.below(2));
            std::optional<BlockId> best;
            for (std::uint32_t b = plane * n; b < (plane + 1) * n; ++b) {
                if (blocks[b].use == BlockUse::kClosed && blocks[b].valid < 16 &&
                    (!best || blocks[b].valid < blocks[raw(*best)].valid ||
                     (blocks[b].valid == blocks[raw(*best)].valid &&
                      blocks[b].erases < blocks[raw(*best)].erases))) {
                    best = BlockId{b};
                }
            }
            ASSERT_EQ(greedy.choose(PlaneId{plane}), best);
            if (best && random.below(4) == 0) {
                greedy.on_collect(PlaneId{plane}, *best);
                blocks[raw(*best)] = {blocks[raw(*best)].erases +
                                          static_cast<std::uint32_t>(random.below(2)),
                                      0, BlockUse::kFree};
            }
        }
    }
}

TEST(DivisorTest, AgreesWithDivisionForEdgesAndMillionsOfNumbers) {
    Random random(5);
    const std::uint32_t top = 0xFFFF'FFFFu;
    std::vector<std::uint32_t> divisors{1, 2, 3, 64, 2304, 8192, top - 1, top};
    for (int i = 0; i < 100; ++i) {
        divisors.push_back(static_cast<std::uint32_t>(1 + random.below(top >> random.below(31))));
    }
    for (const std::uint32_t d : divisors) {
        const Divisor divisor(d);
        for (const std::uint32_t n : {0u, 1u, d - 1, d, d + (d < top ? 1 : 0), top - 1, top,
                                      top / d * d, top / d * d - 1}) {
            ASSERT_EQ(divisor.divide(n), n / d) << n << " / " << d;
        }
        for (int i = 0; i < 20'000; ++i) {
            const auto n = static_cast<std::uint32_t>(random.next() >> 32);
            ASSERT_EQ(divisor.divide(n), n / d) << n << " / " << d;
        }
    }
}

/// Page mapping with dictionaries, lists and linear scans: the same rules, every operation
/// predicted.
class NaiveFtl {
  public:
    NaiveFtl(const Geometry& geometry, const FtlParams& params)
        : geometry_(geometry), params_(params), planes_(geometry.planes()),
          blocks_(geometry.blocks()) {
        for (std::uint32_t b = 0; b < geometry.blocks(); ++b) {
            planes_[b / geometry.blocks_per_plane].free.push_back(b);
        }
    }

    FlashOpList write(std::uint64_t lpn, std::uint32_t p) {
        FlashOpList ops;
        Plane& plane = planes_[p];
        if (!plane.host) {
            if (plane.free.size() <= params_.gc_low) {
                while (plane.free.size() < params_.gc_high) {
                    const std::optional<std::uint32_t> victim = best_victim(p);
                    if (!victim) {
                        break;
                    }
                    collect(*victim, plane, ops);
                }
            }
        }
        forget(lpn);
        const Ppn page = append(lpn, plane, plane.host);
        ops.push_back({FlashOpKind::kProgram, Origin::kHost, page, Lpn{lpn}});
        return ops;
    }
    void forget(std::uint64_t lpn) {
        const auto found = map_.find(lpn);
        if (found != map_.end()) {
            blocks_[found->second / geometry_.pages_per_block].content[found->second] = kNoLpn;
            map_.erase(found);
        }
    }
    [[nodiscard]] Ppn location(std::uint64_t lpn) const {
        const auto found = map_.find(lpn);
        return found == map_.end() ? kNoPpn : Ppn{found->second};
    }
    [[nodiscard]] std::uint32_t valid(std::uint32_t block) const {
        std::uint32_t n = 0;
        for (const auto& [page, lpn] : blocks_[block].content) {
            n += lpn != kNoLpn ? 1 : 0;
        }
        return n;
    }
    [[nodiscard]] std::vector<BlockId> free_blocks(std::uint32_t plane) const {
        std::vector<BlockId> ids;
        for (const std::uint32_t b : planes_[plane].free) {
            ids.push_back(BlockId{b});
        }
        return ids;
    }

  private:
    struct Plane {
        std::deque<std::uint32_t> free;
        std::optional<std::uint32_t> host;
        std::optional<std::uint32_t> gc;
    };
    struct Block {
        std::map<std::uint32_t, Lpn> content; // every programmed page; kNoLpn once invalid
        std::uint32_t erases = 0;
    };

    Ppn append(std::uint64_t lpn, Plane& plane, std::optional<std::uint32_t>& frontier) {
        if (!frontier) {
            frontier = plane.free.front();
            plane.free.pop_front();
        }
        Block& block = blocks_[*frontier];
        const auto page = static_cast<std::uint32_t>(*frontier * geometry_.pages_per_block +
                                                     block.content.size());
        block.content[page] = Lpn{lpn};
        map_[lpn] = page;
        if (block.content.size() == geometry_.pages_per_block) {
            frontier.reset();
        }
        return Ppn{page};
    }
    [[nodiscard]] std::optional<std::uint32_t> best_victim(std::uint32_t plane) const {
        std::optional<std::uint32_t> best;
        for (std::uint32_t i = 0; i < geometry_.blocks_per_plane; ++i) {
            const std::uint32_t b = plane * geometry_.blocks_per_plane + i;
            if (blocks_[b].content.size() < geometry_.pages_per_block ||
                valid(b) == geometry_.pages_per_block) {
                continue;
            }
            if (!best || valid(b) < valid(*best) ||
                (valid(b) == valid(*best) && blocks_[b].erases < blocks_[*best].erases)) {
                best = b;
            }
        }
        return best;
    }
    void collect(std::uint32_t victim, Plane& plane, FlashOpList& ops) {
        std::int32_t last = FlashOp::kNone;
        const std::map<std::uint32_t, Lpn> content = blocks_[victim].content;
        for (const auto& [page, lpn] : content) {
            if (lpn == kNoLpn) {
                continue;
            }
            ops.push_back({FlashOpKind::kRead, Origin::kGc, Ppn{page}, lpn});
            const Ppn to =
                append(raw(lpn), plane, params_.gc_shared_frontier ? plane.host : plane.gc);
            ops.push_back({FlashOpKind::kProgram, Origin::kGc, to, lpn,
                           static_cast<std::int32_t>(ops.size()) - 1, true});
            last = static_cast<std::int32_t>(ops.size()) - 1;
        }
        ops.push_back({FlashOpKind::kErase, Origin::kGc, Ppn{victim * geometry_.pages_per_block},
                       kNoLpn, last});
        blocks_[victim].content.clear();
        ++blocks_[victim].erases;
        plane.free.push_back(victim);
    }

    Geometry geometry_;
    FtlParams params_;
    std::vector<Plane> planes_;
    std::vector<Block> blocks_;
    std::map<std::uint64_t, std::uint32_t> map_;
};

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
    ::testing::Values(ModelCase{"OnePlane", geometry_of(1, 1, 1, 12, 4), params_of(0.4, 1, 2),
                                Targets::kStriped, 200'000},
                      ModelCase{"OnePlaneShared", geometry_of(1, 1, 1, 12, 4),
                                params_of(0.4, 1, 2, true), Targets::kStriped, 200'000},
                      ModelCase{"TightestThatFits", geometry_of(1, 2, 1, 16, 8),
                                params_of(0.25, 1, 2), Targets::kStriped, 200'000},
                      ModelCase{"HighWatermarks", geometry_of(2, 1, 2, 20, 4), params_of(0.5, 4, 8),
                                Targets::kStriped, 100'000},
                      ModelCase{"FourPlanesFourDies", geometry_of(2, 2, 4, 12, 6),
                                params_of(0.42, 1, 3), Targets::kRandom, 200'000},
                      ModelCase{"FullestPlaneFirst", geometry_of(2, 1, 2, 12, 4),
                                params_of(0.36, 1, 2), Targets::kFullest, 200'000},
                      ModelCase{"FullestPlaneFirstShared", geometry_of(2, 1, 2, 12, 4),
                                params_of(0.42, 2, 3, true), Targets::kFullest, 200'000},
                      ModelCase{"OnePageBlocks", geometry_of(1, 1, 2, 12, 1), params_of(0.4, 1, 2),
                                Targets::kStriped, 100'000}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_P(PageFtlModelTest, EveryOperationIsPredictedAndEveryReadFindsTheNewestVersion) {
    const ModelCase& c = GetParam();
    ASSERT_EQ(page_ftl_fits(c.geometry, c.params), std::nullopt);
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
    for (int step = 1; step <= c.steps; ++step) {
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
                ASSERT_EQ(ftl.valid_pages(BlockId{b}), naive.valid(b));
                ASSERT_EQ(ftl.erase_count(BlockId{b}), replay.nand.erase_count(BlockId{b}));
            }
            for (std::uint32_t p = 0; p < c.geometry.planes(); ++p) {
                ASSERT_EQ(ftl.free_blocks(PlaneId{p}), naive.free_blocks(p));
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
        PageFtl ftl(geometry, params_of(0.5, 1, 2), nullptr);
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

TEST_F(PageOneTest, DamagedStateIsFound) {
    const auto found = [this](const std::function<void(PageFtl&)>& damage) {
        PageFtl damaged(geometry, params_of(0.5, 1, 2), nullptr);
        for (const std::uint64_t lpn : kPage1) {
            write(damaged, lpn);
        }
        damage(damaged);
        try {
            (void)damaged.check_invariants();
        } catch (const ModelError&) {
            return true;
        }
        return false;
    };
    using Probe = PageFtlProbe;
    EXPECT_FALSE(found([](PageFtl&) {}));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::map(f, Lpn{3}, f.location(Lpn{7})); }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::invalidate_silently(f, f.location(Lpn{3})); }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::count_valid(f, BlockId{2}); }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::free_in_use(f, BlockId{4}); }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::lose_free(f, PlaneId{0}); }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::close(f, BlockId{0}); }));
    EXPECT_TRUE(found([](PageFtl& f) {
        Probe::drop_candidate(f, BlockId{2});
        Probe::drop_candidate(f, BlockId{3});
    }));
    EXPECT_TRUE(found([](PageFtl& f) { Probe::add_candidate(f, BlockId{1}); }));
}

TEST(PageFtlTest, APlaneFullOfValidPagesHasNoRoomUntilEnoughIsTrimmed) {
    const Geometry geometry = geometry_of(1, 1, 2, 6, 4);
    PageFtl ftl(geometry, params_of(0.25, 1, 2), nullptr); // 36 logical pages over 48
    std::uint64_t lpn = 0;
    while (ftl.has_room(PlaneId{0}, Lpn{0})) {
        write(ftl, lpn++, 0);
    }
    EXPECT_EQ(lpn, 17u); // all blocks but the reserve and the one just opened
    while (lpn < 20) {
        write(ftl, lpn++, 0);
    }
    FlashOpList ops;
    EXPECT_THROW(ftl.write(Lpn{lpn}, PlaneId{0}, ops), ModelError);
    EXPECT_TRUE(ftl.has_room(PlaneId{1}, Lpn{0}));
    // Fewer pages are not enough: packed, the rest takes all five blocks still.
    for (std::uint64_t page = 0; page < 4; ++page) {
        EXPECT_FALSE(ftl.has_room(PlaneId{0}, Lpn{0}));
        ftl.trim(Lpn{page * 5}, ops);
    }
    EXPECT_TRUE(ftl.has_room(PlaneId{0}, Lpn{0}));
    for (int page = 0; page < 4; ++page) {
        ftl.write(Lpn{lpn++}, PlaneId{0}, ops);
    }
    EXPECT_THROW(ftl.write(Lpn{lpn}, PlaneId{0}, ops), ModelError);
    EXPECT_GT(ftl.counters().gc_pages, 0u);
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST(PageFtlTest, RoomLastsForABlockOfPagesNeverWrittenBefore) {
    // All pages of two planes are exported, so that plane 0 alone can be overfilled.
    const Geometry geometry = geometry_of(1, 1, 2, 6, 4);
    int with_room = 0;
    int without = 0;
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
        PageFtl ftl(geometry, params_of(0.0, 1, 2, seed % 2 == 1), nullptr);
        Random random(seed);
        FlashOpList ops;
        // A plane in an arbitrary state near its limit.
        const std::uint64_t span = 12 + random.below(9);
        for (std::uint64_t n = 20 + random.below(60); n > 0 && ftl.has_room(PlaneId{0}, Lpn{0}); --n) {
            ftl.write(Lpn{random.below(span)}, PlaneId{0}, ops);
            if (random.below(8) == 0) {
                ftl.trim(Lpn{random.below(span)}, ops);
            }
        }
        if (!ftl.has_room(PlaneId{0}, Lpn{0})) {
            ++without;
            continue;
        }
        ++with_room;
        for (std::uint64_t page = 0; page < 4; ++page) {
            ASSERT_NO_THROW(ftl.write(Lpn{span + page}, PlaneId{0}, ops)) << "seed " << seed;
        }
        EXPECT_GT(ftl.check_invariants(), 0u);
    }
    EXPECT_GT(with_room, 1000);
    EXPECT_GT(without, 1000);
}

TEST(PageFtlTest, GarbageInTheOpenCollectionBlockIsNotRoom) {
    PageFtl ftl(geometry_of(1, 1, 1, 7, 4), params_of(0.1, 2, 3), nullptr);
    for (std::uint64_t lpn = 0; lpn < 16; ++lpn) {
        write(ftl, lpn);
    }
    for (const std::uint64_t lpn : {3, 16, 17, 18}) {
        write(ftl, lpn);
    }
    EXPECT_EQ(write(ftl, 19).size(), 8u); // pages 0, 1, 2 of block 0 go to a fresh block
    for (const std::uint64_t lpn : {20, 21, 22}) {
        write(ftl, lpn);
    }
    FlashOpList ops;
    for (const std::uint64_t lpn : {0, 1, 2}) {
        ftl.trim(Lpn{lpn}, ops);
    }
    // Five blocks are full of valid pages, one is the reserve, and the one being filled with
    // collected pages holds three that nothing can reclaim before it is full.
    EXPECT_FALSE(ftl.has_room(PlaneId{0}, Lpn{0}));
    EXPECT_THROW(ftl.write(Lpn{23}, PlaneId{0}, ops), ModelError);
}

TEST(PageFtlTest, AddressesBeyondTheDriveAreRefused) {
    PageFtl ftl(geometry_of(1, 1, 1, 6, 4), params_of(0.5, 1, 2), nullptr);
    EXPECT_EQ(ftl.logical_pages(), 12u);
    FlashOpList ops;
    EXPECT_THROW(ftl.write(Lpn{12}, PlaneId{0}, ops), ModelError);
    EXPECT_THROW((void)ftl.read(Lpn{12}, ops), ModelError);
    EXPECT_THROW(ftl.trim(Lpn{12}, ops), ModelError);
}

TEST(PageFtlTest, WatermarksThatCannotWorkAreRefused) {
    const Geometry geometry = geometry_of(1, 1, 1, 6, 4);
    EXPECT_THROW(PageFtl(geometry, params_of(0.5, 0, 2), nullptr), ModelError);
    EXPECT_THROW(PageFtl(geometry, params_of(0.5, 2, 2), nullptr), ModelError);
}

TEST(PageFtlTest, SixteenTebibytesAreThereAtOnce) {
    Geometry geometry = geometry_of(16, 16, 4, 1024, 1024);
    geometry.page_bytes = 16384;
    ASSERT_EQ(geometry.raw_bytes(), std::uint64_t{16} << 40);
    const FtlParams params = params_of(0.07, 1, 2);
    ASSERT_EQ(page_ftl_fits(geometry, params), std::nullopt);
    const std::uint64_t before = testing::resident_bytes();
    const auto start = std::chrono::steady_clock::now();
    PageFtl ftl(geometry, params, nullptr);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (!testing::kSanitized) {
        EXPECT_LT(seconds.count(), 1.0);
        EXPECT_LT(testing::resident_bytes() - before, std::uint64_t{8} << 20);
    }
    write(ftl, ftl.logical_pages() - 1, geometry.planes() - 1);
    EXPECT_EQ(geometry.block_of(ftl.location(Lpn{ftl.logical_pages() - 1})),
              geometry.block(PlaneId{geometry.planes() - 1}, 0));
}

TEST(PageFtlFitsTest, LogicalPagesAreTheRawOnesLessTheShareRoundedDown) {
    const Geometry hundred = geometry_of(1, 1, 1, 25, 4);
    EXPECT_EQ(page_ftl_logical_pages(hundred, 0.07), 93u); // 1 - 0.07 is below 0.93 in binary
    EXPECT_EQ(page_ftl_logical_pages(hundred, 0.075), 92u);
    EXPECT_EQ(page_ftl_logical_pages(hundred, 0.0), 100u);
}

TEST(PageFtlFitsTest, SpareBlocksAreCountedPerPlane) {
    // 4 planes of 40 blocks; gc_high + 2 = 4 spare blocks are a tenth.
    const Geometry geometry = geometry_of(2, 1, 2, 40, 8);
    EXPECT_EQ(page_ftl_fits(geometry, params_of(0.1, 1, 2)), std::nullopt);
    const std::string problem = page_ftl_fits(geometry, params_of(0.0992, 1, 2)).value_or("");
    EXPECT_EQ(problem, "ftl.overprovision leaves 3 spare blocks per plane of 40; 4 are needed "
                       "(ftl.gc_high + 2), a share of at least 0.1000");
    EXPECT_NE(page_ftl_fits(geometry, params_of(0.1, 1, 3)), std::nullopt);
    EXPECT_EQ(page_ftl_fits(geometry, params_of(0.125, 1, 3)), std::nullopt);
}

TEST(PageFtlFitsTest, TheShareNamedIsEnough) {
    for (std::uint32_t blocks = 6; blocks < 400; ++blocks) {
        const Geometry geometry = geometry_of(3, 1, 1, blocks, 7);
        const std::string problem = page_ftl_fits(geometry, params_of(0.0, 1, 3)).value_or("0");
        const double named = std::stod(problem.substr(problem.rfind(' ')));
        EXPECT_EQ(page_ftl_fits(geometry, params_of(named, 1, 3)), std::nullopt) << blocks;
    }
}

TEST(PageFtlFitsTest, EveryOtherProblemIsNamedWithWhatWouldBeRight) {
    const Geometry good = geometry_of(1, 1, 1, 40, 8);
    FtlParams policy = params_of(0.2, 1, 2);
    policy.gc_policy = "greediest";
    const std::vector<std::pair<std::optional<std::string>, std::string>> problems{
        {page_ftl_fits(geometry_of(1, 1, 1, 8, 65536), params_of(0.5, 1, 2)), "65535"},
        {page_ftl_fits(geometry_of(8, 8, 8, 65536, 1024), params_of(0.5, 1, 2)), "2^32"},
        {page_ftl_fits(good, params_of(0.2, 0, 2)), "ftl.gc_low"},
        {page_ftl_fits(good, params_of(0.2, 2, 2)), "ftl.gc_high"},
        {page_ftl_fits(good, policy), "greediest"},
        {page_ftl_fits(good, params_of(1.0, 1, 2)), "ftl.overprovision"},
        {page_ftl_fits(good, params_of(-0.1, 1, 2)), "ftl.overprovision"},
        {page_ftl_fits(geometry_of(1, 1, 1, 4, 8), params_of(0.2, 1, 2)), "at least 5"},
        {page_ftl_fits(good, params_of(0.9999, 1, 2)), "no page to export"}};
    for (const auto& [problem, word] : problems) {
        ASSERT_TRUE(problem.has_value()) << word;
        EXPECT_NE(problem->find(word), std::string::npos) << *problem;
        EXPECT_NE(problem->find("; "), std::string::npos) << *problem;
    }
}

TEST(FtlTableTest, RowsMakeWhatTheyNameAndDescribeIt) {
    for (const FtlRow& row : ftl_table()) {
        EXPECT_EQ(row.description.back(), '.');
        EXPECT_EQ(find_ftl(row.name), &row);
    }
    for (const VictimPolicyRow& row : victim_policy_table()) {
        EXPECT_EQ(row.description.back(), '.');
        EXPECT_EQ(find_victim_policy(row.name), &row);
    }
    EXPECT_EQ(find_ftl("pages"), nullptr);
    const Geometry geometry = geometry_of(1, 1, 1, 10, 4);
    EXPECT_EQ(find_ftl("page")->fits(geometry, params_of(0.5, 1, 2)), std::nullopt);
    const auto ftl = find_ftl("page")->make(geometry, params_of(0.5, 1, 2), nullptr);
    EXPECT_EQ(ftl->logical_pages(), 20u);
}

} // namespace
} // namespace cavern
