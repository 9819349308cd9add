// Every translation layer of the table under random units, padding, trims and reads, beside a plain
// dictionary and an array that refuses what NAND forbids. A new row is covered without a change
// here.

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/ftl_table.h"
#include "tests/unit/core_fixtures.h"
#include "tests/unit/ftl_model.h"

namespace cavern::testing {
namespace {

struct Drive {
    std::string name;
    Geometry geometry;
    FtlParams params;
};

FtlParams params_of(double overprovision, std::uint32_t log_blocks, bool strict = false,
                    bool eager = true, std::uint32_t stripe = 0) {
    FtlParams params;
    params.overprovision = overprovision;
    params.log_blocks = log_blocks;
    params.strict_order = strict;
    params.eager_switch = eager;
    params.mcsplit_stripe = stripe;
    return params;
}

Geometry with_dies_per_way(Geometry geometry, std::uint32_t dies) {
    geometry.dies_per_way = dies;
    return geometry;
}

std::vector<Drive> drives() {
    std::vector<Drive> all{
        {"OneDie", geometry_of(1, 1, 1, 24, 4), params_of(0.5, 4)},
        {"TwoPlanesFourDies", geometry_of(2, 2, 2, 16, 8), params_of(0.6, 16)},
        {"TinyLog", geometry_of(2, 2, 1, 14, 8), params_of(0.36, 4)},
        {"StrictOrder", geometry_of(2, 1, 2, 16, 8), params_of(0.4, 8, true)},
        {"LateSwitchNarrowStripe", with_dies_per_way(geometry_of(4, 1, 1, 16, 4), 2),
         params_of(0.6, 16, false, false, 2)},
        {"StrictManyLogs", geometry_of(1, 2, 1, 32, 6), params_of(0.55, 12, true)}};
    // Superblocks of several sizes, in some of which the last one is smaller.
    const std::uint32_t blocks[] = {4, 8, 3, 16, 2, 5};
    const std::uint32_t striped[] = {2, 4, 2, 4, 4, 6};
    const std::uint32_t updates[] = {1, 2, 1, 1, 1, 2};
    const std::uint32_t threshold[] = {1, 2, 3, 4, 2, 3}; // pages
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].params.superblock_blocks = blocks[i];
        all[i].params.superblock_updates = updates[i];
        all[i].params.subgroup_blocks = striped[i];
        all[i].params.last_threshold = threshold[i] * all[i].geometry.page_bytes;
    }
    return all;
}

struct Case {
    const FtlRow* row;
    Drive drive;
};
void PrintTo(const Case& each, std::ostream* out) {
    *out << each.row->name << each.drive.name;
}

/// Room for translation pages of four entries, and a cache of a few: of each variant one.
Drive with_tables(Drive drive, std::size_t variant) {
    drive.geometry.page_bytes = 16;
    drive.params.overprovision = std::max(drive.params.overprovision, 0.6);
    drive.params.dftl_entries = static_cast<std::uint32_t>(variant % 2 == 0 ? 24 : 7);
    drive.params.map_cache_most = 64 * 8;
    drive.params.dftl_write_shim = variant % 3 == 1;
    drive.params.dftl_slru = variant % 2 == 1;
    drive.params.gc_shared_frontier = variant >= 3;
    return drive;
}

std::vector<Drive> drives_of(const FtlRow& row) {
    std::vector<Drive> all = drives();
    for (std::size_t i = 0; i < all.size() && row.name == "dftl"; ++i) {
        all[i] = with_tables(all[i], i);
    }
    return all;
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const FtlRow& row : ftl_table()) {
        for (const Drive& drive : drives_of(row)) {
            all.push_back({&row, drive});
        }
    }
    return all;
}

/// Random host behaviour against one layer; targets as an allocator may choose them.
class Workload {
  public:
    Workload(const Case& each, FtlModel& model)
        : row_(*each.row), geometry_(each.drive.geometry), model_(model),
          pages_(model.ftl().logical_pages()), targets_(pages_ / geometry_.pages_per_block + 1),
          random_(geometry_.blocks()) {}

    void step() {
        const std::uint64_t what = random_.below(100);
        if (model_.ftl().map_cache() != nullptr && random_.below(200) == 0) {
            model_.resize_cache(8 * (1 + random_.below(64)));
        }
        if (what < 15) {
            model_.read(page());
        } else if (what < 20) {
            trim(raw(page()), 1);
        } else if (what < 21) {
            // A block, or what may be a superblock.
            const std::uint64_t block = geometry_.pages_per_block;
            const std::uint64_t length = random_.below(2) == 0 ? block : block * geometry_.channels;
            trim(random_.below(pages_ / length) * length, length);
        } else if (what < 60) {
            random_.below(100) == 0 ? hammer() : write({page()});
        } else if (what < 80) {
            scatter(random_.below(4) == 0);
        } else {
            run();
        }
    }
    [[nodiscard]] std::uint64_t moves() const { return moves_; }

