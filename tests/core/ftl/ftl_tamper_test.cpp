// The model of tests/core/ftl/ftl_model.h finds what a translation layer can do wrong: layers whose
// operations, counters or answers are changed are noticed, whichever row of the table it is.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/ftl/ftl_workload.h"
#include "tests/support/nightly.h"

namespace cavern::testing {
namespace {

/// What is counted too much. Of what single schemes count, the operations tell as well.
struct Excess : FtlCounters {
    std::uint64_t map_pages_read = 0;
    std::uint64_t map_pages_written = 0;
    std::uint64_t fold_pages = 0;

    static constexpr auto declared =
        counters_of(counter(&Excess::map_pages_read, "map_pages_read", "", ""),
                    counter(&Excess::map_pages_written, "map_pages_written", "", ""),
                    counter(&Excess::fold_pages, "fold_pages", "", ""));
};

/// A layer whose operations someone tampers with, once: `tamper` gets the operations of each unit
/// until it says it has done it.
class TamperedFtl : public FtlIf {
  public:
    using Tamper = std::function<bool(FlashOpList&)>;

    TamperedFtl(std::unique_ptr<FtlIf> inner, Tamper tamper, Excess excess)
        : inner_(std::move(inner)), tamper_(std::move(tamper)), excess_(excess) {
        parts_.map_cache = inner_->parts().map_cache;
        parts_.map_in_flash = inner_->parts().map_in_flash;
    }

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
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn,
                                                   std::optional<DieId> target) const override {
        return inner_->destination(lpn, target);
    }
    [[nodiscard]] std::uint64_t logical_pages() const override { return inner_->logical_pages(); }
    [[nodiscard]] const FtlCounters& counters() const override {
        told_ = inner_->counters();
        for (const auto kind :
             {&FtlCounters::host_pages, &FtlCounters::gc_pages, &FtlCounters::merge_pages,
              &FtlCounters::padding_pages, &FtlCounters::erases, &FtlCounters::merges_full,
              &FtlCounters::wear_pages, &FtlCounters::rescued_pages,
              &FtlCounters::failed_programs}) {
            told_.*kind += excess_.*kind;
        }
        return told_;
    }
    [[nodiscard]] CounterView own_counters() const override {
        for (const auto& each : Excess::declared) {
            told_own_.*each.member =
                inner_->own_counters().value_of(each.name) + each.value(excess_);
        }
        return told_own_;
    }
    [[nodiscard]] std::uint64_t programs() const override {
        return inner_->programs() + excess_.FtlCounters::programs() + excess_.map_pages_written +
               excess_.fold_pages;
    }
    void reset_counters() override { inner_->reset_counters(); }
    std::uint64_t check_invariants() const override { return inner_->check_invariants(); }
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override {
        return inner_->valid_count(block);
    }