  private:
    using Pages = std::vector<Lpn>;

    /// Half of the accesses go to a fifth of the pages.
    Lpn page() {
        const std::uint64_t span = random_.below(2) == 0 ? pages_ : pages_ / 5 + 1;
        return Lpn{random_.below(span)};
    }
    void trim(std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t page = first; page < std::min(first + count, pages_); ++page) {
            model_.trim(Lpn{page});
        }
    }
    /// A few pages over and over.
    void hammer() {
        const std::uint64_t first = raw(page());
        const std::uint64_t span = std::min<std::uint64_t>(1 + random_.below(4), pages_ - first);
        for (std::uint64_t i = 16 + random_.below(64); i > 0; --i) {
            write({Lpn{first + random_.below(span)}});
        }
    }
    /// Some pages of a logical block; with padding the others as well.
    void scatter(bool padded) {
        const std::uint64_t first =
            raw(page()) / geometry_.pages_per_block * geometry_.pages_per_block;
        std::vector<UnitPage> unit;
        for (std::uint32_t i = 0; i < geometry_.pages_per_block && first + i < pages_; ++i) {
            const bool host = random_.below(3) == 0;
            if (host || padded) {
                unit.push_back({Lpn{first + i}, PlaneId{}, !host});
            }
        }
        write_unit(unit);
    }
    /// Consecutive pages from the start of a logical block or of a superblock on.
    void run() {
        const std::uint64_t block = geometry_.pages_per_block;
        const std::uint64_t align = random_.below(2) == 0 ? block : block * geometry_.channels;
        const std::uint64_t first = random_.below(pages_ / align) * align;
        const std::uint64_t length = random_.below(2) == 0 ? align : 1 + random_.below(align);
        const std::uint64_t end = std::min(first + length, pages_);
        for (std::uint64_t at = first; at < end; at += block) {
            Pages pages;
            for (std::uint64_t page = at; page < std::min(at + block, end); ++page) {
                pages.push_back(Lpn{page});
            }
            write(pages);
        }
    }
    void write(const Pages& pages) {
        std::vector<UnitPage> unit;
        for (const Lpn lpn : pages) {
            unit.push_back({lpn, PlaneId{}, false});
        }
        write_unit(unit);
    }
    void write_unit(std::vector<UnitPage>& unit) {
        if (unit.empty()) {
            return;
        }
        const PlaneId target = choose_target(unit.front().lpn);
        for (UnitPage& page : unit) {
            page.target = target;
        }
        model_.write_unit(unit, random_.below(8) != 0);
    }
    PlaneId choose_target(Lpn lpn) {
        if (row_.freedom == PlacementFreedom::kNone) {
            return PlaneId{};
        }
        const auto any = [this] {
            return PlaneId{static_cast<std::uint32_t>(random_.below(geometry_.planes()))};
        };
        PlaneId& last = targets_[raw(geometry_.lbn_of(lpn))];
        PlaneId target = last;
        if (row_.freedom == PlacementFreedom::kPages || random_.below(8) == 0) {
            target = any();
        }
        while (!model_.ftl().has_room(target, lpn)) {
            target = any();
        }
        moves_ += geometry_.die_of(last) != geometry_.die_of(target) ? 1 : 0;
        last = target;
        return target;
    }

    const FtlRow& row_;
    Geometry geometry_;
    FtlModel& model_;
    std::uint64_t pages_;
    std::vector<PlaneId> targets_; ///< by logical block: the last
    Random random_;
    std::uint64_t moves_ = 0;
};

class FtlModelTest : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Table, FtlModelTest, ::testing::ValuesIn(cases()), [](const auto& test) {
    std::string name = std::string(test.param.row->name) + test.param.drive.name;
    name.front() = static_cast<char>(std::toupper(name.front()));
    return name;
});