  private:
    std::unique_ptr<FtlIf> inner_;
    Tamper tamper_;
    Excess excess_;
    mutable FtlCounters told_;
    mutable Excess told_own_;
    int units_ = 0;
    bool done_ = false;
};

constexpr const char* kNoChance = "no chance to tamper";

using Wrap = std::function<std::unique_ptr<FtlIf>(std::unique_ptr<FtlIf>)>;

/// Programs that erases do not wait for: copies, and others that supersede a page.
struct Careless {
    bool copies = false;
    bool others = false;
};

/// What the model says of a wrapped layer; empty if it notices nothing in 20,000 steps.
std::string verdict_on(const FtlCase& each, const Wrap& wrap, Careless careless = {}) {
    const auto model = make_model(each, 5, wrap);
    model->runner().let_erases_overtake(careless.copies, careless.others);
    FtlWorkload workload(each, *model);
    try {
        for (int step = 1; step <= 20'000; ++step) {
            workload.step();
            if (step % 1000 == 0) {
                model->check();
            }
        }
    } catch (const ModelError& error) {
        return error.what();
    }
    return "";
}

/// The same of a tampered one.
std::string verdict(const FtlCase& each, const TamperedFtl::Tamper& tamper, Excess excess = {},
                    Careless careless = {}) {
    bool done = false;
    const TamperedFtl::Tamper noted = [&](FlashOpList& ops) { return done = tamper(ops); };
    const std::string found = verdict_on(
        each,
        [&](std::unique_ptr<FtlIf> ftl) {
            return std::make_unique<TamperedFtl>(std::move(ftl),
                                                 tamper ? noted : TamperedFtl::Tamper{}, excess);
        },
        careless);
    return found.empty() && tamper && !done ? kNoChance : found;
}

/// A contradiction was found, and there was one.
void expect_found(const std::string& found) {
    EXPECT_NE(found, "");
    EXPECT_NE(found, kNoChance);
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

class TamperedFtlTest : public ::testing::TestWithParam<FtlCase> {};

INSTANTIATE_TEST_SUITE_P(Table, TamperedFtlTest, ::testing::ValuesIn(few_of(one_ftl_case_each())),
                         [](const auto& test) { return test.param.name(); });
INSTANTIATE_TEST_SUITE_P(SlowTable, TamperedFtlTest,
                         ::testing::ValuesIn(rest_of(one_ftl_case_each())),
                         [](const auto& test) { return test.param.name(); });

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
    expect_found(verdict(GetParam(), at_first(copy, drop)));
}

TEST_P(TamperedFtlTest, APageThatDoesNotSayWhatItSupersedesIsFound) {
    for (const Origin origin : {Origin::kHost, Origin::kMapping}) {
        const auto supersedes = [origin](const FlashOpList& ops, std::size_t i) {
            return ops[i].origin == origin && ops[i].supersedes != kNoPpn;
        };
        const auto forget = [](FlashOpList& ops, std::size_t i) { ops[i].supersedes = kNoPpn; };
        const std::string found = verdict(GetParam(), at_first(supersedes, forget));
        EXPECT_TRUE(found.find("supersedes another page than its own") != std::string::npos ||
                    (found == kNoChance && origin == Origin::kMapping))
            << found;
    }
}

TEST_P(TamperedFtlTest, ALostEraseIsFound) {
    const auto erase = [](const FlashOpList& ops, std::size_t i) {
        return ops[i].kind == FlashOpKind::kErase && i > 0 && is_copy(ops[i - 1]);
    };
    const auto drop = [](FlashOpList& ops, std::size_t i) {
        ops[i] = ops[static_cast<std::size_t>(ops[i - 1].after)];
    };
    expect_found(verdict(GetParam(), at_first(erase, drop)));
}

TEST_P(TamperedFtlTest, ACopyOfAnotherPageIsFound) {
    const auto copies = [](const FlashOpList& ops, std::size_t i) {
        return i > 1 && is_copy(ops[i]) && is_copy(ops[i - 2]) && ops[i].after > 1;
    };
    const auto change = [](FlashOpList& ops, std::size_t i) {
        ops[static_cast<std::size_t>(ops[i].after)].page = ops[i - 3].page;
    };
    expect_found(verdict(GetParam(), at_first(copies, change)));
}

TEST_P(TamperedFtlTest, PagesOfABlockInTheWrongOrderAreFound) {
    const auto copies = [](const FlashOpList& ops, std::size_t i) {
        return i > 1 && is_copy(ops[i]) && is_copy(ops[i - 2]) &&
               raw(ops[i].page) == raw(ops[i - 2].page) + 1;
    };
    const auto change = [](FlashOpList& ops, std::size_t i) {
        std::swap(ops[i].page, ops[i - 2].page);
    };
    expect_found(verdict(GetParam(), at_first(copies, change)));
}

TEST_P(TamperedFtlTest, AnEraseInFrontOfTheCopiesIsFound) {
    const Geometry& geometry = GetParam().geometry;
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
    expect_found(verdict(GetParam(), at_first(erase, change)));
}

TEST_P(TamperedFtlTest, ADroppedOrStrangeHostPageIsFound) {
    const auto host = [](const FlashOpList& ops, std::size_t i) {
        return ops[i].kind == FlashOpKind::kProgram && ops[i].origin == Origin::kHost;
    };
    expect_found(verdict(GetParam(), at_first(host, [](FlashOpList& ops, std::size_t i) {
                             ops[i].lpn = Lpn{raw(ops[i].lpn) ^ 1};
                         })));
    expect_found(verdict(GetParam(), at_first(host, [](FlashOpList& ops, std::size_t i) {
                             ops[i].origin = Origin::kPadding;
                         })));
}

TEST_P(TamperedFtlTest, AReadOrAProgramThatIsNotCountedIsFound) {
    const auto host = [](const FlashOpList& ops, std::size_t i) {
        return ops[i].kind == FlashOpKind::kProgram && ops[i].origin == Origin::kHost;
    };
    expect_found(
        verdict(GetParam(), at_first(host, [](FlashOpList& ops, std::size_t i) {
                    ops.push_back({FlashOpKind::kRead, Origin::kGc, ops[i].page, ops[i].lpn});
                })));
    const Geometry& geometry = GetParam().geometry;
    // The last page of a block, which then is the next one to be taken nowhere.
    const auto last = [&](const FlashOpList& ops, std::size_t i) {
        return i + 1 == ops.size() && host(ops, i) &&
               geometry.page_in_block(ops[i].page) + 2 ==
                   (geometry.is_slc(ops[i].page) ? geometry.slc_pages : geometry.pages_per_block);
    };
    const std::string found = verdict(
        GetParam(), at_first(last, [](FlashOpList& ops, std::size_t i) {
            ops.push_back({FlashOpKind::kProgram, Origin::kGc, Ppn{raw(ops[i].page) + 1}, kNoLpn});
        }));
    expect_found(found);
}

/// A layer whose answers about its map are changed.
class LyingFtl final : public TamperedFtl {
  public:
    enum class Lie {
        kLostWrite,
        kSharedPlace,
        kValidCount,
        kMappedPages,
        kTrimForgotten,
        kDestination,
    };