/// Everything a mapping cache does has happened often, if there is one.
void expect_busy_cache(const FtlIf& ftl) {
    const MapCacheIf* cache = ftl.map_cache();
    if (cache == nullptr || ftl.table_pages() == 0) {
        return;
    }
    const MapCacheCounters& count = cache->cache_counters();
    for (const std::uint64_t happened :
         {count.read_hits, count.read_misses, count.write_hits, count.write_misses,
          count.evictions, count.batches, count.gc_batches, count.lazy_copies,
          count.table_collections, count.data_collections}) {
        EXPECT_GT(happened, 1'000u);
    }
    EXPECT_GT(count.batch_entries, count.batches);
    EXPECT_GE(count.gc_batch_entries, count.gc_batches);
    EXPECT_GT(count.table_copies, 10u);
}

constexpr int kSteps = 200'000; // in each of six drives

TEST_P(FtlModelTest, EveryPageIsFoundInItsNewestVersionAndEveryOperationIsCounted) {
    const Case& each = GetParam();
    const Drive& drive = each.drive;
    ASSERT_EQ(each.row->fits(drive.geometry, drive.params), std::nullopt);
    FtlModel model(drive.geometry, drive.params.strict_order,
                   each.row->make(drive.geometry, drive.params, nullptr)->logical_pages(), 11);
    model.watch(each.row->make(drive.geometry, drive.params, model.log()));
    Workload workload(each, model);
    std::uint64_t facts = 0;
    for (int step = 1; step <= kSteps; ++step) {
        workload.step();
        if (step % 2000 == 0) {
            facts += model.check();
        }
    }
    const FtlCounters& count = model.ftl().counters();
    EXPECT_GT(facts, 100u * model.ftl().logical_pages());
    EXPECT_GT(count.erases, 10'000u);
    EXPECT_GT(count.padding_pages, 1'000u);
    if (each.row->freedom == PlacementFreedom::kPages || model.ftl().table_pages() != 0) {
        EXPECT_GT(count.gc_pages, 1'000u);
        expect_busy_cache(model.ftl());
        return;
    }
    EXPECT_GT(count.merges_partial, 100u);
    if (each.row->name == "superblock") { // knows one kind of merge, and reclaims dead blocks
        EXPECT_GT(count.gc_runs, 100u);
        return;
    }
    EXPECT_EQ(count.merges_switch > 100,
              each.row->name != "subgroup"); // its logs never become data
    EXPECT_GT(count.merges_full, 100u);
    const bool chosen = each.row->freedom != PlacementFreedom::kNone && drive.geometry.dies() > 1;
    EXPECT_EQ(workload.moves() > 1'000, chosen);
    EXPECT_EQ(count.moved_pages > 1'000, chosen && each.row->freedom == PlacementFreedom::kBlocks);
}

// ---- negative controls --------------------------------------------------------------------------

/// A layer whose operations someone tampers with, once: `tamper` gets the operations of each unit
/// until it says it has done it.
class TamperedFtl final : public FtlIf {
  public:
    using Tamper = std::function<bool(FlashOpList&)>;

    TamperedFtl(std::unique_ptr<FtlIf> inner, Tamper tamper, FtlCounters excess)
        : inner_(std::move(inner)), tamper_(std::move(tamper)), excess_(excess) {}

    void write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) override {
        inner_->write_unit(pages, count, ops);
        done_ = done_ || (++units_ > 500 && tamper_ && tamper_(ops));
    }
    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override {
        inner_->write(lpn, target, ops);
    }
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override { inner_->pad(lpn, target, ops); }
    [[nodiscard]] Ppn read(Lpn lpn, FlashOpList& ops) override { return inner_->read(lpn, ops); }
    [[nodiscard]] Ppn location(Lpn lpn) const override { return inner_->location(lpn); }
    [[nodiscard]] std::uint64_t mapped_pages() const override { return inner_->mapped_pages(); }
    void trim(Lpn lpn, FlashOpList& ops) override { inner_->trim(lpn, ops); }
    [[nodiscard]] bool has_room(PlaneId target, Lpn lpn) const override {
        return inner_->has_room(target, lpn);
    }
    [[nodiscard]] std::uint64_t logical_pages() const override { return inner_->logical_pages(); }
    [[nodiscard]] const FtlCounters& counters() const override {
        told_ = inner_->counters();
        told_.host_pages += excess_.host_pages;
        told_.merge_pages += excess_.merge_pages;
        told_.erases += excess_.erases;
        told_.merges_full += excess_.merges_full;
        return told_;
    }
    void reset_counters() override { inner_->reset_counters(); }
    std::uint64_t check_invariants() const override { return inner_->check_invariants(); }
    [[nodiscard]] std::uint64_t table_pages() const override { return inner_->table_pages(); }
    [[nodiscard]] MapCacheIf* map_cache() override { return inner_->map_cache(); }
    [[nodiscard]] const MapCacheIf* map_cache() const override {
        return std::as_const(*inner_).map_cache();
    }
    [[nodiscard]] bool done() const { return done_; }

  private:
    std::unique_ptr<FtlIf> inner_;
    Tamper tamper_;
    FtlCounters excess_;
    mutable FtlCounters told_;
    int units_ = 0;
    bool done_ = false;
};

/// What the model says of a tampered layer; empty if it notices nothing in 20,000 steps.
std::string verdict(const Case& each, const TamperedFtl::Tamper& tamper, FtlCounters excess = {},
                    bool careless = false) {
    const Drive& drive = each.drive;
    FtlModel model(drive.geometry, drive.params.strict_order,
                   each.row->make(drive.geometry, drive.params, nullptr)->logical_pages(), 5);
    auto tampered = std::make_unique<TamperedFtl>(
        each.row->make(drive.geometry, drive.params, model.log()), tamper, excess);
    const TamperedFtl& watched = *tampered;
    model.watch(std::move(tampered));
    if (careless) {
        model.runner().let_erases_overtake_copies();
    }
    Workload workload(each, model);
    try {
        for (int step = 1; step <= 20'000; ++step) {
            workload.step();
            if (step % 1000 == 0) {
                model.check();
            }
        }
    } catch (const ModelError& error) {
        return error.what();
    }
    return tamper && !watched.done() ? "no chance to tamper" : "";
}

bool is_copy(const FlashOp& op) {
    return op.kind == FlashOpKind::kProgram && op.copies && op.origin != Origin::kPadding;
}

/// Tampers with the first operation for which `find` holds.
TamperedFtl::Tamper at_first(const std::function<bool(const FlashOpList&, std::size_t)>& find,
                             const std::function<void(FlashOpList&, std::size_t)>& change) {
    return [find, change](FlashOpList& ops) {
        for (std::size_t i = 0; i < ops.size(); ++i) {
            if (find(ops, i)) {
                change(ops, i);
                return true;
            }
        }
        return false;
    };
}

class TamperedFtlTest : public ::testing::TestWithParam<Case> {};

std::vector<Case> one_case_each() {
    std::vector<Case> all;
    for (const FtlRow& row : ftl_table()) {
        all.push_back({&row, drives_of(row)[1]});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Table, TamperedFtlTest, ::testing::ValuesIn(one_case_each()),
                         [](const auto& test) {
                             std::string name(test.param.row->name);
                             name.front() = static_cast<char>(std::toupper(name.front()));
                             return name;
                         });

TEST_P(TamperedFtlTest, NothingIsFoundInTheLayerAsItIs) {
    EXPECT_EQ(verdict(GetParam(), {}), "");
}

TEST_P(TamperedFtlTest, ALostCopyIsFound) {
    const auto copy = [](const FlashOpList& ops, std::size_t i) { return is_copy(ops[i]); };
    const auto drop = [](FlashOpList& ops, std::size_t i) {
        ops[i].kind = FlashOpKind::kRead; // reads its source once more
        ops[i].page = ops[static_cast<std::size_t>(ops[i].after)].page;
        ops[i].after = FlashOp::kNone;
        ops[i].copies = false;
    };
    EXPECT_NE(verdict(GetParam(), at_first(copy, drop)), "");
}

TEST_P(TamperedFtlTest, ALostEraseIsFound) {
    const auto erase = [](const FlashOpList& ops, std::size_t i) {
        return ops[i].kind == FlashOpKind::kErase && i > 0 && is_copy(ops[i - 1]);
    };
    const auto drop = [](FlashOpList& ops, std::size_t i) {
        ops[i] = ops[static_cast<std::size_t>(ops[i - 1].after)];
    };
    EXPECT_NE(verdict(GetParam(), at_first(erase, drop)), "");
}

TEST_P(TamperedFtlTest, ACopyOfAnotherPageIsFound) {
    const auto copies = [](const FlashOpList& ops, std::size_t i) {
        return i > 1 && is_copy(ops[i]) && is_copy(ops[i - 2]) && ops[i].after > 1;
    };
    const auto change = [](FlashOpList& ops, std::size_t i) {
        ops[static_cast<std::size_t>(ops[i].after)].page = ops[i - 3].page;
    };
    EXPECT_NE(verdict(GetParam(), at_first(copies, change)), "");
}

TEST_P(TamperedFtlTest, PagesOfABlockInTheWrongOrderAreFound) {
    const auto copies = [](const FlashOpList& ops, std::size_t i) {
        return i > 1 && is_copy(ops[i]) && is_copy(ops[i - 2]) &&
               raw(ops[i].page) == raw(ops[i - 2].page) + 1;
    };
    const auto change = [](FlashOpList& ops, std::size_t i) {
        std::swap(ops[i].page, ops[i - 2].page);
    };
    EXPECT_NE(verdict(GetParam(), at_first(copies, change)), "");
}

TEST_P(TamperedFtlTest, AnEraseInFrontOfTheCopiesIsFound) {
    const Geometry& geometry = GetParam().drive.geometry;
    const auto erase = [&](const FlashOpList& ops, std::size_t i) {
        return ops[i].kind == FlashOpKind::kErase && i > 1 && is_copy(ops[i - 1]) &&
               geometry.block_of(ops[i].page) == geometry.block_of(ops[i - 2].page);
    };
    const auto change = [](FlashOpList& ops, std::size_t i) {
        // Before the last copy and its read.
        FlashOp first = ops[i];
        first.after = FlashOp::kNone;
        ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
        ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(i) - 2, first);
        for (std::size_t k = i - 1; k < ops.size(); ++k) {
            ops[k].after +=
                ops[k].after != FlashOp::kNone && static_cast<std::size_t>(ops[k].after) >= i - 2
                    ? 1
                    : 0;
        }
    };
    EXPECT_NE(verdict(GetParam(), at_first(erase, change)), "");
}

TEST_P(TamperedFtlTest, ADroppedOrStrangeHostPageIsFound) {
    const auto host = [](const FlashOpList& ops, std::size_t i) {
        return ops[i].kind == FlashOpKind::kProgram && ops[i].origin == Origin::kHost;
    };
    EXPECT_NE(verdict(GetParam(),
                      at_first(host, [](FlashOpList& ops,
                                        std::size_t i) { ops[i].lpn = Lpn{raw(ops[i].lpn) ^ 1}; })),
              "");
    EXPECT_NE(verdict(GetParam(),
                      at_first(host, [](FlashOpList& ops,
                                        std::size_t i) { ops[i].origin = Origin::kPadding; })),
              "");
}

TEST_P(TamperedFtlTest, CountersThatDoNotAddUpAreFound) {
    const auto says = [](std::uint64_t FtlCounters::*counter) {
        FtlCounters excess;
        excess.*counter = 1;
        return verdict(GetParam(), {}, excess);
    };
    EXPECT_EQ(says(&FtlCounters::host_pages), "programs are not those counted");
    EXPECT_EQ(says(&FtlCounters::merge_pages), "programs are not those counted");
    EXPECT_EQ(says(&FtlCounters::erases), "erases are not those counted");
    EXPECT_EQ(says(&FtlCounters::merges_full), "merges logged are not those counted");
}

// Copies go to other dies, whose order is their own. What keeps erases from overtaking them is the
// scheduler's rule, and where a block moves, the layer as well.
class CarelessSchedulerTest : public ::testing::Test {
  protected:
    /// Every erase that waits for a copy to another die does so no more.
    static bool forget(const Geometry& geometry, FlashOpList& ops) {
        for (FlashOp& op : ops) {
            if (op.kind == FlashOpKind::kErase && op.after != FlashOp::kNone &&
                geometry.die_of(ops[static_cast<std::size_t>(op.after)].page) !=
                    geometry.die_of(op.page)) {
                op.after = FlashOp::kNone;
            }
        }
        return false;
    }
    static std::string verdict_of(const char* layer, bool forgets, bool careless) {
        const Case each{find_ftl(layer), drives()[1]};
        return verdict(
            each,
            [&](FlashOpList& ops) { return forgets ? forget(each.drive.geometry, ops) : true; }, {},
            careless);
    }
    static bool loses(const std::string& found) {
        return found.find("the last copy of logical page") != std::string::npos;
    }
};

TEST_F(CarelessSchedulerTest, AMoveIsSafeByEitherAlone) {
    EXPECT_FALSE(loses(verdict_of("bast", false, false)));
    EXPECT_FALSE(loses(verdict_of("bast", false, true)));
    EXPECT_FALSE(loses(verdict_of("bast", true, false)));
    EXPECT_TRUE(loses(verdict_of("bast", true, true)));
}

TEST_F(CarelessSchedulerTest, MergesThatScatterABlockNeedTheScheduler) {
    EXPECT_FALSE(loses(verdict_of("fast", false, false)));
    EXPECT_TRUE(loses(verdict_of("fast", false, true)));
}

} // namespace
} // namespace cavern::testing