    LyingFtl(std::unique_ptr<FtlIf> inner, Lie lie)
        : TamperedFtl(std::move(inner), {}, {}), lie_(lie) {}

    void write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) override {
        const Ppn before = TamperedFtl::location(kVictim);
        TamperedFtl::write_unit(pages, count, ops);
        for (std::size_t i = 0; i < count && lie_ == Lie::kLostWrite; ++i) {
            if (pages[i].lpn == kVictim && before != kNoPpn) {
                stale_ = before; // the write is acknowledged, and the map not changed
            }
        }
    }
    void trim(Lpn lpn, FlashOpList& ops) override {
        const Ppn before = TamperedFtl::location(lpn);
        TamperedFtl::trim(lpn, ops);
        if (lie_ == Lie::kTrimForgotten && lpn == kVictim) {
            stale_ = before;
        }
    }
    [[nodiscard]] Ppn location(Lpn lpn) const override {
        if (lpn == kVictim && stale_ != kNoPpn) {
            return stale_;
        }
        const Ppn other = lie_ == Lie::kSharedPlace && lpn == kVictim
                              ? TamperedFtl::location(Lpn{raw(kVictim) + 1})
                              : kNoPpn;
        return other != kNoPpn ? other : TamperedFtl::location(lpn);
    }
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn,
                                                   std::optional<DieId> target) const override {
        const std::optional<DieId> die = TamperedFtl::destination(lpn, target);
        return die && lie_ == Lie::kDestination ? DieId{raw(*die) + 1} : die;
    }
    [[nodiscard]] std::uint64_t mapped_pages() const override {
        return TamperedFtl::mapped_pages() + (lie_ == Lie::kMappedPages ? 1 : 0);
    }
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override {
        const std::optional<std::uint32_t> count = TamperedFtl::valid_count(block);
        return count && lie_ == Lie::kValidCount ? std::optional<std::uint32_t>(*count + 1) : count;
    }

  private:
    static constexpr Lpn kVictim{1};
    Lie lie_;
    Ppn stale_ = kNoPpn;
};

class LyingFtlTest : public TamperedFtlTest {
  protected:
    static std::string verdict_on_lie(LyingFtl::Lie lie) {
        return verdict_on(GetParam(), [lie](std::unique_ptr<FtlIf> ftl) {
            return std::make_unique<LyingFtl>(std::move(ftl), lie);
        });
    }
};

INSTANTIATE_TEST_SUITE_P(Table, LyingFtlTest, ::testing::ValuesIn(one_ftl_case_each()),
                         [](const auto& test) { return test.param.name(); });

TEST_P(LyingFtlTest, AnotherDieThanThatOfTheWriteIsFound) {
    expect_found(verdict_on_lie(LyingFtl::Lie::kDestination));
}

TEST_P(LyingFtlTest, ALostWriteIsFound) {
    expect_found(verdict_on_lie(LyingFtl::Lie::kLostWrite));
}

TEST_P(LyingFtlTest, TwoPagesInOnePlaceAreFound) {
    expect_found(verdict_on_lie(LyingFtl::Lie::kSharedPlace));
}

TEST_P(LyingFtlTest, ATrimmedPageThatReappearsIsFound) {
    expect_found(verdict_on_lie(LyingFtl::Lie::kTrimForgotten));
}

TEST_P(LyingFtlTest, AMiscountOfMappedPagesIsFound) {
    expect_found(verdict_on_lie(LyingFtl::Lie::kMappedPages));
}

TEST_P(LyingFtlTest, AWrongValidCountIsFoundWhereOneIsKept) {
    const auto ftl = GetParam().make(nullptr);
    const std::string found = verdict_on_lie(LyingFtl::Lie::kValidCount);
    // Striped logs count by superblock, and subgroup not at all: these look at the map instead.
    const bool counts = GetParam().row->name != "mcsplit" && GetParam().row->name != "subgroup";
    EXPECT_EQ(found.find("valid pages but counts") != std::string::npos, counts) << found;
}

TEST_P(TamperedFtlTest, CountersThatDoNotAddUpAreFound) {
    const auto says = [](std::uint64_t Excess::*counted) {
        Excess excess;
        excess.*counted = 1;
        return verdict(GetParam(), {}, excess);
    };
    EXPECT_EQ(says(&FtlCounters::host_pages), "programs are not those counted");
    for (std::uint64_t Excess::*kind : std::initializer_list<std::uint64_t Excess::*>{
             &Excess::merge_pages, &Excess::gc_pages, &Excess::padding_pages,
             &Excess::map_pages_written, &Excess::wear_pages, &Excess::rescued_pages,
             &Excess::failed_programs, &Excess::fold_pages}) {
        EXPECT_EQ(says(kind), "programs are not those counted");
    }
    EXPECT_EQ(says(&Excess::map_pages_read), "reads of the map are not those counted");
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
    static std::string verdict_of(const char* layer, bool forgets, Careless careless) {
        const auto all = one_ftl_case_each();
        const FtlCase& each = *std::find_if(all.begin(), all.end(),
                                            [&](const FtlCase& c) { return c.row->name == layer; });
        return verdict(
            each, [&](FlashOpList& ops) { return forgets ? forget(each.geometry, ops) : true; }, {},
            careless);
    }
    static constexpr Careless kCopies{true, false};
    static bool loses(const std::string& found) {
        return found.find("the last copy of logical page") != std::string::npos;
    }
};

TEST_F(CarelessSchedulerTest, AMoveIsSafeByEitherAlone) {
    EXPECT_FALSE(loses(verdict_of("bast", false, {})));
    EXPECT_FALSE(loses(verdict_of("bast", false, kCopies)));
    EXPECT_FALSE(loses(verdict_of("bast", true, {})));
    EXPECT_TRUE(loses(verdict_of("bast", true, kCopies)));
}

TEST_F(CarelessSchedulerTest, MergesThatScatterABlockNeedTheScheduler) {
    EXPECT_FALSE(loses(verdict_of("fast", false, {})));
    EXPECT_TRUE(loses(verdict_of("fast", false, kCopies)));
}

// What a page of the host supersedes may lie on another die, and its block be erased there.
TEST_F(CarelessSchedulerTest, PagesOfTheHostThatChangeTheirDieNeedTheScheduler) {
    EXPECT_FALSE(loses(verdict_of("page", false, {})));
    EXPECT_TRUE(loses(verdict_of("page", false, {false, true})));
}

} // namespace
} // namespace cavern::testing
